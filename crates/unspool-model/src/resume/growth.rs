//! The effect of a new line on a resumption.
//!
//! Most lines that a client appends hang on the entry that it wrote last. For these the ten
//! steps give the same list as before, followed by the new entry. [`ResumptionGrowth`] knows the entry on
//! which a log continues like that, and what a new entry must not name: answers and calls with
//! records off the walk, because those records would move. Any line that it is not sure about
//! [breaks](GrowthEffect::Breaks) the resumption, and the caller applies the rule from the start.
//!
//! Creating it takes one more pass over the entries; each line afterwards takes a few comparisons.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use crate::entry::{Block, BlockKind, Entry, EntryKind, Flags};
use crate::node::{Node, NodeTable};
use crate::positions::{EntryIndex, NodeId};
use crate::symbols::Symbol;

use super::links::{Links, is_read};
use super::{Resumption, leaf, walk};

/// Number of entries, from the deepest up, that are searched for the leaf of a `last-prompt` line.
const NEAR: usize = 64;

/// The effect of a new entry on a resumption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GrowthEffect {
    /// None: the client does not read the entry as part of the conversation.
    None,
    /// The entry follows the last one; the next prompt would hang on `tip`.
    Follows {
        /// The node that the next prompt would hang on.
        tip: NodeId,
    },
    /// Unknown: the rule must be applied from the start.
    Breaks,
}

/// The facts about a resumption that are needed to add an entry.
pub(crate) struct ResumptionGrowth {
    /// The node that the next entry must hang on; `None` if any line may change anything.
    end: Option<NodeId>,
    /// Set if the last compaction keeps messages.
    keeps: bool,
    /// Number of the client's lines after the deepest entry on the list.
    tail: usize,
    /// Set if records that the walk missed come after the deepest entry.
    is_followed: bool,
    /// Set if the walk begins at the last entry of the main conversation.
    is_last: bool,
    /// Answers and calls that entries off the walk name.
    contested: HashSet<Symbol, FixedState>,
    /// The first node after the last compaction.
    first: NodeId,
    /// Uuids with symbols from this index on are new.
    fresh: usize,
}

impl ResumptionGrowth {
    /// Computes how a resumption can grow.
    pub(crate) fn new(table: NodeTable<'_>, resumption: &Resumption) -> Self {
        let links = Links::new(table);
        let mut growth = Self {
            end: None,
            keeps: links.keeps,
            tail: 0,
            is_followed: false,
            is_last: false,
            contested: HashSet::default(),
            first: NodeId::at(boundaries(table).max().map_or(0, |node| node.index() + 1)),
            fresh: table.log.symbols.len(),
        };
        let Some(start) = leaf::start(&links) else {
            return growth;
        };
        let mut on_walk = vec![false; links.len()];
        for node in walk::ResumeWalk::up(&links, start.node).nodes {
            on_walk[node] = true;
        }
        growth.is_last = start.node == start.last;
        growth.measure_tail(&links, resumption, &on_walk);
        growth.end = growth.find_end(&links, resumption);
        if growth.end.is_some() {
            growth.contest(&links, &on_walk);
        }
        growth
    }

    fn measure_tail(&mut self, links: &Links<'_>, resumption: &Resumption, on_walk: &[bool]) {
        let is_line = |node: &&NodeId| !on_walk[**node] && !links.is_message(**node);
        let tail = resumption.list.iter().rev().take_while(is_line);
        self.tail = tail.count();
        let rest = &resumption.list[..resumption.list.len() - self.tail];
        self.is_followed = rest.last() != resumption.deepest.as_ref();
    }

