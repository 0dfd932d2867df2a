//! How a run would be started, shown before it is.

use anyhow::Result;
use unspool_drive::json::RunPlanJson;
use unspool_drive::trust::TrustVerdict;
use unspool_drive::{Drive, DriveError, RunRequest, RunView, UsdAmount};
use unspool_engine::ops::resume::shell_word;
use unspool_text::human;

use super::print_json;
use crate::ui::Ui;

/// A plan as a person sees it.
pub(super) struct ShownPlan {
    plan: RunPlanJson,
    budget: Option<UsdAmount>,
}

impl ShownPlan {
    pub(super) fn new(drive: &Drive, request: &RunRequest) -> Result<Self> {
        Ok(Self {
            plan: drive.plan_json(request)?,
            budget: request.budget,
        })
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
            return print_json(&self.plan, ui);
        }
        super::print_text(&self.lines().join("\n"), ui)
    }

    /// Says the plan.
    pub(super) fn say(&self, ui: &Ui) {
        for line in self.lines() {
            ui.plain_note(&line);
        }
    }

    fn lines(&self) -> Vec<String> {
        let plan = &self.plan;
        let command: Vec<String> = plan.command.iter().map(|word| shell_word(word)).collect();
        let set = plan.environment.iter();
        let set =
            set.filter_map(|(name, value)| Some(format!("{name}={}", shell_word(value.as_ref()?))));
        let set: Vec<String> = set.collect();
        let removed = plan.environment.iter().filter(|(_, value)| value.is_none());
        let removed: Vec<String> = removed.map(|(name, _)| format!(" and {name}")).collect();
        let removed = removed.concat();
        let trust = match plan.trust {
            TrustVerdict::Trusted => "trusted",
            TrustVerdict::Changed => "not trusted any more: what runs code has changed",
            TrustVerdict::Untrusted => "not trusted",
        };
        let mut lines = vec![
            format!("folder       {} ({trust})", plan.cwd),
            format!("home         {}", plan.home),
            format!("command      {}", command.join(" ")),
            format!(
                "environment  yours without UNSPOOL_*{removed}, and {}",
                set.join(" ")
            ),
            format!("mode         {}", plan.permission_mode),
            format!(
                "deadlines    idle {}, waiting {}",
                limit_words(plan.deadlines.idle),
                limit_words(plan.deadlines.waiting)
            ),
        ];
        lines.extend(self.budget.map(|budget| format!("budget       {budget}")));
        let broken = plan.broken.iter();
        lines.extend(broken.map(|broken| {
            let (file, reason) = (broken.file.display(), &broken.reason);
            format!("broken       {file}: {reason}")
        }));
        lines
    }
}

fn limit_words(limit: Option<u64>) -> String {
    match limit {
        Some(seconds) => human::duration(seconds.saturating_mul(1000)),
        None => "off".to_owned(),
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
