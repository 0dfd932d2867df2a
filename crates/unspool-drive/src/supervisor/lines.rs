//! Reads the lines of a run's spool, and waits for more.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Drive, DriveError, RunView};
use crate::ids::RunId;
use crate::socket::{HostConnection, SpoolGrowths};
use crate::spool::{SpoolLine, SpoolReader};

/// Ends a [`RunLines`], or the follower that reads them, from another thread.
#[derive(Clone, Debug, Default)]
pub struct FollowStop {
    state: Arc<Mutex<StopState>>,
}

/// Whether a follower must end, and how to wake it.
#[derive(Default)]
struct StopState {
    is_stopped: bool,
    wake: Option<Box<dyn Fn() + Send + Sync>>,
}

impl std::fmt::Debug for StopState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StopState({})", self.is_stopped)
    }
}

impl FollowStop {
    fn state(&self) -> MutexGuard<'_, StopState> {
        // Both fields are valid even if a thread panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the follower: it returns `None` from this point.
    pub fn stop(&self) {
        let mut state = self.state();
        state.is_stopped = true;
        if let Some(wake) = &state.wake {
            wake();
        }
    }

    fn is_stopped(&self) -> bool {
        self.state().is_stopped
    }

    /// Stores the function that ends the wait; returns false if the follower must end already.
    fn waits_with(&self, growths: &SpoolGrowths) -> bool {
        let mut state = self.state();
        state.wake = match growths.stopper() {
            Ok(wake) => Some(Box::new(wake)),
            Err(_) => None,
        };
        !state.is_stopped
    }
}

/// Returns all available lines of a spool at a time, and waits for more. Ends when the run is over.
#[derive(Debug)]
pub struct RunLines {
    drive: Arc<Drive>,
    run: RunId,
    since: u64,
    /// `None` until the host of a new run has created the spool.
    spool: Option<SpoolReader>,
    growths: Option<SpoolGrowths>,
    stop: FollowStop,
    is_over: bool,
}

impl Drive {
    /// Reads the lines of a run from a cursor; 0 is the beginning. If the run is over, returns the lines of
    /// its spool, if that still exists, and ends.
    pub fn lines(self: &Arc<Self>, run: &RunId, since: u64) -> Result<RunLines, DriveError> {
        self.record(run)?;
        let mut lines = RunLines {
            drive: Arc::clone(self),
            run: run.clone(),
            since,
            spool: None,
            growths: None,
            stop: FollowStop::default(),
            is_over: false,
        };
        lines.open().map_err(|error| DriveError::file(&self.folders.spool(run), error))?;
        Ok(lines)
    }
}

impl RunLines {
    /// Returns a handle that ends the iterator from another thread.
    pub fn stopper(&self) -> FollowStop {
        self.stop.clone()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    /// Returns the cursor: the offset of the next line.
    pub(super) fn cursor(&self) -> u64 {
        let spool = self.spool.as_ref();
        spool.map_or(self.since, SpoolReader::position)
    }

    /// Returns the current rows of the run.
    pub(super) fn view(&self) -> Option<RunView> {
        self.drive.run(&self.run).ok()
    }

    fn open(&mut self) -> io::Result<()> {
        match SpoolReader::open(&self.drive.folders.spool(&self.run), self.since) {
            Ok(spool) => self.spool = Some(spool),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Reads the available lines.
    fn read(&mut self) -> io::Result<Vec<SpoolLine>> {
        if self.spool.is_none() {
            self.open()?;
        }
        let spool = self.spool.as_mut();
        spool.map_or_else(|| Ok(Vec::new()), SpoolReader::read_some)
    }

    /// Waits until the spool has grown. If the connection ends, either the host has died and the run is over,
    /// or this connects again.
    fn wait(&mut self) {
        let growth = self.growths.as_mut().and_then(SpoolGrowths::next_length);
        if growth.is_some() || self.stop.is_stopped() {
            return;
        }
        let known = self.cursor();
        let subscribe = |host: HostConnection| host.subscribe(known, false);
        let growths = self.drive.with_host(&self.run, subscribe).ok().flatten();
        self.growths = growths.filter(|growths| self.stop.waits_with(growths));
        self.is_over = self.growths.is_none();
    }
}

impl Iterator for RunLines {
    type Item = Vec<SpoolLine>;

    fn next(&mut self) -> Option<Vec<SpoolLine>> {
        while !self.stop.is_stopped() {
            // A failed read is repeated when the spool has grown.
            let lines = self.read().unwrap_or_default();
            if !lines.is_empty() {
                return Some(lines);
            }
            if self.is_over {
                return None;
            }
            // After the run is over, the loop reads once more, for lines written since the last read.
            self.wait();
        }
        None
    }
}