    /// Returns the last entry of the chain from the deepest entry through the tail, if nothing
    /// else hangs on that chain.
    fn find_end(&self, links: &Links<'_>, resumption: &Resumption) -> Option<NodeId> {
        let deepest = resumption.deepest?;
        let has_lines = if self.keeps { links.is_message(deepest) } else { self.tail == 0 };
        let tail = &resumption.list[resumption.list.len() - self.tail..];
        let mut end = deepest;
        let mut chain = vec![false; links.len()];
        chain[deepest] = true;
        for &line in tail {
            if links.known_parent(line) != Some(end) {
                return None;
            }
            chain[line] = true;
            end = line;
        }
        let hangs = |node: &NodeId| {
            let parent = links.known_parent(*node);
            parent.is_some_and(|parent| chain[parent])
        };
        let is_alone = links.in_order().filter(hangs).count() == self.tail;
        let uuid = links.entry(end).uuid;
        let shares = |entry: &&Entry| entry.uuid == uuid;
        let is_sole = links.log().entries.iter().filter(shares).count() == 1;
        // An entry that hangs on a later one may close a cycle, which is cut where the walk ends.
        let is_back = |node: NodeId| links.known_parent(node).is_none_or(|parent| parent < node);
        let is_ordered = links.in_order().all(is_back);
        let is_kept = end < self.first;
        let may_follow = links.is_main(end) && is_sole && !is_kept;
        (has_lines && is_alone && is_ordered && may_follow).then_some(end)
    }

    /// Collects the answers and calls that a new entry must not name.
    fn contest(&mut self, links: &Links<'_>, on_walk: &[bool]) {
        for node in links.in_order().filter(|&node| !on_walk[node]) {
            let parent = links.known_parent(node);
            let answer = parent.and_then(|parent| links.entry(parent).message);
            self.contested.extend(links.entry(node).message);
            self.contested.extend(links.results(node));
            self.contested.extend(answer.filter(|_| links.results(node).next().is_some()));
        }
        // A result that hangs elsewhere belongs to the answer that makes its call.
        for node in links.in_order().filter(|&node| on_walk[node]) {
            if links.calls(node).any(|call| self.contested.contains(&call)) {
                self.contested.extend(links.entry(node).message);
            }
        }
    }

    /// Returns the effect of the entry at a position of the log; `tip` is the node that the
    /// next prompt would hang on without it.
    pub(crate) fn effect(
        &self,
        table: NodeTable<'_>,
        resumption: &Resumption,
        tip: NodeId,
        index: EntryIndex,
    ) -> GrowthEffect {
        let log = table.log;
        let entry = &log.entries[index];
        let is_fresh = |uuid: Symbol| uuid.index() >= self.fresh;
        let is_bridged = resumption.cut.is_some() || !resumption.bridges.is_empty();
        let pin = log.facts.last_prompt.filter(|pin| pin.entry == index);
        if pin.is_some_and(|pin| !self.keeps_start(table, resumption, pin.leaf, pin.explicit)) {
            return GrowthEffect::Breaks;
        }
        match (entry.kind, entry.uuid) {
            (EntryKind::Fragment, _) => GrowthEffect::None,
            (_, Some(uuid)) if !is_fresh(uuid) => GrowthEffect::Breaks,
            (EntryKind::Metadata, _) => GrowthEffect::None,
            (EntryKind::Progress, _) => GrowthEffect::Breaks,
            // Without a uuid an entry is not a node, but a result in it would answer a call.
            (_, None) if log.blocks_of(entry).is_empty() && !is_special(entry) => {
                GrowthEffect::None
            }
            (_, None) => GrowthEffect::Breaks,
            // A line off the walk may become the replacement of an unknown parent.
            (EntryKind::System | EntryKind::Attachment, _) if self.keeps && is_bridged => {
                GrowthEffect::Breaks
            }
            (_, Some(uuid)) if self.follows(table, entry, uuid) => {
                match tip_after(table, resumption, tip, entry) {
                    Some(tip) => GrowthEffect::Follows { tip },
                    None => GrowthEffect::Breaks,
                }
            }
            (_, Some(_)) => GrowthEffect::Breaks,
        }
    }

    /// Tells whether the walk begins at the same entry after a new `last-prompt` line.
    fn keeps_start(
        &self,
        table: NodeTable<'_>,
        resumption: &Resumption,
        leaf: Option<Symbol>,
        explicit: bool,
    ) -> bool {
        let Some(leaf) = leaf.and_then(|uuid| table.node(uuid)) else {
            return false;
        };
        if !self.is_last || self.end.is_none() {
            return false;
        }
        let mut chain = self.chain(table, resumption.deepest);
        Some(leaf) == resumption.deepest || (!explicit && chain.any(|node| node == leaf))
    }

