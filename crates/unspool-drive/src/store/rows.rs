//! What is read: runs, prompts, approvals, trust.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use unspool_model::time::Time;

use super::change::HostMark;
use super::{DriveStore, DriveStoreError};
use crate::ids::{ActionId, ApprovalId, PromptId, RunId};
use crate::launch::RunPlan;
use crate::money::UsdAmount;
use crate::state::{
    ApprovalKind, Decision, FailureCause, PromptState, Resolution, RunLimits, RunState, SendWhen,
};
use crate::wire::{AskedRequest, ClientMenu, PersonChoice, PromptContent};

/// A process that went on after the client that started it had ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Survivor {
    /// Its number.
    pub pid: u32,
    /// Its command line.
    pub command: String,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndRecord {
    /// When.
    pub at: Time,
    /// The client's exit code.
    pub code: Option<i32>,
    /// The signal that ended the client.
    pub signal: Option<i32>,
    /// Why, in words: what the client said last of what went wrong.
    pub message: Option<String>,
    /// Processes of the client's that still ran.
    pub survivors: Vec<Survivor>,
}

/// A run as the store has it. A run whose host has died still looks alive here; the supervisor
/// looks at the lock.
#[derive(Clone, PartialEq, Debug)]
pub struct RunRecord {
    /// Its id.
    pub id: RunId,
    /// When it was asked for.
    pub made: Time,
    /// The surface and person that asked for it.
    pub by: String,
    /// How its client is started.
    pub plan: RunPlan,
    /// The session that the client writes.
    pub session: String,
    /// What it is doing.
    pub state: RunState,
    /// How long it may be idle and wait.
    pub limits: RunLimits,
    /// When the client is ended unless something happens.
    pub idle_deadline: Option<Time>,
    /// The permission mode, as the client says.
    pub mode: Option<String>,
    /// The model, as the client says.
    pub model: Option<String>,
    /// Another process that has the session, because of which the queue stands still.
    pub held_by: Option<u32>,
    /// Why queued prompts wait after a turn that failed, while the run goes on.
    pub held_for: Option<FailureCause>,
    /// Why the last turn failed, in words; none if it did not.
    pub last_failure: Option<String>,
    /// What the session may cost.
    pub budget: Option<UsdAmount>,
    /// What the session has cost so far, as the client says.
    pub cost: Option<UsdAmount>,
    /// The host.
    pub host: Option<HostMark>,
    /// The client.
    pub client: Option<HostMark>,
    /// How it ended.
    pub end: Option<EndRecord>,
}

impl RunRecord {
    /// Says that the session has cost what it may, because of which the queue stands still; none if
    /// it has not.
    pub fn over_budget(&self) -> Option<String> {
        over_budget(self.budget, self.cost)
    }

    /// Says that queued prompts wait because the last turn failed, and what lets them go on; none if they
    /// do not.
    pub fn queue_held(&self) -> Option<String> {
        self.held_for.map(FailureCause::hold_words)
    }
}

/// Says that a budget is spent; none if it is not.
pub(crate) fn over_budget(budget: Option<UsdAmount>, cost: Option<UsdAmount>) -> Option<String> {
    let (budget, cost) = (budget?, cost.unwrap_or_default());
    (cost >= budget).then(|| {
        format!(
            "the budget of {budget} is spent ({cost} so far): queued prompts wait until it is raised"
        )
    })
}

/// A prompt as the store has it.
#[derive(Clone, PartialEq, Debug)]
pub struct PromptRecord {
    /// Its id.
    pub id: PromptId,
    /// Its run.
    pub run: RunId,
    /// What it says.
    pub content: PromptContent,
    /// When it is sent.
    pub send: SendWhen,
    /// The surface and person it comes from.
    pub by: String,
    /// Where it is on its way.
    pub state: PromptState,
    /// How far a lost prompt had come.
    pub was: Option<PromptState>,
    /// When it was put.
    pub put: Time,
    /// When its state changed last.
    pub changed: Time,
}

/// The answer that a request got.
#[derive(Clone, PartialEq, Debug)]
pub struct DecidedRecord {
    /// Allowed or not.
    pub decision: Decision,
    /// What the person chose; none if the deadline passed.
    pub choice: Option<PersonChoice>,
    /// The surface and person that answered.
    pub by: String,
}

/// An approval as the store has it.
#[derive(Clone, PartialEq, Debug)]
pub struct ApprovalRecord {
    /// Our id.
    pub id: ApprovalId,
    /// The run.
    pub run: RunId,
    /// The session.
    pub session: String,
    /// The client's id.
    pub request_id: String,
    /// What it is about.
    pub kind: ApprovalKind,
    /// The whole request.
    pub request: AskedRequest,
    /// When it came.
    pub asked: Time,
    /// When it is answered for the person.
    pub deadline: Option<Time>,
    /// How it ended, if it has.
    pub resolution: Option<Resolution>,
    /// The answer, if there was one.
    pub decided: Option<DecidedRecord>,
    /// When it ended.
    pub at: Option<Time>,
}

