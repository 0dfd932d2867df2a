//! A conversation that is kept up to date while its log grows.
//!
//! [`KeptConversation`] contains what was computed from a log, the history of the active path and the
//! counts, but not the log. When lines have been added to the log, [`KeptConversation::extend`] updates
//! it. A line that hangs on the last entry, which is nearly every line that a client writes, costs work
//! for that line alone; any other line causes a rebuild from the log. Both ways give the same result.

use std::ops::Range;

use super::{Conversation, ConversationStructure, Message, RecordCounts, Speaker, View};
use crate::commands::AnsweredCommands;
use crate::entry::{Entry, EntryKind, Flags};
use crate::graph::{Rule, Scope};
use crate::log::Log;
use crate::positions::{EntryIndex, NodeId};
use crate::resume::{GrowthEffect, ResumptionGrowth};
use crate::symbols::Symbol;

/// Number of messages that are searched for the call that a result belongs to.
const NEAR: usize = 256;

/// The conversation of a log, updated as the log grows.
pub struct KeptConversation {
    arrangement: ConversationStructure,
    history: View,
    counts: RecordCounts,
    /// How lines can be added one by one; `None` if any line may change anything.
    growth: Option<ResumptionGrowth>,
    /// Set if a group can follow the end of the active path.
    has_open_end: bool,
    /// Number of entries of the log that are included.
    entries: usize,
}

/// The effect of new lines on a conversation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extension {
    /// The history is unchanged.
    Nothing,
    /// The lines extended the history. Messages before `from` are unchanged.
    Appended {
        /// The first message of the history that is new or has changed.
        from: usize,
    },
    /// The lines changed more, so everything was rebuilt.
    Rebuilt,
}

impl KeptConversation {
    /// Computes the conversation of a log.
    pub fn new(log: &Log, rule: Rule, scope: Scope) -> Self {
        let arrangement = ConversationStructure::new(log, rule, scope);
        let conversation = Conversation::of(log, &arrangement);
        let active = arrangement.paths.active();
        let history = active.map(|path| conversation.history(path));
        let counts = conversation.counts();
        let resumption = arrangement.graph.resumption.as_ref();
        // A last line without newline is another line when it is completed.
        let grows = resumption.filter(|_| !log.has_open_tail());
        let growth = grows.map(|found| ResumptionGrowth::new(arrangement.graph.table(log), found));
        Self {
            history: history.unwrap_or_default(),
            counts,
            growth,
            has_open_end: arrangement.paths.has_open_end(&arrangement.graph),
            entries: log.entries.len(),
            arrangement,
        }
    }

    /// Returns the conversation, given the log that it was computed from.
    pub fn conversation<'c>(&'c self, log: &'c Log) -> Conversation<'c> {
        Conversation::of(log, &self.arrangement)
    }

    /// Returns the history of the active path; it is empty if there is none.
    pub fn history(&self) -> &View {
        &self.history
    }

    /// Returns the numbers of records, by bucket.
    pub fn counts(&self) -> RecordCounts {
        self.counts
    }

    /// Adds the new entries of the log. Nothing else of the log may have changed, except a last
    /// line without newline.
    pub fn extend(&mut self, log: &Log) -> Extension {
        let (old, new) = (self.entries, log.entries.len());
        let grows = self.growth.is_some() && old <= new && !log.has_open_tail();
        if grows && old == new {
            return Extension::Nothing;
        }
        let before = self.history.messages.len();
        let mut from = before;
        let mut added = (old..new).map(EntryIndex::at);
        let taken = grows && added.all(|index| self.take(log, index, &mut from));
        if taken {
            self.entries = new;
            return match from {
                from if from < self.history.messages.len() => Extension::Appended { from },
                _ => Extension::Nothing,
            };
        }
        let ConversationStructure { rule, graph, .. } = &self.arrangement;
        *self = Self::new(log, *rule, graph.scope);
        Extension::Rebuilt
    }

    /// Adds one entry, if that is possible without looking at others. Lowers `from` to the
    /// first message that changed.
    fn take(&mut self, log: &Log, index: EntryIndex, from: &mut usize) -> bool {
        unspool_work::add(1);
        let graph = &self.arrangement.graph;
        let (Some(growth), Some(resumption)) = (&self.growth, &graph.resumption) else {
            return false;
        };
        let Some(tip) = self.arrangement.paths.active().map(|path| path.head) else {
            return false;
        };
        match growth.effect(graph.table(log), resumption, tip, index) {
            GrowthEffect::Breaks => false,
            GrowthEffect::None => {
                self.pass(&log.entries[index]);
                true
            }
            GrowthEffect::Follows { tip } => self.follow(log, index, tip, from),
        }
    }

