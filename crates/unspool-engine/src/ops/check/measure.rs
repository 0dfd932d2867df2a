//! Counts the contents of a file, independent of findings.

use unspool_model::entry::{EntryKind, Flags};
use unspool_model::node::Edge;
use unspool_model::positions::EntryIndex;

use super::flat::FlatEntries;
use super::{CheckSummary, CheckedFile};

pub(super) fn count(subject: &CheckedFile<'_>, flat: &FlatEntries, summary: &mut CheckSummary) {
    let (log, graph) = (subject.log, &subject.conversation.graph);
    summary.files += 1;
    summary.bytes += log.bytes();
    summary.entries += log.entries.len() as u64;
    summary.messages += graph.nodes.len() as u64;
    for (index, entry) in EntryIndex::enumerate(&log.entries) {
        summary.damaged += u64::from(entry.kind == EntryKind::Fragment);
        summary.sidechains.entries += u64::from(entry.flags.has(Flags::SIDECHAIN));
        if flat.has(index) {
            summary.dialects.flat += 1;
        } else if entry.kind.links() && entry.uuid.is_some() {
            summary.dialects.wire += 1;
        }
    }
    summary.compactions.count += compactions(subject);
    summary.chain_depth = summary.chain_depth.max(chain_depth(subject));
    if subject.agent.is_none() {
        let paths = subject.conversation.paths.paths.len() as u64;
        summary.branches += paths.saturating_sub(1);
    }
}

/// Counts compactions, each once despite copies.
fn compactions(subject: &CheckedFile<'_>) -> u64 {
    let (log, graph) = (subject.log, &subject.conversation.graph);
    let counts = |entry: EntryIndex| {
        let node = log.entries[entry].uuid.and_then(|uuid| graph.node(uuid));
        node.is_none_or(|node| graph.nodes[node].content == entry)
    };
    log.compactions.iter().filter(|compaction| counts(compaction.entry)).count() as u64
}

/// Returns the length in entries of the longest chain of named parents.
fn chain_depth(subject: &CheckedFile<'_>) -> u64 {
    let graph = &subject.conversation.graph;
    let mut depths: Vec<u64> = vec![1; graph.nodes.len()];
    for node in graph.order() {
        let linked = graph.nodes[node];
        if let Some(parent) = linked.parent().filter(|_| linked.edge == Edge::Parent) {
            depths[node] = depths[parent] + 1;
        }
    }
    depths.into_iter().max().unwrap_or(0)
}
