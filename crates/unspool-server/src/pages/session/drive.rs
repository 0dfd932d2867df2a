//! Driving on the page of a session: the run, and the prompt field.

use serde::Serialize;
use unspool_drive::RunStage;
use unspool_drive::json::{ApprovalJson, RunEndJson, RunJson};
use unspool_engine::library::OpenState;
use unspool_model::conversation::Liveness;
use unspool_render::json::SCHEMA;
use unspool_text::html::Html;

use super::request::SheetRequest;
use super::sheet::SessionSheet;
use crate::driving::{RunChanges, recently_answered};
use crate::pages::drive::{Composer, paint_run};
use crate::route::Call;
use crate::state::ServerState;
use crate::stream::EventText;
use crate::web::{RequestProblem, WebReply};

/// A run as markup.
#[derive(Serialize)]
struct PageRunJson<'a> {
    schema: u32,
    html: &'a str,
}

/// A text that is being written.
#[derive(Serialize)]
struct PagePartialJson<'a> {
    schema: u32,
    message_id: &'a str,
    text: &'a str,
    parent: Option<&'a str>,
}

/// Writes the changes of a run as events for a page.
pub(super) fn write_events(news: &RunChanges, text: &mut EventText) {
    if news.has_more_than_texts() {
        let mut html = Html::new();
        paint_run(Some(&news.run), &news.lately, &mut html);
        let data = PageRunJson { schema: SCHEMA, html: html.as_str() };
        text.event("drive", None, &data);
    }
    for partial in &news.partials {
        let data = PagePartialJson {
            schema: SCHEMA,
            message_id: &partial.message,
            text: &partial.text,
            parent: partial.parent.as_deref(),
        };
        text.event("partial", None, &data);
    }
}

/// Returns the newest run of a session, with its recently answered approvals; none if the run has
/// ended and left nothing to do.
fn run_of(state: &ServerState, session: &str) -> Option<(RunJson, Vec<ApprovalJson>)> {
    let drive = state.driving.as_ref()?.drive();
    let run = drive.last_run_of_session(session).ok()??;
    let view = drive.run(&run).ok()?;
    let run = view.to_json();
    let has_left = |end: &RunEndJson| !end.survivors.is_empty();
    let is_done = run.ended.as_ref().is_some_and(|end| !has_left(end))
        && run.queue.is_empty()
        && run.state != RunStage::Lost;
    (!is_done).then(|| (run, recently_answered(&view, drive.now())))
}

/// `GET /s/{id}/drive`: the run, for pages that refresh it.
pub(super) fn drive_part(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let open = asked.open(call)?;
    let session = open.view().session().id.to_string();
    let mut html = Html::new();
    let (run, lately) = run_of(&call.state, &session).unzip();
    paint_run(run.as_ref(), &lately.unwrap_or_default(), &mut html);
    Ok(WebReply::html(&html))
}

/// `GET /s/{id}/composer`: the prompt field for a path, for pages whose path has become older than
/// another one, or the newest again.
pub(super) fn composer_part(call: &Call) -> Result<WebReply, RequestProblem> {
    let asked = SheetRequest::of(call)?;
    let open = asked.open(call)?;
    let view = open.view();
    let sheet = SessionSheet::new(&view, &asked, call.state.prices())?;
    let run = run_of(&call.state, sheet.shown.session.id.as_str()).map(|(run, _)| run);
    let mut html = Html::new();
    paint_composer(&call.state, &view, &sheet, run.as_ref(), &mut html);
    Ok(WebReply::html(&html))
}

/// Paints the run and the prompt field below a transcript, if the server drives.
pub(super) fn paint(
    state: &ServerState,
    view: &OpenState,
    sheet: &SessionSheet<'_>,
    html: &mut Html,
) {
    let shown = &sheet.shown;
    if state.driving.is_none() || shown.agent.is_some() {
        return;
    }
    let (run, lately) = run_of(state, shown.session.id.as_str()).unzip();
    html.tag("<section id=\"drive\" class=\"drive\" aria-label=\"Drive\">\n");
    html.tag("<article id=\"partial\" class=\"partial\" aria-live=\"off\" hidden></article>\n");
    paint_run(run.as_ref(), &lately.unwrap_or_default(), html);
    paint_composer(state, view, sheet, run.as_ref(), html);
    html.tag("</section>\n");
}

fn paint_composer(
    state: &ServerState,
    view: &OpenState,
    sheet: &SessionSheet<'_>,
    run: Option<&RunJson>,
    html: &mut Html,
) {
    let Some(driving) = &state.driving else {
        return;
    };
    let shown = &sheet.shown;
    let is_driven = run.is_some_and(|run| run.ended.is_none());
    let is_live = shown.live == Liveness::Live && !is_driven;
    let process = view.feed_status().process;
    let owner = process.filter(|_| is_live);
    let is_active = shown.path.as_ref().is_none_or(|path| path.active);
    let last = if is_active { None } else { last_entry(sheet) };
    let folder = shown.cwd();
    let composer = Composer {
        session: Some(shown.session.id.as_str()),
        folder: folder.as_deref(),
        owner: owner.map(|process| process.pid),
        at: last.as_deref(),
        run: run.filter(|_| is_driven),
        client: &driving.client(),
        limits: driving.drive().limits(),
    };
    composer.paint(html);
}

/// Returns the uuid of the last entry on the shown path.
fn last_entry(sheet: &SessionSheet<'_>) -> Option<String> {
    let (conversation, view) = (&sheet.shown.conversation, &sheet.shown.view);
    let message = view.messages.last()?;
    let node = *view.nodes(message).last()?;
    let entry = conversation.graph.entry(conversation.log, node);
    entry.uuid.map(|uuid| conversation.log.text(uuid).to_owned())
}
