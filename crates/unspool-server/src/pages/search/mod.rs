//! `/search`: one box that searches everything that was said. Results are grouped by session;
//! facets are links that narrow the query.

mod facets;
mod gather;
mod paint;
mod widen;

use unspool_engine::library::{SearchMode, SearchRequest};
use unspool_search::hit::SnippetSize;
use unspool_text::html::Html;

use self::gather::SearchData;
use super::parts::PageParts;
use super::zone::PageZone;
use crate::frame::{Crumb, PageFrame};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// The maximum number of hits of one session, as long as other sessions have hits too.
const OF_SESSION: usize = 4;

/// Answers with the search page.
pub(super) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let parts = PageParts::of(call);
    let zone = PageZone::of(call);
    let data = SearchData::gather(call, &zone)?;
    let mut results = Html::new();
    paint::results(&data, call, &mut results);
    let title = match data.asked.as_str() {
        "" => "Search \u{b7} unspool".to_owned(),
        asked => format!("{asked} \u{b7} Search"),
    };
    let frame = PageFrame::new(&title, "search", vec![Crumb::here("Search")])
        .with_data(vec![("data-zone", zone.name)]);
    let layout = |html: &mut Html| {
        html.tag("<main id=\"main\" class=\"search-page\">\n<h1 class=\"sr\">Search</h1>\n");
        paint::form(&data, html);
        html.append(&results).tag("</main>\n");
    };
    Ok(parts.answer(&frame, &[&results], layout))
}

/// Builds the request for a query.
fn request(asked: &str, zone: &PageZone, limit: usize) -> SearchRequest {
    SearchRequest {
        mode: SearchMode::Ranked,
        limit,
        of_session: Some(OF_SESSION),
        extent: SnippetSize { width: 180, context: 0 },
        zone: zone.zone.clone(),
        ..SearchRequest::ranked(asked)
    }
}
