//! `/s/{id}/time`: where the time of a session went, as lanes over time. Gaps are compressed, and a
//! turn can be looked at alone.

mod lanes;
mod paint;
mod tables;

use unspool_engine::ops::timeline;
use unspool_text::html::Html;

use super::parts::{PageParts, SessionAbout, opened, shown_path};
use crate::frame::PageFrame;
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// The page of a session's time.
pub(super) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = opened(call)?;
    let view = open.view();
    let about = SessionAbout::of(&view, call);
    let shown = shown_path(&view, call)?;
    let prices = &call.state.library.settings().prices;
    let time = timeline::timeline(&shown, prices)?;
    let turn = call.query.read("turn")?;
    let mut html = Html::new();
    html.tag("<main id=\"main\" class=\"time-page\">\n");
    about.ways("/time", &mut html);
    paint::Waterfall { time: &time, shown: &shown, about: &about, call, turn }.paint(&mut html);
    html.tag("</main>\n");
    let frame = PageFrame {
        title: &format!("Time \u{b7} {}", about.title),
        kind: "time",
        crumbs: about.crumbs("Time"),
        data: Vec::new(),
    };
    Ok(PageParts::of(call).answer(&frame, &[], |page| _ = page.append(&html)))
}
