//! Runs, approvals and events as scripts and pages see them: the contract of the API of `serve --drive` and
//! of `drive --json`. Both write the same type for a document, and its schema is derived from that type.
//!
//! Rows of the store are converted to plain data with stable names. Times are RFC 3339 in UTC, unknown values
//! are null.

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
    /// The id of the run.
    pub run: String,
    /// The session that the client writes.
    pub session: String,
    /// The folder that the client works in.
    pub cwd: String,
    /// The client's home.
    pub home: String,
    /// The state of the run, in one word.
    pub state: RunStage,
    /// What the run waits for.
    pub waiting_for: Option<AwaitedAnswer>,
    /// The process id of the client, while it runs.
    pub pid: Option<u32>,
    /// When the run was requested.
    pub started: String,
    /// The surface and person that requested the run.
    pub by: String,
    /// The permission mode.
    pub permission_mode: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The deadlines that are set, and when they end.
    pub deadlines: DeadlinesJson,
    /// The process id of another client that has the session open; the queue waits until a person releases
    /// it.
    pub held_by: Option<u32>,
    /// The error of the last turn: a limit, a missing login, an error of the API; null if it did not fail.
    pub last_failure: Option<String>,
    /// The cause of the last failure, or of the end of the run, if it is a known one.
    pub failure_cause: Option<FailureCause>,
    /// The budget of the session in US dollars; null: no limit.
    pub budget: Option<f64>,
    /// The cost of the session so far in US dollars, as the client reports it.
    pub cost_usd: Option<f64>,
    /// The sentence that the budget is spent and the queue waits; null if it is not spent.
    pub over_budget: Option<String>,
    /// The sentence why queued prompts wait after a failed turn, and how they are released; null if they do
    /// not wait.
    pub queue_held: Option<String>,
    /// The errors that the client reports about settings files, which it then ignores.
    #[serde(default)]
    pub broken_settings: Vec<String>,
    /// Prompts that are not done or were lost, in their order.
    pub queue: Vec<QueuedPromptJson>,
    /// Approvals that are open or were interrupted by the end of the run.
    pub approvals: Vec<ApprovalJson>,
    /// How the run ended; null while it runs.
    pub ended: Option<RunEndJson>,
}

/// Deadlines of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DeadlinesJson {
    /// Seconds that the client may be idle; null: for ever.
    pub idle: Option<u64>,
    /// Seconds that a request may wait for a person; null: for ever.
    pub waiting: Option<u64>,
    /// When the client is ended, if nothing happens before.
    pub idle_at: Option<String>,
    /// When the oldest open request is answered automatically.
    pub waiting_at: Option<String>,
}

/// A prompt of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QueuedPromptJson {
    /// The id of the prompt.
    pub id: String,
    /// The text.
    pub text: String,
    /// The number of images.
    pub images: usize,
    /// The state of the prompt.
    pub state: PromptState,
    /// The last state before the prompt was lost.
    pub was: Option<PromptState>,
    /// The surface and person that sent it.
    pub by: String,
    /// When it was added to the queue.
    pub put: String,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunEndJson {
    /// Why: `stopped`, `idle_deadline`, `finished`, `died`, `not_started` or `lost`.
    pub how: String,
    /// When it ended.
    pub at: String,
    /// The client's exit code.
    pub code: Option<i32>,
    /// The signal that ended the client.
    pub signal: Option<i32>,
    /// The error message.
    pub message: Option<String>,
    /// Processes that the client started and that still ran.
    pub survivors: Vec<Survivor>,
}

/// A request that waits for a person.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ApprovalJson {
    /// The id of the approval.
    pub id: String,
    /// The run.
    pub run: String,
    /// The session.
    pub session: String,
    /// The folder that the client works in.
    #[serde(default)]
    pub cwd: String,
    /// The kind of request.
    pub kind: ApprovalKind,
    /// The tool, or the MCP server that sends the form.
    pub tool: Option<String>,
    /// The input of the call, or the form to fill in.
    pub input: Value,
    /// The description of the call.
    pub description: Option<String>,
    /// The client's reason for asking.
    pub reason: Option<String>,
    /// Effects of the call that reach beyond the project, as far as the request shows them.
    #[serde(default)]
    pub consequences: Vec<String>,
    /// The permission rules that the client suggests to add.
    pub suggestions: Vec<Value>,
    /// The id of the call.
    pub call: Option<String>,
    /// The agent that makes the request; null: the main conversation.
    pub agent: Option<String>,
    /// When the client asked.
    pub asked: String,
    /// When it is answered automatically.
    pub deadline: Option<String>,
    /// How it was resolved: `answered`, `timed_out`, `cancelled`, `interrupted`; null while it is open.
    pub resolved: Option<Resolution>,
    /// The answer.
    pub decision: Option<Decision>,
    /// The surface and person that answered.
    pub by: Option<String>,
    /// When it was resolved.
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
    /// Returns the typed input of the call, or the fields of a form's schema.
    pub fn asked(&self) -> AskedInput {
        asked_input(self.kind, self.tool.as_deref(), &self.input)
    }

    /// Returns a short title.
    pub fn title(&self) -> String {
        let tool = self.tool.as_deref().unwrap_or("a tool");
        match self.kind {
            ApprovalKind::Tool => tool.to_owned(),
            ApprovalKind::Question => "question".to_owned(),
            ApprovalKind::Plan => "plan".to_owned(),
            ApprovalKind::Elicitation => format!("form of {tool}"),
        }
    }

    /// Returns the command, path, plan or question that the request is about; `None` if it has none.
    pub fn about(&self) -> Option<String> {
        match self.kind {
            ApprovalKind::Elicitation => self.description.clone(),
            _ => self.asked().about().map(str::to_owned),
        }
    }

    /// Returns the text of [`Self::about`], or else the input as JSON.
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
    /// Builds the document of a run from its rows.
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

