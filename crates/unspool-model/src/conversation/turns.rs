//! Turns: one prompt and all that followed, up to the next one.

use super::{Conversation, Liveness, Message, Speaker, View};
use crate::entry::{BlockKind, Flags, MessageKind};
use crate::time::Time;
use crate::usage::{Ledger, Tokens};

/// One prompt and all that followed, up to the next one.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Its messages, as a range of the view's messages.
    pub messages: std::ops::Range<u32>,
    /// When the prompt was given.
    pub started: Option<Time>,
    /// When the last thing in it happened.
    pub ended: Option<Time>,
    /// How long it took, by the client's own clock if it says so.
    pub duration_ms: Option<u64>,
    /// How many calls it made.
    pub calls: u32,
    /// What it used.
    pub tokens: Tokens,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a turn ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// With an answer.
    Done,
    /// The person interrupted it.
    Interrupted,
    /// With an API error.
    Error,
    /// The process died.
    Killed,
    /// It is still going on.
    Open,
}

impl Outcome {
    /// Returns the name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Interrupted => "interrupted",
            Self::Error => "error",
            Self::Killed => "killed",
            Self::Open => "open",
        }
    }
}

impl Conversation<'_> {
    /// Returns the messages of a view that start a turn.
    fn turn_starts(&self, view: &View) -> Vec<u32> {
        (0u32..)
            .zip(&view.messages)
            .filter(|(_, message)| {
                let node = view.nodes(message)[0];
                self.graph
                    .entry(self.log, node)
                    .flags
                    .has(Flags::STARTS_TURN)
            })
            .map(|(index, _)| index)
            .collect()
    }

    /// Cuts a view into turns.
    pub fn turns(&self, view: &View, live: Liveness) -> Vec<Turn> {
        let mut turns = self.turn_outlines(view, live);
        for turn in &mut turns {
            let messages = turn.messages.start as usize..turn.messages.end as usize;
            let mut ledger = Ledger::default();
            for &node in view.messages[messages].iter().flat_map(|m| view.nodes(m)) {
                let content = self.graph.nodes[node as usize].content;
                self.log.claim_usage_of(content, &mut ledger);
            }
            turn.tokens = ledger.total();
        }
        turns
    }

    /// Cuts a view into turns without saying what they used, which is most of the work.
    pub fn turn_outlines(&self, view: &View, live: Liveness) -> Vec<Turn> {
        let starts = self.turn_starts(view);
        let ends = starts
            .iter()
            .skip(1)
            .copied()
            .chain([view.messages.len() as u32]);
        let count = starts.len();
        starts
            .iter()
            .zip(ends)
            .enumerate()
            .map(|(index, (&start, end))| {
                let last = index + 1 == count;
                self.turn(
                    view,
                    start..end,
                    if last { live } else { Liveness::Resting },
                )
            })
            .collect()
    }

    fn turn(&self, view: &View, messages: std::ops::Range<u32>, live: Liveness) -> Turn {
        let within = &view.messages[messages.start as usize..messages.end as usize];
        let mut turn = Turn {
            messages,
            started: None,
            ended: None,
            duration_ms: None,
            calls: 0,
            tokens: Tokens::default(),
            outcome: self.outcome(view, within, live),
        };
        let mut said = None;
        for node in within
            .iter()
            .flat_map(|message| view.nodes(message))
            .copied()
        {
            let entry = self.graph.entry(self.log, node);
            turn.started = turn.started.or(entry.time);
            turn.ended = turn.ended.max(entry.time);
            for block in self
                .log
                .blocks_of(entry)
                .iter()
                .filter(|b| b.kind == BlockKind::Call)
            {
                turn.calls += 1;
                let result = block.call.and_then(|call| self.result_of(node, call));
                let answered =
                    result.and_then(|result| self.log.entries[result.entry as usize].time);
                turn.ended = turn.ended.max(answered);
            }
            let content = self.graph.nodes[node as usize].content;
            said = self.duration_of(content).or(said);
        }
        let measured = turn
            .started
            .zip(turn.ended)
            .map(|(start, end)| end.since(start));
        turn.duration_ms = said.or(measured);
        turn
    }

    /// Returns how long a turn took, if an entry says so.
    fn duration_of(&self, entry: u32) -> Option<u64> {
        let durations = &self.log.durations;
        let at = durations
            .binary_search_by_key(&entry, |(entry, _)| *entry)
            .ok()?;
        Some(durations[at].1)
    }

    /// Tells how a turn ended, from the last thing in it that was said.
    fn outcome(&self, view: &View, messages: &[Message], live: Liveness) -> Outcome {
        let interrupted = messages
            .iter()
            .any(|message| message.kind == MessageKind::Interruption);
        let last = messages.iter().rev().find(|message| {
            matches!(message.kind, MessageKind::Answer | MessageKind::Error)
                && message.speaker == Speaker::Assistant
        });
        let unfinished = if live == Liveness::Live {
            Outcome::Open
        } else {
            Outcome::Killed
        };
        let Some(last) = last else {
            return if interrupted {
                Outcome::Interrupted
            } else {
                unfinished
            };
        };
        let nodes = view.nodes(last);
        let flags = |flag| {
            nodes
                .iter()
                .any(|&node| self.graph.entry(self.log, node).flags.has(flag))
        };
        if flags(Flags::API_ERROR) {
            return Outcome::Error;
        }
        if interrupted || flags(Flags::ABORTED) {
            return Outcome::Interrupted;
        }
        if flags(Flags::SYNTHETIC) {
            // The client answers in the model's name when it finds an unfinished turn.
            return Outcome::Killed;
        }
        let last_block = nodes.iter().rev().find_map(|&node| {
            self.log
                .blocks_of(self.graph.entry(self.log, node))
                .last()
                .copied()
        });
        let ends_with_call = last_block.is_some_and(|block| block.kind == BlockKind::Call);
        let ended = flags(Flags::ENDS_TURN) || !ends_with_call;
        if ended { Outcome::Done } else { unfinished }
    }
}
