//! `/check`: findings in the logs, rule by rule, and messages about the server itself.

mod gather;
mod paint;

use unspool_text::html::Html;

use self::gather::CheckData;
use super::parts::PageParts;
use crate::frame::{Crumb, PageFrame};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// Answers with the page of checks.
pub(super) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let data = CheckData::gather(call)?;
    let mut main = Html::new();
    main.tag("<main id=\"main\" class=\"check-page\">\n");
    paint::check(&data, call, &mut main);
    main.tag("</main>\n");
    let frame = PageFrame::new("Check \u{b7} unspool", "check", vec![Crumb::here("Check")]);
    Ok(PageParts::of(call).answer(&frame, &[], |html| _ = html.append(&main)))
}
