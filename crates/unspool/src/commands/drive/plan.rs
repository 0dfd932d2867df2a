//! How a run would be started, shown before it is.

use anyhow::Result;
use unspool_drive::json::RunPlanJson;
use unspool_drive::trust::TrustVerdict;
use unspool_drive::{Drive, DriveError, RunRequest, RunView};
use unspool_text::sanitize;
use unspool_tui::plan_rows;

/// Refuses a folder that is not trusted, or not any more.
pub(super) fn check_trust(plan: &RunPlanJson, drive: &Drive, request: &RunRequest) -> Result<()> {
    if plan.trust == TrustVerdict::Trusted {
        return Ok(());
    }
    let report = drive.what_runs_code(&request.cwd)?;
    Err(DriveError::Untrusted(Box::new(report)).into())
}

/// Returns a plan as a person sees it.
pub(super) fn lines(plan: &RunPlanJson) -> Vec<String> {
    // The name of a folder must not look like another row.
    let on_a_line = |words: &str| sanitize::one_line(words, usize::MAX);
    let rows = plan_rows(plan).into_iter();
    rows.map(|(name, words)| format!("{name:<13}{}", on_a_line(&words))).collect()
}

/// Returns the run that an id was given to before.
pub(super) fn known(drive: &Drive, request: &RunRequest) -> Result<Option<RunView>> {
    match drive.run(&request.id) {
        // A run that was written down and never started is started by the same id.
        Ok(view) if view.run.host.is_some() => Ok(Some(view)),
        Ok(_) | Err(DriveError::UnknownRun(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
