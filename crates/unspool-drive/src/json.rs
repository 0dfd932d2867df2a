//! Runs, approvals and events as scripts and pages see them: the contract of the API of `serve --drive` and of
//! `drive --json`. Each document has one type, whichever of the two writes it, and its schema is derived from it.
//!
//! Values of the store go in; what comes out is plain data with names that stay. Times are RFC 3339
//! in UTC, unknown values are null. Knows nothing of processes.

mod bodies;
mod plan;
mod receipts;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use unspool_model::time::Time;
use unspool_model::tool::AskedInput;

use crate::consequence::consequences;
use crate::ids::RunId;
use crate::money::UsdAmount;
use crate::state::{
    ApprovalKind, AwaitedAnswer, Decision, FailureCause, PromptState, Resolution, RunStage,
    RunState,
};
use crate::store::{ApprovalRecord, PromptRecord, RunRecord, Survivor};
use crate::wire::{ClientMenu, MenuCommand, MenuModel, asked_input};

pub use self::bodies::{
    ActionBodyJson, AnswerBodyJson, DeadlinesBodyJson, ModeBodyJson, NextRunBodyJson,
    OrderBodyJson, PromptBodyJson, StartBodyJson, TrustBodyJson,
};

pub use self::plan::{PlanDeadlinesJson, RunPlanJson};
pub use self::receipts::{AnswerReceiptJson, FolderTrustJson, PromptReceiptJson, RunNeedJson};

/// The version of the contract.
pub const SCHEMA: u32 = 1;

fn stamp(time: Option<Time>) -> Option<String> {
    time.map(|time| time.to_string())
}

/// A run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunJson {
    /// The version of the contract.
    pub schema: u32,
    /// Its id.
    pub run: String,
    /// The session that the client writes.
    pub session: String,
    /// The folder that the client works in.
    pub cwd: String,
    /// The client's home.
    pub home: String,
    /// What it is doing, in one word.
    pub state: RunStage,
    /// What it waits for.
    pub waiting_for: Option<AwaitedAnswer>,
    /// The client's process, while it runs.
    pub pid: Option<u32>,
    /// When it was asked for.
    pub started: String,
    /// The surface and person that asked for it.
    pub by: String,
    /// The permission mode.
    pub permission_mode: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Deadlines that are set, and those that count down.
    pub deadlines: DeadlinesJson,
    /// Another process that has the session; the queue waits until a person says to go on.
    pub held_by: Option<u32>,
    /// Why the last turn failed, in words: a limit, a missing login, an error of the API; null if it
    /// did not.
    pub last_failure: Option<String>,
    /// The cause of the last failure, or of the end of the run, where it is a known one.
    pub failure_cause: Option<FailureCause>,
    /// US dollars that the session may cost; null: any number.
    pub budget: Option<f64>,
    /// US dollars that the session has cost so far, as the client says.
    pub cost_usd: Option<f64>,
    /// Says that the budget is spent, because of which the queue waits; null if it is not.
    pub over_budget: Option<String>,
    /// Says that queued prompts wait because the last turn failed, why, and what lets them go on; null if
    /// they do not.
    pub queue_held: Option<String>,
    /// What the client says is wrong with settings files, which it leaves out.
    #[serde(default)]
    pub broken_settings: Vec<String>,
    /// Prompts that are not done, and those that were lost, in their order.
    pub queue: Vec<QueuedPromptJson>,
    /// Approvals that are open, and those that the end of the run interrupted.
    pub approvals: Vec<ApprovalJson>,
    /// How it ended.
    pub ended: Option<RunEndJson>,
}

/// Deadlines of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DeadlinesJson {
    /// Seconds that the client may be idle; null: for ever.
    pub idle: Option<u64>,
    /// Seconds that a request may wait; null: for ever.
    pub waiting: Option<u64>,
    /// When the client is ended unless something happens.
    pub idle_at: Option<String>,
    /// When the oldest open request is answered for the person.
    pub waiting_at: Option<String>,
}

