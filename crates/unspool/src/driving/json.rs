//! What scripts see of `drive`, beyond the objects of `GET /api/runs`.

use std::collections::BTreeMap;

use serde::Serialize;
use unspool_drive::json::{DriveEventJson, RunJson, SCHEMA};
use unspool_drive::launch::RunPlan;
use unspool_drive::socket::GivenAnswer;
use unspool_drive::trust::{BrokenSettings, CodeSource, TrustReport, TrustVerdict};
use unspool_drive::{ApprovalId, PromptId, PromptState, RunId, RunLimits, UsdAmount};
use unspool_model::time::Time;

/// How a run would be started.
#[derive(Serialize)]
pub(crate) struct RunPlanJson {
    schema: u32,
    cwd: String,
    home: String,
    /// The program and its arguments; the id of a new session is made when it starts.
    command: Vec<String>,
    /// What is set in the environment, and null for what is removed; the rest is the caller's, without
    /// our own variables.
    environment: BTreeMap<String, Option<String>>,
    permission_mode: &'static str,
    model: Option<String>,
    deadlines: PlanDeadlinesJson,
    budget: Option<UsdAmount>,
    trust: TrustVerdict,
    dry_run: bool,
}

#[derive(Serialize)]
struct PlanDeadlinesJson {
    idle: Option<u64>,
    waiting: Option<u64>,
}

impl RunPlanJson {
    pub(crate) fn new(
        plan: &RunPlan,
        command: Vec<String>,
        environment: BTreeMap<String, Option<String>>,
        limits: RunLimits,
        trust: TrustVerdict,
    ) -> Self {
        Self {
            schema: SCHEMA,
            cwd: plan.cwd.display().to_string(),
            home: plan.home.display().to_string(),
            command,
            environment,
            permission_mode: plan.mode.name(),
            model: plan.model.clone(),
            deadlines: PlanDeadlinesJson {
                idle: limits.idle,
                waiting: limits.waiting,
            },
            budget: None,
            trust,
            dry_run: true,
        }
    }

    /// Says what the session may cost.
    pub(crate) fn with_budget(self, budget: Option<UsdAmount>) -> Self {
        Self { budget, ..self }
    }
}

/// A prompt that was given to a run.
#[derive(Serialize)]
pub(crate) struct SentPromptJson<'a> {
    schema: u32,
    run: &'a RunId,
    prompt: &'a PromptId,
    state: PromptState,
}

impl<'a> SentPromptJson<'a> {
    pub(crate) fn new(run: &'a RunId, prompt: &'a PromptId, state: PromptState) -> Self {
        Self {
            schema: SCHEMA,
            run,
            prompt,
            state,
        }
    }
}

/// The answer that an approval has.
#[derive(Serialize)]
pub(crate) struct GivenAnswerJson<'a> {
    schema: u32,
    id: &'a ApprovalId,
    decision: &'static str,
    by: String,
    at: String,
}

impl<'a> GivenAnswerJson<'a> {
    pub(crate) fn new(id: &'a ApprovalId, given: &GivenAnswer) -> Self {
        Self {
            schema: SCHEMA,
            id,
            decision: given.decision.name(),
            by: given.by.clone(),
            at: Time::from_millis(given.at).to_string(),
        }
    }
}

/// A run that needs a person.
#[derive(Serialize)]
pub(crate) struct RunNeedJson {
    /// Why: `answer`, `held`, `budget` or `idle`.
    pub(crate) need: &'static str,
    /// Why the last turn failed.
    pub(crate) failed: Option<String>,
    #[serde(flatten)]
    pub(crate) run: RunJson,
}

/// An event of a run.
#[derive(Serialize)]
pub(crate) struct RunEventJson<'a> {
    schema: u32,
    cursor: u64,
    #[serde(flatten)]
    event: &'a DriveEventJson,
}

impl<'a> RunEventJson<'a> {
    pub(crate) fn new(cursor: u64, event: &'a DriveEventJson) -> Self {
        Self {
            schema: SCHEMA,
            cursor,
            event,
        }
    }
}

/// A folder, whether it is trusted, and what in it runs code.
#[derive(Serialize)]
pub(crate) struct TrustJson<'a> {
    schema: u32,
    folder: String,
    trust: TrustVerdict,
    sources: &'a [CodeSource],
    broken: &'a [BrokenSettings],
}

impl<'a> TrustJson<'a> {
    pub(crate) fn new(trust: TrustVerdict, report: &'a TrustReport) -> Self {
        Self {
            schema: SCHEMA,
            folder: report.folder.display().to_string(),
            trust,
            sources: &report.sources,
            broken: &report.broken,
        }
    }

    /// Names a folder that is not looked at.
    pub(crate) fn unseen(trust: TrustVerdict, folder: String) -> Self {
        Self {
            schema: SCHEMA,
            folder,
            trust,
            sources: &[],
            broken: &[],
        }
    }
}
