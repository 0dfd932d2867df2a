//! Changes of the store, which are made together or not at all.

use std::sync::Arc;

use rusqlite::{Transaction, params};
use serde_json::Value;
use unspool_model::time::Time;

use super::rows::{ApprovalRecord, EndRecord, ProcessIdentity, TrustRecord, to_json};
use super::{DriveStoreError, StoreResult};
use crate::ids::{ActionId, ApprovalId, PromptId, RunId};
use crate::launch::RunPlan;
use crate::money::UsdAmount;
use crate::state::{
    Decision, FailureCause, PromptState, Resolution, RunLimits, RunState, SendWhen,
};
use crate::wire::{ClientMenu, PersonChoice, PromptContent};

/// A run that is about to start.
#[derive(Clone, PartialEq, Debug)]
pub struct NewRun {
    /// The id of the run.
    pub id: RunId,
    /// The plan of its client.
    pub plan: RunPlan,
    /// The deadlines.
    pub limits: RunLimits,
    /// The budget of the session.
    pub budget: Option<UsdAmount>,
    /// The cost of the session before this run.
    pub cost: Option<UsdAmount>,
    /// The surface and person that requested the run.
    pub by: String,
    /// When it was requested.
    pub at: Time,
}

/// A prompt that is added to the queue.
#[derive(Clone, PartialEq, Debug)]
pub struct PutPrompt {
    /// The id of the prompt.
    pub id: PromptId,
    /// The run.
    pub run: RunId,
    /// The content.
    pub content: PromptContent,
    /// When it is sent.
    pub send: SendWhen,
    /// The surface and person that sent it.
    pub by: String,
    /// When it was added.
    pub at: Time,
}

/// The status of a run, as its host reports it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunStatus {
    /// The state.
    pub state: RunState,
    /// The session that the client writes.
    pub session: String,
    /// The deadlines.
    pub limits: RunLimits,
    /// When the client is ended, if nothing happens before.
    pub idle_deadline: Option<Time>,
    /// The permission mode that the client reports.
    pub mode: Option<String>,
    /// The model that the client reports.
    pub model: Option<String>,
    /// The process id of another client that has the session open and blocks the queue.
    pub held_by: Option<u32>,
    /// Why queued prompts wait after a failed turn.
    pub held_for: Option<FailureCause>,
    /// The error of the last turn.
    pub last_failure: Option<String>,
    /// The budget of the session.
    pub budget: Option<UsdAmount>,
    /// The cost of the session so far, as the client reports it.
    pub cost: Option<UsdAmount>,
    /// The errors that the client reports about settings files.
    pub broken_settings: Vec<String>,
}

