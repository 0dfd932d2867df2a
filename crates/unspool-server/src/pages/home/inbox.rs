//! The inbox, painted: sessions that need a person, that work, that idle, and that have ended.

use unspool_drive::json::ApprovalJson;
use unspool_engine::ops::inbox::{Inbox, InboxItem};
use unspool_text::html::Html;

use crate::pages::drive::{paint_card, paint_lately};
use crate::pages::parts::{
    RowColumns, RowList, SessionMark, SessionUrls, TimeStyle, live_item, moment, shown_title,
};
use crate::state::ServerState;

/// Paints the inbox.
pub(super) fn paint(
    inbox: &Inbox,
    asked: &[ApprovalJson],
    (state, ways): (&ServerState, &SessionUrls),
    html: &mut Html,
) {
    html.tag("<section id=\"part-inbox\" class=\"inbox\" data-part=\"inbox\">\n");
    paint_lately(state, html);
    for approval in asked {
        let waits = |item: &&InboxItem| item.row.id.as_str() == approval.session;
        if let Some(item) = inbox.needs_input.iter().find(waits) {
            html.tag("<p class=\"approval-of\">");
            html.link(&ways.to_row(&item.row), &shown_title(&item.row)).tag("</p>\n");
        }
        paint_card(approval, html);
    }
    let is_quiet =
        inbox.needs_input.is_empty() && inbox.working.is_empty() && inbox.idle.is_empty();
    html.tag_if(is_quiet, "<p class=\"quiet-line\">Nothing is running.</p>\n");
    group("waits", "Needs input", &inbox.needs_input, Notices::Offered, waits, ways, html);
    let notices =
        if inbox.needs_input.is_empty() && !is_quiet { Notices::Offered } else { Notices::None };
    group("works", "Working", &inbox.working, notices, works, ways, html);
    group("idle", "Idle", &inbox.idle, Notices::None, idle, ways, html);
    done(inbox, ways, html);
    html.tag("</section>\n");
}

/// Whether a group has the button that turns on notifications.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Notices {
    Offered,
    None,
}

fn group(
    name: &'static str,
    title: &'static str,
    items: &[InboxItem],
    notices: Notices,
    paint: fn(&InboxItem, &SessionUrls, &mut Html),
    ways: &SessionUrls,
    html: &mut Html,
) {
    if items.is_empty() {
        return;
    }
    html.tag("<div class=\"group\" id=\"group-").tag(name).tag("\" data-group=\"");
    html.tag(name).tag("\">\n<div class=\"head-line\"><h2>").tag(title);
    html.tag("</h2><span class=\"count\">").number(items.len() as u64).tag("</span>");
    if notices == Notices::Offered {
        html.tag("<span class=\"right\"><button type=\"button\" id=\"notify\" ");
        html.tag("class=\"button js-only\" hidden><span class=\"words\">Notify me</span></button>");
        html.tag("</span>");
    }
    html.tag("</div>\n<ul class=\"items\">\n");
    for item in items {
        html.tag("<li class=\"item\" data-row");
        html.attribute("id", &live_item::item_id(item)).tag(">");
        paint(item, ways, html);
        html.tag("</li>\n");
    }
    html.tag("</ul>\n</div>\n");
}

fn waits(item: &InboxItem, ways: &SessionUrls, html: &mut Html) {
    live_item::title(item, SessionMark::Waits, ways, html);
    live_item::place(item, html);
    live_item::since(item, "waits", html);
    if let Some(ask) = &item.asks {
        live_item::ask(ask, html);
    }
}

fn works(item: &InboxItem, ways: &SessionUrls, html: &mut Html) {
    live_item::title(item, SessionMark::Works, ways, html);
    live_item::place(item, html);
    html.tag("<span class=\"activity\">");
    live_item::doing(item, html);
    live_item::agent_count(item, html);
    html.tag("</span>");
    live_item::meters(item, html);
}

fn idle(item: &InboxItem, ways: &SessionUrls, html: &mut Html) {
    live_item::title(item, SessionMark::Idle, ways, html);
    live_item::place(item, html);
    live_item::since(item, "idle", html);
    live_item::meters(item, html);
}

/// Paints the sessions that have ended since the inbox was last seen.
fn done(inbox: &Inbox, ways: &SessionUrls, html: &mut Html) {
    if inbox.done.is_empty() {
        return;
    }
    html.tag(
        "<div class=\"group\" id=\"group-done\" data-group=\"done\">\n<div class=\"head-line\">",
    );
    html.tag("<h2>Done since you looked</h2><span class=\"count\">");
    html.number((inbox.done.len() + inbox.done_left) as u64).tag("</span>");
    if let Some(since) = inbox.since {
        html.tag("<span class=\"count\">since ");
        moment(since, TimeStyle::Minute, html);
        html.tag("</span>");
    }
    html.tag("<form class=\"right\" method=\"post\" action=\"/inbox/seen\" data-quiet>");
    html.tag("<button class=\"button\" type=\"submit\">Mark seen</button></form></div>\n");
    let rows = inbox.done.iter().map(|item| &item.row);
    RowList::named("d", RowColumns::Project, ways).paint(rows, html);
    if inbox.done_left > 0 {
        html.tag("<p class=\"remark\">and ").number(inbox.done_left as u64);
        html.tag(" more in <a href=\"/sessions\">all sessions</a></p>\n");
    }
    html.tag("</div>\n");
}
