//! The interface for the server, the command line and the terminal program.
//!
//! A [`Drive`] needs no server: it reads the store, sends requests to hosts over their sockets, starts hosts
//! with a command that the caller provides, and finds them again after a restart. It notices the death of a
//! host by its free lock, and then records pending prompts and approvals as lost or interrupted; nothing is
//! run again without a request. Every call that changes something has an id made by the caller, and repeating
//! it has no further effect. Time, folders, client and environment are passed in.

mod act;
mod follow;
mod lines;
mod offer;
mod partial;
mod start;
mod sweep;
mod wait;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use unspool_model::time::Time;
use unspool_store::home::ClientHomes;

use crate::clock::DriveClock;
use crate::folders::DriveFolders;
use crate::ids::{ApprovalId, RunId};
use crate::json::{RunJson, RunsJson, SCHEMA};
use crate::launch::{ClientProgram, PlanFault, RUN_VARIABLE};
use crate::processes;
use crate::socket::{GivenAnswer, HostConnection, SocketError};
use crate::state::{Resolution, RunLimits, RunState};
use crate::store::{
    ApprovalRecord, DriveStore, DriveStoreError, EndRecord, PromptRecord, RunRecord, StoreChange,
    Survivor, TrustRecord,
};
use crate::trust::{TrustReport, TrustVerdict};

pub use follow::{Follower, RunEvent};
pub use lines::{FollowStop, RunLines};
pub use start::RunRequest;
pub use wait::RunNeed;

/// The maximum number of tries while a host starts or dies.
const MOST_TRIES: usize = 2_500;
/// The pause between two tries.
const BETWEEN_TRIES: Duration = Duration::from_millis(2);

/// The command that starts a host: a hidden command of the same program. It gets `--run ID --state FOLDER
/// --sockets FOLDER` and calls [`crate::host::run`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostCommand {
    /// The path of the program.
    pub program: PathBuf,
    /// Arguments that precede those of the host.
    pub arguments: Vec<String>,
}

/// The settings of a [`Drive`].
#[derive(Clone, Debug)]
pub struct DriveSettings {
    /// The folder for state, which no other user can read.
    pub state: PathBuf,
    /// The folder for sockets, which no other user can read.
    pub sockets: PathBuf,
    /// The home of runs that do not set one.
    pub home: PathBuf,
    /// The default home, and the one that the environment names.
    pub client_homes: ClientHomes,
    /// The program of the client.
    pub client: ClientProgram,
    /// The command that starts a host.
    pub host: HostCommand,
    /// Whether a run may bypass permissions.
    pub may_bypass: bool,
    /// The deadlines of runs that do not set them.
    pub limits: RunLimits,
    /// The clock.
    pub clock: Arc<dyn DriveClock>,
}

