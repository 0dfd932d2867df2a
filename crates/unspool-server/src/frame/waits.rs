//! Sessions and approvals that wait for a person, as links in the bar of every page.

use unspool_engine::library::InboxRequest;
use unspool_model::time::Time;
use unspool_store::progress::Unwatched;
use unspool_text::html::Html;

use super::urls::{RunUrls, SessionUrls};
use crate::driving::{about, heading};
use crate::state::{ServerState, is_session_id};

/// The maximum length of a title in the bar, in characters.
const LONGEST_TITLE: usize = 120;

/// Paints one link for each session or approval that waits. The bar shows the first one with the
/// number of all; scripts read the others.
pub(crate) fn waits(state: &ServerState, html: &mut Html) {
    html.tag("<nav id=\"waits\" data-part=\"bar\" aria-label=\"Needs input\">");
    let library = &state.library;
    let request = InboxRequest { since: Some(library.settings().clock.time()), done: 0 };
    // The page of a problem has this bar too, so an inbox that cannot be read counts as empty.
    let inbox = library.inbox(&request, &Unwatched).unwrap_or_default();
    let asked = state.approvals();
    let others = inbox.needs_input.iter().filter(|item| {
        let id = item.row.id.as_str();
        is_session_id(id) && !is_driven(state, id)
    });
    let others: Vec<_> = others.collect();
    let count = asked.len() + others.len();
    let ways = RunUrls::of(state, asked.iter().map(|one| one.session.as_str()));
    for approval in asked.iter().filter(|one| is_session_id(&one.session)) {
        let key = format!("approval-{}", approval.id);
        let link = WaitingLink {
            way: format!("{}#{key}", ways.to(&approval.session, &approval.cwd)),
            key,
            title: heading(approval),
            words: about(approval),
        };
        link.paint(count, html);
    }
    let ways = SessionUrls::of_rows(state, others.iter().map(|item| &item.row));
    for item in others {
        let row = &item.row;
        let id = row.id.as_str();
        let since = item.since.map_or(0, Time::as_millis);
        let title = row.title.as_deref().or(row.opening()).unwrap_or(id);
        let title: String = title.chars().take(LONGEST_TITLE).collect();
        let link = WaitingLink {
            way: ways.to_row(row),
            key: format!("{id}@{since}"),
            title,
            words: String::new(),
        };
        link.paint(count, html);
    }
    html.tag("</nav>\n");
}

/// Returns whether a run drives a session. Its approvals have their own links, which may appear a
/// moment after the client's status says that it waits.
fn is_driven(state: &ServerState, session: &str) -> bool {
    let driving = state.driving.as_ref();
    let run = driving.and_then(|driving| driving.drive().run_of_session(session).ok());
    run.flatten().is_some()
}

/// A link to a session or an approval that waits for a person.
struct WaitingLink {
    way: String,
    /// The key by which all tabs know that its notification was shown.
    key: String,
    title: String,
    /// What exactly is asked; empty if only the session's page shows it.
    words: String,
}

impl WaitingLink {
    /// Paints the link with the number of all links.
    fn paint(&self, count: usize, html: &mut Html) {
        html.tag("<a").attribute("href", &self.way);
        html.attribute("data-key", &self.key);
        html.attribute("data-title", &self.title);
        if !self.words.is_empty() {
            html.attribute("data-words", &self.words);
        }
        html.attribute("title", &self.title);
        html.tag("><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">");
        html.tag("<path d=\"M8 1.2 14.8 8 8 14.8 1.2 8z\" fill=\"currentColor\"/></svg>");
        html.number(count as u64).tag("<span class=\"sr\"> needs input: ");
        html.text(&self.title).tag("</span></a>");
    }
}
