//! The active path: the end that each rule determines, and the path with that end.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::{Path, PathKind, Paths};
use crate::graph::Graph;
use crate::log::Log;
use crate::positions::{GroupId, NodeId, PathNumber};
use crate::resume::Resumption;
use crate::sdk;

/// The end of the active path.
pub(super) struct PathEnd {
    /// The last group.
    pub(super) last: Option<GroupId>,
    /// The last node.
    pub(super) node: Option<NodeId>,
    /// The nodes, if the rule lists them.
    pub(super) chain: Option<Vec<NodeId>>,
}

impl Paths {
    /// Marks the path that ends with `head` as active. If other paths continue from `head`, adds a new path.
    pub(super) fn activate(&mut self, graph: &Graph, PathEnd { last, node, chain }: PathEnd) {
        let (Some(last), Some(head)) = (last, node) else {
            return;
        };
        if self.groups[last].continuations == 0 {
            if let Some(path) = self.paths.iter_mut().find(|path| path.last == last) {
                path.active = true;
                path.kind = PathKind::Active;
                path.fork_point = None;
                path.head = head;
                path.chain = chain;
                self.active = Some(path.index);
            }
            return;
        }
        self.fork_at(graph, last, head);
        let index = PathNumber::at(self.paths.len());
        self.active = Some(index);
        self.paths.push(Path {
            index,
            active: true,
            kind: PathKind::Active,
            head,
            fork_point: None,
            last,
            chain,
        });
    }

    /// Moves the fork points of paths that continue a group into that group, unless they fork further down.
    fn fork_at(&mut self, graph: &Graph, group: GroupId, head: NodeId) {
        let mut trunk = vec![false; self.groups.len()];
        for above in self.trail(group) {
            trunk[above] = true;
        }
        let mut meets = vec![None; self.groups.len()];
        for index in GroupId::all(self.groups.len()) {
            meets[index] = match self.groups[index].parent() {
                Some(parent) if parent == group => self.meeting(graph, index, head),
                Some(parent) => meets[parent],
                None => None,
            };
        }
        for path in &mut self.paths {
            // A fork point on the way to the group is replaced; one further down stays.
            let of = path.fork_point.map(|fork| self.group_of[fork]);
            if let Some(point) = meets[path.last]
                && of.is_none_or(|of| of.is_some_and(|of| trunk[of]))
            {
                path.fork_point = Some(point);
            }
        }
    }

    /// Returns the last node that a continuation shares with a path that ends with `head`.
    fn meeting(&self, graph: &Graph, continuation: GroupId, head: NodeId) -> Option<NodeId> {
        let within = self.groups[continuation].parent()?;
        let inside = |node: &NodeId| self.group_of(*node) == Some(within);
        // The two can only part inside the group, so both walks stay in it.
        let climb = |from: Option<NodeId>| {
            std::iter::successors(from.filter(inside), |&node| {
                graph.nodes[node].parent().filter(inside)
            })
        };
        let first = self.groups[continuation].first;
        let walk: HashSet<NodeId> = climb(graph.nodes[first].parent()).collect();
        let mut chain: Vec<NodeId> = climb(Some(head)).collect();
        chain.reverse();
        let shared = |&&node: &&NodeId| {
            self.core[node] || self.continuations_below[node] == 0 || walk.contains(&node)
        };
        chain.iter().take_while(shared).last().copied()
    }

    /// Returns the end of the path whose last message comes last in the file.
    pub(super) fn last_leaf(&self) -> PathEnd {
        let leaves = GroupId::enumerate(&self.groups);
        let leaves = leaves.filter(|(_, group)| group.continuations == 0);
        let last = leaves.max_by_key(|(_, group)| group.last_said);
        let last = last.map(|(index, _)| index);
        PathEnd { last, node: last.map(|group| self.last_member(group)), chain: None }
    }

