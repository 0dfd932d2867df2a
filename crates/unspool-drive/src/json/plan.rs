//! How a run would be started: `drive start --dry-run --json` and `POST /api/plan`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SCHEMA;
use crate::ids::RunId;
use crate::launch::RunPlan;
use crate::money::UsdAmount;
use crate::state::{PermissionMode, RunLimits};
use crate::trust::{BrokenSettings, CodeSource, TrustReport, TrustVerdict};

/// How a run would be started.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunPlanJson {
    /// The version of the contract.
    pub schema: u32,
    /// The folder that the client works in.
    pub cwd: String,
    /// The client's home.
    pub home: String,
    /// The program and its arguments; `NEW` replaces the id of a session that is created at the start.
    pub command: Vec<String>,
    /// Variables that are set in the client's environment, or null if removed; all others are inherited from
    /// the caller, except `UNSPOOL_*`.
    pub environment: BTreeMap<String, Option<String>>,
    /// The permission mode.
    pub permission_mode: PermissionMode,
    /// The model; null: the client's default.
    pub model: Option<String>,
    /// The deadlines.
    pub deadlines: PlanDeadlinesJson,
    /// The budget of the session in US dollars; null: no limit.
    pub budget: Option<f64>,
    /// Whether a person trusts the folder; `changed`: yes, but the configuration that runs code has changed
    /// since.
    pub trust: TrustVerdict,
    /// Configuration of the folder that runs code.
    pub sources: Vec<CodeSource>,
    /// Settings files of the folder and of the home that cannot be parsed.
    pub broken: Vec<BrokenSettings>,
    /// Always true: the run was not started.
    pub dry_run: bool,
}

/// The deadlines of a run that is not started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanDeadlinesJson {
    /// Seconds that the client may be idle; null: for ever.
    pub idle: Option<u64>,
    /// Seconds that a request may wait for a person; null: for ever.
    pub waiting: Option<u64>,
}

impl RunPlanJson {
    /// Builds the document of a run that is not started.
    pub fn new(
        plan: &RunPlan,
        run: &RunId,
        limits: RunLimits,
        budget: Option<UsdAmount>,
        (trust, report): (TrustVerdict, TrustReport),
    ) -> Self {
        let plan = plan.clone().unstarted();
        Self {
            schema: SCHEMA,
            cwd: plan.cwd.display().to_string(),
            home: plan.home.display().to_string(),
            command: plan.command(),
            environment: plan.changed_environment(run),
            permission_mode: plan.mode,
            model: plan.model,
            deadlines: PlanDeadlinesJson { idle: limits.idle, waiting: limits.waiting },
            budget: budget.map(UsdAmount::dollars),
            trust,
            sources: report.sources,
            broken: report.broken,
            dry_run: true,
        }
    }
}
