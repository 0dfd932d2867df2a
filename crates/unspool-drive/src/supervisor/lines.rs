//! The lines of a run's spool as they come, and the waiting for more.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Drive, DriveError, RunView};
use crate::ids::RunId;
use crate::socket::{HostConnection, SpoolGrowths};
use crate::spool::{SpoolLine, SpoolReader};

/// Ends a [`RunLines`], or a follower that reads them, from another thread.
#[derive(Clone, Debug, Default)]
pub struct FollowStop {
    state: Arc<Mutex<StopState>>,
}

/// What a follower waits with now, and whether it is to end.
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
        // Two words, which are whole at any time.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the follower: it returns none, now and from then on.
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

    /// Remembers what ends the waiting; false if it is to end already.
    fn waits_with(&self, growths: &SpoolGrowths) -> bool {
        let mut state = self.state();
        state.wake = match growths.stopper() {
            Ok(wake) => Some(Box::new(wake)),
            Err(_) => None,
        };
        !state.is_stopped
    }
}

/// Returns the lines of a spool, as many at a time as there are, and waits for more. It ends when the run is
/// over.
#[derive(Debug)]
pub struct RunLines {
    drive: Arc<Drive>,
    run: RunId,
    since: u64,
    /// None until the host of a run that has just been started has made the spool.
    spool: Option<SpoolReader>,
    growths: Option<SpoolGrowths>,
    stop: FollowStop,
    is_over: bool,
}

impl Drive {
    /// Reads the lines of a run from a cursor on; 0 gives everything. A run that is over gives what its spool
    /// has, if it is still there, and ends.
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
    /// Returns what ends this from another thread.
    pub fn stopper(&self) -> FollowStop {
        self.stop.clone()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    /// Returns the cursor: where the next line begins.
    pub(super) fn cursor(&self) -> u64 {
        let spool = self.spool.as_ref();
        spool.map_or(self.since, SpoolReader::position)
    }

    /// Returns the run as it is now.
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

    /// Reads lines that are there.
    fn read(&mut self) -> io::Result<Vec<SpoolLine>> {
        if self.spool.is_none() {
            self.open()?;
        }
        let spool = self.spool.as_mut();
        spool.map_or_else(|| Ok(Vec::new()), SpoolReader::read_some)
    }

    /// Waits until the spool has grown. When the host hangs up it may have died, and then the run is over;
    /// or it lives, and is connected to again.
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
            // What cannot be read now may be there when more is written.
            let lines = self.read().unwrap_or_default();
            if !lines.is_empty() {
                return Some(lines);
            }
            if self.is_over {
                return None;
            }
            // What was written between the last look and the end is read once more.
            self.wait();
        }
        None
    }
}
