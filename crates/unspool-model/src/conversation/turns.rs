//! Turns: one prompt and everything after it, up to the next one.
//!
//! A slash command that the model answered is a prompt. Words of a person while the model
//! works, a queued prompt or a reply, belong to the turn in which they were said.
//! [`super::length`] measures how long a turn was worked on.

use super::length::Stopwatch;
use super::{Conversation, Liveness, Message, Speaker, View};
use crate::entry::{BlockKind, Flags, MessageKind};
use crate::names;
use crate::positions::NodeId;
use crate::time::Time;
use crate::usage::{Ledger, Tokens};

/// One prompt and everything after it, up to the next one.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The messages, as a range of the view's messages.
    pub messages: std::ops::Range<u32>,
    /// The time of the prompt.
    pub started: Option<Time>,
    /// The time of the last work.
    pub ended: Option<Time>,
    /// How long the turn was worked on, see [`super::TurnLength`].
    pub duration_ms: Option<u64>,
    /// Number of calls.
    pub calls: u32,
    /// The tokens that were used.
    pub tokens: Tokens,
    /// How the turn ended.
    pub outcome: TurnOutcome,
}

impl Turn {
    fn messages_of<'v>(&self, view: &'v View) -> &'v [Message] {
        &view.messages[self.messages.start as usize..self.messages.end as usize]
    }
}

