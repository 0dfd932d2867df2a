//! What belongs together: one thing that was said, with what hangs on it.

use std::collections::HashMap;

use super::left_out::LeftOut;
use super::{Begins, Group, NONE, Paths};
use crate::commands::AnsweredCommands;
use crate::entry::{Entry, EntryKind, MessageKind};
use crate::graph::Graph;
use crate::log::Log;
use crate::symbols::Symbol;

/// Puts nodes together, parents first.
pub(super) struct Grouping<'a> {
    commands: &'a AnsweredCommands,
    groups: Vec<Group>,
    group_of: Vec<u32>,
    core: Vec<bool>,
    answers: HashMap<(u32, Symbol), u32, foldhash::fast::FixedState>,
}

impl<'a> Grouping<'a> {
    pub(super) fn new(nodes: usize, commands: &'a AnsweredCommands) -> Self {
        Self {
            commands,
            groups: Vec::new(),
            group_of: vec![NONE; nodes],
            core: vec![false; nodes],
            answers: HashMap::default(),
        }
    }

    pub(super) fn add(&mut self, log: &Log, graph: &Graph, node: u32) {
        let entry = graph.entry(log, node);
        let above = graph.nodes[node as usize]
            .parent
            .map_or(NONE, |parent| self.group_of[parent as usize]);
        // Injected text, results and marks of interruption hang on what was said before.
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
        self.core[node as usize] = begins || (said && answers);
        let group = match self.answer_of(above, entry.message) {
            Some(group) => group,
            None if !begins && above != NONE => above,
            None => self.begin(node, above, entry),
        };
        self.group_of[node as usize] = group;
        let group = &mut self.groups[group as usize];
        if said || begins {
            group.last_said = group.last_said.max(Some(node));
        }
    }

    /// Finds the group that holds the rest of an answer: the one above, or one beside.
    fn answer_of(&self, above: u32, message: Option<Symbol>) -> Option<u32> {
        let message = message?;
        if above != NONE && self.groups[above as usize].message == Some(message) {
            return Some(above);
        }
        self.answers.get(&(above, message)).copied()
    }

    fn begin(&mut self, node: u32, above: u32, entry: &Entry) -> u32 {
        let index = self.groups.len() as u32;
        if let Some(message) = entry.message {
            self.answers.insert((above, message), index);
        }
        if above != NONE {
            self.groups[above as usize].continuations += 1;
        }
        self.groups.push(Group {
            parent: (above != NONE).then_some(above),
            first: node,
            continuations: 0,
            begins: match (entry.kind, self.commands.kind_of(entry)) {
                (EntryKind::User, Some(MessageKind::Prompt)) => Begins::Prompt,
                (EntryKind::Assistant, Some(MessageKind::Answer)) => Begins::Answer,
                _ => Begins::Other,
            },
            left_out: false,
            message: entry.message,
            last_said: None,
            members: (0, 0),
        });
        index
    }

    pub(super) fn finish(mut self, graph: &Graph) -> Paths {
        self.adopt_strays(graph);
        let members = self.list_members(graph);
        let mut paths = Paths {
            groups: self.groups,
            paths: Vec::new(),
            group_of: self.group_of,
            members,
            core: self.core,
            leads_to: Vec::new(),
            leads_on: Vec::new(),
            left_out: LeftOut::default(),
        };
        paths.count_leads(graph);
        paths
    }

    /// Gives groups in which nothing is said to the group before them: a remark of the
    /// client that hangs on nothing is no path. Without any conversation there is no group.
    fn adopt_strays(&mut self, graph: &Graph) {
        let stray = |group: &Group| {
            group.parent.is_none() && group.continuations == 0 && group.last_said.is_none()
        };
        if !self.groups.iter().any(stray) {
            return;
        }
        let mut adopter: Vec<u32> = vec![NONE; self.groups.len()];
        let first_said = self
            .groups
            .iter()
            .position(|group| !stray(group))
            .map_or(NONE, |i| i as u32);
        let mut before = first_said;
        for node in 0..graph.nodes.len() {
            let group = self.group_of[node];
            if group == NONE {
                continue;
            }
            if !stray(&self.groups[group as usize]) {
                before = group;
            } else if adopter[group as usize] == NONE {
                adopter[group as usize] = before;
            }
        }
        let mut renumbered: Vec<u32> = Vec::with_capacity(self.groups.len());
        let mut kept = 0;
        for group in &self.groups {
            renumbered.push(if stray(group) { NONE } else { kept });
            kept += u32::from(!stray(group));
        }
        let resolve = |group: u32| match renumbered.get(group as usize) {
            Some(&NONE) => renumbered
                .get(adopter[group as usize] as usize)
                .copied()
                .unwrap_or(NONE),
            Some(&number) => number,
            None => NONE,
        };
        for group in &mut self.group_of {
            *group = resolve(*group);
        }
        self.groups.retain(|group| !stray(group));
        for group in &mut self.groups {
            group.parent = group.parent.map(resolve);
        }
    }

    fn list_members(&mut self, graph: &Graph) -> Vec<u32> {
        for &group in self.group_of.iter().filter(|&&group| group != NONE) {
            self.groups[group as usize].members.1 += 1;
        }
        let mut end = 0;
        for group in &mut self.groups {
            let count = group.members.1;
            group.members = (end, end);
            end += count;
        }
        let mut members = vec![0; end as usize];
        for &node in &graph.order {
            let group = self.group_of[node as usize];
            if group != NONE {
                let slot = &mut self.groups[group as usize].members.1;
                members[*slot as usize] = node;
                *slot += 1;
            }
        }
        members
    }
}
