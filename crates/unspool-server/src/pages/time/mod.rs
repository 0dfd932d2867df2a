//! `/s/{id}/time`: the timeline of a session, as lanes. Gaps are compressed, and a turn can be shown alone.

mod lanes;
mod paint;
mod tables;

use unspool_engine::ops::timeline;

use super::parts::{SessionPageContext, shown_path};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// Answers with the page of a session's timeline.
pub(super) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = call.session()?;
    let view = open.view();
    let about = SessionPageContext::of(&view, call);
    let shown = shown_path(&view, call)?;
    let prices = &call.state.library.settings().prices;
    let time = timeline::timeline(&shown, prices)?;
    let turn = call.query.read("turn")?;
    about.page(call, "/time", "Time", |html| {
        paint::Waterfall { time: &time, shown: &shown, about: &about, call, turn }.paint(html);
        Ok(())
    })
}
