//! Merges nodes into groups: one thing that was said, with everything that hangs on it.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::left_out::LeftOutNodes;
use super::{Group, GroupStart, Paths};
use crate::commands::AnsweredCommands;
use crate::entry::{Entry, EntryKind, MessageKind};
use crate::graph::Graph;
use crate::log::Log;
use crate::positions::{GroupId, NodeId};
use crate::symbols::Symbol;

/// The role of an entry in its group.
pub(super) struct GroupRole {
    /// Set if the entry begins a group, unless it continues an answer.
    pub(super) begins: bool,
    /// Set if the entry is a part of what its group says; clear if it only hangs on the group.
    pub(super) is_core: bool,
    /// Set if the entry says something or contains the result of a call.
    pub(super) is_said: bool,
}

impl GroupRole {
    pub(super) fn of(entry: &Entry) -> Self {
        // Injected text, results and marks of interruption hang on the message before them.
        let begins = match entry.kind {
            EntryKind::Assistant => true,
            EntryKind::User => !matches!(
                entry.says,
                None | Some(MessageKind::Meta | MessageKind::Interruption | MessageKind::Reply)
            ),
            _ => entry.says == Some(MessageKind::Boundary),
        };
        let said = matches!(entry.kind, EntryKind::User | EntryKind::Assistant);
        let answers = matches!(entry.says, None | Some(MessageKind::Reply));
        Self { begins, is_core: begins || (said && answers), is_said: said || begins }
    }
}

impl Group {
    /// Begins a group with an entry. Its members are set later.
    pub(super) fn begun_by(
        entry: &Entry,
        node: NodeId,
        parent: Option<GroupId>,
        commands: &AnsweredCommands,
    ) -> Self {
        Self {
            parent,
            first: node,
            continuations: 0,
            begins: match (entry.kind, commands.kind_of(entry)) {
                (EntryKind::User, Some(MessageKind::Prompt)) => GroupStart::Prompt,
                (EntryKind::Assistant, Some(MessageKind::Answer)) => GroupStart::Answer,
                _ => GroupStart::Other,
            },
            left_out: false,
            last_said: None,
            members: 0,
        }
    }
}

/// Merges nodes into groups, parents first.
pub(super) struct Grouping<'a> {
    commands: &'a AnsweredCommands,
    groups: Vec<Group>,
    /// The API message of each group that is an answer.
    messages: Vec<Option<Symbol>>,
    group_of: Vec<Option<GroupId>>,
    core: Vec<bool>,
    answers: HashMap<(Option<GroupId>, Symbol), GroupId, FixedState>,
}

impl<'a> Grouping<'a> {
    pub(super) fn new(nodes: usize, commands: &'a AnsweredCommands) -> Self {
        Self {
            commands,
            groups: Vec::with_capacity(nodes),
            messages: Vec::with_capacity(nodes),
            group_of: vec![None; nodes],
            core: vec![false; nodes],
            answers: HashMap::default(),
        }
    }

    pub(super) fn add(&mut self, log: &Log, graph: &Graph, node: NodeId) {
        let entry = graph.entry(log, node);
        let above = graph.nodes[node].parent().and_then(|parent| self.group_of[parent]);
        let place = GroupRole::of(entry);
        self.core[node] = place.is_core;
        let group = self.answer_of(above, entry.message);
        let group = group.or_else(|| above.filter(|_| !place.begins));
        let group = group.unwrap_or_else(|| self.begin(node, above, entry));
        self.group_of[node] = Some(group);
        let group = &mut self.groups[group];
        if place.is_said {
            group.last_said = group.last_said.max(Some(node));
        }
    }

    /// Returns the group with the other entries of an answer: the group above, or a sibling.
    fn answer_of(&self, above: Option<GroupId>, message: Option<Symbol>) -> Option<GroupId> {
        let message = message?;
        let goes_on = above.filter(|&above| self.messages[above] == Some(message));
        goes_on.or_else(|| self.answers.get(&(above, message)).copied())
    }

    fn begin(&mut self, node: NodeId, above: Option<GroupId>, entry: &Entry) -> GroupId {
        let index = GroupId::at(self.groups.len());
        if let Some(message) = entry.message {
            self.answers.insert((above, message), index);
        }
        if let Some(above) = above {
            self.groups[above].continuations += 1;
        }
        self.messages.push(entry.message);
        self.groups.push(Group::begun_by(entry, node, above, self.commands));
        index
    }

    pub(super) fn finish(mut self, graph: &Graph) -> Paths {
        (self.messages, self.answers) = (Vec::new(), HashMap::default());
        self.adopt_strays(graph);
        self.groups.shrink_to_fit();
        let members = self.list_members(graph);
        let mut paths = Paths {
            groups: self.groups,
            paths: Vec::new(),
            active: None,
            group_of: self.group_of,
            members,
            core: self.core,
            continuations_below: Vec::new(),
            path_continuations_below: None,
            left_out: LeftOutNodes::default(),
        };
        paths.continuations_below = paths.leads(graph, |_| true);
        paths
    }

    /// Merges groups in which nothing is said into the group before them, because a remark of
    /// the client without a parent is not a path. Without any conversation there are no groups.
    fn adopt_strays(&mut self, graph: &Graph) {
        let stray = |group: &Group| {
            group.parent.is_none() && group.continuations == 0 && group.last_said.is_none()
        };
        if !self.groups.iter().any(stray) {
            return;
        }
        let mut adopter = vec![None; self.groups.len()];
        // Remarks before the conversation go to its first group.
        let first_said = self.groups.iter().position(|group| !stray(group));
        let mut before = first_said.map(GroupId::at);
        for &group in self.group_of.iter().take(graph.nodes.len()) {
            let Some(index) = group else { continue };
            if !stray(&self.groups[index]) {
                before = group;
            } else if adopter[index].is_none() {
                adopter[index] = before;
            }
        }
        let mut kept = GroupId::all(self.groups.len());
        let number = |group: &Group| if stray(group) { None } else { kept.next() };
        let renumbered: Vec<Option<GroupId>> = self.groups.iter().map(number).collect();
        let resolve = |group: GroupId| {
            let elsewhere = || renumbered[adopter[group]?];
            renumbered[group].or_else(elsewhere)
        };
        for group in &mut self.group_of {
            *group = group.and_then(resolve);
        }
        self.groups.retain(|group| !stray(group));
        for group in &mut self.groups {
            group.parent = group.parent.and_then(resolve);
        }
    }

    /// Lists the nodes of all groups, group by group.
    fn list_members(&mut self, graph: &Graph) -> Vec<NodeId> {
        for group in self.group_of.iter().flatten() {
            self.groups[*group].members += 1;
        }
        // First the end of each group. Filling the list backwards from there leaves the starts.
        let mut end = 0;
        for group in &mut self.groups {
            end += group.members;
            group.members = end;
        }
        let mut members = vec![NodeId::at(0); end as usize];
        for node in graph.order().rev() {
            if let Some(group) = self.group_of[node] {
                let slot = &mut self.groups[group].members;
                *slot -= 1;
                members[*slot as usize] = node;
            }
        }
        members
    }
}
