//! Pages without a conversation: an empty session, a log that is gone, an agent without a file, an
//! id that several projects have.

use unspool_engine::library::{NameMatch, NameReach, OpenState, SessionRequest};
use unspool_engine::ops::anywhere::PastSession;
use unspool_model::entry::EntryKind;
use unspool_store::home::{CandidateKind, NameCandidate, NameError, layout};
use unspool_store::progress::Unwatched;
use unspool_text::html::Html;
use unspool_text::human;

use super::host::damaged_line;
use super::request::SheetRequest;
use super::sheet::SessionSheet;
use super::time::moment;
use super::urls::SheetUrls;
use crate::frame::{Crumb, PageFrame};
use crate::route::Call;
use crate::web::{ProblemKind, RequestProblem, WebReply};

/// The maximum number of listed damaged lines of an empty session.
const DAMAGED: usize = 20;

/// Answers for a session that could not be opened: with its prompts from the history, with the
/// sessions that the id may mean, or with the problem.
pub(super) fn unopened(
    call: &Call,
    asked: &SheetRequest,
    problem: RequestProblem,
) -> Result<WebReply, RequestProblem> {
    if !matches!(problem.kind, ProblemKind::NotFound | ProblemKind::Ambiguous) {
        return Err(problem);
    }
    let request = SessionRequest { name: &asked.session, project: asked.project.as_deref() };
    let reach = NameReach { entries: false, past: true };
    match call.state.library.named(&request, reach, &Unwatched) {
        Ok(NameMatch::Past(past)) => Ok(gone(call, &past)),
        Err(error) => match error.name_error() {
            Some(NameError::Ambiguous { candidates, .. }) => Ok(several(call, asked, candidates)),
            _ => Err(problem),
        },
        Ok(NameMatch::Session(_)) => Err(problem),
    }
}

/// Paints the prompts of a session whose log is gone.
fn gone(call: &Call, past: &PastSession) -> WebReply {
    let title = format!("Session {}", past.session);
    let mut html = Html::new();
    html.tag(
        "<main id=\"main\" class=\"sheet gone\" tabindex=\"-1\">\n<header class=\"front\">\n<h1>",
    );
    html.text(&title).tag("</h1>\n<p class=\"banner\">The log of this session is gone. ");
    html.tag("These are its prompts, from the history of ").text(&past.project);
    html.tag(".</p>\n</header>\n<ol class=\"past\">\n");
    for (time, prompt) in &past.prompts {
        html.tag("<li class=\"msg prompt\"><header>");
        if let Some(time) = time {
            moment(*time, &mut html);
        }
        html.tag("</header>\n<div class=\"typed\">").text(prompt).tag("</div></li>\n");
    }
    html.tag("</ol>\n</main>\n");
    page(call, &title, &html)
}

/// Paints the sessions that an id may mean.
fn several(call: &Call, asked: &SheetRequest, candidates: &[NameCandidate]) -> WebReply {
    let title = "Which session?";
    let mut html = Html::new();
    html.tag("<main id=\"main\" class=\"problem\">\n<h1>").tag(title).tag("</h1>\n<p>");
    html.text(&human::plural(candidates.len(), "session"));
    html.tag(" could be meant by <code>").text(&asked.session).tag("</code>:</p>\n<ul>\n");
    for candidate in candidates {
        let (CandidateKind::Session(_) | CandidateKind::Agent(_)) = &candidate.kind;
        let way = SheetUrls::new(&candidate.name(), Some(candidate.project.as_ref())).page();
        html.tag("<li>").link(&way, &candidate.name()).tag(" in <code>");
        html.text(candidate.project.as_ref()).tag("</code></li>\n");
    }
    html.tag("</ul>\n</main>\n");
    page(call, title, &html).with_status(ProblemKind::Ambiguous.status())
}

/// Returns whether a session has an agent; `agent` is its id, with or without `agent-`.
pub(super) fn has_agent(open: &OpenState, agent: &str) -> bool {
    let bare = layout::agent_in(agent);
    let mut known = open.agents().iter();
    known.any(|info| info.id == agent || info.id == bare)
}

/// Paints that an agent's file is gone, and lists the agents of the session.
pub(super) fn no_agent(
    call: &Call,
    asked: &SheetRequest,
    open: &OpenState,
    agent: &str,
) -> WebReply {
    let ways = asked.ways();
    let title = "The agent is not here";
    let mut html = Html::new();
    html.tag("<main id=\"main\" class=\"problem\">\n<h1>").tag(title).tag("</h1>\n<p>Agent <code>");
    html.text(agent).tag("</code>: its file is gone, or it belongs to another session.</p>\n<p>");
    html.link(&ways.of_agent(None).page(), "Go to the session").tag("</p>\n");
    if !open.agents().is_empty() {
        html.tag("<p>The session has these agents:</p>\n<ul>\n");
        for info in open.agents().iter().take(100) {
            let way = ways.of_agent(Some(&info.id)).page();
            html.tag("<li>").link(&way, &info.id).tag("</li>\n");
        }
        html.tag("</ul>\n");
    }
    html.tag("</main>\n");
    page(call, title, &html).with_status(ProblemKind::NotFound.status())
}

/// Paints the entries of a session without a conversation.
pub(super) fn empty(sheet: &SessionSheet<'_>, html: &mut Html) {
    let counts = sheet.counts();
    html.tag("<div class=\"nothing\">\n<p>No conversation; ");
    let metadata = human::plural(counts.metadata as usize, "metadata entry");
    html.text(&metadata).tag(".</p>\n");
    let entries = sheet.shown.file.log().entries.iter();
    let damaged = entries.filter(|entry| entry.kind == EntryKind::Fragment);
    for entry in damaged.take(DAMAGED) {
        damaged_line(sheet, entry.span, html);
    }
    html.tag("</div>\n");
}

fn page(call: &Call, title: &str, main: &Html) -> WebReply {
    let frame = PageFrame::new(title, "session", vec![Crumb::here(title)]);
    WebReply::html(&frame.paint(&call.state, main))
}
