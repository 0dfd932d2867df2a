//! Turns: one prompt and all that followed, up to the next one.
//!
//! A slash command that the model answered is a prompt. What a person says while the model
//! works, a queued prompt or a reply, belongs to the turn that it was said in. How long a turn
//! was worked on is said by [`super::length`].

use super::length::Stopwatch;
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
    /// When the last work in it was done.
    pub ended: Option<Time>,
    /// How long it was worked on, see [`super::TurnLength`].
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
    /// It was left unfinished: the process died.
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
                let entry = self.graph.entry(self.log, node);
                self.commands.begin_turn(entry)
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
        let ends = starts.iter().skip(1).copied();
        let ends = ends.chain([view.messages.len() as u32]);
        let ranges = starts.iter().zip(ends).map(|(&start, end)| start..end);
        let watches = self.watches(view, &starts);
        let mut turns: Vec<Turn> = ranges
            .zip(watches)
            .map(|(messages, watch)| self.turn(view, messages, &watch))
            .collect();
        self.judge_turns(view, &mut turns, live);
        turns
    }

    /// Measures the turns that begin with some messages of a view.
    fn watches(&self, view: &View, starts: &[u32]) -> Vec<Stopwatch> {
        let first = |&start: &u32| view.nodes(&view.messages[start as usize])[0];
        let mut prompts = starts.iter().map(first).peekable();
        let mut parts: Vec<Vec<u32>> = Vec::with_capacity(starts.len());
        for &node in &view.walk {
            if prompts.next_if_eq(&node).is_some() {
                parts.push(Vec::new());
            }
            if let Some(part) = parts.last_mut() {
                part.push(node);
            }
        }
        let measure = |mut part: Vec<u32>| {
            let node = |node: u32| &self.graph.nodes[node as usize];
            let mut watch = self.stopwatch(node(part[0]).content);
            part.sort_by_key(|&at| node(at).place);
            for at in part {
                if let Some(step) = self.step(at) {
                    watch.take(step, self.graph.entry(self.log, at).time);
                }
            }
            watch
        };
        parts.into_iter().map(measure).collect()
    }

    fn turn(&self, view: &View, messages: std::ops::Range<u32>, watch: &Stopwatch) -> Turn {
        let within = &view.messages[messages.start as usize..messages.end as usize];
        let nodes = within.iter().flat_map(|message| view.nodes(message));
        let entries = nodes.map(|&node| self.graph.entry(self.log, node));
        let calls = entries.clone().map(|entry| {
            let blocks = self.log.blocks_of(entry).iter();
            blocks.filter(|block| block.kind == BlockKind::Call).count() as u32
        });
        Turn {
            messages,
            started: entries.clone().find_map(|entry| entry.time),
            ended: watch.ended(),
            duration_ms: watch.length().map(|length| length.millis),
            calls: calls.sum(),
            tokens: Tokens::default(),
            outcome: Outcome::Killed,
        }
    }

    /// Tells how turns ended. Only the last one may still go on.
    fn judge_turns(&self, view: &View, turns: &mut [Turn], live: Liveness) {
        let mut unfinished = match live {
            Liveness::Live => Outcome::Open,
            Liveness::Resting => Outcome::Killed,
        };
        for turn in turns.iter_mut().rev() {
            let messages = &view.messages[turn.messages.start as usize..turn.messages.end as usize];
            turn.outcome = self.outcome(view, messages).unwrap_or(unfinished);
            unfinished = Outcome::Killed;
        }
    }

    /// Tells how a turn ended, from the last thing in it that was said; nothing if it did not.
    fn outcome(&self, view: &View, messages: &[Message]) -> Option<Outcome> {
        let interrupted = messages
            .iter()
            .any(|message| message.kind == MessageKind::Interruption);
        let Some(last) = last_answer(messages) else {
            return interrupted.then_some(Outcome::Interrupted);
        };
        let nodes = view.nodes(last);
        let flags = |flag| {
            nodes
                .iter()
                .any(|&node| self.graph.entry(self.log, node).flags.has(flag))
        };
        if flags(Flags::API_ERROR) {
            return Some(Outcome::Error);
        }
        if interrupted || flags(Flags::ABORTED) {
            return Some(Outcome::Interrupted);
        }
        if flags(Flags::SYNTHETIC) {
            // The client answers in the model's name when it finds an unfinished turn.
            return Some(Outcome::Killed);
        }
        let last_block = nodes.iter().rev().find_map(|&node| {
            self.log
                .blocks_of(self.graph.entry(self.log, node))
                .last()
                .copied()
        });
        let ends_with_call = last_block.is_some_and(|block| block.kind == BlockKind::Call);
        let ended = flags(Flags::ENDS_TURN) || !ends_with_call;
        ended.then_some(Outcome::Done)
    }
}

/// Returns the last answer, one that the client made up included.
fn last_answer(messages: &[Message]) -> Option<&Message> {
    messages.iter().rev().find(|message| {
        matches!(message.kind, MessageKind::Answer | MessageKind::Error)
            && message.speaker == Speaker::Assistant
    })
}
