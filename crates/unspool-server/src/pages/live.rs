//! `/live`: one card for each running session; `/live/list`: what tells a page of lists to look
//! again; `/inbox/seen`: what has ended until now was seen.

use unspool_engine::library::InboxRequest;
use unspool_store::progress::Unwatched;
use unspool_text::html::Html;

use super::parts::{InboxGroups, PageParts};
use super::zone::PageZone;
use crate::frame::{Crumb, PageFrame};
use crate::route::{Call, StreamAnswer};
use crate::stream::{ListWords, list_stream};
use crate::web::{Problem, Reply};

/// Answers with the parts of pages that are other ones now.
pub(super) fn list(call: Call) -> StreamAnswer {
    Box::pin(async move { Ok(list_stream(&call, ListWords::Page)) })
}

/// The wall: every running session as a card.
pub(super) fn page(call: &Call) -> Result<Reply, Problem> {
    let parts = PageParts::of(call);
    call.state.freshness.freshen()?;
    let request = InboxRequest {
        done: 0,
        ..InboxRequest::default()
    };
    let inbox = call.state.library.inbox(&request, &Unwatched)?;
    let mut wall = Html::new();
    InboxGroups::Wall.paint(&inbox, &mut wall);
    let frame = PageFrame {
        title: "Live \u{b7} unspool",
        kind: "live",
        crumbs: vec![Crumb::here("Live")],
        data: vec![("data-zone", PageZone::of(call).name)],
    };
    let layout = |html: &mut Html| {
        html.tag("<main id=\"main\" class=\"home wall\">\n<h1>Live</h1>\n");
        html.append(&wall).tag("</main>\n");
    };
    Ok(parts.answer(&frame, &[&wall], layout))
}

/// Marks the inbox as seen, and goes back to it.
pub(super) fn seen(call: &Call) -> Result<Reply, Problem> {
    call.state.library.mark_inbox_seen(&Unwatched)?;
    Ok(Reply::see_other("/"))
}