/// Returns the cause of the end of a run, or else of its last failed turn.
fn failure_cause(run: &RunRecord) -> Option<FailureCause> {
    let ended = run.end.as_ref().and_then(|end| end.message.as_deref());
    let causes = [ended, run.last_failure.as_deref()];
    causes.into_iter().flatten().find_map(FailureCause::of)
}

/// Tells whether an approval is open, or was open when its run ended.
fn is_pending(approval: &ApprovalRecord) -> bool {
    matches!(approval.resolution, None | Some(Resolution::Interrupted))
}

/// The answer of `GET /api/approvals`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ApprovalsJson {
    /// The version of the contract.
    pub schema: u32,
    /// Requests that wait for a person, the oldest first.
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

/// Commands and models of a client: the answer of `GET /api/runs/{run}/menu` and of `GET /api/menu`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunMenuJson {
    /// The version of the contract.
    pub schema: u32,
    /// The run whose client reported them; null if no run is known.
    pub run: Option<String>,
    /// Slash commands.
    pub commands: Vec<MenuCommand>,
    /// Models.
    pub models: Vec<MenuModel>,
}

impl RunMenuJson {
    /// Builds the document from the menu of a run's client; empty without one.
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

/// Suggestions of files for a prompt: the answer of `GET /api/runs/{run}/files` and of `GET /api/files`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuggestedFilesJson {
    /// The version of the contract.
    pub schema: u32,
    /// The run whose client suggested them; null: they come from a search of the folder.
    pub run: Option<String>,
    /// Paths, the best match first: relative to the folder of the client, or absolute. A folder ends in a
    /// slash.
    pub files: Vec<String>,
}

impl SuggestedFilesJson {
    /// Builds the document.
    pub fn new(run: Option<&RunId>, files: Vec<String>) -> Self {
        Self { schema: SCHEMA, run: run.map(RunId::to_string), files }
    }
}

/// Events that a driven session adds to the session's stream. The name of each is its `event:`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "camelCase")]
pub enum DriveEventJson {
    /// All text so far of an answer that is being written. The log's message with the same id replaces it.
    Partial {
        /// The id of the message.
        message_id: String,
        /// The text so far.
        text: String,
        /// The id of the call that started the agent; null: the main conversation.
        parent: Option<String>,
    },
    /// A request began to wait for a person.
    Approval(Box<ApprovalJson>),
    /// An approval was resolved.
    ApprovalResolved {
        /// The id of the approval.
        id: String,
        /// How it was resolved.
        resolved: Resolution,
        /// The answer.
        decision: Option<Decision>,
        /// The surface and person that answered.
        by: Option<String>,
    },
    /// The queue has changed.
    Queue {
        /// The prompts that are not done, in their order.
        queue: Vec<QueuePlaceJson>,
    },
    /// The state of the run has changed.
    Run {
        /// The state, in one word.
        state: RunStage,
        /// What the run waits for.
        waiting_for: Option<AwaitedAnswer>,
        /// The session that the client writes.
        session: String,
        /// When the client is ended, if nothing happens before.
        idle_at: Option<String>,
        /// The process id of another client that has the session open.
        held_by: Option<u32>,
        /// The error of the last turn.
        #[serde(default)]
        last_failure: Option<String>,
        /// The sentence that the budget is spent.
        #[serde(default)]
        over_budget: Option<String>,
        /// The sentence why queued prompts wait after a failed turn.
        #[serde(default)]
        queue_held: Option<String>,
        /// How the run ended.
        how: Option<String>,
    },
    /// The spool left out lines of the client.
    LeftOut {},
}

/// A prompt of the queue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QueuePlaceJson {
    /// The id of the prompt.
    pub id: String,
    /// The state of the prompt.
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
    /// The offset in the spool at which a reader continues after this event.
    pub cursor: u64,
    /// The event.
    #[serde(flatten)]
    pub event: DriveEventJson,
}
