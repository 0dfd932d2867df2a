//! How a run would be started, shown before it is.

use anyhow::Result;
use unspool_drive::json::RunPlanJson;
use unspool_drive::trust::TrustVerdict;
use unspool_drive::{Drive, DriveError, RunRequest, RunView};
use unspool_text::sanitize;
use unspool_tui::plan_rows;

use crate::ui::Ui;

/// A plan as a person sees it.
pub(super) struct ShownPlan {
    plan: RunPlanJson,
}

impl ShownPlan {
    pub(super) fn new(drive: &Drive, request: &RunRequest) -> Result<Self> {
        Ok(Self { plan: drive.plan_json(request)? })
    }

    /// Refuses a folder that is not trusted, or not any more.
    pub(super) fn check_trust(&self, drive: &Drive, request: &RunRequest) -> Result<()> {
        if self.plan.trust == TrustVerdict::Trusted {
            return Ok(());
        }
        let report = drive.what_runs_code(&request.cwd)?;
        Err(DriveError::Untrusted(Box::new(report)).into())
    }

    /// Prints the plan as data.
    pub(super) fn print(&self, as_json: bool, ui: &Ui) -> Result<()> {
        if as_json {
            return ui.print_json(&self.plan);
        }
        ui.print_text(&self.lines().join("\n"))
    }

    /// Says the plan.
    pub(super) fn say(&self, ui: &Ui) {
        for line in self.lines() {
            ui.plain_note(&line);
        }
    }

    fn lines(&self) -> Vec<String> {
        let rows = plan_rows(&self.plan).into_iter();
        // The name of a folder must not look like another row.
        let plain = |words: &str| sanitize::one_line(words, usize::MAX);
        rows.map(|(name, words)| format!("{name:<13}{}", plain(&words))).collect()
    }
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