    /// Returns the deepest entry and the entries above it, as far as records name them without
    /// a copy or a compaction in between.
    fn chain<'a>(
        &self,
        table: NodeTable<'a>,
        deepest: Option<NodeId>,
    ) -> impl Iterator<Item = NodeId> + use<'a> {
        let first = self.first;
        let above = move |&node: &NodeId| {
            let content = table.nodes[node].content;
            let parent = table.log.entries[content].parent?;
            let parent = table.node(parent)?;
            let Node { place, content, .. } = table.nodes[parent];
            let is_plain = place == content && is_read(&table.log.entries[content]);
            (is_plain && parent >= first).then_some(parent)
        };
        std::iter::successors(deepest, above).take(NEAR)
    }

    /// Tells whether an entry hangs on the end and moves no other record.
    fn follows(&self, table: NodeTable<'_>, entry: &Entry, uuid: Symbol) -> bool {
        let log = table.log;
        let end = self.end.map(|end| &table.nodes[end]);
        let end = end.and_then(|end| log.entries[end.content].uuid);
        let hangs = end.is_some() && entry.parent == end && entry.logical_parent.is_none();
        let may_be_named = |symbol: Symbol| !self.contested.contains(&symbol);
        let blocks = log.blocks_of(entry);
        let fits = |block: &Block| match (block.kind, block.call) {
            (BlockKind::Result(_), Some(call)) => !self.is_followed && may_be_named(call),
            // Symbols are numbered in the order of the file, so a call with a higher number
            // than the uuid is new.
            (BlockKind::Call, Some(call)) => call > uuid,
            _ => true,
        };
        hangs
            && !is_special(entry)
            && entry.message.is_none_or(may_be_named)
            && blocks.iter().all(fits)
    }

    /// Skips an entry without effect; its uuid is known afterwards.
    pub(crate) fn pass(&mut self, entry: &Entry) {
        if let Some(uuid) = entry.uuid {
            self.fresh = self.fresh.max(uuid.index() + 1);
        }
    }

    /// Adds an entry that follows, as a node.
    pub(crate) fn follow(&mut self, resumption: &mut Resumption, entry: &Entry, node: NodeId) {
        self.pass(entry);
        self.end = Some(node);
        self.is_last = true;
        resumption.list.push(node);
        let is_message = matches!(entry.kind, EntryKind::User | EntryKind::Assistant);
        if self.keeps && !is_message {
            self.tail += 1;
        } else {
            self.tail = 0;
            self.is_followed = false;
            resumption.deepest = Some(node);
        }
    }
}

/// Returns the tip after an entry was added, or `None` if other answers decide it.
fn tip_after(
    table: NodeTable<'_>,
    resumption: &Resumption,
    tip: NodeId,
    entry: &Entry,
) -> Option<NodeId> {
    let log = table.log;
    let new = NodeId::at(table.nodes.len());
    let has = |entry: &Entry, what: fn(BlockKind) -> bool| {
        let mut blocks = log.blocks_of(entry).iter();
        blocks.any(|block| what(block.kind))
    };
    let speaks = |kind: BlockKind| kind != BlockKind::Thinking;
    if entry.kind != EntryKind::Assistant || has(entry, speaks) {
        return Some(new);
    }
    let node = *resumption.list.last()?;
    let last = &log.entries[table.nodes[node].content];
    let is_new = entry.message? > entry.uuid?;
    let says = |kind: BlockKind| !matches!(kind, BlockKind::Thinking | BlockKind::Call);
    match last.kind {
        _ if entry.flags.has(Flags::API_ERROR) => None,
        // An answer that says something is kept as a whole; one that only thinks is dropped as a whole.
        EntryKind::Assistant if last.message == entry.message => {
            Some(if tip == node { new } else { tip })
        }
        EntryKind::Assistant if is_new && has(last, says) => Some(node),
        EntryKind::Assistant => None,
        _ => is_new.then_some(node),
    }
}

/// Returns the boundary nodes of the compactions.
fn boundaries(table: NodeTable<'_>) -> impl Iterator<Item = NodeId> {
    let compactions = table.log.compactions.iter();
    compactions.filter_map(move |compaction| {
        let uuid = table.log.entries[compaction.entry].uuid?;
        table.node(uuid)
    })
}

/// Tells whether an entry may have effects other than extending the chain.
fn is_special(entry: &Entry) -> bool {
    let special = [Flags::BOUNDARY, Flags::COMPACTING, Flags::FLAT, Flags::UNREAD];
    special.into_iter().any(|flag| entry.flags.has(flag))
}