    /// Returns the end by the rule of older clients: the entry of any type with the newest time
    /// that no entry hangs on.
    pub(super) fn newest_leaf(&self, log: &Log, graph: &Graph) -> PathEnd {
        let mut continued = vec![false; graph.nodes.len()];
        for node in &graph.nodes {
            if let Some(parent) = node.parent() {
                continued[parent] = true;
            }
        }
        let leaves = NodeId::all(graph.nodes.len())
            .filter(|&node| !continued[node] && self.group_of(node).is_some());
        let node = leaves.max_by_key(|&node| (graph.entry(log, node).time, node));
        PathEnd { last: node.and_then(|node| self.group_of(node)), node, chain: None }
    }

    pub(super) fn sdk_head(&self, log: &Log, graph: &Graph) -> PathEnd {
        let chain = sdk::chain(log, graph);
        PathEnd {
            last: chain.iter().rev().find_map(|&node| self.group_of(node)),
            node: chain.last().copied(),
            chain: Some(chain),
        }
    }

    /// Returns the end by the rule of the current client: where its walk began, with every
    /// entry that it uses.
    pub(super) fn resumed(&self, log: &Log, graph: &Graph, resumption: &Resumption) -> PathEnd {
        let deepest = resumption.deepest;
        // The walk may begin in a subagent inside the file, which has no group on this side.
        let above = |&node: &NodeId| graph.nodes[node].parent();
        let last = std::iter::successors(deepest, above).find_map(|node| self.group_of(node));
        let mut head =
            PathEnd { last, node: resumption.tip(graph.table(log)).or(deepest), chain: None };
        let (Some(last), Some(deepest)) = (last, deepest) else {
            return head;
        };
        // A person has not seen the entries of subagents that the walk leads through.
        let aside = |node: NodeId| graph.nodes[node].sidechain;
        let mut taken = Cow::Borrowed(resumption.list.as_slice());
        if !aside(deepest) && taken.iter().any(|&node| aside(node)) {
            taken.to_mut().retain(|&node| !aside(node));
        }
        if !self.reaches(graph, last, deepest, &taken) {
            head.chain = Some(self.with_all(graph, last, deepest, &taken));
        }
        head
    }

    /// Tells whether the path to a group contains all of `taken`.
    fn reaches(&self, graph: &Graph, last: GroupId, deepest: NodeId, taken: &[NodeId]) -> bool {
        let mut on_trail = vec![false; self.groups.len()];
        for group in self.trail(last) {
            on_trail[group] = true;
        }
        let mut above = vec![false; graph.nodes.len()];
        let mut at = Some(deepest);
        while let Some(node) = at {
            above[node] = true;
            at = graph.nodes[node].parent();
        }
        // `PathNodeLister` adds a node to a path under the same conditions.
        taken.iter().all(|&node| {
            let there = self.group_of(node).is_some_and(|group| on_trail[group]);
            let leads_nowhere = self.continuations_below[node] == 0;
            there && (self.core[node] || above[node] || leads_nowhere)
        })
    }

    /// Returns the nodes of the path to a group with all of `taken` added, each after the one before it.
    fn with_all(
        &self,
        graph: &Graph,
        last: GroupId,
        deepest: NodeId,
        taken: &[NodeId],
    ) -> Vec<NodeId> {
        let path = Path {
            index: PathNumber::at(0),
            active: true,
            kind: PathKind::Active,
            head: deepest,
            fork_point: None,
            last,
            chain: None,
        };
        let spelled = self.nodes(graph, &path);
        let mut held = vec![false; graph.nodes.len()];
        for &node in &spelled {
            held[node] = true;
        }
        let mut after: HashMap<Option<NodeId>, Vec<NodeId>> = HashMap::new();
        let mut before = None;
        for &node in taken {
            if held[node] {
                before = Some(node);
            } else {
                held[node] = true;
                after.entry(before).or_default().push(node);
            }
        }
        let mut chain = after.remove(&None).unwrap_or_default();
        for node in spelled {
            chain.push(node);
            chain.extend(after.remove(&Some(node)).into_iter().flatten());
        }
        chain
    }
}
