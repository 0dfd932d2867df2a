//! Runs of the client as a server sees them: who drives a session, and what changes in a run.
//!
//! A [`RunBoard`] has a run as it is now and the text that is being written; one thread follows the run
//! for all connections that look at it, and ends when none does. A connection compares what it has
//! told with what the board says ([`BoardReader`]), so a slow one misses nothing but steps in between.
//! What a run is and what became of it is the store's to say (`unspool_drive`); this module keeps
//! nothing that must survive.

mod board;
mod lately;
mod problem;
mod reader;
mod words;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::watch;
use unspool_drive::json::ApprovalJson;
use unspool_drive::{Drive, DriveError, RunId};

pub(crate) use self::board::RunBoard;
pub(crate) use self::lately::lately_answered;
pub(crate) use self::reader::{BoardReader, DriveNews};
pub(crate) use self::words::{about, heading};
use crate::settings::{DriveSetup, ServedClient};

/// What a server that drives knows.
pub(crate) struct Driving {
    drive: Arc<Drive>,
    boards: Mutex<HashMap<RunId, Weak<RunBoard>>>,
    /// Counts the runs that were started here.
    started: watch::Sender<u64>,
    on_start: Box<dyn Fn(&RunId) + Send + Sync>,
    find_client: Box<dyn Fn() -> ServedClient + Send + Sync>,
}

impl Driving {
    /// Prepares to drive.
    pub(crate) fn new(setup: DriveSetup) -> Self {
        Self {
            drive: setup.drive,
            on_start: setup.on_start,
            find_client: setup.find_client,
            boards: Mutex::default(),
            started: watch::channel(0).0,
        }
    }

    /// Returns what runs the client.
    pub(crate) fn drive(&self) -> &Arc<Drive> {
        &self.drive
    }

    /// Returns what was answered a short while ago in all runs, the oldest first.
    pub(crate) fn lately(&self) -> Vec<ApprovalJson> {
        lately::lately_in_all(&self.drive)
    }

    /// Looks for the client.
    pub(crate) fn client(&self) -> ServedClient {
        (self.find_client)()
    }

    /// Says that a run was started, so that pages of its session look for it.
    pub(crate) fn tell_started(&self, run: &RunId) {
        (self.on_start)(run);
        self.started.send_modify(|count| *count += 1);
    }

    /// Returns what says that a run was started.
    pub(crate) fn starts(&self) -> watch::Receiver<u64> {
        self.started.subscribe()
    }

    /// Returns the board of the run that drives a session, or of the last one that did.
    pub(crate) fn board_of_session(
        &self,
        session: &str,
    ) -> Result<Option<Arc<RunBoard>>, DriveError> {
        let run = self.drive.last_run_of_session(session)?;
        run.map(|run| self.board(&run)).transpose()
    }

    /// Returns the boards of all runs that go on, as far as they can be read.
    pub(crate) fn open_boards(&self) -> Vec<Arc<RunBoard>> {
        let runs = self.drive.open_runs().unwrap_or_default();
        runs.iter().filter_map(|run| self.board(run).ok()).collect()
    }

    /// Returns the board of a run.
    fn board(&self, run: &RunId) -> Result<Arc<RunBoard>, DriveError> {
        let mut boards = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(board) = boards.get(run).and_then(Weak::upgrade) {
            return Ok(board);
        }
        boards.retain(|_, board| board.strong_count() > 0);
        let board = RunBoard::begin(&self.drive, run)?;
        boards.insert(run.clone(), Arc::downgrade(&board));
        Ok(board)
    }
}