    fn pass(&mut self, entry: &Entry) {
        if let Some(growth) = &mut self.growth {
            growth.pass(entry);
        }
        self.counts.entries += 1;
        match entry.kind {
            EntryKind::Fragment => self.counts.damaged += 1,
            _ => self.counts.metadata += 1,
        }
    }

    /// Adds an entry after the last one of the active path.
    fn follow(&mut self, log: &Log, index: EntryIndex, tip: NodeId, from: &mut usize) -> bool {
        let entry = &log.entries[index];
        if !self.can_follow(log, entry) {
            return false;
        }
        let ConversationStructure { graph, paths, commands, results, .. } = &mut self.arrangement;
        let node = graph.append(log, index);
        if let (Some(growth), Some(resumption)) = (&mut self.growth, &mut graph.resumption) {
            growth.follow(resumption, entry, node);
        }
        let groups = paths.groups.len();
        paths.append(log, graph, commands, tip);
        self.has_open_end |= paths.groups.len() > groups;
        results.append(index, log.blocks_of(entry));
        self.counts.entries += 1;
        self.counts.active += 1;
        for call in log.calls_answered(entry) {
            *from = (*from).min(self.message_of(log, call));
        }
        if let Some(changed) = self.show(log, node) {
            *from = (*from).min(changed);
        }
        true
    }

    /// Tells whether an entry can be added after the last one without any other change.
    fn can_follow(&self, log: &Log, entry: &Entry) -> bool {
        let ConversationStructure { graph, paths, results, .. } = &self.arrangement;
        let find = |uuid: Symbol| {
            let node = graph.nodes[graph.node(uuid)?];
            (node.place == node.content).then(|| &log.entries[node.content])
        };
        let is_aside = entry.flags.has(Flags::SIDECHAIN) && graph.scope == Scope::Session;
        let parent = entry.parent.and_then(|parent| graph.node(parent));
        !is_aside
            && self.has_open_end
            && parent.is_some_and(|parent| paths.can_append(log, graph, entry, parent))
            && results.can_append(log.blocks_of(entry))
            && !AnsweredCommands::may_be_answered_by(entry, find)
            && self.can_show(log, entry)
    }

    /// Tells whether an entry is a message of its own or continues the last one.
    fn can_show(&self, log: &Log, entry: &Entry) -> bool {
        // Symbols are numbered in the order of the file, so a message id with a higher number
        // than the uuid is new.
        let is_new = entry.message.is_none_or(|message| Some(message) > entry.uuid);
        is_new || self.goes_on(log, entry)
    }

    /// Tells whether an entry continues the last message.
    fn goes_on(&self, log: &Log, entry: &Entry) -> bool {
        let Some(last) = self.history.messages.last() else {
            return false;
        };
        let node = self.history.nodes(last)[0];
        let first = self.arrangement.graph.entry(log, node);
        entry.message.is_some() && first.message == entry.message
    }

    /// Adds a node to the end of the history. Returns the index of its message.
    fn show(&mut self, log: &Log, node: NodeId) -> Option<usize> {
        let entry = self.arrangement.graph.entry(log, node);
        let goes_on = self.goes_on(log, entry);
        self.history.walk.push(node);
        let kind = self.arrangement.commands.kind_of(entry)?;
        let place = self.history.nodes.len() as u32;
        self.history.nodes.push(node);
        let messages = &mut self.history.messages;
        match messages.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.nodes.end = place + 1;
                last.left_out = false;
            }
            None => messages.push(Message {
                speaker: Speaker::of(entry.kind),
                kind,
                nodes: Range { start: place, end: place + 1 },
                group: self.arrangement.paths.group_of(node),
                left_out: false,
            }),
        }
        Some(messages.len() - 1)
    }

    /// Returns the index of the message that makes a call, or zero if it is not among the last messages.
    fn message_of(&self, log: &Log, call: Symbol) -> usize {
        let graph = &self.arrangement.graph;
        let makes = |message: &Message| {
            let mut nodes = self.history.nodes(message).iter();
            unspool_work::add(nodes.len());
            nodes.any(|&node| {
                let mut calls = log.calls_of(graph.entry(log, node));
                calls.any(|block| block.call == Some(call))
            })
        };
        let messages = &self.history.messages;
        let start = messages.len().saturating_sub(NEAR);
        let found = messages[start..].iter().rposition(makes);
        found.map_or(0, |at| start + at)
    }
}
