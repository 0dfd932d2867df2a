//! `/stats`: usage and cost by time and model, by tool and by project.

mod chart;
mod columns;
mod gather;
mod paint;
mod tables;

use unspool_text::html::Html;

use self::gather::StatsData;
use super::parts::PageParts;
use super::zone::PageZone;
use crate::frame::{Crumb, PageFrame};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// Answers with the page of totals.
pub(super) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let parts = PageParts::of(call);
    let zone = PageZone::of(call);
    let data = StatsData::gather(call, &zone)?;
    let mut main = Html::new();
    paint::stats(&data, call, &mut main);
    let frame = PageFrame::new("Stats \u{b7} unspool", "stats", vec![Crumb::here("Stats")])
        .with_data(vec![("data-zone", zone.name)]);
    let layout = |html: &mut Html| {
        html.tag("<main id=\"main\" class=\"stats-page\">\n");
        html.append(&main).tag("</main>\n");
    };
    Ok(parts.answer(&frame, &[&main], layout))
}
