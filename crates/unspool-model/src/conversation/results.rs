//! Matches results with their calls.

use std::collections::HashSet;

use super::{CallResult, Conversation};
use crate::entry::{Block, BlockKind, EntryKind, Flags, MessageKind, Verdict};
use crate::graph::Graph;
use crate::log::Log;
use crate::node::Node;
use crate::paths::Paths;
use crate::positions::{EntryIndex, GroupId, NodeId};
use crate::symbols::Symbol;

/// Number of results of one call that are compared one by one.
const FEW: usize = 8;

/// The results of a log's calls, sorted by call.
pub(super) struct CallResults {
    found: Vec<(Symbol, CallResult)>,
    /// The results of calls with more than [`FEW`], sorted also by what they are near to: an id
    /// that thousands of results share must not be searched through for each call.
    crowded: Vec<(Symbol, ResultAnchor, CallResult)>,
    flat: HashSet<EntryIndex>,
}

/// What a result is near to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ResultAnchor {
    /// The result hangs on an entry and is in a group.
    Both(Symbol, GroupId),
    /// The result hangs on an entry.
    Parent(Symbol),
    /// The result is in a group.
    Group(GroupId),
}

impl CallResults {
    pub(super) fn new(log: &Log, graph: &Graph, paths: &Paths) -> Self {
        let mut found = Vec::new();
        for (index, entry) in EntryIndex::enumerate(&log.entries) {
            for (call, position, verdict) in results_in(log.blocks_of(entry)) {
                let result = CallResult { entry: index, block: Some(position), verdict };
                found.push((call, result));
            }
        }
        let of_flat = flat_results(log, graph);
        let flat = of_flat.iter().map(|(_, result)| result.entry).collect();
        found.extend(of_flat);
        found.sort_by_key(|(call, result)| (*call, result.entry, result.block));
        let many =
            found.chunk_by(|(one, _), (other, _)| one == other).filter(|same| same.len() > FEW);
        let mut crowded = Vec::new();
        for &(call, result) in many.flatten() {
            let near = near(log, graph, paths, &result);
            crowded.extend(near.map(|near| (call, near, result)));
        }
        crowded.sort_by_key(|(call, near, result)| (*call, *near, result.entry, result.block));
        Self { found, crowded, flat }
    }

    /// Tells whether the results of an entry can be added one by one.
    pub(super) fn can_append(&self, blocks: &[Block]) -> bool {
        results_in(blocks).all(|(call, ..)| self.of_call(call).len() < FEW)
    }

    /// Adds the results of an entry that comes after all others.
    pub(super) fn append(&mut self, index: EntryIndex, blocks: &[Block]) {
        for (call, position, verdict) in results_in(blocks) {
            let at = self.found.partition_point(|(other, _)| *other <= call);
            let result = CallResult { entry: index, block: Some(position), verdict };
            self.found.insert(at, (call, result));
        }
    }

    /// Returns the results of a call.
    fn of_call(&self, call: Symbol) -> &[(Symbol, CallResult)] {
        let start = self.found.partition_point(|(other, _)| *other < call);
        let rest = &self.found[start..];
        &rest[..rest.partition_point(|(other, _)| *other == call)]
    }

    /// Tells whether an entry of the flat dialect is the result of a call and nothing else.
    pub(super) fn is_flat_result(&self, entry: EntryIndex) -> bool {
        !self.flat.is_empty() && self.flat.contains(&entry)
    }

    /// Returns the result of a call. If several have the same id, the one that hangs on the
    /// call counts, then one in the same group, then the last.
    pub(super) fn find(
        &self,
        within: &Conversation<'_>,
        node: NodeId,
        call: Symbol,
    ) -> Option<CallResult> {
        let same = self.of_call(call);
        let uuid = within.graph.entry(within.log, node).uuid;
        let group = within.paths.group_of(node);
        if same.len() > FEW {
            let both = uuid.zip(group).map(|(uuid, group)| ResultAnchor::Both(uuid, group));
            let nearest = [both, uuid.map(ResultAnchor::Parent), group.map(ResultAnchor::Group)];
            let mut nearest = nearest.into_iter().flatten();
            let found = nearest.find_map(|near| self.last_near(call, near));
            return found.or_else(|| same.last().map(|(_, result)| *result));
        }
        let closeness = |result: &CallResult| {
            unspool_work::add(1);
            let entry = &within.log.entries[result.entry];
            let hangs = entry.parent.is_some() && entry.parent == uuid;
            let other = group_of(within.log, &within.graph, &within.paths, result);
            (hangs, group.is_some() && other == group, result.entry)
        };
        same.iter().map(|(_, result)| *result).max_by_key(closeness)
    }