/// A call that was carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActionRecord {
    /// The run it was for.
    pub run: RunId,
    /// What it did.
    pub what: String,
}

/// A folder that a person trusts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrustRecord {
    /// The folder.
    pub folder: String,
    /// The print of what ran code in it then.
    pub print: String,
    /// The surface and person that said so.
    pub by: String,
    /// When.
    pub at: Time,
}

/// A run with its prompts, in their order, and its approvals, the oldest first.
pub type WholeRun = (RunRecord, Vec<PromptRecord>, Vec<ApprovalRecord>);

/// Writes a value of ours as JSON.
pub(super) fn to_json(value: &impl Serialize) -> Result<String, DriveStoreError> {
    serde_json::to_string(value).map_err(|error| {
        DriveStoreError::Database(rusqlite::Error::ToSqlConversionFailure(error.into()))
    })
}

/// What one query gives for a row: an error of the database, or of what stands in the row.
type Found<T> = Result<Result<T, DriveStoreError>, rusqlite::Error>;

fn unknown(what: &'static str, value: impl Into<String>) -> DriveStoreError {
    let value = value.into();
    DriveStoreError::Unknown { what, value }
}

fn from_json<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, DriveStoreError> {
    serde_json::from_str(text).map_err(|error| unknown(what, error.to_string()))
}

fn named<T>(
    what: &'static str,
    name: String,
    find: impl Fn(&str) -> Option<T>,
) -> Result<T, DriveStoreError> {
    find(&name).ok_or_else(|| unknown(what, name))
}

fn run_id(text: &str) -> Result<RunId, DriveStoreError> {
    RunId::parse(text).map_err(|_| unknown("run", text))
}

const RUN: &str = "SELECT id, made, by, plan, session, stage, detail, idle, waiting, idle_deadline, \
    mode, model, held_by, host_pid, host_start, client_pid, client_start, ended, exit_code, \
    exit_signal, message, survivors, last_failure, budget, cost, held_for FROM runs";
const PROMPT: &str = "SELECT id, run, content, send, by, state, was, put, changed FROM prompts";
const APPROVAL: &str = "SELECT id, run, session, request_id, kind, request, asked, deadline, \
    resolution, decision, choice, by, at FROM approvals";

fn read_run(row: &Row<'_>) -> Found<RunRecord> {
    let (id, plan, stage): (String, String, String) = (row.get(0)?, row.get(3)?, row.get(5)?);
    let detail: Option<String> = row.get(6)?;
    let seconds = |at| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(|n| n as u64));
    let time = |at| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(Time::from_millis));
    let mark = |at| {
        let pid: Option<u32> = row.get(at)?;
        let start: Option<String> = row.get(at + 1)?;
        Ok::<_, rusqlite::Error>(pid.map(|pid| HostMark { pid, start }))
    };
    let known = RunState::from_names(&stage, detail.as_deref());
    let limits = RunLimits {
        idle: seconds(7)?,
        waiting: seconds(8)?,
    };
    let survivors: Option<String> = row.get(21)?;
    let end = EndRecord {
        at: Time::from_millis(0),
        code: row.get(18)?,
        signal: row.get(19)?,
        message: row.get(20)?,
        survivors: survivors
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default(),
    };
    let end = time(17)?.map(|at| EndRecord { at, ..end });
    let (begun, by) = (Time::from_millis(row.get(1)?), row.get(2)?);
    let (session, idle_deadline) = (row.get(4)?, time(9)?);
    let (mode, model, held_by) = (row.get(10)?, row.get(11)?, row.get(12)?);
    let last_failure = row.get(22)?;
    let money = |at| {
        let amount = row.get::<_, Option<i64>>(at)?;
        Ok::<_, rusqlite::Error>(amount.map(UsdAmount::from_millionths))
    };
    let (budget, cost) = (money(23)?, money(24)?);
    let (host, client) = (mark(13)?, mark(15)?);
    let held_for: Option<String> = row.get(25)?;
    let build = || {
        let known = known.ok_or_else(|| unknown("state", stage))?;
        let held_for = held_for.filter(|_| !known.is_over());
        Ok(RunRecord {
            id: run_id(&id)?,
            made: begun,
            by,
            plan: from_json("plan", &plan)?,
            session,
            state: known,
            limits,
            idle_deadline,
            mode,
            model,
            held_by,
            held_for: held_for.and_then(|name| FailureCause::from_name(&name)),
            last_failure,
            budget,
            cost,
            host,
            client,
            end,
        })
    };
    Ok(build())
}

fn read_prompt(row: &Row<'_>) -> Found<PromptRecord> {
    let texts: [String; 6] = [
        row.get(0)?,
        row.get(1)?,
        row.get(2)?,
        row.get(3)?,
        row.get(4)?,
        row.get(5)?,
    ];
    let was: Option<String> = row.get(6)?;
    let (put, changed) = (row.get(7)?, row.get(8)?);
    let build = || {
        let [id, run, content, send, by, state] = texts;
        Ok(PromptRecord {
            id: PromptId::parse(&id).map_err(|_| unknown("prompt", id))?,
            run: run_id(&run)?,
            content: from_json("prompt", &content)?,
            send: named("send", send, SendWhen::from_name)?,
            by,
            state: named("state", state, PromptState::from_name)?,
            was: was.and_then(|name| PromptState::from_name(&name)),
            put: Time::from_millis(put),
            changed: Time::from_millis(changed),
        })
    };
    Ok(build())
}

