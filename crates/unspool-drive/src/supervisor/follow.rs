//! What happens in a run, from a cursor on.

use std::collections::VecDeque;
use std::sync::Arc;

use super::lines::{FollowStop, RunLines};
use super::partial::PartialTexts;
use super::{Drive, DriveError, RunView};
use crate::ids::RunId;
use crate::json::{DriveEventJson, RunEventJson, RunJson, SCHEMA};
use crate::spool::{SpoolLine, SpoolSource, last_in_spool};
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
        RunEventJson { schema: SCHEMA, cursor: self.cursor, event: self.event }
    }
}

/// Returns what happens in a run, one event after the other, and waits for the next. It ends when the
/// run is over.
#[derive(Debug)]
pub struct Follower {
    lines: RunLines,
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
        Ok(Follower {
            lines: self.lines(run, since)?,
            texts: PartialTexts::default(),
            ready: VecDeque::new(),
            is_over: false,
        })
    }
}

impl Follower {
    /// Returns what ends this from another thread.
    pub fn stopper(&self) -> FollowStop {
        self.lines.stopper()
    }

    fn take_all(&mut self, lines: &[SpoolLine]) {
        for line in lines {
            self.take(line);
        }
        self.push_texts(lines.last().map_or(0, |line| line.end));
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

    /// Says what the host could not say any more.
    fn close(&mut self) {
        self.is_over = true;
        let cursor = self.lines.cursor();
        let view = self.lines.view();
        let events = view.iter().flat_map(closing);
        self.ready.extend(events.map(|event| RunEvent { cursor, event }));
    }
}

impl Iterator for Follower {
    type Item = RunEvent;

    fn next(&mut self) -> Option<RunEvent> {
        loop {
            if self.lines.is_stopped() {
                return None;
            }
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.is_over {
                return None;
            }
            match self.lines.next() {
                Some(lines) => self.take_all(&lines),
                None => self.close(),
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
