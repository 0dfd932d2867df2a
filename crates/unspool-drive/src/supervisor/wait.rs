//! Waiting until a run needs a person.

use std::sync::mpsc;
use std::thread;

use super::{Drive, DriveError, RunView};
use crate::ids::RunId;
use crate::socket::HostConnection;
use crate::state::RunState;

/// Why a run needs a person.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunNeed {
    /// It waits for an answer.
    Answer,
    /// Another process has the session, and the queue stands still.
    Held,
    /// It has nothing to do.
    Idle,
    /// It is over.
    Over,
}

impl RunNeed {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Held => "held",
            Self::Idle => "idle",
            Self::Over => "over",
        }
    }
}

impl RunView {
    /// Returns why the run needs a person; none while it works.
    pub fn need(&self) -> Option<RunNeed> {
        match self.run.state {
            RunState::Waiting(_) => Some(RunNeed::Answer),
            _ if self.run.held_by.is_some() => Some(RunNeed::Held),
            RunState::Idle if self.prompts.iter().all(|prompt| !prompt.state.is_open()) => {
                Some(RunNeed::Idle)
            }
            RunState::Ended(_) | RunState::Lost => Some(RunNeed::Over),
            _ => None,
        }
    }
}

impl Drive {
    /// Waits until one of some runs is as wanted, and returns those that are. Runs that begin later
    /// are not looked at.
    pub fn wait(
        &self,
        runs: &[RunId],
        is_wanted: impl Fn(&RunView) -> bool,
    ) -> Result<Vec<RunView>, DriveError> {
        let (sender, changes) = mpsc::sync_channel(runs.len() + 1);
        let mut stoppers = Vec::new();
        for run in runs {
            let connection = HostConnection::open(self.folders.sockets(), run);
            let growths = connection.and_then(|host| host.subscribe(0, true));
            // A run without a host changes no more; the look below sees how it is.
            let Ok(mut growths) = growths else { continue };
            stoppers.extend(growths.stopper());
            let sender = sender.clone();
            thread::spawn(move || {
                while growths.next_length().is_some() {
                    if sender.send(()).is_err() {
                        return;
                    }
                }
                // The end of the host is a change too.
                let _ = sender.send(());
            });
        }
        drop(sender);
        let found = self.watch(runs, &changes, &is_wanted);
        drop(changes);
        for stop in stoppers {
            stop();
        }
        found
    }

    fn watch(
        &self,
        runs: &[RunId],
        changes: &mpsc::Receiver<()>,
        is_wanted: &dyn Fn(&RunView) -> bool,
    ) -> Result<Vec<RunView>, DriveError> {
        loop {
            let views = runs.iter().map(|run| self.run(run));
            let views = views.collect::<Result<Vec<_>, _>>()?;
            let is_any_alive = views.iter().any(|view| !view.run.state.is_over());
            let found: Vec<RunView> = views.into_iter().filter(is_wanted).collect();
            if !found.is_empty() || !is_any_alive || changes.recv().is_err() {
                return Ok(found);
            }
            while changes.try_recv().is_ok() {}
        }
    }
}
