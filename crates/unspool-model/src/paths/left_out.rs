//! Messages that a resume leaves out without a rewind.
//!
//! Later prompts sometimes hang on a hook's progress line, on an early call or on a copy, so the
//! answers in between are not on the chain. The person did not rewind there, so these answers
//! are not a branch: the history shows them in place, marked, and no path contains them.
//!
//! A fork is judged by how its sides begin. If two sides begin with a prompt, a person said
//! something else instead; if two begin with an answer to the same entry, the model answered
//! again. Any other side except the one that continues is left out, with everything after it.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::active::PathEnd;
use super::{Group, GroupStart, Paths};
use crate::graph::Graph;
use crate::positions::{GroupId, NodeId};

/// The nodes that are on no path.
#[derive(Clone, Default, Debug)]
pub(super) struct LeftOutNodes {
    /// The nodes in order, each after the group of a path that it hangs on, or `None` if it hangs on none.
    nodes: Vec<(Option<GroupId>, NodeId)>,
    /// Set for each left-out node; empty if there are none.
    marks: Vec<bool>,
}

impl LeftOutNodes {
    /// Adds a node that is on a path.
    pub(super) fn append(&mut self) {
        if !self.marks.is_empty() {
            self.marks.push(false);
        }
    }
}

/// The key by which sides of a fork are compared.
type ForkSide = (GroupStart, Option<NodeId>);

impl Paths {
    /// Tells whether a node is on no path because a resume leaves it out.
    pub fn is_left_out(&self, node: NodeId) -> bool {
        self.left_out.marks.get(node.index()) == Some(&true)
    }

    /// Returns the number of nodes that are on no path.
    pub fn count_left_out(&self) -> usize {
        self.left_out.nodes.len()
    }

    /// Adds the nodes that were left out next to a path to the nodes of the path, each at its
    /// place in the file.
    pub fn with_left_out(&self, nodes: Vec<NodeId>) -> Vec<NodeId> {
        if self.left_out.nodes.is_empty() {
            return nodes;
        }
        let mut first: HashMap<Option<GroupId>, usize, FixedState> = HashMap::default();
        for (at, &node) in nodes.iter().enumerate() {
            first.entry(self.group_of(node)).or_insert(at);
        }
        first.insert(None, 0);
        // The highest place so far: these are sorted, so a place can be searched for.
        let mut latest = None;
        let reached: Vec<Option<NodeId>> = nodes
            .iter()
            .map(|&node| {
                latest = latest.max(Some(node));
                latest
            })
            .collect();
        let mut added: Vec<(usize, NodeId)> = Vec::new();
        for (host, first) in first {
            // A left-out node comes after the first node of the group that it hangs on.
            let floor = if nodes.is_empty() { 0 } else { first + 1 };
            for &(_, node) in self.left_out_at(host) {
                let slot = reached.partition_point(|&place| place < Some(node));
                added.push((slot.max(floor.min(nodes.len())), node));
            }
        }
        unspool_work::add(nodes.len() + added.len());
        added.sort_unstable();
        merge(&nodes, &added)
    }

    /// Returns the left-out nodes that hang on a group of a path.
    fn left_out_at(&self, host: Option<GroupId>) -> &[(Option<GroupId>, NodeId)] {
        let all = &self.left_out.nodes;
        let start = all.partition_point(|(other, _)| *other < host);
        let rest = &all[start..];
        &rest[..rest.partition_point(|(other, _)| *other == host)]
    }

    /// Judges every fork, given the end of the active path.
    pub(super) fn leave_out(&mut self, graph: &Graph, head: &PathEnd) {
        let active = head.last;
        let groups = GroupId::enumerate(&self.groups);
        let roots = groups.filter(|(_, group)| group.parent.is_none());
        let roots: Vec<GroupId> = roots.map(|(index, _)| index).collect();
        let ends_within = active.filter(|&last| self.groups[last].continuations > 0);
        let is_forked = self.groups.iter().any(|group| group.continuations > 1);
        if roots.len() > 1 || is_forked || ends_within.is_some() {
            self.judge_forks(graph, active, roots);
        }
        if self.groups.iter().any(|group| group.left_out) {
            self.path_continuations_below = Some(self.leads(graph, |group| !group.left_out));
            self.list_left_out(graph, head);
        }
    }

    fn judge_forks(&mut self, graph: &Graph, active: Option<GroupId>, roots: Vec<GroupId>) {
        let mut goes_on = vec![false; self.groups.len()];
        if let Some(last) = active {
            for group in self.trail(last) {
                goes_on[group] = true;
            }
        }
        let newest = self.newest_nodes();
        let mut sides: HashMap<GroupId, Vec<GroupId>, FixedState> = HashMap::default();
        for (index, group) in GroupId::enumerate(&self.groups) {
            if let Some(parent) = group.parent()
                && (self.groups[parent].continuations > 1 || active == Some(parent))
            {
                sides.entry(parent).or_default().push(index);
            }
        }
        let forks = sides.into_iter().map(|(parent, sides)| (Some(parent), sides));
        for (parent, sides) in forks.chain([(None, roots)]) {
            let main = sides.iter().copied().find(|&side| goes_on[side]);
            // At the end of the active path, no side continues.
            let ends = parent.is_some() && parent == active;
            let last = || {
                let sides = sides.iter().copied();
                sides.max_by_key(|&side| newest[side])
            };
            let main = main.or_else(|| if ends { None } else { last() });
            self.judge_sides(graph, &sides, main);
        }
        // Groups are listed after those that they continue, so everything below a side is left out with it.
        for index in GroupId::all(self.groups.len()) {
            let Some(parent) = self.groups[index].parent() else {
                continue;
            };
            self.groups[index].left_out |= self.groups[parent].left_out;
            if self.groups[index].left_out {
                self.groups[parent].continuations -= 1;
            }
        }
    }