/// A prompt of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QueuedPromptJson {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// How many images it has.
    pub images: usize,
    /// Where it is on its way.
    pub state: PromptState,
    /// How far a lost prompt had come.
    pub was: Option<PromptState>,
    /// The surface and person it comes from.
    pub by: String,
    /// When it was put.
    pub put: String,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunEndJson {
    /// Why: `stopped`, `idle_deadline`, `finished`, `died`, `not_started` or `lost`.
    pub how: String,
    /// When.
    pub at: String,
    /// The client's exit code.
    pub code: Option<i32>,
    /// The signal that ended the client.
    pub signal: Option<i32>,
    /// What went wrong, in words.
    pub message: Option<String>,
    /// Processes of the client's that still ran.
    pub survivors: Vec<Survivor>,
}

/// Something that waits for a person.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ApprovalJson {
    /// Its id.
    pub id: String,
    /// The run.
    pub run: String,
    /// The session.
    pub session: String,
    /// The folder that the client works in.
    #[serde(default)]
    pub cwd: String,
    /// What it is about.
    pub kind: ApprovalKind,
    /// The tool, or the MCP server that asks.
    pub tool: Option<String>,
    /// The input of the call, or the form to fill in.
    pub input: Value,
    /// What the call is for.
    pub description: Option<String>,
    /// Why the client asks.
    pub reason: Option<String>,
    /// What the call would do beyond the project, in words, as far as the request says so.
    #[serde(default)]
    pub consequences: Vec<String>,
    /// What the client suggests to allow beyond this call.
    pub suggestions: Vec<Value>,
    /// The id of the call.
    pub call: Option<String>,
    /// The agent that asks; null: the main conversation.
    pub agent: Option<String>,
    /// When it came.
    pub asked: String,
    /// When it is answered for the person.
    pub deadline: Option<String>,
    /// How it ended: `answered`, `timed_out`, `cancelled`, `interrupted`; null while it is open.
    pub resolved: Option<Resolution>,
    /// The answer.
    pub decision: Option<Decision>,
    /// The surface and person that answered.
    pub by: Option<String>,
    /// When it ended.
    pub at: Option<String>,
}

impl From<&ApprovalRecord> for ApprovalJson {
    fn from(approval: &ApprovalRecord) -> Self {
        let request = &approval.request;
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let decided = approval.decided.as_ref();
        Self {
            id: approval.id.to_string(),
            run: approval.run.to_string(),
            session: approval.session.clone(),
            cwd: approval.cwd.display().to_string(),
            kind: approval.kind,
            tool: owned(request.tool()),
            input: request.input(),
            description: owned(request.description()),
            reason: owned(request.reason()),
            consequences: consequences(request, &approval.cwd),
            suggestions: request.suggestions().to_vec(),
            call: owned(request.call()),
            agent: owned(request.agent()),
            asked: approval.asked.to_string(),
            deadline: stamp(approval.deadline),
            resolved: approval.resolution,
            decision: decided.map(|decided| decided.decision),
            by: decided.map(|decided| decided.by.clone()),
            at: stamp(approval.at),
        }
    }
}

impl ApprovalJson {
    /// Reads what the call asks for; of a form, its schema as fields.
    pub fn asked(&self) -> AskedInput {
        asked_input(self.kind, self.tool.as_deref(), &self.input)
    }

    /// Returns a word or two for it.
    pub fn title(&self) -> String {
        let tool = self.tool.as_deref().unwrap_or("a tool");
        match self.kind {
            ApprovalKind::Tool => tool.to_owned(),
            ApprovalKind::Question => "question".to_owned(),
            ApprovalKind::Plan => "plan".to_owned(),
            ApprovalKind::Elicitation => format!("form of {tool}"),
        }
    }

    /// Returns what it is about, in as many lines as that has; none if the request does not say.
    pub fn about(&self) -> Option<String> {
        match self.kind {
            ApprovalKind::Elicitation => self.description.clone(),
            _ => self.asked().about().map(str::to_owned),
        }
    }

