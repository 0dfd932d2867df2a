//! Prints the plan of a run before it starts.

use anyhow::Result;
use unspool_drive::json::RunPlanJson;
use unspool_drive::trust::TrustVerdict;
use unspool_drive::{Drive, DriveError, RunRequest, RunView};
use unspool_text::sanitize;
use unspool_tui::plan_rows;

/// Returns an error if the folder is not trusted, or not any more.
pub(super) fn check_trust(plan: &RunPlanJson, drive: &Drive, request: &RunRequest) -> Result<()> {
    if plan.trust == TrustVerdict::Trusted {
        return Ok(());
    }
    let report = drive.scan_folder(&request.cwd)?;
    Err(DriveError::Untrusted(Box::new(report)).into())
}

/// Formats a plan for a person.
pub(super) fn lines(plan: &RunPlanJson) -> Vec<String> {
    // The name of a folder must not look like another row.
    let on_a_line = |words: &str| sanitize::one_line(words, usize::MAX);
    let rows = plan_rows(plan).into_iter();
    rows.map(|(name, words)| format!("{name:<13}{}", on_a_line(&words))).collect()
}

/// Returns the run that already has the requested id.
pub(super) fn existing_run(drive: &Drive, request: &RunRequest) -> Result<Option<RunView>> {
    match drive.run(&request.id) {
        // A run that was stored but never started is started now.
        Ok(view) if view.run.host.is_some() => Ok(Some(view)),
        Ok(_) | Err(DriveError::UnknownRun(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