/// Errors of a [`Drive`].
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] DriveStoreError),
    /// No run has this id.
    #[error("no run has the id {0}")]
    UnknownRun(RunId),
    /// No prompt or approval has this id.
    #[error("no prompt or approval has the id {0}")]
    Unknown(String),
    /// The folder does not exist.
    #[error("{}: this folder does not exist", .0.display())]
    NoFolder(PathBuf),
    /// The folder is not trusted, or has changed since.
    #[error("{}: the folder is not trusted; its hooks and settings could run code", .0.folder.display())]
    Untrusted(Box<TrustReport>),
    /// Another process has the session open.
    #[error("process {pid} has the session {session}; end it there, or fork the session")]
    Owned {
        /// The session.
        session: String,
        /// The process id.
        pid: u32,
    },
    /// Another run drives the session.
    #[error("run {run} drives the session {session} already")]
    Driven {
        /// The session.
        session: String,
        /// The run.
        run: RunId,
    },
    /// The plan of the run is not valid.
    #[error(transparent)]
    Plan(#[from] PlanFault),
    /// The host or the client could not be started.
    #[error("the run did not start: {0}")]
    NotStarted(String),
    /// The run is over.
    #[error("the run is over ({})", .0.stage())]
    Over(RunState),
    /// The run must be over, and is not.
    #[error("the run is not over ({}); stop it first", .0.stage())]
    NotOver(RunState),
    /// The client of a lost run is still running.
    #[error("the client of the lost run still works (process {0}); stop the run first")]
    StillRunning(u32),
    /// Another answer was given before.
    #[error("{} was answered first, by {}", .0.decision, .0.by)]
    Conflict(GivenAnswer),
    /// The approval was resolved without an answer.
    #[error("the approval has ended without an answer ({0})")]
    ApprovalOver(Resolution),
    /// The request is not valid in this state of the run.
    #[error("{0}")]
    Refused(String),
    /// The host could not do it, and the caller may try again: its disk is full, or it is ending.
    #[error("{0}")]
    Failed(String),
    /// The run has had no prompt.
    #[error("the run has no prompt that could be run again")]
    NoPrompt,
    /// The host did not reply.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// A file cannot be read or created.
    #[error("{}: {error}", path.display())]
    File {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
}

impl DriveError {
    fn file(path: &Path, error: std::io::Error) -> Self {
        let path = path.to_owned();
        Self::File { path, error }
    }
}

/// A run with its prompts and approvals.
#[derive(Clone, PartialEq, Debug)]
pub struct RunView {
    /// The run.
    pub run: RunRecord,
    /// The prompts, in their order.
    pub prompts: Vec<PromptRecord>,
    /// The approvals, the oldest first.
    pub approvals: Vec<ApprovalRecord>,
}

impl RunView {
    /// Returns the document of the run.
    pub fn to_json(&self) -> RunJson {
        RunJson::new(&self.run, &self.prompts, &self.approvals)
    }
}

/// Starts, lists and controls runs of the client.
#[derive(Debug)]
pub struct Drive {
    settings: DriveSettings,
    folders: DriveFolders,
    store: DriveStore,
}

impl Drive {
    /// Opens the folder for state. Live hosts are found when a run is read.
    pub fn open(settings: DriveSettings) -> Result<Self, DriveError> {
        let folders = DriveFolders::open(&settings.state, &settings.sockets)?;
        let store = DriveStore::open(folders.store())?;
        Ok(Self { settings, folders, store })
    }

    /// Returns the time of the clock for deadlines.
    pub fn now(&self) -> Time {
        self.settings.clock.now()
    }

    /// Returns the deadlines of runs that do not set them.
    pub fn limits(&self) -> RunLimits {
        self.settings.limits
    }

    /// Returns all runs, the newest first.
    pub fn runs(&self) -> Result<Vec<RunView>, DriveError> {
        let runs = self.store.runs()?.into_iter();
        runs.map(|run| self.view(run)).collect()
    }

    /// Returns the document of all runs.
    pub fn runs_json(&self) -> Result<RunsJson, DriveError> {
        let runs = self.runs()?;
        Ok(RunsJson { schema: SCHEMA, runs: runs.iter().map(RunView::to_json).collect() })
    }

    /// Returns a run.
    pub fn run(&self, id: &RunId) -> Result<RunView, DriveError> {
        let run = self.record(id)?;
        self.view(run)
    }

    /// Returns the open run that drives a session.
    pub fn run_of_session(&self, session: &str) -> Result<Option<RunView>, DriveError> {
        for run in self.store.open_runs()? {
            let run = self.settle(run)?;
            if run.session == session && !run.state.is_over() {
                return self.view(run).map(Some);
            }
        }
        Ok(None)
    }

    /// Returns the processes that a lost run left running: the client and the processes that it started.
    pub fn left_running(&self, run: &RunView) -> Vec<Survivor> {
        match run.run.state {
            RunState::Lost => leftovers(&run.run),
            _ => Vec::new(),
        }
    }

    /// Returns the runs that are not over.
    pub fn open_runs(&self) -> Result<Vec<RunId>, DriveError> {
        let mut open = Vec::new();
        for run in self.store.open_runs()? {
            let run = self.settle(run)?;
            if !run.state.is_over() {
                open.push(run.id);
            }
        }
        Ok(open)
    }

    /// Returns the newest run of a session, over or not.
    pub fn last_run_of_session(&self, session: &str) -> Result<Option<RunId>, DriveError> {
        let mut runs = self.store.runs()?.into_iter();
        Ok(runs.find(|run| run.session == session).map(|run| run.id))
    }

    fn record(&self, id: &RunId) -> Result<RunRecord, DriveError> {
        let run = self.store.run(id)?;
        run.ok_or_else(|| DriveError::UnknownRun(id.clone()))
    }

    fn view(&self, run: RunRecord) -> Result<RunView, DriveError> {
        let id = self.settle(run)?.id;
        let whole = self.store.whole_run(&id)?;
        let (run, prompts, approvals) = whole.ok_or(DriveError::UnknownRun(id))?;
        Ok(RunView { run, prompts, approvals })
    }

    /// Checks whether the host of an open run is alive. If it is not, records the run as lost, with its
    /// pending prompts and approvals.
    fn settle(&self, run: RunRecord) -> Result<RunRecord, DriveError> {
        if run.state.is_over() {
            return Ok(run);
        }
        let path = self.folders.run_lock(&run.id);
        let lock = self.folders.lock_run(&run.id);
        let Some(_lock) = lock.map_err(|error| DriveError::file(&path, error))? else {
            return Ok(run);
        };
        // The host may have ended the run before it released the lock.
        let run = self.record(&run.id)?;
        if run.state.is_over() {
            return Ok(run);
        }
        let at = self.now();
        let message = match &run.host {
            Some(_) => "the host died; what was pending was interrupted",
            None => "the run was written down and never started",
        };
        let end = EndRecord {
            at,
            code: None,
            signal: None,
            message: Some(message.to_owned()),
            survivors: leftovers(&run),
        };
        self.store.write(&[
            StoreChange::LosePrompts(run.id.clone(), at),
            StoreChange::InterruptApprovals(run.id.clone(), at),
            StoreChange::Ended(run.id.clone(), RunState::Lost, Box::new(end)),
        ])?;
        self.record(&run.id)
    }

    /// Sends a request that may be repeated to the host of a run; returns `None` if the run is over.
    ///
    /// A new host may not listen yet, and a dying one closes its sockets a moment before its lock is
    /// released, so failed connections are repeated.
    fn with_host<T>(
        &self,
        id: &RunId,
        mut ask: impl FnMut(HostConnection) -> Result<T, SocketError>,
    ) -> Result<Option<T>, DriveError> {
        let mut tries = 0;
        loop {
            match HostConnection::open(self.folders.sockets(), id).and_then(&mut ask) {
                Ok(reply) => return Ok(Some(reply)),
                Err(error) if !error.is_hangup() => return Err(error.into()),
                Err(_) if self.settle(self.record(id)?)?.state.is_over() => return Ok(None),
                Err(error) if tries >= MOST_TRIES => return Err(error.into()),
                Err(_) => tries += 1,
            }
            thread::sleep(BETWEEN_TRIES);
        }
    }

    /// Returns all open approvals, the oldest first.
    pub fn approvals(&self) -> Result<Vec<ApprovalRecord>, DriveError> {
        for run in self.store.open_runs()? {
            self.settle(run)?;
        }
        Ok(self.store.open_approvals()?)
    }

    /// Returns the approvals of all runs that were answered since a time, the oldest answer first.
    pub fn answered_since(&self, since: Time) -> Result<Vec<ApprovalRecord>, DriveError> {
        Ok(self.store.answered_since(since)?)
    }

    /// Returns an approval, open or not.
    pub fn approval(&self, id: &ApprovalId) -> Result<ApprovalRecord, DriveError> {
        let found = self.store.approval(id)?;
        let found = found.ok_or_else(|| DriveError::Unknown(id.to_string()))?;
        if found.resolution.is_none() {
            self.settle(self.record(&found.run)?)?;
            let again = self.store.approval(id)?;
            return again.ok_or_else(|| DriveError::Unknown(id.to_string()));
        }
        Ok(found)
    }

    /// Returns the configuration of a folder that runs code.
    pub fn scan_folder(&self, folder: &Path) -> Result<TrustReport, DriveError> {
        TrustReport::of(folder).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => DriveError::NoFolder(folder.to_owned()),
            _ => DriveError::file(folder, error),
        })
    }

    /// Returns whether a folder is trusted, with its current configuration that runs code.
    pub fn trust_of(&self, folder: &Path) -> Result<(TrustVerdict, TrustReport), DriveError> {
        let report = self.scan_folder(folder)?;
        let known = self.store.trust(&report.folder.display().to_string())?;
        let verdict = match known {
            Some(known) if known.print == report.print => TrustVerdict::Trusted,
            Some(_) => TrustVerdict::Changed,
            None => TrustVerdict::Untrusted,
        };
        Ok((verdict, report))
    }

    /// Trusts a folder with its current configuration. `print` is the fingerprint of the report that the
    /// person reviewed; if it has changed since, the folder is not trusted.
    pub fn trust(&self, folder: &Path, print: &str, by: &str) -> Result<TrustReport, DriveError> {
        let report = self.scan_folder(folder)?;
        if report.print != print {
            return Err(DriveError::Untrusted(Box::new(report)));
        }
        if report.folder.to_str().is_none() {
            let words = format!("{}: the name is not UTF-8", report.folder.display());
            return Err(DriveError::Refused(words));
        }
        let record = TrustRecord {
            folder: report.folder.display().to_string(),
            print: report.print.clone(),
            by: by.to_owned(),
            at: self.now(),
        };
        self.store.write(&[StoreChange::Trust(Box::new(record))])?;
        Ok(report)
    }

    /// Withdraws the trust of a folder.
    pub fn untrust(&self, folder: &Path) -> Result<(), DriveError> {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let folder = folder.display().to_string();
        Ok(self.store.write(&[StoreChange::Untrust(folder)])?)
    }

    /// Returns the trusted folders.
    pub fn trusted(&self) -> Result<Vec<String>, DriveError> {
        Ok(self.store.trusted()?)
    }
}

/// Returns the client of a run whose host died, and the processes that it started, if they still run.
/// Processes that are no longer below the client are recognised by the variable of the run.
fn leftovers(run: &RunRecord) -> Vec<Survivor> {
    let client = run.client.as_ref();
    let client = client.filter(|client| processes::is_running(client));
    let mut found = client.map_or_else(Vec::new, |client| processes::with_below(client.pid));
    let variable = format!("{RUN_VARIABLE}={}", run.id);
    for process in processes::started_with(&variable) {
        if !found.iter().any(|known| known.pid == process.pid) {
            found.push(process);
        }
    }
    found
}