    /// Returns what it is about, or else the input as it is.
    pub fn about_or_input(&self) -> String {
        self.about().unwrap_or_else(|| match &self.input {
            Value::Null => String::new(),
            input => input.to_string(),
        })
    }
}

impl From<&PromptRecord> for QueuedPromptJson {
    fn from(prompt: &PromptRecord) -> Self {
        Self {
            id: prompt.id.to_string(),
            text: prompt.content.text.clone(),
            images: prompt.content.images.len(),
            state: prompt.state,
            was: prompt.was,
            by: prompt.by.clone(),
            put: prompt.put.to_string(),
        }
    }
}

impl RunJson {
    /// Puts a run together from its rows.
    pub fn new(run: &RunRecord, prompts: &[PromptRecord], approvals: &[ApprovalRecord]) -> Self {
        let is_shown =
            |prompt: &&PromptRecord| prompt.state.is_open() || prompt.state == PromptState::Lost;
        let open = approvals.iter().filter(|one| one.resolution.is_none());
        let waiting_at = open.filter_map(|one| one.deadline).min();
        let waiting_for = match run.state {
            RunState::Waiting(kind) => Some(kind.waiting_for()),
            _ => None,
        };
        let client = run.client.as_ref().filter(|_| !run.state.is_over());
        Self {
            schema: SCHEMA,
            run: run.id.to_string(),
            session: run.session.clone(),
            cwd: run.plan.cwd.display().to_string(),
            home: run.plan.home.display().to_string(),
            state: run.state.stage(),
            waiting_for,
            pid: client.map(|client| client.pid),
            started: run.made.to_string(),
            by: run.by.clone(),
            permission_mode: run.mode.clone().or_else(|| Some(run.plan.mode.to_string())),
            model: run.model.clone().or_else(|| run.plan.model.clone()),
            deadlines: DeadlinesJson {
                idle: run.limits.idle,
                waiting: run.limits.waiting,
                idle_at: stamp(run.idle_deadline),
                waiting_at: stamp(waiting_at),
            },
            held_by: run.held_by,
            last_failure: run.last_failure.clone(),
            failure_cause: failure_cause(run),
            budget: run.budget.map(UsdAmount::dollars),
            cost_usd: run.cost.map(UsdAmount::dollars),
            over_budget: run.over_budget(),
            queue_held: run.queue_held(),
            broken_settings: run.broken_settings.clone(),
            queue: prompts.iter().filter(is_shown).map(Into::into).collect(),
            approvals: approvals.iter().filter(|one| is_pending(one)).map(Into::into).collect(),
            ended: run.end.as_ref().map(|end| RunEndJson {
                how: run.state.detail().unwrap_or(run.state.stage().name()).to_owned(),
                at: end.at.to_string(),
                code: end.code,
                signal: end.signal,
                message: end.message.clone(),
                survivors: end.survivors.clone(),
            }),
        }
    }
}

/// Returns why a run ended as it did, or else why its last turn failed.
fn failure_cause(run: &RunRecord) -> Option<FailureCause> {
    let ended = run.end.as_ref().and_then(|end| end.message.as_deref());
    let causes = [ended, run.last_failure.as_deref()];
    causes.into_iter().flatten().find_map(FailureCause::of)
}

/// Tells whether an approval is open, or was when its run ended.
fn is_pending(approval: &ApprovalRecord) -> bool {
    matches!(approval.resolution, None | Some(Resolution::Interrupted))
}

/// The answer of `GET /api/approvals`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ApprovalsJson {
    /// The version of the contract.
    pub schema: u32,
    /// What waits for a person, the oldest first.
    pub approvals: Vec<ApprovalJson>,
}

impl From<&[ApprovalRecord]> for ApprovalsJson {
    fn from(approvals: &[ApprovalRecord]) -> Self {
        Self { schema: SCHEMA, approvals: approvals.iter().map(Into::into).collect() }
    }
}

