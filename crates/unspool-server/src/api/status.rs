//! `GET /api/status`: the server's version, home, data folder and client.

use unspool_render::json::ServerStatusJson;

use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// `GET /api/status`
pub(super) fn status(call: &Call) -> Result<WebReply, RequestProblem> {
    let folder = call.state.library.settings().data.as_ref();
    let folder = folder.map(|folder| folder.display().to_string());
    let version = env!("CARGO_PKG_VERSION");
    let home = &call.state.home_label;
    let status = ServerStatusJson::reading(version, home, folder.as_deref());
    let Some(driving) = &call.state.driving else {
        return WebReply::json(&status);
    };
    let client = driving.client();
    let path = client.path.map(|path| path.display().to_string());
    WebReply::json(&status.driving(&client.program, path.as_deref()))
}
