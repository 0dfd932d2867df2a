//! Which result belongs to which call.

use std::collections::HashSet;

use super::{CallResult, Conversation};
use crate::entry::{BlockKind, EntryKind, Flags, MessageKind, Verdict};
use crate::graph::Graph;
use crate::log::Log;
use crate::symbols::Symbol;

/// The results of a log's calls, by call.
pub(super) struct Results {
    found: Vec<(Symbol, CallResult)>,
    flat: HashSet<u32>,
}

impl Results {
    pub(super) fn new(log: &Log, graph: &Graph) -> Self {
        let mut found = Vec::new();
        for (index, entry) in (0u32..).zip(&log.entries) {
            for (position, block) in (0u32..).zip(log.blocks_of(entry)) {
                if let (BlockKind::Result(verdict), Some(call)) = (block.kind, block.call) {
                    let block = Some(position);
                    found.push((
                        call,
                        CallResult {
                            entry: index,
                            block,
                            verdict,
                        },
                    ));
                }
            }
        }
        let of_flat = flat_results(log, graph);
        let flat = of_flat.iter().map(|(_, result)| result.entry).collect();
        found.extend(of_flat);
        found.sort_by_key(|(call, result)| (*call, result.entry, result.block));
        Self { found, flat }
    }

    /// Tells whether an entry of the flat dialect is the result of a call and nothing else.
    pub(super) fn is_flat_result(&self, entry: u32) -> bool {
        !self.flat.is_empty() && self.flat.contains(&entry)
    }

    /// Finds the result of a call. Where several answer to one id, the one that hangs on
    /// the call counts, then one that is told together with it, then the last.
    pub(super) fn find(
        &self,
        within: &Conversation<'_>,
        node: u32,
        call: Symbol,
    ) -> Option<CallResult> {
        let start = self.found.partition_point(|(other, _)| *other < call);
        let same = self.found[start..]
            .iter()
            .take_while(|(other, _)| *other == call);
        let uuid = within.graph.entry(within.log, node).uuid;
        let group = within.paths.group_of(node);
        let closeness = |result: &CallResult| {
            let entry = &within.log.entries[result.entry as usize];
            let hangs = entry.parent.is_some() && entry.parent == uuid;
            let other = entry.uuid.and_then(|uuid| within.graph.node(uuid));
            let together = group.is_some() && other.and_then(|n| within.paths.group_of(n)) == group;
            (hangs, together, result.entry)
        };
        same.map(|(_, result)| *result).max_by_key(closeness)
    }
}

/// In the flat dialect the result of a call is the next system entry below it.
fn flat_results(log: &Log, graph: &Graph) -> Vec<(Symbol, CallResult)> {
    let is_flat = |node: u32| graph.entry(log, node).flags.has(Flags::FLAT);
    let call_in = |node: u32| {
        let blocks = log.blocks_of(graph.entry(log, node));
        blocks
            .iter()
            .find(|block| block.kind == BlockKind::Call)
            .and_then(|block| block.call)
    };
    let mut open: Vec<Option<Symbol>> = vec![None; graph.nodes.len()];
    let mut found = Vec::new();
    let mut answered = HashSet::new();
    for &node in &graph.order {
        let above = graph.nodes[node as usize]
            .parent
            .and_then(|parent| open[parent as usize]);
        let entry = graph.entry(log, node);
        let content = graph.nodes[node as usize].content;
        open[node as usize] = match entry.kind {
            EntryKind::System if is_flat(node) => {
                let remark = entry.says == Some(MessageKind::Notice);
                if let Some(call) = above.filter(|&call| remark && answered.insert(call)) {
                    let verdict = Verdict::Done;
                    found.push((
                        call,
                        CallResult {
                            entry: content,
                            block: None,
                            verdict,
                        },
                    ));
                }
                None
            }
            EntryKind::Assistant if is_flat(node) => call_in(node),
            EntryKind::User | EntryKind::Assistant => None,
            _ => above,
        };
    }
    found
}
