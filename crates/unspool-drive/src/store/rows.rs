//! Row types that queries of the store return: runs, prompts, approvals, trust.

use std::path::PathBuf;

use rusqlite::types::FromSql;
use rusqlite::{Connection, Row};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use unspool_model::named::Named as _;
use unspool_model::time::Time;

use super::{DriveStore, DriveStoreError, StoreResult};
use crate::ids::{ApprovalId, PromptId, RunId};
use crate::launch::RunPlan;
use crate::money::UsdAmount;
use crate::state::{
    ApprovalKind, Decision, FailureCause, PromptState, Resolution, RunLimits, RunState, SendWhen,
};
use crate::wire::{AskedRequest, ClientMenu, PersonChoice, PromptContent};

/// A process that still ran after the client that started it had exited.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Survivor {
    /// The process id.
    pub pid: u32,
    /// The command line.
    pub command: String,
}

/// A process id with a start time, which distinguishes the process from a later one with the same id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessIdentity {
    /// The process id.
    pub pid: u32,
    /// The start time as the system reports it; `None` if the system does not.
    pub start: Option<String>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndRecord {
    /// When it ended.
    pub at: Time,
    /// The client's exit code.
    pub code: Option<i32>,
    /// The signal that ended the client.
    pub signal: Option<i32>,
    /// The last error that the client reported.
    pub message: Option<String>,
    /// Processes that the client started and that still ran.
    pub survivors: Vec<Survivor>,
}

/// A row of a run. It does not show that the host has died; the supervisor checks the lock.
#[derive(Clone, PartialEq, Debug)]
pub struct RunRecord {
    /// The id of the run.
    pub id: RunId,
    /// When the run was requested.
    pub made: Time,
    /// The surface and person that requested the run.
    pub by: String,
    /// The plan of its client.
    pub plan: RunPlan,
    /// The session that the client writes.
    pub session: String,
    /// The state of the run.
    pub state: RunState,
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
    /// Why queued prompts wait after a failed turn, while the run continues.
    pub held_for: Option<FailureCause>,
    /// The error of the last turn, if it failed.
    pub last_failure: Option<String>,
    /// The budget of the session.
    pub budget: Option<UsdAmount>,
    /// The cost of the session so far, as the client reports it.
    pub cost: Option<UsdAmount>,
    /// The errors that the client reports about settings files.
    pub broken_settings: Vec<String>,
    /// The process of the host.
    pub host: Option<ProcessIdentity>,
    /// The process of the client.
    pub client: Option<ProcessIdentity>,
    /// How the run ended.
    pub end: Option<EndRecord>,
}

impl RunRecord {
    /// Returns the sentence that the budget is spent and the queue waits, if it is spent.
    pub fn over_budget(&self) -> Option<String> {
        over_budget(self.budget, self.cost)
    }

    /// Returns the sentence why queued prompts wait after a failed turn, if they do.
    pub fn queue_held(&self) -> Option<String> {
        self.held_for.map(FailureCause::hold_reason)
    }
}

/// Returns the sentence that a budget is spent, if it is.
pub(crate) fn over_budget(budget: Option<UsdAmount>, cost: Option<UsdAmount>) -> Option<String> {
    let (budget, cost) = (budget?, cost.unwrap_or_default());
    (cost >= budget).then(|| {
        format!(
            "the budget of {budget} is spent ({cost} so far): queued prompts wait until it is raised"
        )
    })
}

/// A row of a prompt.
#[derive(Clone, PartialEq, Debug)]
pub struct PromptRecord {
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
    /// The state of the prompt.
    pub state: PromptState,
    /// The last state before the prompt was lost.
    pub was: Option<PromptState>,
    /// When it was added to the queue.
    pub put: Time,
    /// When its state changed last.
    pub changed: Time,
}

/// The answer of a request.
#[derive(Clone, PartialEq, Debug)]
pub struct DecidedRecord {
    /// The decision.
    pub decision: Decision,
    /// The choice of the person; `None` if the deadline passed.
    pub choice: Option<PersonChoice>,
    /// The surface and person that answered.
    pub by: String,
}

