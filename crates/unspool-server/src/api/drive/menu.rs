//! What the client of a run offers to a person who writes a prompt: commands, models, files.

use unspool_drive::json::{RunMenuJson, SuggestedFilesJson};

use super::{drive, run_named};
use crate::route::Call;
use crate::web::{Parameter, ParameterForm, RequestProblem, WebReply};

/// What is looked for.
pub(in crate::api) const FILES_PARAMETERS: &[Parameter] = &[Parameter::needed(
    "q",
    ParameterForm::Text,
    "The beginning of a path, or letters of it in their order",
)];

/// `GET /api/runs/{run}/menu`
pub(in crate::api) fn menu(call: &Call) -> Result<WebReply, RequestProblem> {
    let run = run_named(call)?;
    let menu = drive(call)?.menu(&run)?;
    WebReply::json(&RunMenuJson::new(&run, menu))
}

/// `GET /api/runs/{run}/files?q=`
pub(in crate::api) fn files(call: &Call) -> Result<WebReply, RequestProblem> {
    let run = run_named(call)?;
    let query = call.query.get("q").unwrap_or_default();
    let files = drive(call)?.suggest_files(&run, query)?;
    WebReply::json(&SuggestedFilesJson::new(&run, files))
}
