//! Adds a node to the end of the active path.
//!
//! The node hangs on the last node of the path, and no other group continues from there. So no
//! fork is judged differently, and only the last group, its counts and the path change.

use super::grouping::GroupRole;
use super::{Group, Paths};
use crate::commands::AnsweredCommands;
use crate::entry::Entry;
use crate::graph::Graph;
use crate::log::Log;
use crate::positions::{GroupId, NodeId};

/// The group that takes a new node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TakingGroup {
    /// The group of its parent.
    Parents(GroupId),
    /// A new group, which continues the group of its parent.
    New(GroupId),
}

impl Paths {
    /// Tells whether no group continues the last group of the active path. A path with a list of
    /// nodes ends where the rule says, so it cannot grow. Remarks without a parent are in the
    /// last group only as long as nothing hangs on them, so it cannot grow after these either.
    pub(crate) fn has_open_end(&self, graph: &Graph) -> bool {
        let active = self.active().filter(|path| path.chain.is_none());
        let Some(last) = active.map(|path| path.last) else {
            return false;
        };
        let first = self.groups[last].first;
        let hangs = |node: &NodeId| *node == first || graph.nodes[*node].parent().is_some();
        let continues = |group: &Group| group.parent() == Some(last);
        self.members(last).iter().all(hangs) && !self.groups.iter().any(continues)
    }

    /// Tells whether an entry can be added after a node, if the active path has an open end.
    pub(crate) fn can_append(
        &self,
        log: &Log,
        graph: &Graph,
        entry: &Entry,
        parent: NodeId,
    ) -> bool {
        let Some(taker) = self.taker(log, graph, entry, parent) else {
            return false;
        };
        let last = self.active().map(|path| path.last);
        match taker {
            // The members of a group are contiguous, so only the last group can grow.
            TakingGroup::Parents(group) => {
                last == Some(group) && group.index() + 1 == self.groups.len()
            }
            TakingGroup::New(group) => last == Some(group),
        }
    }

    fn taker(
        &self,
        log: &Log,
        graph: &Graph,
        entry: &Entry,
        parent: NodeId,
    ) -> Option<TakingGroup> {
        let group = self.group_of(parent)?;
        let first = graph.entry(log, self.groups[group].first);
        let goes_on = entry.message.is_some() && first.message == entry.message;
        Some(if goes_on || !GroupRole::of(entry).begins {
            TakingGroup::Parents(group)
        } else {
            TakingGroup::New(group)
        })
    }

    /// Adds the last node of the graph to the active path, which then ends with `head`.
    pub(crate) fn append(
        &mut self,
        log: &Log,
        graph: &Graph,
        commands: &AnsweredCommands,
        head: NodeId,
    ) {
        let node = NodeId::at(graph.nodes.len() - 1);
        let entry = graph.entry(log, node);
        let parent = graph.nodes[node].parent();
        let taker = parent.and_then(|parent| self.taker(log, graph, entry, parent));
        let Some((taker, parent)) = taker.zip(parent) else {
            return;
        };
        let place = GroupRole::of(entry);
        self.core.push(place.is_core);
        self.continuations_below.push(0);
        self.path_continuations_below.iter_mut().for_each(|counts| counts.push(0));
        self.left_out.append();
        let group = match taker {
            TakingGroup::Parents(group) => group,
            TakingGroup::New(above) => self.continue_group(graph, entry, commands, above, parent),
        };
        self.group_of.push(Some(group));
        self.members.push(node);
        if place.is_said {
            self.groups[group].last_said = Some(node);
        }
        if let Some(path) = self.paths.iter_mut().find(|path| path.active) {
            path.last = group;
            path.head = head;
        }
    }

    /// Begins a group that continues another one, and updates the counts of the nodes that lead to it.
    fn continue_group(
        &mut self,
        graph: &Graph,
        entry: &Entry,
        commands: &AnsweredCommands,
        above: GroupId,
        parent: NodeId,
    ) -> GroupId {
        let node = NodeId::at(graph.nodes.len() - 1);
        self.groups[above].continuations += 1;
        self.groups.push(Group {
            members: self.members.len() as u32,
            ..Group::begun_by(entry, node, Some(above), commands)
        });
        let mut at = Some(parent);
        while let Some(node) = at.filter(|&node| self.group_of(node) == Some(above)) {
            unspool_work::add(1);
            let counts =
                self.path_continuations_below.iter_mut().chain([&mut self.continuations_below]);
            for count in counts.map(|counts| &mut counts[node]) {
                *count = count.saturating_add(1);
            }
            at = graph.nodes[node].parent();
        }
        GroupId::at(self.groups.len() - 1)
    }
}
