//! Steps 9 and 10: what is sent of the context, and the tip.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use crate::entry::{BlockKind, Entry, EntryKind, Flags, MessageKind, Verdict};
use crate::log::Log;
use crate::node::NodeTable;
use crate::positions::{EntryIndex, NodeId};
use crate::symbols::{Symbol, SymbolSet};

use super::Resumption;

/// The part of a context that the client sends.
#[derive(Clone, Default, Debug)]
pub(crate) struct Sent {
    /// The nodes of which at least a part is sent, in order.
    pub(crate) nodes: Vec<NodeId>,
    /// Blocks of these nodes that are not sent, by their index in the log.
    pub(crate) omitted: HashSet<u32, FixedState>,
    /// The result that is sent for each call: its entry, its block in that entry, and the
    /// verdict. The client makes up a result for calls that are sent and have none here.
    pub(crate) results: HashMap<Symbol, (EntryIndex, u32, Verdict), FixedState>,
    /// The entry that the next prompt hangs on.
    pub(crate) tip: Option<NodeId>,
}

/// The owner of a record: an answer by its id, or the record itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Answer(Symbol),
    Record(NodeId),
}

/// A set of owners.
struct Owners {
    answers: SymbolSet,
    records: HashSet<NodeId, FixedState>,
}

impl Owners {
    fn none_of(log: &Log) -> Self {
        Self { answers: SymbolSet::of(&log.symbols), records: HashSet::default() }
    }

    fn insert(&mut self, owner: Owner) {
        match owner {
            Owner::Answer(message) => self.answers.insert(message),
            Owner::Record(node) => self.records.insert(node),
        };
    }

    fn contain(&self, owner: Owner) -> bool {
        match owner {
            Owner::Answer(message) => self.answers.contains(message),
            Owner::Record(node) => self.records.contains(&node),
        }
    }
}

impl Sent {
    pub(crate) fn new(table: NodeTable<'_>, resumption: &Resumption) -> Self {
        let context = &resumption.list[resumption.context..];
        let mut sending = ContextBuilder::new(table, context);
        for &node in context {
            sending.take(node);
        }
        let mut sent = std::mem::take(&mut sending.sent);
        let silent = |node: NodeId| {
            let owner = owner(table, node);
            owner.is_some_and(|owner| sending.is_silent(owner))
        };
        sent.nodes.retain(|&node| !silent(node));
        let dropped =
            |node: &NodeId| silent(*node) && !table.entry(*node).flags.has(Flags::API_ERROR);
        sent.tip = resumption.list.iter().rev().copied().find(|node| !dropped(node));
        sent
    }
}

fn owner(table: NodeTable<'_>, node: NodeId) -> Option<Owner> {
    let entry = table.entry(node);
    let alone = Owner::Record(node);
    (entry.kind == EntryKind::Assistant).then(|| entry.message.map_or(alone, Owner::Answer))
}

/// Processes a context record by record.
struct ContextBuilder<'a> {
    table: NodeTable<'a>,
    sent: Sent,
    /// Calls that have a result anywhere in the context.
    answered: SymbolSet,
    /// Calls that are sent.
    known: SymbolSet,
    /// Answers of which a record was processed.
    seen: Owners,
    /// Answers of which anything but thinking is sent.
    speaking: Owners,
    /// The last two places where the conversation continues, with different owners.
    goes_on: [Option<(usize, Option<Owner>)>; 2],
    at: usize,
}

impl<'a> ContextBuilder<'a> {
    fn new(table: NodeTable<'a>, context: &[NodeId]) -> Self {
        let log = table.log;
        let mut sending = Self {
            table,
            sent: Sent::default(),
            answered: SymbolSet::of(&log.symbols),
            known: SymbolSet::of(&log.symbols),
            seen: Owners::none_of(log),
            speaking: Owners::none_of(log),
            goes_on: [None, None],
            at: 0,
        };
        for (at, &node) in context.iter().enumerate() {
            let entry = table.entry(node);
            if entry.kind == EntryKind::User {
                sending.answered.extend(log.calls_answered(entry));
            }
            // Two places with different owners are enough to tell whether anything follows a given answer.
            if goes_on(log, entry) {
                let owner = owner(table, node);
                if sending.goes_on[0].is_none_or(|(_, other)| owner.is_none() || other != owner) {
                    sending.goes_on[1] = sending.goes_on[0];
                }
                sending.goes_on[0] = Some((at, owner));
            }
        }
        sending
    }

    fn take(&mut self, node: NodeId) {
        let entry = self.table.entry(node);
        match entry.kind {
            _ if entry.flags.has(Flags::API_ERROR) => {}
            EntryKind::Assistant => self.take_answer(node, entry),
            EntryKind::User => self.take_user(node, entry),
            EntryKind::System | EntryKind::Attachment => self.sent.nodes.push(node),
            EntryKind::Progress | EntryKind::Metadata | EntryKind::Fragment => {}
        }
        self.at += 1;
    }

    fn take_answer(&mut self, node: NodeId, entry: &Entry) {
        self.sent.nodes.push(node);
        let Some(owner) = owner(self.table, node) else {
            return;
        };
        let is_last = self.is_last(owner);
        let mut speaks = false;
        for (place, block) in entry.blocks.indices().zip(self.table.log.blocks_of(entry)) {
            let goes = match (block.kind, block.call) {
                (BlockKind::Call, Some(call)) => {
                    // A call without a result is sent only if nothing else follows its answer.
                    let wanted = is_last || self.answered.contains(call);
                    wanted && self.known.insert(call)
                }
                (BlockKind::Thinking, _) => continue,
                _ => true,
            };
            speaks |= goes;
            if !goes {
                self.sent.omitted.insert(place as u32);
            }
        }
        self.seen.insert(owner);
        if speaks {
            self.speaking.insert(owner);
        }
    }

    fn take_user(&mut self, node: NodeId, entry: &Entry) {
        self.sent.nodes.push(node);
        let content = self.table.nodes[node].content;
        for (position, block) in (0u32..).zip(self.table.log.blocks_of(entry)) {
            if let (BlockKind::Result(verdict), Some(call)) = (block.kind, block.call)
                && self.known.contains(call)
            {
                let result = (content, position, verdict);
                self.sent.results.entry(call).or_insert(result);
            }
        }
    }

    /// Tells whether only results and lines of the client follow an answer.
    fn is_last(&self, owner: Owner) -> bool {
        let other = |found: &&(usize, Option<Owner>)| found.1 != Some(owner);
        let after = self.goes_on.iter().flatten().find(other);
        after.is_none_or(|&(place, _)| place < self.at)
    }

    /// Tells whether only thinking is left of an answer.
    fn is_silent(&self, owner: Owner) -> bool {
        self.seen.contain(owner) && !self.speaking.contain(owner)
    }
}

/// Tells whether the conversation continues with a record, so that open calls before it stay
/// without an answer.
fn goes_on(log: &Log, entry: &Entry) -> bool {
    match entry.kind {
        EntryKind::Assistant => !entry.flags.has(Flags::API_ERROR),
        EntryKind::User => log.calls_answered(entry).next().is_none(),
        EntryKind::Attachment => entry.says == Some(MessageKind::Queued),
        _ => false,
    }
}