/// A row of an approval.
#[derive(Clone, PartialEq, Debug)]
pub struct ApprovalRecord {
    /// The id of the approval.
    pub id: ApprovalId,
    /// The run.
    pub run: RunId,
    /// The session.
    pub session: String,
    /// The folder that the client works in; empty if the run was deleted.
    pub cwd: PathBuf,
    /// The id that the client uses for the request.
    pub request_id: String,
    /// The kind of request.
    pub kind: ApprovalKind,
    /// The whole request.
    pub request: AskedRequest,
    /// When the client asked.
    pub asked: Time,
    /// When it is answered automatically.
    pub deadline: Option<Time>,
    /// How it was resolved; `None` while it is open.
    pub resolution: Option<Resolution>,
    /// The answer, if there was one.
    pub decided: Option<DecidedRecord>,
    /// When it was resolved.
    pub at: Option<Time>,
}

/// A folder that a person trusts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrustRecord {
    /// The folder.
    pub folder: String,
    /// The fingerprint of the configuration that ran code at that time.
    pub print: String,
    /// The surface and person that trusted the folder.
    pub by: String,
    /// When it was trusted.
    pub at: Time,
}

/// A run with its prompts in their order, and its approvals, the oldest first.
pub type WholeRun = (RunRecord, Vec<PromptRecord>, Vec<ApprovalRecord>);

/// Serializes a value as JSON.
pub(super) fn to_json(value: &impl Serialize) -> StoreResult<String> {
    serde_json::to_string(value).map_err(|error| {
        DriveStoreError::Database(rusqlite::Error::ToSqlConversionFailure(error.into()))
    })
}

fn unknown(what: &'static str, value: impl Into<String>) -> DriveStoreError {
    let value = value.into();
    DriveStoreError::Unknown { what, value }
}

fn from_json<T: DeserializeOwned>(what: &'static str, text: &str) -> StoreResult<T> {
    serde_json::from_str(text).map_err(|error| unknown(what, error.to_string()))
}

fn run_id(text: &str) -> StoreResult<RunId> {
    RunId::parse(text).map_err(|_| unknown("run", text))
}

const RUN: &str = "SELECT id, made, by, plan, session, stage, detail, idle, waiting, idle_deadline, \
    mode, model, held_by, host_pid, host_start, client_pid, client_start, ended, exit_code, \
    exit_signal, message, survivors, last_failure, budget, cost, held_for, broken_settings \
    FROM runs";
const PROMPT: &str = "SELECT id, run, content, send, by, state, was, put, changed FROM prompts";
const APPROVAL: &str = "SELECT id, run, session, request_id, kind, request, asked, deadline, \
    resolution, decision, choice, by, at, \
    (SELECT json_extract(runs.plan, '$.cwd') FROM runs WHERE runs.id = approvals.run) AS cwd \
    FROM approvals";

/// A row with access to columns by name.
struct NamedRow<'r>(&'r Row<'r>);

impl NamedRow<'_> {
    fn get<T: FromSql>(&self, column: &str) -> StoreResult<T> {
        Ok(self.0.get(column)?)
    }

    fn time(&self, column: &str) -> StoreResult<Time> {
        Ok(Time::from_millis(self.get(column)?))
    }

    fn some_time(&self, column: &str) -> StoreResult<Option<Time>> {
        Ok(self.get::<Option<i64>>(column)?.map(Time::from_millis))
    }

    fn seconds(&self, column: &str) -> StoreResult<Option<u64>> {
        Ok(self.get::<Option<i64>>(column)?.map(|count| count as u64))
    }

    fn money(&self, column: &str) -> StoreResult<Option<UsdAmount>> {
        let millionths: Option<i64> = self.get(column)?;
        Ok(millionths.map(UsdAmount::from_millionths))
    }

    /// Reads a value by its name; an unknown name is an error.
    fn named<T>(&self, column: &'static str, find: impl Fn(&str) -> Option<T>) -> StoreResult<T> {
        let name: String = self.get(column)?;
        find(&name).ok_or_else(|| unknown(column, name))
    }

    /// Reads a value by its name; `None` if the column is null or the name is unknown.
    fn some_named<T>(
        &self,
        column: &str,
        find: impl Fn(&str) -> Option<T>,
    ) -> StoreResult<Option<T>> {
        let name: Option<String> = self.get(column)?;
        Ok(name.and_then(|name| find(&name)))
    }

    fn json<T: DeserializeOwned>(&self, column: &'static str) -> StoreResult<T> {
        from_json(column, &self.get::<String>(column)?)
    }

    /// Reads a value as JSON; `None` if the column is null or cannot be parsed.
    fn some_json<T: DeserializeOwned>(&self, column: &str) -> StoreResult<Option<T>> {
        let text: Option<String> = self.get(column)?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    fn run_id(&self, column: &str) -> StoreResult<RunId> {
        run_id(&self.get::<String>(column)?)
    }

    fn process(&self, pid: &str, start: &str) -> StoreResult<Option<ProcessIdentity>> {
        let (pid, start): (Option<u32>, _) = (self.get(pid)?, self.get(start)?);
        Ok(pid.map(|pid| ProcessIdentity { pid, start }))
    }
}