/// The answer of `GET /api/runs`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunsJson {
    /// The version of the contract.
    pub schema: u32,
    /// The runs, the newest first.
    pub runs: Vec<RunJson>,
}

/// What a client offers: the answer of `GET /api/runs/{run}/menu` and of `GET /api/menu`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunMenuJson {
    /// The version of the contract.
    pub schema: u32,
    /// The run whose client said so; null if none is known.
    pub run: Option<String>,
    /// Slash commands.
    pub commands: Vec<MenuCommand>,
    /// Models.
    pub models: Vec<MenuModel>,
}

impl RunMenuJson {
    /// Says what the client of a run offers; nothing without a run.
    pub fn new(said: Option<(RunId, ClientMenu)>) -> Self {
        let (run, menu) = said.unzip();
        let menu = menu.unwrap_or_default();
        Self {
            schema: SCHEMA,
            run: run.map(|run| run.to_string()),
            commands: menu.commands,
            models: menu.models,
        }
    }
}

/// Files for a prompt: the answer of `GET /api/runs/{run}/files` and of `GET /api/files`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuggestedFilesJson {
    /// The version of the contract.
    pub schema: u32,
    /// The run whose client named them; null: they were looked for in the folder.
    pub run: Option<String>,
    /// Paths, the best first: relative to the folder of the client, or absolute. A folder ends in a
    /// slash.
    pub files: Vec<String>,
}

impl SuggestedFilesJson {
    /// Names the files.
    pub fn new(run: Option<&RunId>, files: Vec<String>) -> Self {
        Self { schema: SCHEMA, run: run.map(RunId::to_string), files }
    }
}

/// What a session's stream adds for a driven session. The name of each is its `event:`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "camelCase")]
pub enum DriveEventJson {
    /// Text of an answer that is being written: all of it so far. The log's message with the same
    /// id replaces it.
    Partial {
        /// The message.
        message_id: String,
        /// The text so far.
        text: String,
        /// The call of the agent that writes it; null: the main conversation.
        parent: Option<String>,
    },
    /// Something waits for a person.
    Approval(Box<ApprovalJson>),
    /// It does not any more.
    ApprovalResolved {
        /// The approval.
        id: String,
        /// How it ended.
        resolved: Resolution,
        /// The answer.
        decision: Option<Decision>,
        /// The surface and person that answered.
        by: Option<String>,
    },
    /// The prompts that are not done, in their order.
    Queue {
        /// The prompts, without their texts where they are long.
        queue: Vec<QueuePlaceJson>,
    },
    /// What the run is doing.
    Run {
        /// The state, in one word.
        state: RunStage,
        /// What it waits for.
        waiting_for: Option<AwaitedAnswer>,
        /// The session that the client writes.
        session: String,
        /// When the client is ended unless something happens.
        idle_at: Option<String>,
        /// Another process that has the session.
        held_by: Option<u32>,
        /// Why the last turn failed, in words.
        #[serde(default)]
        last_failure: Option<String>,
        /// Says that the budget is spent.
        #[serde(default)]
        over_budget: Option<String>,
        /// Says that queued prompts wait because the last turn failed.
        #[serde(default)]
        queue_held: Option<String>,
        /// How it ended.
        how: Option<String>,
    },
    /// Lines of the client were left out of the spool.
    LeftOut {},
}

/// The place of a prompt in the queue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QueuePlaceJson {
    /// The prompt.
    pub id: String,
    /// Where it is on its way.
    pub state: PromptState,
}

impl DriveEventJson {
    /// Returns the name of the event.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Partial { .. } => "partial",
            Self::Approval(_) => "approval",
            Self::ApprovalResolved { .. } => "approvalResolved",
            Self::Queue { .. } => "queue",
            Self::Run { .. } => "run",
            Self::LeftOut {} => "leftOut",
        }
    }
}

/// An event of a run: a line of `drive attach`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunEventJson {
    /// The version of the contract.
    pub schema: u32,
    /// Where to go on after it: an offset in the spool.
    pub cursor: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: DriveEventJson,
}