/// A change of the store.
#[derive(Clone, PartialEq, Debug)]
pub enum StoreChange {
    /// Records a run that is about to start.
    NewRun(Box<NewRun>),
    /// Starts a recorded run that had no host before.
    Restart(RunId),
    /// Records the host of a run. Conflicts if the run has a host already.
    HostStarted(RunId, ProcessIdentity),
    /// Records the client of a run.
    ClientStarted(RunId, ProcessIdentity),
    /// Records the status of a run.
    Status(RunId, Box<RunStatus>),
    /// Records the end of a run.
    Ended(RunId, RunState, Box<EndRecord>),
    /// Adds a prompt to the queue.
    Put(Box<PutPrompt>),
    /// Records the state of a prompt.
    Prompt(PromptId, PromptState, Time),
    /// Marks every open prompt of a run as lost, and keeps its last state.
    LosePrompts(RunId, Time),
    /// Reorders the queue; the list has all queued prompts.
    Order(RunId, Vec<PromptId>),
    /// Records a request of the client; it has no answer yet.
    Asked(Box<ApprovalRecord>),
    /// Records when a request is answered automatically.
    Deadline(ApprovalId, Option<Time>),
    /// Records the answer of a request. Conflicts if it was resolved before.
    Decided {
        /// The id of the approval.
        id: ApprovalId,
        /// How the request was resolved.
        resolution: Resolution,
        /// The decision.
        decision: Decision,
        /// The choice of the person; `None` if the host answered.
        choice: Option<Box<PersonChoice>>,
        /// The answer that is sent to the client.
        answer: Box<Value>,
        /// The surface and person that answered.
        by: String,
        /// When it was answered.
        at: Time,
    },
    /// Records that a request was resolved without an answer.
    Resolved(ApprovalId, Resolution, Time),
    /// Marks every open request of a run as interrupted.
    InterruptApprovals(RunId, Time),
    /// Records that a request with this id was carried out.
    Action(ActionId, RunId, &'static str, Time),
    /// Records the menu of a run's client.
    Menu(RunId, Arc<ClientMenu>),
    /// Trusts a folder.
    Trust(Box<TrustRecord>),
    /// Withdraws the trust of a folder.
    Untrust(String),
    /// Deletes a run with its prompts, approvals and menu.
    Forget(RunId),
}

impl StoreChange {
    pub(super) fn make(&self, db: &Transaction<'_>) -> StoreResult {
        match self {
            Self::NewRun(run) => new_run(db, run),
            Self::Restart(run) => restart(db, run),
            Self::HostStarted(run, mark) => host_started(db, run, mark),
            Self::ClientStarted(run, mark) => client_started(db, run, mark),
            Self::Status(run, status) => set_status(db, run, status),
            Self::Ended(run, state, end) => set_end(db, run, *state, end),
            Self::Put(prompt) => put(db, prompt),
            Self::Prompt(id, state, at) => set_prompt(db, id, *state, *at),
            Self::LosePrompts(run, at) => lose_prompts(db, run, *at),
            Self::Order(run, ids) => order(db, run, ids),
            Self::Asked(asked) => ask(db, asked),
            Self::Deadline(id, deadline) => set_deadline(db, id, *deadline),
            Self::Decided { .. } => self.decide(db),
            Self::Resolved(id, resolution, at) => resolve(db, id, *resolution, *at),
            Self::InterruptApprovals(run, at) => interrupt_approvals(db, run, *at),
            Self::Action(id, run, what, at) => execute(
                db,
                "INSERT INTO actions VALUES (?, ?, ?, ?)",
                params![id.as_str(), run.as_str(), what, at.as_millis()],
            ),
            Self::Menu(run, menu) => execute(
                db,
                "INSERT OR REPLACE INTO menus VALUES (?, ?)",
                params![run.as_str(), to_json(menu.as_ref())?],
            ),
            Self::Trust(trust) => execute(
                db,
                "INSERT OR REPLACE INTO trust VALUES (?, ?, ?, ?)",
                params![trust.folder, trust.print, trust.by, trust.at.as_millis()],
            ),
            Self::Untrust(folder) => {
                execute(db, "DELETE FROM trust WHERE folder = ?", params![folder])
            }
            Self::Forget(run) => forget(db, run),
        }
    }

