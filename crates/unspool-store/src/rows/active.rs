//! Counts over the active path of a session.

use std::collections::{BTreeMap, BTreeSet};

use unspool_model::conversation::{Conversation, Liveness, TurnOutcome};
use unspool_model::entry::{BlockKind, Verdict};
use unspool_model::symbols::Symbol;
use unspool_model::tool::changes_files;

use super::Status;

/// Counts over the active path of a session.
pub(super) struct Active {
    pub(super) turns: usize,
    pub(super) messages: usize,
    pub(super) failed_calls: usize,
    pub(super) millis: u64,
    pub(super) tools: BTreeMap<String, usize>,
    pub(super) files: BTreeSet<Symbol>,
    pub(super) status: Status,
    pub(super) unfinished: bool,
}

impl Active {
    /// Counts along the active path of a conversation.
    pub(super) fn of(conversation: &Conversation<'_>) -> Self {
        let mut active = Self {
            turns: 0,
            messages: 0,
            failed_calls: 0,
            millis: 0,
            tools: BTreeMap::new(),
            files: BTreeSet::new(),
            status: Status::Empty,
            unfinished: false,
        };
        let Some(path) = conversation.paths.active() else {
            return active;
        };
        let view = conversation.history(path);
        // With `Live` an unfinished turn is `Open`; the row's `set_live` later decides if it stays
        // open.
        let mut last = None;
        for turn in conversation.turn_outlines(&view, Liveness::Live) {
            active.turns += 1;
            active.millis += turn.duration_ms.unwrap_or(0);
            last = Some(turn.outcome);
        }
        active.messages = view.messages.len();
        let log = conversation.log;
        for &node in view.messages.iter().flat_map(|message| view.nodes(message)) {
            for block in log.blocks_of(conversation.graph.entry(log, node)) {
                if block.kind != BlockKind::Call {
                    continue;
                }
                let name = block.name.map_or("unknown", |name| log.text(name));
                *active.tools.entry(name.to_owned()).or_default() += 1;
                let result = block.call.and_then(|call| conversation.result_of(node, call));
                let ended = |verdict| result.is_some_and(|result| result.verdict == verdict);
                active.failed_calls += usize::from(ended(Verdict::Failed));
                let done = changes_files(name) && ended(Verdict::Done);
                active.files.extend(block.file.filter(|_| done));
            }
        }
        active.unfinished = last == Some(TurnOutcome::Open);
        active.status = match last {
            _ if view.messages.is_empty() => Status::Empty,
            Some(TurnOutcome::Interrupted | TurnOutcome::Killed) => Status::Interrupted,
            Some(TurnOutcome::Error) => Status::Error,
            Some(TurnOutcome::Open) => Status::Open,
            Some(TurnOutcome::Done) | None => Status::Complete,
        };
        active
    }
}