fn read_approval(row: &Row<'_>) -> Found<ApprovalRecord> {
    let (id, run, kind): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(4)?);
    let request: String = row.get(5)?;
    let time = |at| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(Time::from_millis));
    let (resolution, decision): (Option<String>, Option<String>) = (row.get(8)?, row.get(9)?);
    let (choice, by): (Option<String>, Option<String>) = (row.get(10)?, row.get(11)?);
    let decided = decision.and_then(|name| Decision::from_name(&name));
    let decided = decided.map(|decision| DecidedRecord {
        decision,
        choice: choice.and_then(|text| serde_json::from_str(&text).ok()),
        by: by.unwrap_or_default(),
    });
    let (session, request_id) = (row.get(2)?, row.get(3)?);
    let (asked, deadline, at) = (Time::from_millis(row.get(6)?), time(7)?, time(12)?);
    let build = || {
        Ok(ApprovalRecord {
            id: ApprovalId::new(id),
            run: run_id(&run)?,
            session,
            request_id,
            kind: named("kind", kind, ApprovalKind::from_name)?,
            request: AskedRequest::read(&request),
            asked,
            deadline,
            resolution: resolution.and_then(|name| Resolution::from_name(&name)),
            decided,
            at,
        })
    };
    Ok(build())
}

/// Reads the rows of a query.
fn select<T>(
    db: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
    read: impl Fn(&Row<'_>) -> Found<T>,
) -> Result<Vec<T>, DriveStoreError> {
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map(values, |row| read(row))?;
    rows.map(|row| row?).collect()
}

impl DriveStore {
    fn rows<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> Found<T>,
    ) -> Result<Vec<T>, DriveStoreError> {
        select(&self.db(), sql, values, read)
    }

    /// Returns a run with its prompts and approvals, all as of one moment.
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

    /// Returns the runs that are not over, as far as the store knows, the newest first.
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

    /// Returns the approvals of a run, the oldest first.
    pub fn approvals(&self, run: &RunId) -> Result<Vec<ApprovalRecord>, DriveStoreError> {
        let sql = format!("{APPROVAL} WHERE run = ? ORDER BY rowid");
        self.rows(&sql, [run.as_str()], read_approval)
    }

    /// Returns the approvals of all runs that are not answered, the oldest first.
    pub fn open_approvals(&self) -> Result<Vec<ApprovalRecord>, DriveStoreError> {
        let sql = format!("{APPROVAL} WHERE resolution IS NULL ORDER BY rowid");
        self.rows(&sql, [], read_approval)
    }

    /// Returns an approval.
    pub fn approval(&self, id: &ApprovalId) -> Result<Option<ApprovalRecord>, DriveStoreError> {
        let sql = format!("{APPROVAL} WHERE id = ?");
        Ok(self.rows(&sql, [id.as_str()], read_approval)?.pop())
    }

    /// Returns a call that was carried out.
    pub fn action(&self, id: &ActionId) -> Result<Option<ActionRecord>, DriveStoreError> {
        let read = |row: &Row<'_>| {
            let (run, what): (String, String) = (row.get(0)?, row.get(1)?);
            Ok(run_id(&run).map(|run| ActionRecord { run, what }))
        };
        let sql = "SELECT run, what FROM actions WHERE id = ?";
        Ok(self.rows(sql, [id.as_str()], read)?.pop())
    }

    /// Returns what the client of a run offers; nothing before it said so.
    pub fn menu(&self, run: &RunId) -> Result<ClientMenu, DriveStoreError> {
        let read = |row: &Row<'_>| {
            let menu: String = row.get(0)?;
            Ok(from_json("menu", &menu))
        };
        let sql = "SELECT menu FROM menus WHERE run = ?";
        let found = self.rows(sql, [run.as_str()], read)?.pop();
        Ok(found.unwrap_or_default())
    }

    /// Returns what is known of a folder's trust.
    pub fn trust(&self, folder: &str) -> Result<Option<TrustRecord>, DriveStoreError> {
        let db = self.db();
        let mut statement =
            db.prepare_cached("SELECT folder, print, by, at FROM trust WHERE folder = ?")?;
        let found = statement.query_row(params![folder], |row| {
            Ok(TrustRecord {
                folder: row.get(0)?,
                print: row.get(1)?,
                by: row.get(2)?,
                at: Time::from_millis(row.get(3)?),
            })
        });
        Ok(found.optional()?)
    }

    /// Returns all folders that are trusted.
    pub fn trusted(&self) -> Result<Vec<String>, DriveStoreError> {
        let read = |row: &Row<'_>| Ok(Ok(row.get(0)?));
        self.rows("SELECT folder FROM trust ORDER BY folder", [], read)
    }
}