    fn decide(&self, db: &Transaction<'_>) -> StoreResult {
        let Self::Decided { id, resolution, decision, choice, answer, by, at } = self else {
            return Ok(());
        };
        let choice = choice.as_deref().map(to_json).transpose()?;
        let sql = "UPDATE approvals SET resolution = ?2, decision = ?3, choice = ?4, answer = ?5, \
                   by = ?6, at = ?7 WHERE id = ?1 AND resolution IS NULL";
        let values = params![
            id.as_str(),
            resolution.name(),
            decision.name(),
            choice,
            answer.to_string(),
            by,
            at.as_millis()
        ];
        execute_first(db, sql, values, "the approval")
    }
}

fn execute(db: &Transaction<'_>, sql: &str, values: impl rusqlite::Params) -> StoreResult {
    db.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

/// Changes one row; returns a conflict if its condition does not match.
fn execute_first(
    db: &Transaction<'_>,
    sql: &str,
    values: impl rusqlite::Params,
    what: &'static str,
) -> StoreResult {
    match db.prepare_cached(sql)?.execute(values)? {
        1 => Ok(()),
        _ => Err(DriveStoreError::Conflict(what)),
    }
}

fn new_run(db: &Transaction<'_>, run: &NewRun) -> StoreResult {
    execute(
        db,
        "INSERT INTO runs (id, made, by, plan, session, stage, idle, waiting, budget, cost) \
         VALUES (?, ?, ?, ?, ?, 'starting', ?, ?, ?, ?)",
        params![
            run.id.as_str(),
            run.at.as_millis(),
            run.by,
            to_json(&run.plan)?,
            run.plan.session.written(),
            run.limits.idle.map(|seconds| seconds as i64),
            run.limits.waiting.map(|seconds| seconds as i64),
            run.budget.map(UsdAmount::millionths),
            run.cost.map(UsdAmount::millionths),
        ],
    )
}

fn restart(db: &Transaction<'_>, run: &RunId) -> StoreResult {
    let sql = "UPDATE runs SET stage = 'starting', detail = NULL, ended = NULL, message = NULL \
               WHERE id = ? AND host_pid IS NULL";
    execute_first(db, sql, [run.as_str()], "the run")?;
    execute(
        db,
        "UPDATE prompts SET state = 'queued', was = NULL \
         WHERE run = ? AND state = 'lost' AND was = 'queued'",
        [run.as_str()],
    )
}

fn host_started(db: &Transaction<'_>, run: &RunId, mark: &ProcessIdentity) -> StoreResult {
    let sql = "UPDATE runs SET host_pid = ?2, host_start = ?3 \
               WHERE id = ?1 AND host_pid IS NULL AND stage = 'starting'";
    execute_first(db, sql, params![run.as_str(), mark.pid, mark.start], "the run")
}

fn client_started(db: &Transaction<'_>, run: &RunId, mark: &ProcessIdentity) -> StoreResult {
    execute(
        db,
        "UPDATE runs SET client_pid = ?2, client_start = ?3 WHERE id = ?1",
        params![run.as_str(), mark.pid, mark.start],
    )
}

fn set_status(db: &Transaction<'_>, run: &RunId, status: &RunStatus) -> StoreResult {
    execute(
        db,
        "UPDATE runs SET stage = ?2, detail = ?3, session = ?4, idle = ?5, waiting = ?6, \
         idle_deadline = ?7, mode = ?8, model = ?9, held_by = ?10, last_failure = ?11, budget = ?12, cost = ?13, \
         held_for = ?14, broken_settings = ?15 \
         WHERE id = ?1",
        params![
            run.as_str(),
            status.state.stage().name(),
            status.state.detail(),
            status.session,
            status.limits.idle.map(|seconds| seconds as i64),
            status.limits.waiting.map(|seconds| seconds as i64),
            status.idle_deadline.map(Time::as_millis),
            status.mode,
            status.model,
            status.held_by,
            status.last_failure,
            status.budget.map(UsdAmount::millionths),
            status.cost.map(UsdAmount::millionths),
            status.held_for.map(FailureCause::name),
            to_json(&status.broken_settings)?,
        ],
    )
}

fn set_end(db: &Transaction<'_>, run: &RunId, state: RunState, end: &EndRecord) -> StoreResult {
    execute(
        db,
        "UPDATE runs SET stage = ?2, detail = ?3, ended = ?4, exit_code = ?5, exit_signal = ?6, \
         message = ?7, survivors = ?8, idle_deadline = NULL WHERE id = ?1",
        params![
            run.as_str(),
            state.stage().name(),
            state.detail(),
            end.at.as_millis(),
            end.code,
            end.signal,
            end.message,
            to_json(&end.survivors)?,
        ],
    )
}

fn put(db: &Transaction<'_>, prompt: &PutPrompt) -> StoreResult {
    execute(
        db,
        "INSERT INTO prompts (id, run, place, send, content, by, state, put, changed) VALUES \
         (?1, ?2, (SELECT ifnull(max(place), 0) + 1 FROM prompts WHERE run = ?2), \
          ?3, ?4, ?5, 'queued', ?6, ?6)",
        params![
            prompt.id.as_str(),
            prompt.run.as_str(),
            prompt.send.name(),
            to_json(&prompt.content)?,
            prompt.by,
            prompt.at.as_millis()
        ],
    )
}

fn set_prompt(db: &Transaction<'_>, id: &PromptId, state: PromptState, at: Time) -> StoreResult {
    execute(
        db,
        "UPDATE prompts SET state = ?2, changed = ?3 WHERE id = ?1",
        params![id.as_str(), state.name(), at.as_millis()],
    )
}

fn lose_prompts(db: &Transaction<'_>, run: &RunId, at: Time) -> StoreResult {
    execute(
        db,
        "UPDATE prompts SET was = state, state = 'lost', changed = ?2 \
         WHERE run = ?1 AND state IN ('queued', 'sent', 'taken_up')",
        params![run.as_str(), at.as_millis()],
    )
}

/// Moves queued prompts after all others, in the order of `ids`. The machine passes all queued prompts.
fn order(db: &Transaction<'_>, run: &RunId, ids: &[PromptId]) -> StoreResult {
    let place: i64 = db
        .prepare_cached("SELECT ifnull(max(place), 0) FROM prompts WHERE run = ?")?
        .query_row([run.as_str()], |row| row.get(0))?;
    for (step, id) in (1..).zip(ids) {
        execute(
            db,
            "UPDATE prompts SET place = ?3 WHERE id = ?1 AND run = ?2 AND state = 'queued'",
            params![id.as_str(), run.as_str(), place + step],
        )?;
    }
    Ok(())
}

fn ask(db: &Transaction<'_>, asked: &ApprovalRecord) -> StoreResult {
    execute(
        db,
        "INSERT OR IGNORE INTO approvals \
         (id, run, session, request_id, kind, request, asked, deadline) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            asked.id.as_str(),
            asked.run.as_str(),
            asked.session,
            asked.request_id,
            asked.kind.name(),
            asked.request.raw,
            asked.asked.as_millis(),
            asked.deadline.map(Time::as_millis),
        ],
    )
}

fn set_deadline(db: &Transaction<'_>, id: &ApprovalId, deadline: Option<Time>) -> StoreResult {
    execute(
        db,
        "UPDATE approvals SET deadline = ?2 WHERE id = ?1",
        params![id.as_str(), deadline.map(Time::as_millis)],
    )
}

fn resolve(db: &Transaction<'_>, id: &ApprovalId, resolution: Resolution, at: Time) -> StoreResult {
    execute(
        db,
        "UPDATE approvals SET resolution = ?2, at = ?3 WHERE id = ?1 AND resolution IS NULL",
        params![id.as_str(), resolution.name(), at.as_millis()],
    )
}

fn interrupt_approvals(db: &Transaction<'_>, run: &RunId, at: Time) -> StoreResult {
    execute(
        db,
        "UPDATE approvals SET resolution = 'interrupted', at = ?2 \
         WHERE run = ?1 AND resolution IS NULL",
        params![run.as_str(), at.as_millis()],
    )
}

fn forget(db: &Transaction<'_>, run: &RunId) -> StoreResult {
    for sql in [
        "DELETE FROM prompts WHERE run = ?",
        "DELETE FROM approvals WHERE run = ?",
        "DELETE FROM actions WHERE run = ?",
        "DELETE FROM menus WHERE run = ?",
        "DELETE FROM runs WHERE id = ?",
    ] {
        execute(db, sql, params![run.as_str()])?;
    }
    Ok(())
}
