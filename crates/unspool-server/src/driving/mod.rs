//! Runs of the client as the server sees them: which run drives a session, and what changes in a run.
//!
//! A [`SharedRun`] contains the current state of a run and the texts that are being written. One
//! thread follows the run for all connections that read the board, and ends with the last of them.
//! A [`RunChangesReader`] compares the board with the state that its connection has sent, so a slow
//! connection misses only states in between. The store (`unspool_drive`) records runs and their
//! results; this module keeps nothing that must survive.

mod problem;
mod reader;
mod recent_answers;
mod shared_run;
mod words;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::watch;
use unspool_drive::json::ApprovalJson;
use unspool_drive::{Drive, DriveError, RunId};

pub(crate) use self::reader::{RunChanges, RunChangesReader};
pub(crate) use self::recent_answers::recently_answered;
pub(crate) use self::shared_run::SharedRun;
pub(crate) use self::words::{about, heading};
use crate::settings::{ClientLocation, DriveSetup};

/// The runs of a server that drives.
pub(crate) struct Driving {
    drive: Arc<Drive>,
    boards: Mutex<HashMap<RunId, Weak<SharedRun>>>,
    /// The number of runs that this server has started.
    started: watch::Sender<u64>,
    on_start: Box<dyn Fn(&RunId) + Send + Sync>,
    find_client: Box<dyn Fn() -> ClientLocation + Send + Sync>,
}

impl Driving {
    /// Prepares to drive; reads no run yet.
    pub(crate) fn new(setup: DriveSetup) -> Self {
        Self {
            drive: setup.drive,
            on_start: setup.on_start,
            find_client: setup.find_client,
            boards: Mutex::default(),
            started: watch::channel(0).0,
        }
    }

    /// Returns the runs of the client.
    pub(crate) fn drive(&self) -> &Arc<Drive> {
        &self.drive
    }

    /// Returns the recently answered approvals of all runs, oldest first.
    pub(crate) fn lately(&self) -> Vec<ApprovalJson> {
        recent_answers::recently_answered_in_all(&self.drive)
    }

    /// Looks for the client program.
    pub(crate) fn client(&self) -> ClientLocation {
        (self.find_client)()
    }

    /// Announces a started run, so that pages of its session look for it.
    pub(crate) fn tell_started(&self, run: &RunId) {
        (self.on_start)(run);
        self.started.send_modify(|count| *count += 1);
    }

    /// Returns a receiver that is notified of every started run.
    pub(crate) fn starts(&self) -> watch::Receiver<u64> {
        self.started.subscribe()
    }

    /// Returns the board of the newest run of a session, over or not.
    pub(crate) fn board_of_session(
        &self,
        session: &str,
    ) -> Result<Option<Arc<SharedRun>>, DriveError> {
        let run = self.drive.last_run_of_session(session)?;
        run.map(|run| self.board(&run)).transpose()
    }

    /// Returns the boards of all runs that are not over; skips those that cannot be read.
    pub(crate) fn open_boards(&self) -> Vec<Arc<SharedRun>> {
        let runs = self.drive.open_runs().unwrap_or_default();
        runs.iter().filter_map(|run| self.board(run).ok()).collect()
    }

    /// Returns the board of a run; connections that read the same run share one.
    fn board(&self, run: &RunId) -> Result<Arc<SharedRun>, DriveError> {
        let mut boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(board) = boards.get(run).and_then(Weak::upgrade) {
            return Ok(board);
        }
        boards.retain(|_, board| board.strong_count() > 0);
        let board = SharedRun::begin(&self.drive, run)?;
        boards.insert(run.clone(), Arc::downgrade(&board));
        Ok(board)
    }
}
