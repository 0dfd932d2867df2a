//! What happens in a run, from a cursor on.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::partial::PartialTexts;
use super::{Drive, DriveError, RunView};
use crate::ids::RunId;
use crate::json::{DriveEventJson, RunEventJson, RunJson, SCHEMA};
use crate::socket::{HostConnection, SpoolGrowths};
use crate::spool::{SpoolLine, SpoolReader, SpoolSource, last_in_spool};
use crate::state::{Resolution, RunState};
use crate::wire::{ClientFrame, ClientSaid};

/// Something that happened in a run.
#[derive(Clone, PartialEq, Debug)]
pub struct RunEvent {
    /// Where to go on after it: an offset in the spool. Events may come again after going on, and
    /// are the same then.
    pub cursor: u64,
    /// What happened.
    pub event: DriveEventJson,
}

impl RunEvent {
    /// Returns the event as a document of its own.
    pub fn into_json(self) -> RunEventJson {
        RunEventJson {
            schema: SCHEMA,
            cursor: self.cursor,
            event: self.event,
        }
    }
}

/// Ends a [`Follower`] from another thread.
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

/// Returns what happens in a run, one event after the other, and waits for the next. It ends when the
/// run is over.
#[derive(Debug)]
pub struct Follower {
    drive: Arc<Drive>,
    run: RunId,
    spool: Option<SpoolReader>,
    growths: Option<SpoolGrowths>,
    stop: FollowStop,
    texts: PartialTexts,
    ready: VecDeque<RunEvent>,
    is_over: bool,
}

impl Drive {
    /// Returns how long the spool of a run is: a cursor for what comes from now on.
    pub fn spool_length(&self, run: &RunId) -> u64 {
        let data = std::fs::metadata(self.folders.spool(run));
        data.map_or(0, |data| data.len())
    }

    /// Returns a cursor for what belongs to the turn that goes on: the place after the line that ended the
    /// last one. A follower that begins here tells of every answer that is being written. The spool is
    /// read from its end, so the work is in proportion to the turn.
    pub fn turn_cursor(&self, run: &RunId) -> u64 {
        let turn_end = |line: &SpoolLine| {
            let said = frame_of(line)?.said;
            matches!(said, ClientSaid::TurnEnd(_)).then_some(line.end)
        };
        let last = last_in_spool(&self.folders.spool(run), turn_end);
        // Where the spool cannot be read a follower says so, or waits for it.
        last.ok().flatten().unwrap_or(0)
    }

    /// Follows a run from a cursor on; 0 gives everything. A run that is over gives what its spool
    /// has, if it is still there, and ends.
    pub fn follow(self: &Arc<Self>, run: &RunId, since: u64) -> Result<Follower, DriveError> {
        self.record(run)?;
        let path = self.folders.spool(run);
        let spool = match SpoolReader::open(&path, since) {
            Ok(spool) => Some(spool),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(DriveError::file(&path, error)),
        };
        Ok(Follower {
            drive: Arc::clone(self),
            run: run.clone(),
            spool,
            growths: None,
            stop: FollowStop::default(),
            texts: PartialTexts::default(),
            ready: VecDeque::new(),
            is_over: false,
        })
    }
}

impl Follower {
    /// Returns what ends this from another thread.
    pub fn stopper(&self) -> FollowStop {
        self.stop.clone()
    }

    /// Reads lines that are there; tells whether there were any.
    fn read(&mut self) -> bool {
        let lines = self.spool.as_mut().map(SpoolReader::read_some);
        let Some(Ok(lines)) = lines else {
            return false;
        };
        let has_more = !lines.is_empty();
        let mut end = 0;
        for line in lines {
            end = line.end;
            self.take(&line);
        }
        self.push_texts(end);
        has_more
    }

    fn take(&mut self, line: &SpoolLine) {
        match line.source {
            SpoolSource::Said => match ClientFrame::read(&line.text).map(|frame| frame.said) {
                Some(ClientSaid::Part(part)) => {
                    if let Some(event) = self.texts.take(part, line.start) {
                        self.push(event, line.end);
                    }
                }
                Some(ClientSaid::TurnEnd(_)) => {
                    self.push_texts(line.end);
                    self.texts.clear();
                }
                _ => {}
            },
            SpoolSource::Note => {
                // A note of a newer release may be one that this one does not know.
                if let Ok(event) = serde_json::from_slice(&line.text) {
                    self.push_texts(line.end);
                    self.push(event, line.end);
                }
            }
            SpoolSource::Marker => self.push(DriveEventJson::LeftOut {}, line.end),
            SpoolSource::Complained => {}
        }
    }

    fn push_texts(&mut self, end: u64) {
        for event in self.texts.changed() {
            self.push(event, end);
        }
    }

    fn push(&mut self, event: DriveEventJson, end: u64) {
        let cursor = self.texts.cursor(end);
        self.ready.push_back(RunEvent { cursor, event });
    }

    /// Waits until the spool has grown. When the host hangs up it may have died, and then the rest
    /// is read; or it lives, and is connected to again.
    fn wait(&mut self) {
        let growth = self.growths.as_mut().and_then(SpoolGrowths::next_length);
        if growth.is_some() || self.stop.is_stopped() {
            return;
        }
        let known = self.spool.as_ref().map_or(0, SpoolReader::position);
        let subscribe = |host: HostConnection| host.subscribe(known, false);
        let growths = self.drive.with_host(&self.run, subscribe).ok().flatten();
        self.growths = growths.filter(|growths| self.stop.waits_with(growths));
        if self.growths.is_none() {
            // What was written between the last look and the end.
            while self.read() {}
            self.close();
        }
    }

    /// Says what the host could not say any more.
    fn close(&mut self) {
        self.is_over = true;
        let end = self.spool.as_ref().map_or(0, SpoolReader::position);
        let Ok(view) = self.drive.run(&self.run) else {
            return;
        };
        for event in closing(&view) {
            self.ready.push_back(RunEvent { cursor: end, event });
        }
    }
}

impl Iterator for Follower {
    type Item = RunEvent;

    fn next(&mut self) -> Option<RunEvent> {
        loop {
            if self.stop.is_stopped() {
                return None;
            }
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.is_over {
                return None;
            }
            if !self.read() {
                self.wait();
            }
        }
    }
}

/// Returns what the client said in a line; none for a line of the host.
pub(super) fn frame_of(line: &SpoolLine) -> Option<ClientFrame> {
    let is_said = line.source == SpoolSource::Said;
    is_said.then(|| ClientFrame::read(&line.text))?
}

/// Returns the events of a run that has no host.
fn closing(view: &RunView) -> Vec<DriveEventJson> {
    let interrupted = view.approvals.iter().filter(|approval| {
        view.run.state == RunState::Lost && approval.resolution == Some(Resolution::Interrupted)
    });
    let mut events: Vec<DriveEventJson> = interrupted
        .map(|approval| DriveEventJson::ApprovalResolved {
            id: approval.id.to_string(),
            resolved: Resolution::Interrupted,
            decision: None,
            by: None,
        })
        .collect();
    let run: RunJson = view.to_json();
    events.push(DriveEventJson::Run {
        state: run.state,
        waiting_for: run.waiting_for,
        session: run.session,
        idle_at: run.deadlines.idle_at,
        held_by: run.held_by,
        last_failure: run.last_failure,
        over_budget: run.over_budget,
        queue_held: run.queue_held,
        how: run.ended.map(|end| end.how),
    });
    events
}
