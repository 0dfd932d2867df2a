//! `/`: the inbox. Sessions that need a person come first, then live ones, ended ones, recent ones
//! and projects.

mod gather;
mod inbox;
mod paint;

use unspool_store::progress::Unwatched;
use unspool_text::html::Html;

use self::gather::HomeData;
use super::parts::{PageParts, SessionUrls};
use super::zone::PageZone;
use crate::frame::PageFrame;
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// `POST /inbox/seen`: marks the ended sessions as seen.
pub(super) fn seen(call: &Call) -> Result<WebReply, RequestProblem> {
    call.state.library.mark_inbox_seen(&Unwatched)?;
    Ok(WebReply::see_other("/"))
}

/// Answers with the home page.
pub(super) fn home(call: &Call) -> Result<WebReply, RequestProblem> {
    let parts = PageParts::of(call);
    let zone = PageZone::of(call);
    let data = HomeData::gather(call, &parts, &zone)?;
    let (mut inbox, mut recent, mut side) = (Html::new(), Html::new(), Html::new());
    if let Some(found) = &data.inbox {
        let ways = SessionUrls::of_rows(&call.state, found.rows());
        inbox::paint(found, &call.state.approvals(), (&call.state, &ways), &mut inbox);
    }
    if let Some(page) = &data.recent {
        let ways = SessionUrls::of_rows(&call.state, &page.rows);
        paint::recent(page, &ways, &mut recent);
    }
    if let Some(projects) = &data.side {
        paint::side(projects, &mut side);
    }
    let frame =
        PageFrame::new("unspool", "home", Vec::new()).with_data(vec![("data-zone", zone.name)]);
    let layout = |html: &mut Html| {
        html.tag("<main id=\"main\" class=\"home\">\n<h1 class=\"sr\">Inbox</h1>\n");
        paint::notes(&data, &call.state, html);
        html.append(&inbox).tag("<div class=\"columns\">\n");
        html.append(&recent).append(&side);
        html.tag("</div>\n</main>\n");
    };
    Ok(parts.answer(&frame, &[&inbox, &recent, &side], layout))
}
