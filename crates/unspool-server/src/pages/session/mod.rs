//! `/s/{id}`, `/s/{id}/a/{agent}`, `/a/{agent}`: the pages of sessions and agents, and what these
//! pages fetch.
//!
//! A request becomes a [`SheetRequest`](request), an open session becomes a [`SessionSheet`], and
//! everything is painted from the sheet: the page with its head, rail and panel ([`page`]), its
//! transcript in chunks ([`chunks`], [`skeleton`]), parts of it ([`part`]), positions for the
//! script ([`place`]), and the files that messages link to ([`content`]). An agent is a
//! conversation like any other: its page has the same parts below its own address.
//!
//! The renderer of exported pages paints the messages; [`host`] adds the parts around them. The
//! work is proportional to what is shown, except for scans of the log's tables: the page of a
//! hundred thousand messages reads about a hundred.

mod branches;
mod chunks;
mod content;
mod drive;
mod exports;
mod front;
mod host;
mod live;
mod page;
mod panel;
mod part;
mod place;
mod rail;
mod request;
mod resume;
mod sheet;
mod signs;
mod sizes;
mod skeleton;
mod states;
#[cfg(test)]
mod tests;
mod time;
mod unread;
mod urls;

use unspool_engine::ops::agents::AgentInfo;
use unspool_render::document::{AgentHead, AgentLocation};
use unspool_store::home::Target;
use unspool_store::progress::Unwatched;

use self::sheet::SessionSheet;
use self::urls::SheetUrls;
use crate::route::{Call, Route};
use crate::state::is_session_id;
use crate::web::{RequestProblem, WebReply};

/// The routes of sessions and agents.
pub(super) const ROUTES: &[Route] = &[
    Route::get("/s/{id}", page::page),
    Route::get("/s/{id}/part", part::part),
    Route::get("/s/{id}/rail", part::rail_part),
    Route::get("/s/{id}/panel", part::panel_part),
    Route::get("/s/{id}/facts", part::facts),
    Route::get("/s/{id}/where", place::place),
    Route::get("/s/{id}/find", place::find),
    Route::stream("/s/{id}/live", live::live),
    Route::get("/s/{id}/drive", drive::drive_part),
    Route::get("/s/{id}/composer", drive::composer_part),
    Route::get("/s/{id}/output/{call}", content::output),
    Route::get("/s/{id}/media/{entry}/{n}", content::media),
    Route::get("/s/{id}/md/{entry}", content::markdown),
    Route::get("/s/{id}/a/{agent}", page::page),
    Route::get("/s/{id}/a/{agent}/part", part::part),
    Route::get("/s/{id}/a/{agent}/rail", part::rail_part),
    Route::get("/s/{id}/a/{agent}/panel", part::panel_part),
    Route::get("/s/{id}/a/{agent}/facts", part::facts),
    Route::get("/s/{id}/a/{agent}/where", place::place),
    Route::get("/s/{id}/a/{agent}/find", place::find),
    Route::stream("/s/{id}/a/{agent}/live", live::live),
    Route::get("/s/{id}/a/{agent}/output/{call}", content::output),
    Route::post("/s/{id}/read", unread::mark_read),
    Route::get("/a/{agent}", agent),
];

/// `/a/{agent}`: redirects to the page of an agent in its session.
fn agent(call: &Call) -> Result<WebReply, RequestProblem> {
    let name = call.name("agent");
    let missing = || RequestProblem::not_found("no agent has this id, or its file is gone");
    if !is_session_id(name) {
        return Err(missing());
    }
    let found = call.state.library.resolve(name, &Unwatched)?;
    let Target::Agent(file) = &found.target else {
        return Err(missing());
    };
    let project = found.project.as_ref().map(AsRef::as_ref);
    let way = match &file.session {
        Some(session) => SheetUrls::new(session.as_str(), project).of_agent(Some(file.id.as_str())),
        // Its session is gone; its log is shown as a conversation of its own.
        None => SheetUrls::new(name, project),
    };
    Ok(WebReply::see_other(&way.page()))
}

/// Describes an agent, with the address of its page.
fn agent_head(sheet: &SessionSheet<'_>, info: &AgentInfo) -> AgentHead {
    let way = sheet.ways.of_agent(Some(&info.id)).page();
    AgentHead::of(info, AgentLocation::Separate(way))
}

/// Returns the address of a comparison of the shown path with another one.
fn compare_way(sheet: &SessionSheet<'_>, other: u32) -> Option<String> {
    let own = sheet.path_number()?;
    let (own, other) = (own.to_string(), other.to_string());
    let pages = sheet.ways.on_path(None);
    Some(pages.of_session(&["compare"], &[("a", &own), ("b", &other)]))
}
