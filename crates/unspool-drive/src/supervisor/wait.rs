//! Waits until a run needs a person.

use std::collections::HashSet;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use unspool_model::names;

use super::{Drive, DriveError, RunView};
use crate::ids::RunId;
use crate::json::RunNeedJson;
use crate::socket::HostConnection;
use crate::state::{PromptState, RunEnd, RunState, SendWhen};
use crate::store::PromptRecord;

names! {
    /// Why a run needs a person.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum RunNeed {
        /// The run waits for an answer.
        Answer = "answer",
        /// The queue waits until a person releases it: another process has the session open, or the last turn
        /// failed with a cause that the next prompts would fail with too.
        Held = "held",
        /// The budget is spent: no prompt of the queue is sent.
        Budget = "budget",
        /// The client has nothing to do.
        Idle = "idle",
        /// The run is over.
        Over = "over",
    }
}

impl RunView {
    /// Returns why the run needs a person; `None` while it works.
    pub fn need(&self) -> Option<RunNeed> {
        match self.run.state {
            RunState::Waiting(_) => Some(RunNeed::Answer),
            _ if self.run.held_by.is_some() => Some(RunNeed::Held),
            RunState::Idle if self.prompts.iter().all(|prompt| !prompt.state.is_open()) => {
                Some(RunNeed::Idle)
            }
            RunState::Idle if self.run.over_budget().is_some() => Some(RunNeed::Budget),
            RunState::Idle if self.is_held() => Some(RunNeed::Held),
            RunState::Ended(_) | RunState::Lost => Some(RunNeed::Over),
            _ => None,
        }
    }

    /// Returns the error of the last turn if the run is idle, or if its queue is held because of it.
    pub fn resting_failure(&self) -> Option<&str> {
        let is_at_rest = matches!(self.need(), Some(RunNeed::Idle | RunNeed::Held));
        self.run.last_failure.as_deref().filter(|_| is_at_rest)
    }

    /// Returns the document of a run that needs a person; `None` while it works.
    pub fn to_need_json(&self) -> Option<RunNeedJson> {
        Some(RunNeedJson {
            need: self.need()?.name().to_owned(),
            failed: self.resting_failure().map(str::to_owned),
            run: self.to_json(),
        })
    }

    /// Tells whether the run needs a person for one of some reasons. An idle run whose budget is spent has
    /// two.
    pub fn needs_any(&self, wanted: &[RunNeed]) -> bool {
        let is_spent = self.run.state == RunState::Idle && self.run.over_budget().is_some();
        self.need().is_some_and(|need| wanted.contains(&need))
            || (is_spent && wanted.contains(&RunNeed::Budget))
    }

    /// Returns the open runs, and lost runs whose session was not continued. Expects the newest run first. A
    /// run whose client did not start does not count as continuing a session.
    pub fn current(runs: Vec<Self>) -> Vec<Self> {
        let mut sessions = HashSet::new();
        let is_current = |view: &Self| match view.run.state {
            RunState::Ended(RunEnd::NotStarted) => false,
            state => {
                let is_newest = sessions.insert(view.run.session.clone());
                !state.is_over() || (state == RunState::Lost && is_newest)
            }
        };
        runs.into_iter().filter(is_current).collect()
    }

    /// Tells whether the queue waits because the last turn failed. If it has a prompt for now, that prompt is
    /// sent next.
    fn is_held(&self) -> bool {
        let is_next =
            |one: &PromptRecord| one.state == PromptState::Queued && one.send == SendWhen::Now;
        self.run.held_for.is_some() && !self.prompts.iter().any(is_next)
    }
}

/// A message from a thread of a [`RunWatch`].
enum RunWaitEvent {
    /// The host appended a note to the spool.
    Grew,
    /// The connection to the host ended.
    HungUp(RunId),
}

/// Threads that wait for notes of hosts, one for each run.
struct RunWatch<'a> {
    drive: &'a Drive,
    sender: Sender<RunWaitEvent>,
    signs: Receiver<RunWaitEvent>,
    stoppers: Vec<Box<dyn Fn()>>,
}

impl RunWatch<'_> {
    /// Starts a thread for a run, unless the run is over.
    fn add(&mut self, run: &RunId) -> Result<(), DriveError> {
        let subscribe = |host: HostConnection| host.subscribe(0, true);
        let Some(mut growths) = self.drive.with_host(run, subscribe)? else {
            return Ok(());
        };
        if let Ok(stop) = growths.stopper() {
            self.stoppers.push(Box::new(stop));
        }
        let (sender, run) = (self.sender.clone(), run.clone());
        thread::spawn(move || {
            while growths.next_length().is_some() {
                if sender.send(RunWaitEvent::Grew).is_err() {
                    return;
                }
            }
            // Without a receiver the wait has ended.
            let _ = sender.send(RunWaitEvent::HungUp(run));
        });
        Ok(())
    }

    /// Waits until a host appends a note or ends.
    fn next(&mut self) -> Result<(), DriveError> {
        let first = self.signs.recv().ok();
        let more: Vec<RunWaitEvent> = self.signs.try_iter().collect();
        for sign in first.into_iter().chain(more) {
            if let RunWaitEvent::HungUp(run) = sign {
                self.add(&run)?;
            }
        }
        Ok(())
    }
}

impl Drop for RunWatch<'_> {
    fn drop(&mut self) {
        for stop in &self.stoppers {
            stop();
        }
    }
}

impl Drive {
    /// Waits until `is_wanted` is true for some of the runs, and returns those; returns none if all runs are
    /// over. Runs that start later are not included.
    pub fn wait(
        &self,
        runs: &[RunId],
        is_wanted: impl Fn(&RunView) -> bool,
    ) -> Result<Vec<RunView>, DriveError> {
        let (sender, signs) = mpsc::channel();
        let mut watch = RunWatch { drive: self, sender, signs, stoppers: Vec::new() };
        // Subscribed before the rows are read, so that no change in between is missed.
        for run in runs {
            watch.add(run)?;
        }
        loop {
            let views = runs.iter().map(|run| self.run(run));
            let views = views.collect::<Result<Vec<_>, _>>()?;
            let is_any_alive = views.iter().any(|view| !view.run.state.is_over());
            let found: Vec<RunView> = views.into_iter().filter(|view| is_wanted(view)).collect();
            if !found.is_empty() || !is_any_alive {
                return Ok(found);
            }
            watch.next()?;
        }
    }
}