names! {
    /// How a turn ended.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum TurnOutcome {
        /// With an answer.
        Done = "done",
        /// A person interrupted the turn.
        Interrupted = "interrupted",
        /// With an API error.
        Error = "error",
        /// The turn is unfinished: the process died.
        Killed = "killed",
        /// The turn is in progress.
        Open = "open",
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
                self.commands.begins_turn(entry)
            })
            .map(|(index, _)| index)
            .collect()
    }

    /// Splits a view into turns.
    pub fn turns(&self, view: &View, live: Liveness) -> Vec<Turn> {
        let outlines = self.turn_outlines(view, live);
        let turns = outlines.map(|mut turn| {
            let mut ledger = Ledger::default();
            let messages = turn.messages_of(view).iter();
            for &node in messages.flat_map(|message| view.nodes(message)) {
                let content = self.graph.nodes[node].content;
                self.log.claim_usage_of(content, &mut ledger);
            }
            turn.tokens = ledger.total();
            turn
        });
        turns.collect()
    }

    /// Splits a view into turns, in order, without their tokens, which are most of the work.
    pub fn turn_outlines(
        &self,
        view: &View,
        live: Liveness,
    ) -> impl ExactSizeIterator<Item = Turn> {
        let starts = self.turn_starts(view);
        let mut parts = WalkParts::new(&view.walk);
        (0..starts.len()).map(move |at| {
            let next = starts.get(at + 1).copied();
            let prompt = |start: u32| view.nodes(&view.messages[start as usize])[0];
            let part = parts.next(prompt(starts[at]), next.map(prompt));
            let watch = self.watch(prompt(starts[at]), part);
            let end = next.unwrap_or(view.messages.len() as u32);
            // Only the last turn may be in progress.
            let unfinished = match live {
                Liveness::Live if next.is_none() => TurnOutcome::Open,
                Liveness::Live | Liveness::Idle => TurnOutcome::Killed,
            };
            self.turn(view, starts[at]..end, &watch, unfinished)
        })
    }

    /// Returns the last turn of a view, without its tokens and without reading the turns before it.
    pub fn last_turn(&self, view: &View, live: Liveness) -> Option<Turn> {
        let start = self.last_start(view)?;
        let prompt = view.nodes(&view.messages[start])[0];
        let at = view.walk.iter().rposition(|&node| node == prompt);
        let mut part = view.walk[at.unwrap_or(0)..].to_vec();
        // Nodes are numbered in the order of their places.
        part.sort_unstable();
        let watch = self.watch(prompt, &part);
        let unfinished = match live {
            Liveness::Live => TurnOutcome::Open,
            Liveness::Idle => TurnOutcome::Killed,
        };
        let messages = start as u32..view.messages.len() as u32;
        Some(self.turn(view, messages, &watch, unfinished))
    }

    /// Returns how the last turn of a view ended, or `None` if it did not. A view in which no
    /// prompt begins a turn, such as an agent's may be, is one turn.
    pub fn ending(&self, view: &View) -> Option<TurnOutcome> {
        let start = self.last_start(view).unwrap_or(0);
        self.outcome(view, &view.messages[start..])
    }

    /// Returns the message that begins the last turn of a view.
    fn last_start(&self, view: &View) -> Option<usize> {
        let begins = |message: &Message| {
            let entry = self.graph.entry(self.log, view.nodes(message)[0]);
            self.commands.begins_turn(entry)
        };
        view.messages.iter().rposition(begins)
    }

    /// Measures a turn by its prompt and its nodes, which are in the order of their places.
    fn watch(&self, prompt: NodeId, nodes: &[NodeId]) -> Stopwatch {
        let mut watch = self.stopwatch(self.graph.nodes[prompt].content);
        for &node in nodes {
            if let Some(step) = self.step(node) {
                watch.take(step, self.graph.entry(self.log, node).time);
            }
        }
        watch
    }

    fn turn(
        &self,
        view: &View,
        messages: std::ops::Range<u32>,
        watch: &Stopwatch,
        unfinished: TurnOutcome,
    ) -> Turn {
        let within = &view.messages[messages.start as usize..messages.end as usize];
        let nodes = within.iter().flat_map(|message| view.nodes(message));
        let entries = nodes.map(|&node| self.graph.entry(self.log, node));
        let calls = entries.clone().map(|entry| self.log.calls_of(entry).count() as u32);
        Turn {
            started: entries.clone().find_map(|entry| entry.time),
            ended: watch.ended(),
            duration_ms: watch.length().map(|length| length.millis),
            calls: calls.sum(),
            tokens: Tokens::default(),
            outcome: self.outcome(view, within).unwrap_or(unfinished),
            messages,
        }
    }

    /// Returns how a turn ended, from its last answer, or `None` if it did not.
    fn outcome(&self, view: &View, messages: &[Message]) -> Option<TurnOutcome> {
        let interrupted = messages.iter().any(|message| message.kind == MessageKind::Interruption);
        let Some(last) = last_answer(messages) else {
            return interrupted.then_some(TurnOutcome::Interrupted);
        };
        let nodes = view.nodes(last);
        let flags =
            |flag| nodes.iter().any(|&node| self.graph.entry(self.log, node).flags.has(flag));
        if flags(Flags::API_ERROR) {
            return Some(TurnOutcome::Error);
        }
        if interrupted || flags(Flags::ABORTED) {
            return Some(TurnOutcome::Interrupted);
        }
        if flags(Flags::SYNTHETIC) {
            // The client answers in the name of the model if it finds an unfinished turn.
            return Some(TurnOutcome::Killed);
        }
        let last_block = nodes
            .iter()
            .rev()
            .find_map(|&node| self.log.blocks_of(self.graph.entry(self.log, node)).last().copied());
        // After a call, the turn would continue with the result.
        let ends_with_call = last_block.is_some_and(|block| block.kind == BlockKind::Call);
        let ended = flags(Flags::ENDS_TURN) || !ends_with_call;
        ended.then_some(TurnOutcome::Done)
    }
}

/// Splits a walk into parts that begin with prompts.
struct WalkParts<'v> {
    rest: &'v [NodeId],
    part: Vec<NodeId>,
}

impl<'v> WalkParts<'v> {
    fn new(walk: &'v [NodeId]) -> Self {
        Self { rest: walk, part: Vec::new() }
    }

    /// Returns the nodes from a prompt to the next one, in the order of their places.
    fn next(&mut self, prompt: NodeId, next: Option<NodeId>) -> &[NodeId] {
        let find = |rest: &[NodeId], wanted| rest.iter().position(|&node| Some(node) == wanted);
        let start = find(self.rest, Some(prompt)).unwrap_or(0);
        self.rest = &self.rest[start..];
        let end = find(self.rest, next).unwrap_or(self.rest.len());
        let (part, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.part.clear();
        self.part.extend_from_slice(part);
        // Nodes are numbered in the order of their places.
        self.part.sort_unstable();
        &self.part
    }
}

/// Returns the last answer, which may be one that the client made up.
fn last_answer(messages: &[Message]) -> Option<&Message> {
    messages.iter().rev().find(|message| {
        matches!(message.kind, MessageKind::Answer | MessageKind::Error)
            && message.speaker == Speaker::Assistant
    })
}