    /// Returns the last result of a call that is near to `near`.
    fn last_near(&self, call: Symbol, near: ResultAnchor) -> Option<CallResult> {
        unspool_work::add(1);
        let end = self.crowded.partition_point(|(other, what, _)| (*other, *what) <= (call, near));
        let &(other, what, result) = self.crowded[..end].last()?;
        (other == call && what == near).then_some(result)
    }
}

/// Returns the results among blocks, each as its call, its position and its verdict.
fn results_in(blocks: &[Block]) -> impl Iterator<Item = (Symbol, u32, Verdict)> {
    (0u32..).zip(blocks).filter_map(|(position, block)| match (block.kind, block.call) {
        (BlockKind::Result(verdict), Some(call)) => Some((call, position, verdict)),
        _ => None,
    })
}

/// Returns the group of a result.
fn group_of(log: &Log, graph: &Graph, paths: &Paths, result: &CallResult) -> Option<GroupId> {
    let uuid = log.entries[result.entry].uuid?;
    paths.group_of(graph.node(uuid)?)
}

/// Returns everything that a result is near to.
fn near(
    log: &Log,
    graph: &Graph,
    paths: &Paths,
    result: &CallResult,
) -> impl Iterator<Item = ResultAnchor> + use<> {
    let parent = log.entries[result.entry].parent;
    let group = group_of(log, graph, paths, result);
    let both = parent.zip(group).map(|(parent, group)| ResultAnchor::Both(parent, group));
    let near = [both, parent.map(ResultAnchor::Parent), group.map(ResultAnchor::Group)];
    near.into_iter().flatten()
}

/// Finds the results of the flat dialect, in which calls and results have no ids of their own.
fn flat_results(log: &Log, graph: &Graph) -> Vec<(Symbol, CallResult)> {
    if !log.has_flat() {
        return Vec::new();
    }
    let mut calls = FlatCalls::new(graph.nodes.len());
    let answers = graph.order().filter_map(|node| {
        let Node { content, .. } = graph.nodes[node];
        let parent = graph.nodes[node].parent();
        let call = calls.follow(log, content, node.index(), parent.map(NodeId::index))?;
        let result = CallResult { entry: content, block: None, verdict: Verdict::Done };
        Some((call, result))
    });
    answers.collect()
}

/// Follows calls of the flat dialect: the result of a call is the next system entry below it.
pub(super) struct FlatCalls {
    /// The open call at each place.
    open: Vec<Option<Symbol>>,
    answered: HashSet<Symbol>,
}

impl FlatCalls {
    /// Creates the state for a number of places.
    pub(super) fn new(places: usize) -> Self {
        Self { open: vec![None; places], answered: HashSet::new() }
    }

    /// Processes an entry at `place` that hangs on the entry at `above`; returns the call that it answers.
    pub(super) fn follow(
        &mut self,
        log: &Log,
        entry: EntryIndex,
        place: usize,
        above: Option<usize>,
    ) -> Option<Symbol> {
        let entry = &log.entries[entry];
        let above = above.and_then(|above| self.open[above]);
        let is_flat = entry.flags.has(Flags::FLAT);
        let is_call = |block: &&Block| block.kind == BlockKind::Call;
        let mut answers = None;
        self.open[place] = match entry.kind {
            EntryKind::System if is_flat => {
                let remark = entry.says == Some(MessageKind::Notice);
                // Only the first remark below a call is its result.
                answers = above.filter(|&call| remark && self.answered.insert(call));
                None
            }
            EntryKind::Assistant if is_flat => {
                let call = log.blocks_of(entry).iter().find(is_call);
                call.and_then(|block| block.call)
            }
            EntryKind::User | EntryKind::Assistant => None,
            _ => above,
        };
        answers
    }
}
