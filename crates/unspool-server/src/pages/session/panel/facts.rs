//! Facts of the panel from the tables of the logs: no message is read for them.
//!
//! One function for each fact; most are operations of the engine.

use std::collections::BTreeMap;

use unspool_engine::ops::context_series::{ContextPoint, context_series};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::conversation::CallStatus;
use unspool_model::entry::BlockKind;

use crate::pages::session::signs::changes_files;

/// The size of a conversation's context, and how it grew.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ContextFill {
    /// The tokens in the context of the last answer.
    pub(super) tokens: u64,
    /// The limit in tokens; none if it is unknown.
    pub(super) limit: Option<u64>,
    /// The tokens in the context of each answer, in order.
    pub(super) series: Vec<u64>,
}

/// Returns the size of the context at the last answer of the shown path.
pub(super) fn context_fill(shown: &Transcript<'_>) -> Option<ContextFill> {
    let series = context_series(shown);
    let last = series.points.last()?;
    Some(ContextFill {
        tokens: last.context(),
        limit: series.limit().map(|limit| limit.tokens),
        series: series.points.iter().map(ContextPoint::context).collect(),
    })
}

/// The number of calls of one tool, and how many of them failed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct ToolFact {
    pub(super) name: String,
    pub(super) calls: u32,
    pub(super) failed: u32,
}

/// The calls of the shown path: tools, the most used first, and changed files.
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
                let result =
                    block.call.and_then(|call| conversation.result_in(&shown.view, node, call));
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
    let tools = tools.into_iter().map(|(name, tool)| ToolFact { name: name.to_owned(), ..tool });
    let mut tools: Vec<ToolFact> = tools.collect();
    tools.sort_by_key(|tool| std::cmp::Reverse(tool.calls));
    files.sort_unstable();
    files.dedup();
    CallFacts { tools, files: files.into_iter().map(str::to_owned).collect() }
}