    /// Leaves out the sides of a fork that are not alternatives of another side.
    fn judge_sides(&mut self, graph: &Graph, sides: &[GroupId], main: Option<GroupId>) {
        let mut alike: HashMap<ForkSide, u32, FixedState> = HashMap::default();
        for &side in sides {
            *alike.entry(self.side(graph, side)).or_default() += 1;
        }
        for &side in sides.iter().filter(|&&side| Some(side) != main) {
            let is_branch = match self.groups[side].begins {
                // At the end of the active path, a person rewound to before this prompt.
                GroupStart::Prompt if main.is_none() => true,
                GroupStart::Prompt | GroupStart::Answer => alike[&self.side(graph, side)] > 1,
                GroupStart::Other => false,
            };
            self.groups[side].left_out = !is_branch;
        }
    }

    /// Returns the key that alternatives of a fork share: how a side begins, and for answers
    /// the entry that they answer.
    fn side(&self, graph: &Graph, group: GroupId) -> ForkSide {
        let group = &self.groups[group];
        let said = |node: &NodeId| self.core[*node];
        let above = |node: NodeId| graph.nodes[node].parent();
        let answers = std::iter::successors(above(group.first), |&node| above(node)).find(said);
        match group.begins {
            GroupStart::Answer => (GroupStart::Answer, answers),
            begins => (begins, None),
        }
    }

    /// Returns for each group the last node in it or below it.
    fn newest_nodes(&self) -> Vec<NodeId> {
        let groups = GroupId::all(self.groups.len());
        let mut newest: Vec<NodeId> = groups.clone().map(|group| self.last_member(group)).collect();
        for index in groups.rev() {
            if let Some(parent) = self.groups[index].parent() {
                newest[parent] = newest[parent].max(newest[index]);
            }
        }
        newest
    }

    /// Marks the nodes that the active path contains in any case: its chain, or the nodes above
    /// its last node and above the first nodes of its groups.
    fn taken_up(&self, graph: &Graph, head: &PathEnd) -> Vec<bool> {
        let mut marks = vec![false; graph.nodes.len()];
        if let Some(chain) = &head.chain {
            for &node in chain {
                marks[node] = true;
            }
            return marks;
        }
        let trail = head.last.map(|last| self.trail(last)).unwrap_or_default();
        let firsts = trail.iter().map(|&group| self.groups[group].first);
        for node in head.node.into_iter().chain(firsts) {
            let mut at = Some(node);
            while let Some(node) = at.filter(|&node| !marks[node]) {
                marks[node] = true;
                at = graph.nodes[node].parent();
            }
        }
        marks
    }

    /// Returns how many continuations of its group that are on paths a node leads to.
    pub(super) fn path_continuations_below(&self, node: NodeId) -> u8 {
        self.path_continuations_below.as_ref().unwrap_or(&self.continuations_below)[node]
    }

    /// Counts for each node the continuations of its group that it leads to and that `counts` accepts.
    pub(super) fn leads(&self, graph: &Graph, counts: impl Fn(&Group) -> bool) -> Vec<u8> {
        let mut leads = vec![0u8; graph.nodes.len()];
        for node in graph.order().rev() {
            let Some(parent) = graph.nodes[node].parent() else {
                continue;
            };
            let (Some(group), Some(above)) = (self.group_of(node), self.group_of(parent)) else {
                continue;
            };
            let more = if group == above {
                leads[node]
            } else {
                let group = &self.groups[group];
                u8::from(group.first == node && counts(group))
            };
            leads[parent] = leads[parent].saturating_add(more);
        }
        leads
    }

    /// Lists the nodes of left-out groups, and the nodes that lead only to them.
    fn list_left_out(&mut self, graph: &Graph, head: &PathEnd) {
        let mut host: Vec<Option<GroupId>> = Vec::with_capacity(self.groups.len());
        for (index, group) in GroupId::enumerate(&self.groups) {
            host.push(match group.parent() {
                _ if !group.left_out => Some(index),
                Some(parent) => host[parent],
                None => None,
            });
        }
        let taken_up = self.taken_up(graph, head);
        let mut marks = vec![false; graph.nodes.len()];
        for node in graph.order() {
            let Some(group) = self.group_of(node) else {
                continue;
            };
            let parent = graph.nodes[node].parent();
            // Side nodes are left out if they lead only to left-out groups, or hang on such a node.
            let hangs_off =
                parent.is_some_and(|parent| marks[parent] && self.group_of(parent) == Some(group));
            let leads_off = self.continuations_below[node] > 0 || hangs_off;
            let aside = !self.core[node] && self.path_continuations_below(node) == 0 && leads_off;
            let left_out = self.groups[group].left_out || aside;
            marks[node] = left_out && !taken_up[node];
        }
        let marked = NodeId::all(graph.nodes.len()).filter(|&node| marks[node]);
        let hosted = marked.filter_map(|node| Some((host[self.group_of(node)?], node)));
        let mut nodes: Vec<(Option<GroupId>, NodeId)> = hosted.collect();
        nodes.sort_unstable();
        self.left_out = LeftOutNodes { nodes, marks };
    }
}

/// Inserts nodes into a list, each before the index that is given with it.
fn merge(nodes: &[NodeId], added: &[(usize, NodeId)]) -> Vec<NodeId> {
    let mut merged = Vec::with_capacity(nodes.len() + added.len());
    let mut added = added.iter().peekable();
    for (at, &node) in nodes.iter().enumerate() {
        while let Some((_, other)) = added.next_if(|&&(slot, _)| slot <= at) {
            merged.push(*other);
        }
        merged.push(node);
    }
    merged.extend(added.map(|&(_, node)| node));
    merged
}
