//! Trust: what in a folder runs code, and a person's permission to run it.

use std::path::{Path, PathBuf};

use unspool_drive::json::{FolderTrustJson, TrustBodyJson};
use unspool_drive::trust::TrustVerdict;
use unspool_engine::library::ListRequest;
use unspool_store::progress::Unwatched;

use super::{asker, drive};
use crate::route::Call;
use crate::web::{Parameter, ParameterForm, ProblemKind, RequestProblem, WebReply};

/// The folder of the trust report.
pub(in crate::api) const TRUST_PARAMETERS: &[Parameter] = &[Parameter::needed(
    "cwd",
    ParameterForm::Text,
    "A folder that a session of the served home was in",
)];

/// `GET /api/trust?cwd=`
pub(in crate::api) fn report(call: &Call) -> Result<WebReply, RequestProblem> {
    let folder = PathBuf::from(call.query.get("cwd").unwrap_or_default());
    check_known(call, &folder)?;
    let (verdict, report) = drive(call)?.trust_of(&folder)?;
    WebReply::json(&FolderTrustJson::new(verdict, report))
}

/// `POST /api/trust`
pub(in crate::api) fn trust(call: &Call) -> Result<WebReply, RequestProblem> {
    let body: TrustBodyJson = call.body()?;
    check_known(call, &body.cwd)?;
    let drive = drive(call)?;
    let print = match body.print {
        Some(print) => print,
        None => drive.scan_folder(&body.cwd)?.print,
    };
    let report = drive.trust(&body.cwd, &print, &asker(call))?;
    WebReply::json(&FolderTrustJson::new(TrustVerdict::Trusted, report))
}

/// Refuses a folder in which no session of a served home ran: a page must not be able to explore
/// the file system.
fn check_known(call: &Call, folder: &Path) -> Result<(), RequestProblem> {
    call.state.refresher.try_refresh()?;
    let request = ListRequest::default();
    let rows = call.state.library.list(&request, &Unwatched)?.rows;
    let is_of = |cwd: &str| Path::new(cwd) == folder;
    if rows.iter().any(|row| row.cwds().any(is_of)) {
        return Ok(());
    }
    let detail = "no session of this home was in this folder; `unspool drive trust DIR` trusts any";
    Err(RequestProblem::new(ProblemKind::NotFound, detail))
}
