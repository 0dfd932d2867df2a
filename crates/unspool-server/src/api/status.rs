//! `GET /api/status`: what the server is.

use serde::Serialize;
use unspool_render::json::SCHEMA;

use crate::route::Call;
use crate::web::{Problem, Reply};

/// What the server is.
#[derive(Serialize)]
struct ServerStatusJson<'a> {
    schema: u32,
    version: &'static str,
    /// The homes that are served, as people name them.
    home: &'a str,
    /// Whether sessions can be driven.
    drive: bool,
    /// The folder for state; null if there is none.
    state: Option<String>,
}

/// Says what the server is.
pub(super) fn status(call: &Call) -> Result<Reply, Problem> {
    let folder = call.state.library.settings().data.as_ref();
    Reply::json(&ServerStatusJson {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        home: &call.state.home_label,
        drive: false,
        state: folder.map(|folder| folder.display().to_string()),
    })
}
