//! `/`: the inbox.

use unspool_text::html::Html;

use crate::frame::PageFrame;
use crate::route::Call;
use crate::web::{Problem, Reply};

/// The home page.
pub(super) fn home(call: &Call) -> Result<Reply, Problem> {
    let mut html = Html::new();
    html.tag("<main id=\"main\">\n<h1>Inbox</h1>\n</main>\n");
    let frame = PageFrame {
        title: "unspool",
        kind: "home",
        crumbs: Vec::new(),
        data: Vec::new(),
    };
    Ok(Reply::html(&frame.paint(&call.state, &html)))
}
