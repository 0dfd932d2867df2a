//! Follows the events of a run from a cursor.

use std::collections::VecDeque;
use std::sync::Arc;

use super::lines::{FollowStop, RunLines};
use super::partial::PartialTexts;
use super::{Drive, DriveError, RunView};
use crate::ids::RunId;
use crate::json::{DriveEventJson, RunEventJson, RunJson, SCHEMA};
use crate::spool::{SpoolLine, SpoolSource, last_in_spool};
use crate::state::{Resolution, RunState};
use crate::wire::{ClientFrame, ClientMessage};

/// An event of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct RunEvent {
    /// The offset in the spool at which a follower continues after this event. It may return some events
    /// again; they are the same.
    pub cursor: u64,
    /// The event.
    pub event: DriveEventJson,
}

impl RunEvent {
    /// Converts the event to a document.
    pub fn into_json(self) -> RunEventJson {
        RunEventJson { schema: SCHEMA, cursor: self.cursor, event: self.event }
    }
}

/// Returns the events of a run one by one, and waits for the next. Ends when the run is over.
#[derive(Debug)]
pub struct Follower {
    lines: RunLines,
    texts: PartialTexts,
    ready: VecDeque<RunEvent>,
    is_over: bool,
}

impl Drive {
    /// Returns the length of the spool of a run: a cursor for future events.
    pub fn spool_length(&self, run: &RunId) -> u64 {
        let data = std::fs::metadata(self.folders.spool(run));
        data.map_or(0, |data| data.len())
    }

    /// Returns a cursor for the current turn: the offset after the line that ended the last one. A follower
    /// that starts here reports every answer that is being written. The spool is read from its end, so the
    /// cost is proportional to the length of the turn.
    pub fn turn_cursor(&self, run: &RunId) -> u64 {
        let turn_end = |line: &SpoolLine| {
            let said = frame_of(line)?.said;
            matches!(said, ClientMessage::TurnEnd(_)).then_some(line.end)
        };
        let last = last_in_spool(&self.folders.spool(run), turn_end);
        // If the spool cannot be read, a follower reports the error or waits.
        last.ok().flatten().unwrap_or(0)
    }

    /// Follows a run from a cursor; 0 is the beginning. If the run is over, returns the events of its spool,
    /// if that still exists, and ends.
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
    /// Returns a handle that ends the follower from another thread.
    pub fn stopper(&self) -> FollowStop {
        self.lines.stopper()
    }

    fn take_all(&mut self, lines: &[SpoolLine]) {
        for line in lines {
            self.take(line);
        }
        // One event per answer and batch of lines, not one per piece.
        self.push_texts(lines.last().map_or(0, |line| line.end));
    }

    fn take(&mut self, line: &SpoolLine) {
        match line.source {
            SpoolSource::Said => match ClientFrame::read(&line.text).map(|frame| frame.said) {
                Some(ClientMessage::Part(part)) => {
                    if let Some(event) = self.texts.take(part, line.start) {
                        self.push(event, line.end);
                    }
                }
                Some(ClientMessage::TurnEnd(_)) => {
                    self.push_texts(line.end);
                    self.texts.clear();
                }
                _ => {}
            },
            SpoolSource::Note => {
                // A newer release may write notes that this one does not know.
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

    /// Adds the final events of the run, which a dead host could not write.
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

/// Returns the line of the client; `None` for a line of the host.
pub(super) fn frame_of(line: &SpoolLine) -> Option<ClientFrame> {
    let is_said = line.source == SpoolSource::Said;
    is_said.then(|| ClientFrame::read(&line.text))?
}

/// Returns the final events of a run that has no host.
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
