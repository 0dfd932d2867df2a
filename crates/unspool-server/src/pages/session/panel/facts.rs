//! What the panel says of a session, from the tables of its logs: no message is read for it.
//!
//! One function for each fact, so that an operation of the engine can take its place.

use std::collections::BTreeMap;

use unspool_engine::ops::transcript::Transcript;
use unspool_model::conversation::CallStatus;
use unspool_model::entry::{BlockKind, MessageKind};
use unspool_model::usage::Tokens;
use unspool_store::prices::PriceTable;
use unspool_store::rows::Bill;

use crate::pages::session::sizes::changes_files;

/// How full the context of a conversation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ContextFill {
    /// Tokens that the last answer was given.
    pub(super) tokens: u64,
    /// Tokens that fit.
    pub(super) limit: u64,
}

/// The contexts that there are, in tokens.
const LIMITS: [u64; 2] = [200_000, 1_000_000];

/// Returns how full the context was at the last answer of the shown path.
pub(super) fn context_fill(shown: &Transcript<'_>) -> Option<ContextFill> {
    let (conversation, log) = (&shown.conversation, shown.conversation.log);
    let answers = shown.view.messages.iter().rev();
    let mut answers = answers.filter(|message| message.kind == MessageKind::Answer);
    let tokens = answers.find_map(|message| {
        let nodes = shown.view.nodes(message).iter();
        let used = nodes.filter_map(|&node| {
            let entry = conversation.graph.nodes[node].content;
            let at = log.usage.partition_point(|row| row.entry < entry);
            log.usage.get(at).filter(|row| row.entry == entry)
        });
        used.map(|row| given(row.tokens))
            .max()
            .filter(|&sum| sum > 0)
    })?;
    let limit = LIMITS.into_iter().find(|&limit| tokens <= limit);
    Some(ContextFill {
        tokens,
        limit: limit.unwrap_or(tokens),
    })
}

/// Returns what an answer was given, in tokens.
fn given(tokens: Tokens) -> u64 {
    tokens.input + tokens.cache_read + tokens.cache_write_5m + tokens.cache_write_1h
}

/// Returns what the session and its agents used, and what that cost.
pub(super) fn bill(shown: &Transcript<'_>, prices: &PriceTable) -> Bill {
    Bill::of(shown.session, prices)
}

/// Returns how long the turns of the shown path were worked on, in milliseconds.
pub(super) fn worked_ms(shown: &Transcript<'_>) -> u64 {
    let turns = shown.turns.iter();
    turns.filter_map(|turn| turn.duration_ms).sum()
}

/// What became of the calls of one tool.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct ToolFact {
    pub(super) name: String,
    pub(super) calls: u32,
    pub(super) failed: u32,
}

/// The calls of the shown path: tools, the most used first, and the files that were changed.
pub(super) struct CallFacts {
    pub(super) tools: Vec<ToolFact>,
    pub(super) files: Vec<String>,
}

/// Counts the calls of the shown path.
pub(super) fn calls(shown: &Transcript<'_>) -> CallFacts {
    let (conversation, log) = (&shown.conversation, shown.conversation.log);
    let mut tools: BTreeMap<&str, ToolFact> = BTreeMap::new();
    let mut files: Vec<&str> = Vec::new();
    for message in &shown.view.messages {
        for &node in shown.view.nodes(message) {
            let entry = conversation.graph.entry(log, node);
            for block in log.blocks_of(entry) {
                if block.kind != BlockKind::Call {
                    continue;
                }
                let name = block.name.map_or("", |name| log.text(name));
                let result = block
                    .call
                    .and_then(|call| conversation.result_in(&shown.view, node, call));
                let status = conversation.call_status(node, result, shown.live);
                let tool = tools.entry(name).or_default();
                tool.calls += 1;
                tool.failed += u32::from(status == CallStatus::Failed);
                if let Some(file) = block.file.filter(|_| changes_files(name))
                    && status == CallStatus::Done
                {
                    files.push(log.text(file));
                }
            }
        }
    }
    let tools = tools.into_iter().map(|(name, tool)| ToolFact {
        name: name.to_owned(),
        ..tool
    });
    let mut tools: Vec<ToolFact> = tools.collect();
    tools.sort_by_key(|tool| std::cmp::Reverse(tool.calls));
    files.sort_unstable();
    files.dedup();
    CallFacts {
        tools,
        files: files.into_iter().map(str::to_owned).collect(),
    }
}
