//! Parts of a session page that the script fetches: messages, the rail, the panel.

use std::ops::Range;
use unspool_model::positions::TurnNumber;

use unspool_render::html::PieceForm;
use unspool_text::html::Html;

use super::chunks::MOST_MESSAGES;
use super::host::SheetHost;
use super::panel::{MoreFacts, paint_more};
use super::request::SheetRequest;
use super::resume::resume_command;
use super::sheet::SessionSheet;
use super::{panel, rail};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// The maximum number of messages in one answer.
const MOST: u32 = 2 * MOST_MESSAGES;

/// `GET …/part?path=&from=&to=`: a range of messages, with the markup of the page. With `form=bare`
/// they come without turns, to be inserted into another conversation.
pub(super) fn part(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let open = asked.open(call)?;
    let view = open.view();
    let sheet = SessionSheet::new(&view, &asked, call.state.prices())?;
    let forms = [("whole", PieceForm::Whole), ("bare", PieceForm::Bare)];
    let form = call.query.choose("form", &forms)?.unwrap_or(PieceForm::Whole);
    let range = range(call, sheet.len())?;
    let tag = sheet.tag(
        range.clone(),
        &[
            call.state.assets.print().as_bytes(),
            &[u8::from(form == PieceForm::Bare)],
            sheet.ways.page().as_bytes(),
        ],
    );
    if tag.is_in(call.header(axum::http::header::IF_NONE_MATCH)) {
        return Ok(WebReply::not_modified(tag));
    }
    let host = SheetHost::new(&sheet);
    let mut html = sheet.fragments(&host, form).piece(range.clone())?;
    if form == PieceForm::Bare && range.end < sheet.len() {
        rest_of_agent(&sheet, range.end, &mut html);
    }
    Ok(WebReply::html(&html).tagged(tag))
}

/// Reads the requested range of messages, limited to the size of one answer.
fn range(call: &Call, count: u32) -> Result<Range<u32>, RequestProblem> {
    let from: u32 = call.query.read("from")?.unwrap_or(0);
    let to: u32 = call.query.read("to")?.unwrap_or(count);
    if from > to {
        return Err(RequestProblem::parameter("to", "it is before from"));
    }
    let from = from.min(count);
    Ok(from..to.min(count).min(from.saturating_add(MOST)))
}

/// Paints a link to the rest of an agent's conversation, which is too long to be inserted.
fn rest_of_agent(sheet: &SessionSheet<'_>, from: u32, html: &mut Html) {
    let more = (sheet.len() - from).to_string();
    let way = sheet.ways.page_with(&[("m", &from.to_string())]);
    html.tag("<p class=\"rest\"><a").attribute("href", &format!("{way}#m{from}"));
    html.tag(">").text(&more).tag(" more messages, on its own page</a></p>\n");
}

/// `GET …/rail?turn=|m=`: the rail around a turn or a message; `read` is the last message that was
/// read before.
pub(super) fn rail_part(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let open = asked.open(call)?;
    let view = open.view();
    let sheet = SessionSheet::new(&view, &asked, call.state.prices())?;
    let last = sheet.shown.turns.len() as u32;
    let message = call.query.read::<u32>("m")?;
    let near = match message {
        Some(message) => sheet.turn_of(message).map_or(1, TurnNumber::get),
        None => call.query.read("turn")?.unwrap_or(last),
    };
    let mut html = Html::new();
    let unread = call.query.read("read")?;
    rail::paint(&sheet, near, unread, &mut html)?;
    Ok(WebReply::html(&html))
}

/// `GET …/panel`: the current panel, without the facts that need all messages unless there are few messages.
pub(super) fn panel_part(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let open = asked.open(call)?;
    let view = open.view();
    let sheet = SessionSheet::new(&view, &asked, call.state.prices())?;
    let more = MoreFacts::if_short(&call.state.library, (&open, &view), &sheet)?;
    let mut html = Html::new();
    let resume = resume_command(&open, &view, &call.state);
    panel::paint(&sheet, more.as_ref(), &resume, &mut html)?;
    Ok(WebReply::html(&html))
}

/// `GET …/facts`: the facts of the panel that need all messages.
pub(super) fn facts(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let open = asked.open(call)?;
    let view = open.view();
    let sheet = SessionSheet::new(&view, &asked, call.state.prices())?;
    let more = MoreFacts::read(&call.state.library, (&open, &view), &sheet)?;
    let mut html = Html::new();
    paint_more(&sheet, &more, &mut html);
    Ok(WebReply::html(&html))
}
