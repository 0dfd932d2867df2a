//! The groups of the inbox: what needs input, what works, what is idle, what has ended.

use unspool_engine::ops::inbox::{Inbox, InboxItem};
use unspool_text::html::Html;

use super::card::card;
use super::mark::SessionMark;
use super::moment::{TimeStyle, moment};

/// Where groups are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InboxGroups {
    /// On the home page, with what has ended.
    Home,
    /// On the wall, which has live sessions only.
    Wall,
}

impl InboxGroups {
    /// Paints the groups as one part of a page.
    pub(crate) fn paint(self, inbox: &Inbox, html: &mut Html) {
        html.tag("<section id=\"part-inbox\" class=\"inbox\" data-part=\"inbox\">\n");
        let live = [
            ("Needs input", &inbox.needs_input, SessionMark::Waits),
            ("Working", &inbox.working, SessionMark::Works),
            ("Idle", &inbox.idle, SessionMark::Idle),
        ];
        if live.iter().all(|(_, items, _)| items.is_empty()) {
            html.tag("<p class=\"quiet-line\">Nothing is running.</p>\n");
        }
        for (name, items, mark) in live {
            group(name, items, |_| mark, html);
        }
        if self == Self::Home && !inbox.done.is_empty() {
            done(inbox, html);
        }
        html.tag("</section>\n");
    }
}

fn group(
    name: &'static str,
    items: &[InboxItem],
    mark: impl Fn(&InboxItem) -> SessionMark,
    html: &mut Html,
) {
    let Some(first) = items.first() else {
        return;
    };
    html.tag("<section class=\"group\"")
        .attribute("data-group", mark(first).name());
    html.tag(">\n<div class=\"head-line\"><h2>").tag(name);
    html.tag("</h2><span class=\"count\">");
    html.number(items.len() as u64).tag("</span></div>\n");
    cards(items, mark, html);
    html.tag("</section>\n");
}

fn cards(items: &[InboxItem], mark: impl Fn(&InboxItem) -> SessionMark, html: &mut Html) {
    html.tag("<ul class=\"cards\">\n");
    for item in items {
        card(item, mark(item), html);
    }
    html.tag("</ul>\n");
}

/// Paints what has ended since the inbox was last marked as seen.
fn done(inbox: &Inbox, html: &mut Html) {
    html.tag("<section class=\"group\" data-group=\"done\">\n<div class=\"head-line\">");
    html.tag("<h2>Done since you looked");
    if let Some(since) = inbox.since {
        html.tag(" <span class=\"since\">");
        moment(since, TimeStyle::Minute, html);
        html.tag("</span>");
    }
    html.tag("</h2><span class=\"count\">");
    html.number((inbox.done.len() + inbox.done_left) as u64);
    html.tag("</span><form class=\"right\" method=\"post\" action=\"/inbox/seen\">");
    html.tag("<button type=\"submit\">Mark seen</button></form></div>\n");
    cards(&inbox.done, |item| SessionMark::of(&item.row), html);
    if inbox.done_left > 0 {
        html.tag("<p class=\"quiet-line\">")
            .number(inbox.done_left as u64);
        html.tag(" more, in <a href=\"/sessions\">all sessions</a></p>\n");
    }
    html.tag("</section>\n");
}
