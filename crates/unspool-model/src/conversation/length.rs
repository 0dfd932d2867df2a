//! How long a turn was worked on. Views and totals both measure it here.
//!
//! A turn extends from a prompt to the next one, and days may pass between its answer and the
//! next prompt. So time counts only if it leads up to work, in the order of the file:
//!
//! | Entry | The time before it |
//! |---|---|
//! | an answer, also one that is an API error; a result that the tool returned; the mark of an interruption by a person | counts |
//! | the prompt; anything else from outside: commands and their output, injected text, reports of agents and tasks, compactions and their summaries; an answer that the client made up | does not count; the time after it may |
//! | `turn_duration` | is what it states, in place of what was measured |
//! | queued prompts, notices, away summaries, retries, local commands, attachments, progress records, the result that the client makes up for an open call | is not split: the entry is skipped |
//!
//! So a report that wakes the model days later adds the time from the report to the last answer
//! to it, and nothing for the days. The turn ends with its last work.
//!
//! A wait during the work, for a permission or with the lid closed, looks like a slow tool and
//! counts. The client's own clock excludes waiting for a person, so its statement takes precedence.

use serde::{Deserialize, Serialize};

use super::Conversation;
use crate::entry::{BlockKind, EntryKind, Flags, MessageKind, Verdict};
use crate::positions::{EntryIndex, NodeId};
use crate::time::Time;

/// How long a turn was worked on.
///
/// Of several copies of a turn, the greatest value is right: a part of a file has less of the
/// turn, and statements of the client rank above measured times.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize,
)]
pub struct TurnLength {
    /// Number of statements of the client.
    pub statements: u32,
    /// The duration in milliseconds.
    pub millis: u64,
}

/// The effect of an entry on the length of its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TurnStep {
    /// Work; the time before it counts.
    Work,
    /// Something from outside, after which the model may continue.
    Outside,
    /// The client's statement about the work before it, in milliseconds.
    Statement(u64),
}

impl Conversation<'_> {
    /// Returns the effect of a node on the length of its turn, if there is one.
    pub(super) fn step(&self, node: NodeId) -> Option<TurnStep> {
        let content = self.graph.nodes[node].content;
        let entry = &self.log.entries[content];
        let flags = entry.flags;
        match entry.kind {
            EntryKind::Assistant => {
                let made_up = flags.has(Flags::SYNTHETIC) && !flags.has(Flags::API_ERROR);
                Some(if made_up { TurnStep::Outside } else { TurnStep::Work })
            }
            EntryKind::User => {
                let came = self.log.blocks_of(entry).iter().any(|block| {
                    matches!(block.kind, BlockKind::Result(verdict) if verdict != Verdict::Interrupted)
                });
                let works = came || entry.says == Some(MessageKind::Interruption);
                let says = entry.says.map(|_| TurnStep::Outside);
                if works { Some(TurnStep::Work) } else { says }
            }
            EntryKind::System if flags.has(Flags::BOUNDARY) => Some(TurnStep::Outside),
            EntryKind::System if self.results.is_flat_result(content) => Some(TurnStep::Work),
            EntryKind::System => self.stated(content).map(TurnStep::Statement),
            // The model continues to work while a prompt is queued.
            EntryKind::Attachment if entry.says == Some(MessageKind::Queued) => None,
            EntryKind::Attachment => entry.says.map(|_| TurnStep::Outside),
            EntryKind::Progress | EntryKind::Metadata | EntryKind::Fragment => None,
        }
    }

    /// Returns the working time that an entry states, if it is a statement of the client.
    fn stated(&self, entry: EntryIndex) -> Option<u64> {
        let durations = &self.log.durations;
        let at = durations.binary_search_by_key(&entry, |(entry, _)| *entry).ok()?;
        Some(durations[at].1)
    }

    /// Begins to measure a turn at the entry of its prompt.
    pub(super) fn stopwatch(&self, prompt: EntryIndex) -> Stopwatch {
        let entry = &self.log.entries[prompt];
        Stopwatch { started: entry.time, ended: entry.time, ..Stopwatch::default() }
    }
}

/// Measures one turn, step by step in the order of the file.
///
/// A further step never reduces the time, unless it is a statement of the client, so the length
/// of a file that has grown never ranks lower.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Stopwatch {
    started: Option<Time>,
    ended: Option<Time>,
    /// The latest time so far.
    clock: Option<Time>,
    /// Milliseconds from statements that work has followed.
    settled: u64,
    /// The greatest statement that no work has followed yet.
    said: Option<u64>,
    /// Milliseconds that were measured since the last statement.
    measured: u64,
    statements: u32,
}

impl Stopwatch {
    pub(super) fn take(&mut self, step: TurnStep, time: Option<Time>) {
        let before = self.clock;
        self.clock = before.max(time);
        match step {
            TurnStep::Outside => return,
            TurnStep::Work => {
                let took = before.zip(time).map_or(0, |(before, time)| time.since(before));
                self.measured = self.measured.saturating_add(took);
                self.settle();
            }
            TurnStep::Statement(said) => self.state(said),
        }
        self.ended = self.ended.max(time);
    }

    fn state(&mut self, said: u64) {
        self.statements += 1;
        self.said = self.said.max(Some(said));
        self.measured = 0;
    }

    fn settle(&mut self) {
        self.settled = self.settled.saturating_add(self.said.take().unwrap_or(0));
    }

    /// Returns the time of the last work, or that of the prompt if there was none.
    pub(super) fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// Returns the length; `None` without a statement of the client and without a time of the prompt.
    pub(super) fn length(mut self) -> Option<TurnLength> {
        self.settle();
        let known = self.statements > 0 || self.started.is_some();
        known.then(|| TurnLength {
            statements: self.statements,
            millis: self.settled.saturating_add(self.measured),
        })
    }
}
