//! `GET /api/status`: what the server is.

use unspool_render::json::ServerStatusJson;

use crate::route::Call;
use crate::web::{Problem, Reply};

/// `GET /api/status`
pub(super) fn status(call: &Call) -> Result<Reply, Problem> {
    let folder = call.state.library.settings().data.as_ref();
    let folder = folder.map(|folder| folder.display().to_string());
    let version = env!("CARGO_PKG_VERSION");
    let home = &call.state.home_label;
    Reply::json(&ServerStatusJson::reading(version, home, folder.as_deref()))
}