fn read_run(row: &NamedRow<'_>) -> StoreResult<RunRecord> {
    let (name, detail): (String, Option<String>) = (row.get("stage")?, row.get("detail")?);
    let state = RunState::from_names(&name, detail.as_deref());
    let state = state.ok_or_else(|| unknown("state", name))?;
    let held_for = row.some_named("held_for", FailureCause::from_name)?;
    Ok(RunRecord {
        id: row.run_id("id")?,
        made: row.time("made")?,
        by: row.get("by")?,
        plan: row.json("plan")?,
        session: row.get("session")?,
        state,
        limits: RunLimits { idle: row.seconds("idle")?, waiting: row.seconds("waiting")? },
        idle_deadline: row.some_time("idle_deadline")?,
        mode: row.get("mode")?,
        model: row.get("model")?,
        held_by: row.get("held_by")?,
        held_for: held_for.filter(|_| !state.is_over()),
        last_failure: row.get("last_failure")?,
        budget: row.money("budget")?,
        cost: row.money("cost")?,
        broken_settings: row.some_json("broken_settings")?.unwrap_or_default(),
        host: row.process("host_pid", "host_start")?,
        client: row.process("client_pid", "client_start")?,
        end: read_end(row)?,
    })
}

fn read_end(row: &NamedRow<'_>) -> StoreResult<Option<EndRecord>> {
    let Some(at) = row.some_time("ended")? else {
        return Ok(None);
    };
    Ok(Some(EndRecord {
        at,
        code: row.get("exit_code")?,
        signal: row.get("exit_signal")?,
        message: row.get("message")?,
        survivors: row.some_json("survivors")?.unwrap_or_default(),
    }))
}

fn read_prompt(row: &NamedRow<'_>) -> StoreResult<PromptRecord> {
    let id: String = row.get("id")?;
    Ok(PromptRecord {
        id: PromptId::parse(&id).map_err(|_| unknown("prompt", id))?,
        run: row.run_id("run")?,
        content: row.json("content")?,
        send: row.named("send", SendWhen::from_name)?,
        by: row.get("by")?,
        state: row.named("state", PromptState::from_name)?,
        was: row.some_named("was", PromptState::from_name)?,
        put: row.time("put")?,
        changed: row.time("changed")?,
    })
}

fn read_approval(row: &NamedRow<'_>) -> StoreResult<ApprovalRecord> {
    let decision = row.some_named("decision", Decision::from_name)?;
    let (choice, by) = (row.some_json("choice")?, row.get::<Option<String>>("by")?);
    let cwd: Option<String> = row.get("cwd")?;
    Ok(ApprovalRecord {
        id: ApprovalId::new(row.get::<String>("id")?),
        run: row.run_id("run")?,
        session: row.get("session")?,
        cwd: cwd.unwrap_or_default().into(),
        request_id: row.get("request_id")?,
        kind: row.named("kind", ApprovalKind::from_name)?,
        request: AskedRequest::read(&row.get::<String>("request")?),
        asked: row.time("asked")?,
        deadline: row.some_time("deadline")?,
        resolution: row.some_named("resolution", Resolution::from_name)?,
        decided: decision.map(|decision| DecidedRecord {
            decision,
            choice,
            by: by.unwrap_or_default(),
        }),
        at: row.some_time("at")?,
    })
}

/// Returns the rows of a query.
fn select<T>(
    db: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    read: impl Fn(&NamedRow<'_>) -> StoreResult<T>,
) -> StoreResult<Vec<T>> {
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query(values)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(&NamedRow(row))?);
    }
    Ok(found)
}

impl DriveStore {
    fn rows<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl Fn(&NamedRow<'_>) -> Result<T, DriveStoreError>,
    ) -> Result<Vec<T>, DriveStoreError> {
        select(&self.db(), sql, values, read)
    }

