//! `/s/{id}/tree`: the graph of a session, one row for each turn, with the active path on the left
//! and abandoned branches next to it.

mod lanes;
mod paint;

use unspool_engine::ops::path_cost::branch_costs;
use unspool_engine::ops::transcript::TranscriptRequest;
use unspool_engine::ops::tree;

use super::parts::SessionPageContext;
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// Answers with the page of a session's graph.
pub(super) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = call.session()?;
    let view = open.view();
    let about = SessionPageContext::of(&view, call);
    let shown = view.transcript(&TranscriptRequest::default())?;
    let rows = tree::rows(&shown)?;
    let costs = branch_costs(&shown, &call.state.library.settings().prices);
    let active = shown.conversation.paths.active();
    let graph = paint::SessionGraph {
        rows: &rows,
        costs: &costs,
        paths: shown.path_count(),
        active: active.map(|path| shown.number_of(path)),
        about: &about,
    };
    about.page(call, "/tree", "Tree", |html| {
        graph.paint(call, html)?;
        Ok(())
    })
}
