//! Driving: runs, prompts, approvals and trust.
//!
//! Every request carries an id that its caller chose, so a repeated request changes nothing more.
//! [`Drive`] stores a request before it sends it to the client.

mod approvals;
mod events;
mod menu;
mod requests;
mod runs;
mod trust;

use unspool_drive::json::RunJson;
use unspool_drive::{ActionId, Drive, PermissionMode, RunId};
use unspool_model::named::Named as _;

pub(super) use self::approvals::{answer, approvals};
pub(super) use self::events::write_events;
pub(super) use self::menu::{
    FILES_PARAMETERS, FOLDER, MENU_PARAMETERS, files, files_in, last_menu, menu,
};
pub(super) use self::requests::{cancel, deadlines, interrupt, mode, put, release, reorder, stop};
pub(super) use self::runs::{again, go_on, plan, plan_next, run, runs, start};
pub(super) use self::trust::{TRUST_PARAMETERS, report, trust};
use crate::route::Call;
use crate::web::{Parameter, ProblemKind, RequestProblem, WebReply};

/// The id of a run, in the path.
pub(super) const RUN: &[Parameter] = &[Parameter::path("run", "The id of a run")];
/// The id of a prompt, in the path.
pub(super) const PROMPT: &[Parameter] = &[Parameter::path("prompt", "The id of a prompt")];
/// The id of an approval, in the path.
pub(super) const APPROVAL: &[Parameter] = &[Parameter::path("approval", "The id of an approval")];

/// The size limit of a body without images, in bytes.
pub(super) const SMALL: usize = 256 << 10;
/// The size limit of a prompt with its images, in bytes.
pub(super) const LARGE: usize = 20 << 20;

/// Returns the runs of the client, or a problem if the server does not drive.
fn drive(call: &Call) -> Result<&Drive, RequestProblem> {
    Ok(call.state.driving()?.drive())
}

/// Parses the id of the run from the path.
fn run_named(call: &Call) -> Result<RunId, RequestProblem> {
    RunId::parse(call.name("run")).map_err(|_| RequestProblem::not_found("a run has another id"))
}

/// Parses an id that the caller chose, or generates one.
fn action(id: Option<&str>) -> Result<ActionId, RequestProblem> {
    match id {
        Some(id) => ActionId::parse(id).map_err(|error| wrong_id(&error)),
        None => Ok(ActionId::random()),
    }
}

/// Returns the problem of an invalid id.
fn wrong_id(error: &unspool_drive::ids::WrongDriveId) -> RequestProblem {
    RequestProblem::new(ProblemKind::BadRequest, format!("id: {error}"))
}

/// Returns the surface that makes a request, `browser` or `program`, with the name that it sends.
fn asker(call: &Call) -> String {
    let is_page = call.header("x-unspool-key").is_some();
    let surface = if is_page { "browser" } else { "program" };
    let name = call.header("x-unspool-who").unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
    if name.is_empty() { surface.to_owned() } else { format!("{surface} ({name})") }
}

/// Answers with the state of a run.
fn run_reply(run: &RunJson, status: axum::http::StatusCode) -> Result<WebReply, RequestProblem> {
    Ok(WebReply::json(run)?.with_status(status))
}

/// Parses the name of a permission mode.
fn permission_mode(name: Option<&str>) -> Result<Option<PermissionMode>, RequestProblem> {
    let Some(name) = name else {
        return Ok(None);
    };
    let mode = PermissionMode::from_name(name).ok_or_else(|| {
        let detail = format!("permission_mode: one of {}", PermissionMode::NAMES.join(", "));
        RequestProblem::new(ProblemKind::BadRequest, detail)
    })?;
    Ok(Some(mode))
}
