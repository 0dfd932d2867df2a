//! How a run would be started, shown before it is.

use std::collections::BTreeMap;

use anyhow::Result;
use unspool_drive::launch::{RunPlan, RunSession};
use unspool_drive::trust::{TrustReport, TrustVerdict};
use unspool_drive::{Drive, DriveError, RunId, RunLimits, RunRequest, RunView, UsdAmount};
use unspool_store::home::HomeNaming;
use unspool_store::home::layout::HOME_VARIABLE;
use unspool_text::human;

use super::print_json;
use crate::driving::json::RunPlanJson;
use crate::ui::Ui;

/// What stands for the id of a session that is made when the run starts.
const NEW_SESSION: &str = "NEW";

/// A plan with what else a person wants to see of it.
pub(super) struct ShownPlan {
    plan: RunPlan,
    run: RunId,
    limits: RunLimits,
    budget: Option<UsdAmount>,
    trust: TrustVerdict,
    report: TrustReport,
}

impl ShownPlan {
    pub(super) fn new(drive: &Drive, request: &RunRequest, limits: RunLimits) -> Result<Self> {
        let mut plan = drive.plan(request)?;
        if let RunSession::New { session } | RunSession::Fork { session, .. } = &mut plan.session {
            NEW_SESSION.clone_into(session);
        }
        let (trust, report) = drive.trust_of(&plan.cwd)?;
        Ok(Self {
            plan,
            run: request.id.clone(),
            limits,
            budget: request.budget,
            trust,
            report,
        })
    }

    /// Refuses a folder that is not trusted, or not any more.
    pub(super) fn check_trust(&self) -> Result<()> {
        match self.trust {
            TrustVerdict::Trusted => Ok(()),
            _ => Err(DriveError::Untrusted(Box::new(self.report.clone())).into()),
        }
    }

    /// Returns the program and its arguments.
    fn command(&self) -> Vec<String> {
        let program = self.plan.client.path.display().to_string();
        std::iter::once(program)
            .chain(self.plan.arguments())
            .collect()
    }

    /// Returns what is set in the environment, and what is removed from it.
    fn environment(&self) -> BTreeMap<String, Option<String>> {
        let set = self.plan.environment(&self.run, []).into_iter();
        let mut all: BTreeMap<_, _> = set
            .map(|(name, value)| {
                (
                    name.display().to_string(),
                    Some(value.display().to_string()),
                )
            })
            .collect();
        if self.plan.naming == HomeNaming::Unnamed {
            all.insert(HOME_VARIABLE.to_owned(), None);
        }
        all
    }

    /// Prints the plan as data.
    pub(super) fn print(&self, as_json: bool, ui: &Ui) -> Result<()> {
        if !as_json {
            return super::print_text(&self.lines().join("\n"), ui);
        }
        let (command, environment) = (self.command(), self.environment());
        let json = RunPlanJson::new(&self.plan, command, environment, self.limits, self.trust)
            .with_budget(self.budget);
        print_json(&json, ui)
    }

    /// Says the plan.
    pub(super) fn say(&self, ui: &Ui) {
        for line in self.lines() {
            ui.plain_note(&line);
        }
    }

    fn lines(&self) -> Vec<String> {
        let command: Vec<String> = self.command().iter().map(|word| quoted(word)).collect();
        let environment: Vec<String> = self
            .environment()
            .iter()
            .filter_map(|(name, value)| Some(format!("{name}={}", quoted(value.as_ref()?))))
            .collect();
        let removed = match self.plan.naming {
            HomeNaming::Unnamed => format!(" and {HOME_VARIABLE}"),
            HomeNaming::AsIs | HomeNaming::Named(_) => String::new(),
        };
        let trust = match self.trust {
            TrustVerdict::Trusted => "trusted",
            TrustVerdict::Changed => "not trusted any more: what runs code has changed",
            TrustVerdict::Untrusted => "not trusted",
        };
        let mut lines = vec![
            format!("folder       {} ({trust})", self.plan.cwd.display()),
            format!("home         {}", self.plan.home.display()),
            format!("command      {}", command.join(" ")),
            format!(
                "environment  yours without UNSPOOL_*{removed}, and {}",
                environment.join(" ")
            ),
            format!("mode         {}", self.plan.mode),
            format!(
                "deadlines    idle {}, waiting {}",
                limit_words(self.limits.idle),
                limit_words(self.limits.waiting)
            ),
        ];
        lines.extend(self.budget.map(|budget| format!("budget       {budget}")));
        lines
    }
}

fn limit_words(limit: Option<u64>) -> String {
    match limit {
        Some(seconds) => human::duration(seconds.saturating_mul(1000)),
        None => "off".to_owned(),
    }
}

/// Quotes a word for people who read the line; it is never given to a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
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
