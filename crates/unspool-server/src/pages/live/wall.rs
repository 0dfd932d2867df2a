//! `/live`: a wall for a second screen, one card for each running session. Nothing on it moves
//! unless a session's state changes.

use unspool_engine::library::{CollectedNotes, InboxRequest};
use unspool_engine::ops::inbox::{Inbox, InboxItem};
use unspool_text::html::Html;
use unspool_text::human;

use crate::frame::{Crumb, PageFrame};
use crate::pages::parts::{
    PageParts, RowColumns, RowList, SessionMark, SessionUrls, live_item, note_lines,
};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// Answers with the page of running sessions.
pub(crate) fn wall(call: &Call) -> Result<WebReply, RequestProblem> {
    let parts = PageParts::of(call);
    let notes = CollectedNotes::default();
    let request = InboxRequest { done: 6, ..InboxRequest::default() };
    let inbox = call.state.library.inbox(&request, &notes)?;
    let mut html = Html::new();
    let ways = SessionUrls::of_rows(&call.state, inbox.rows());
    paint(&inbox, &ways, &mut html);
    let frame = PageFrame::new("Live \u{b7} unspool", "live", vec![Crumb::here("Live")]);
    let layout = |page: &mut Html| {
        page.tag("<main id=\"main\" class=\"live-page\">\n<h1 class=\"sr\">Live</h1>\n");
        note_lines(&notes.take(), page);
        page.append(&html).tag("</main>\n");
    };
    Ok(parts.answer(&frame, &[&html], layout))
}

fn paint(inbox: &Inbox, ways: &SessionUrls, html: &mut Html) {
    html.tag("<section id=\"part-wall\" class=\"wall\" data-part=\"wall\">\n<p class=\"sum\">");
    let needs = match inbox.needs_input.len() {
        1 => "needs input",
        _ => "need input",
    };
    let counts = [
        (inbox.needs_input.len(), needs),
        (inbox.working.len(), "working"),
        (inbox.idle.len(), "idle"),
    ];
    let told: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    if told.is_empty() {
        html.tag("Nothing is running. Sessions show up here as soon as one begins.");
    } else {
        html.text(&told.join(" \u{b7} "));
    }
    html.tag("</p>\n<ul class=\"cards\">\n");
    for (items, state, words) in [
        (&inbox.needs_input, SessionMark::Waits, "waits"),
        (&inbox.working, SessionMark::Works, "works"),
        (&inbox.idle, SessionMark::Idle, "idle"),
    ] {
        for item in items {
            card(item, (state, words), ways, html);
        }
    }
    html.tag("</ul>\n");
    done(inbox, ways, html);
    html.tag("</section>\n");
}

fn card(
    item: &InboxItem,
    (state, words): (SessionMark, &'static str),
    ways: &SessionUrls,
    html: &mut Html,
) {
    html.tag("<li class=\"live-card\" data-row");
    html.attribute("id", &live_item::item_id(item));
    html.attribute("data-state", state.name()).tag(">\n<div class=\"top\">");
    live_item::title(item, state, ways, html);
    live_item::since(item, words, html);
    html.tag("</div>\n<div class=\"middle\">");
    live_item::place(item, html);
    if let Some(ask) = &item.asks {
        live_item::ask(ask, html);
    } else if state == SessionMark::Works {
        live_item::doing(item, html);
    }
    live_item::agents(item, html);
    if let Some(said) = &item.now.last_said {
        html.tag("<blockquote class=\"said-now\">");
        html.text(&live_item::cut(said)).tag("</blockquote>");
    }
    html.tag("</div>\n");
    live_item::meters(item, html);
    html.tag("</li>\n");
}

fn done(inbox: &Inbox, ways: &SessionUrls, html: &mut Html) {
    if inbox.done.is_empty() {
        return;
    }
    let rows = inbox.done.iter().map(|item| &item.row);
    html.tag("<h2>Done since you looked</h2>\n");
    RowList::new(RowColumns::Project, ways).paint(rows, html);
    if inbox.done_left > 0 {
        html.tag("<p class=\"remark\">and ").text(&human::plural(inbox.done_left, "more session"));
        html.tag("</p>\n");
    }
}
