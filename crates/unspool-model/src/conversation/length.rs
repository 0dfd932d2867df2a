//! How long a turn was worked on: the one place that says it, for views and for totals.
//!
//! A turn goes from a prompt to the next one, and days may lie between its answer and the
//! next prompt. So time counts only where it leads up to work, in the order of the file:
//!
//! | What comes | The time before it |
//! |---|---|
//! | an answer, also one that is an API error; a result that really came; the mark that a person left by interrupting | counts |
//! | the prompt; whatever else comes from outside: commands and their output, injected text, reports of agents and tasks, compactions and their summaries; an answer that the client made up | does not count; what leads on from there does |
//! | `turn_duration` | is what it says, in place of what was measured |
//! | queued prompts, notices, away summaries, retries, local commands, attachments, progress records, the result that the client makes up for a call that it finds open | neither here nor there: they are passed over |
//!
//! A report that wakes the model days later thus adds the time from the report to the last
//! answer to it, and nothing for the days. The last work is where the turn ends.
//!
//! A wait within the work, for a permission or with the lid closed, looks like a slow tool
//! and counts. The client's own clock leaves out waiting for a person, so what it says is
//! the better word.

use serde::{Deserialize, Serialize};

use super::Conversation;
use crate::entry::{BlockKind, EntryKind, Flags, MessageKind, Verdict};
use crate::positions::{EntryIndex, NodeId};
use crate::time::Time;

/// How long a turn was worked on.
///
/// Of several copies of a turn the greatest is right: a part of a file knows less of it, and
/// what the client says counts before what times suggest.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize,
)]
pub struct TurnLength {
    /// How often the client said how long it took.
    pub statements: u32,
    /// The milliseconds.
    pub millis: u64,
}

/// What an entry means for the length of its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TurnStep {
    /// Work, which the time before it led up to.
    Work,
    /// Something from outside, which the model may go on from.
    Outside,
    /// What the client says of the work before.
    Statement(u64),
}

impl Conversation<'_> {
    /// Tells what a node means for the length of its turn, if anything.
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
            // The model works on while a prompt is put in.
            EntryKind::Attachment if entry.says == Some(MessageKind::Queued) => None,
            EntryKind::Attachment => entry.says.map(|_| TurnStep::Outside),
            EntryKind::Progress | EntryKind::Metadata | EntryKind::Fragment => None,
        }
    }

    /// Returns how long the client says that it worked, if an entry says so.
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
/// A step that is added never takes time away unless the client speaks, so a file that has
/// grown says no less than before.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Stopwatch {
    started: Option<Time>,
    ended: Option<Time>,
    /// The latest instant so far.
    clock: Option<Time>,
    /// What is settled by what the client said.
    settled: u64,
    /// What the client said last, while no work follows that.
    said: Option<u64>,
    /// What was measured since.
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

    /// Returns when the last work was done; the time of the prompt if there was none.
    pub(super) fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// Returns the length; none if neither the client nor the prompt's time says anything.
    pub(super) fn length(mut self) -> Option<TurnLength> {
        self.settle();
        let known = self.statements > 0 || self.started.is_some();
        known.then(|| TurnLength {
            statements: self.statements,
            millis: self.settled.saturating_add(self.measured),
        })
    }
}
