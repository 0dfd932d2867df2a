//! `/s/{id}/tree`: the graph of a session, one row for each turn, the active path on the left and
//! the ways that were left next to it.

mod lanes;
mod paint;

use unspool_engine::ops::transcript::TranscriptRequest;
use unspool_engine::ops::tree;
use unspool_text::html::Html;

use super::parts::{PageParts, SessionAbout};
use crate::frame::PageFrame;
use crate::route::Call;
use crate::web::{Problem, Reply};

/// The page of a session's graph.
pub(super) fn page(call: &Call) -> Result<Reply, Problem> {
    let open = call.state.session(call.name("id"))?;
    let view = open.view();
    let about = SessionAbout::of(&view);
    let shown = view.transcript(&TranscriptRequest::default())?;
    let rows = tree::rows(&shown)?;
    let mut html = Html::new();
    html.tag("<main id=\"main\" class=\"tree-page\">\n");
    about.ways("/tree", &mut html);
    paint::tree(&rows, shown.path_count(), &about, call, &mut html)?;
    html.tag("</main>\n");
    let frame = PageFrame {
        title: &format!("Tree \u{b7} {}", about.title),
        kind: "tree",
        crumbs: about.crumbs("Tree"),
        data: Vec::new(),
    };
    Ok(PageParts::of(call).answer(&frame, &[], |page| _ = page.append(&html)))
}