    /// Returns a run with its prompts and approvals, all from one snapshot.
    pub fn whole_run(&self, id: &RunId) -> Result<Option<WholeRun>, DriveStoreError> {
        let mut db = self.db();
        let moment = db.transaction()?;
        let of = |table: &str, rest: &str| format!("{table} WHERE {rest}");
        let run = select(&moment, &of(RUN, "id = ?"), [id.as_str()], read_run)?.pop();
        let sql = of(PROMPT, "run = ? ORDER BY place");
        let prompts = select(&moment, &sql, [id.as_str()], read_prompt)?;
        let sql = of(APPROVAL, "run = ? ORDER BY rowid");
        let approvals = select(&moment, &sql, [id.as_str()], read_approval)?;
        Ok(run.map(|run| (run, prompts, approvals)))
    }

    /// Returns a run.
    pub fn run(&self, id: &RunId) -> Result<Option<RunRecord>, DriveStoreError> {
        let sql = format!("{RUN} WHERE id = ?");
        Ok(self.rows(&sql, [id.as_str()], read_run)?.pop())
    }

    /// Returns all runs, the newest first.
    pub fn runs(&self) -> Result<Vec<RunRecord>, DriveStoreError> {
        self.rows(&format!("{RUN} ORDER BY rowid DESC"), [], read_run)
    }

    /// Returns the runs that are not over according to the store, the newest first.
    pub fn open_runs(&self) -> Result<Vec<RunRecord>, DriveStoreError> {
        let sql = format!("{RUN} WHERE stage NOT IN ('ended', 'lost') ORDER BY rowid DESC");
        self.rows(&sql, [], read_run)
    }

    /// Returns the prompts of a run, in their order.
    pub fn prompts(&self, run: &RunId) -> Result<Vec<PromptRecord>, DriveStoreError> {
        let sql = format!("{PROMPT} WHERE run = ? ORDER BY place");
        self.rows(&sql, [run.as_str()], read_prompt)
    }

    /// Returns a prompt.
    pub fn prompt(&self, id: &PromptId) -> Result<Option<PromptRecord>, DriveStoreError> {
        let sql = format!("{PROMPT} WHERE id = ?");
        Ok(self.rows(&sql, [id.as_str()], read_prompt)?.pop())
    }

    /// Returns the open approvals of all runs, the oldest first.
    pub fn open_approvals(&self) -> Result<Vec<ApprovalRecord>, DriveStoreError> {
        let sql = format!("{APPROVAL} WHERE resolution IS NULL ORDER BY rowid");
        self.rows(&sql, [], read_approval)
    }

    /// Returns the approvals of all runs that were answered since a time, the oldest answer first.
    pub fn answered_since(&self, since: Time) -> Result<Vec<ApprovalRecord>, DriveStoreError> {
        let sql = format!("{APPROVAL} WHERE decision IS NOT NULL AND at >= ? ORDER BY at, rowid");
        self.rows(&sql, [since.as_millis()], read_approval)
    }

    /// Returns an approval.
    pub fn approval(&self, id: &ApprovalId) -> Result<Option<ApprovalRecord>, DriveStoreError> {
        let sql = format!("{APPROVAL} WHERE id = ?");
        Ok(self.rows(&sql, [id.as_str()], read_approval)?.pop())
    }

    /// Returns the menu of a run's client; empty before the client has reported it.
    pub fn menu(&self, run: &RunId) -> Result<ClientMenu, DriveStoreError> {
        let sql = "SELECT menu FROM menus WHERE run = ?";
        let found = self.rows(sql, [run.as_str()], |row| row.json("menu"))?;
        let found = found.into_iter().next();
        Ok(found.unwrap_or_default())
    }

    /// Returns the trust of a folder.
    pub fn trust(&self, folder: &str) -> Result<Option<TrustRecord>, DriveStoreError> {
        let read = |row: &NamedRow<'_>| {
            Ok(TrustRecord {
                folder: row.get("folder")?,
                print: row.get("print")?,
                by: row.get("by")?,
                at: row.time("at")?,
            })
        };
        let sql = "SELECT folder, print, by, at FROM trust WHERE folder = ?";
        Ok(self.rows(sql, [folder], read)?.pop())
    }

    /// Returns all trusted folders.
    pub fn trusted(&self) -> Result<Vec<String>, DriveStoreError> {
        let sql = "SELECT folder FROM trust ORDER BY folder";
        self.rows(sql, [], |row| row.get("folder"))
    }
}
