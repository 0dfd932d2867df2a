//! The numbers of paths, and where each path leaves another one.

use super::{Group, Path, PathKind, Paths};
use crate::graph::Graph;
use crate::positions::{GroupId, NodeId, PathNumber};

impl Paths {
    /// Lists the paths and numbers them by where they leave an earlier one.
    ///
    /// If several paths continue a group, the first one keeps the number and each later one is
    /// a new path. A file only grows, so numbers stay, unless a later line shows that the place
    /// where a path leaves is not a rewind.
    pub(super) fn number(&mut self, graph: &Graph) {
        let mut leaves: Vec<GroupId> = GroupId::enumerate(&self.groups)
            .filter(|(_, group)| group.continuations == 0 && !group.left_out)
            .map(|(index, _)| index)
            .collect();
        if leaves.len() > 1 {
            let first = self.first_continuations();
            leaves.sort_by_cached_key(|&leaf| (self.start(leaf, &first), leaf));
        }
        self.paths = PathNumber::enumerate(leaves)
            .map(|(index, last)| {
                let (fork_point, kind) = self.fork(graph, last);
                Path {
                    index,
                    active: false,
                    kind,
                    head: self.last_member(last),
                    fork_point,
                    last,
                    chain: None,
                }
            })
            .collect();
    }

    /// Returns for each group its first continuation in the file.
    fn first_continuations(&self) -> Vec<Option<GroupId>> {
        let mut first = vec![None; self.groups.len()];
        for (index, group) in GroupId::enumerate(&self.groups) {
            let Some(parent) = group.parent().filter(|_| !group.left_out) else {
                continue;
            };
            let slot = &mut first[parent];
            let before = |other: GroupId| self.groups[other].first <= group.first;
            if !slot.is_some_and(before) {
                *slot = Some(index);
            }
        }
        first
    }

    /// Returns the first node of the part of a path that is its own: the walk goes up from the
    /// last group as long as each group is the first continuation of its parent. No two paths
    /// walk through one group, so this is linear.
    fn start(&self, last: GroupId, first: &[Option<GroupId>]) -> NodeId {
        let above = |&group: &GroupId| {
            let parent = self.groups[group].parent()?;
            (first[parent] == Some(group)).then_some(parent)
        };
        let top = std::iter::successors(Some(last), above).last();
        self.groups[top.unwrap_or(last)].first
    }

    /// Returns the last node above the end of a path from which several paths continue, and the
    /// kind of that fork. No two paths walk through one group to get there.
    fn fork(&self, graph: &Graph, last: GroupId) -> (Option<NodeId>, PathKind) {
        let mut at = last;
        loop {
            let group = &self.groups[at];
            let kind = group.begins.path_kind();
            match group.parent() {
                None => return (None, kind),
                Some(parent) if self.groups[parent].continuations < 2 => at = parent,
                Some(parent) => return (self.fork_above(graph, group, parent), kind),
            }
        }
    }

    /// Returns the node of the parent group at which a group leaves the other paths.
    fn fork_above(&self, graph: &Graph, group: &Group, parent: GroupId) -> Option<NodeId> {
        // Side nodes that lead only to this group belong to its path, so the fork is above them.
        let mut at = graph.nodes[group.first].parent();
        while let Some(node) =
            at.filter(|&node| !self.core[node] && self.path_continuations_below(node) < 2)
        {
            let above = graph.nodes[node].parent();
            match above.filter(|&above| self.group_of(above) == Some(parent)) {
                Some(above) => at = Some(above),
                None => break,
            }
        }
        at
    }
}
