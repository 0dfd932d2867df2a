//! `GET /api/sessions/{id}/tree`: the graph of a session.

use unspool_engine::ops::transcript::TranscriptRequest;
use unspool_engine::ops::tree;
use unspool_render::json::TreeJson;

use super::opened::{session, unless_known};
use crate::route::Call;
use crate::web::{Problem, Reply};

/// `GET /api/sessions/{id}/tree`
pub(super) fn tree(call: &Call) -> Result<Reply, Problem> {
    let opened = session(call)?;
    let view = opened.view();
    unless_known(call, &view, || {
        let shown = view.transcript(&TranscriptRequest::default())?;
        let rows = tree::rows(&shown)?;
        Reply::json(&TreeJson::new(&shown, &rows))
    })
}
