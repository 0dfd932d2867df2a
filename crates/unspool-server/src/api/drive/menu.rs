//! The menu for writing a prompt: commands, models, files. For a run, its client offers them. For a folder
//! without a run, they are the menu that the last client offered, and files of the folder itself.

use std::path::Path;

use unspool_drive::json::{RunMenuJson, SuggestedFilesJson};

use super::{drive, run_named};
use crate::route::Call;
use crate::web::{Parameter, ParameterForm, RequestProblem, WebReply};

/// The search for files.
pub(in crate::api) const FILES_PARAMETERS: &[Parameter] = &[Parameter::one(
    "q",
    ParameterForm::Text,
    "The beginning of a path, or letters of it in their order; any file if none",
)];
/// The folder that a client would work in.
pub(in crate::api) const FOLDER: &[Parameter] =
    &[Parameter::needed("cwd", ParameterForm::Text, "The folder that a client would work in")];
/// The session that a client would continue.
pub(in crate::api) const MENU_PARAMETERS: &[Parameter] = &[Parameter::one(
    "session",
    ParameterForm::Text,
    "The session that would be gone on with, by its whole id",
)];

/// `GET /api/runs/{run}/menu`
pub(in crate::api) fn menu(call: &Call) -> Result<WebReply, RequestProblem> {
    let run = run_named(call)?;
    let menu = drive(call)?.menu(&run)?;
    WebReply::json(&RunMenuJson::new(Some((run, menu))))
}

/// `GET /api/menu?cwd=&session=`
pub(in crate::api) fn last_menu(call: &Call) -> Result<WebReply, RequestProblem> {
    let said = drive(call)?.last_menu(call.query.get("session"), folder(call))?;
    WebReply::json(&RunMenuJson::new(said))
}

/// `GET /api/runs/{run}/files?q=`
pub(in crate::api) fn files(call: &Call) -> Result<WebReply, RequestProblem> {
    let run = run_named(call)?;
    let query = call.query.get("q").unwrap_or_default();
    let files = drive(call)?.suggest_files(&run, query)?;
    WebReply::json(&SuggestedFilesJson::new(Some(&run), files))
}

/// `GET /api/files?cwd=&q=`
pub(in crate::api) fn files_in(call: &Call) -> Result<WebReply, RequestProblem> {
    let query = call.query.get("q").unwrap_or_default();
    let files = drive(call)?.files_in(folder(call), query)?;
    WebReply::json(&SuggestedFilesJson::new(None, files))
}

fn folder(call: &Call) -> &Path {
    Path::new(call.query.get("cwd").unwrap_or_default())
}
