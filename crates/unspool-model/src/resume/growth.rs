//! What a new line changes in a resumption.
//!
//! Most lines that a client appends hang on the entry that it wrote last. For these the ten
//! steps give the same list as before, followed by the new entry. [`Growth`] knows on which entry
//! a log goes on like that, and what a new entry must not name: answers and calls of which
//! records are off the walk, because those records would move. Every line that it is not sure
//! of [breaks](Effect::Breaks) what is known, and the caller follows the rule from the start.
//!
//! It costs one more pass over the entries when it is made, and a few comparisons for each
//! line afterwards.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use crate::entry::{Block, BlockKind, Entry, EntryKind, Flags};
use crate::node::{Node, NodeTable};
use crate::positions::{EntryIndex, NodeId};
use crate::symbols::Symbol;

use super::links::{Links, is_read};
use super::{Resumption, leaf, walk};

/// How far back on the list the leaf of a `last-prompt` line is looked for.
const NEAR: usize = 64;

/// What a new entry does to a resumption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Nothing: the client does not read it as part of the conversation.
    None,
    /// It follows the last entry; the next prompt would hang on `tip`.
    Follows {
        /// The node that the next prompt would hang on.
        tip: NodeId,
    },
    /// Anything: the rule must be followed from the start.
    Breaks,
}

/// What must be known of a resumption to add an entry to it.
pub(crate) struct Growth {
    /// The node that the next entry must hang on; none where every line may change anything.
    end: Option<NodeId>,
    /// Whether the last compaction keeps messages.
    keeps: bool,
    /// How many lines of the client follow the deepest entry on the list.
    tail: usize,
    /// Whether records that the walk missed follow the deepest entry.
    is_followed: bool,
    /// Whether the walk begins with the last entry of the main conversation.
    is_last: bool,
    /// Answers and calls that entries outside the walk name.
    contested: HashSet<Symbol, FixedState>,
    /// The first node after the last compaction.
    first: NodeId,
    /// A uuid with a symbol from here on is new.
    fresh: usize,
}

impl Growth {
    /// Finds out how a resumption can grow.
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

    /// Returns the last of the entries that follow each other from the deepest one, if nothing
    /// else hangs on them.
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

    fn contest(&mut self, links: &Links<'_>, on_walk: &[bool]) {
        for node in links.in_order().filter(|&node| !on_walk[node]) {
            let parent = links.known_parent(node);
            let answer = parent.and_then(|parent| links.entry(parent).message);
            self.contested.extend(links.entry(node).message);
            self.contested.extend(links.results(node));
            self.contested.extend(answer.filter(|_| links.results(node).next().is_some()));
        }
        // A result that hangs elsewhere goes with the answer that makes its call.
        for node in links.in_order().filter(|&node| on_walk[node]) {
            if links.calls(node).any(|call| self.contested.contains(&call)) {
                self.contested.extend(links.entry(node).message);
            }
        }
    }

    /// Tells what the entry at a place of the log does; `tip` is the node that the next prompt
    /// would hang on without it.
    pub(crate) fn effect(
        &self,
        table: NodeTable<'_>,
        resumption: &Resumption,
        tip: NodeId,
        index: EntryIndex,
    ) -> Effect {
        let log = table.log;
        let entry = &log.entries[index];
        let is_fresh = |uuid: Symbol| uuid.index() >= self.fresh;
        let is_bridged = resumption.cut.is_some() || !resumption.bridges.is_empty();
        let pin = log.facts.last_prompt.filter(|pin| pin.entry == index);
        if pin.is_some_and(|pin| !self.keeps_start(table, resumption, pin.leaf, pin.explicit)) {
            return Effect::Breaks;
        }
        match (entry.kind, entry.uuid) {
            (EntryKind::Fragment, _) => Effect::None,
            (_, Some(uuid)) if !is_fresh(uuid) => Effect::Breaks,
            (EntryKind::Metadata, _) => Effect::None,
            (EntryKind::Progress, _) => Effect::Breaks,
            (_, None) if log.blocks_of(entry).is_empty() && !is_special(entry) => Effect::None,
            (_, None) => Effect::Breaks,
            // A line that the walk does not begin with may replace an unknown parent.
            (EntryKind::System | EntryKind::Attachment, _) if self.keeps && is_bridged => {
                Effect::Breaks
            }
            (_, Some(uuid)) if self.follows(table, entry, uuid) => {
                match tip_after(table, resumption, tip, entry) {
                    Some(tip) => Effect::Follows { tip },
                    None => Effect::Breaks,
                }
            }
            (_, Some(_)) => Effect::Breaks,
        }
    }

    /// Tells whether the walk begins where it began after a `last-prompt` line.
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

    /// Returns the deepest entry and those above it, as far as records name them and no
    /// compaction comes between.
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

    /// Tells whether an entry hangs on the end and moves nothing else.
    fn follows(&self, table: NodeTable<'_>, entry: &Entry, uuid: Symbol) -> bool {
        let log = table.log;
        let end = self.end.map(|end| &table.nodes[end]);
        let end = end.and_then(|end| log.entries[end.content].uuid);
        let hangs = end.is_some() && entry.parent == end && entry.logical_parent.is_none();
        let may_be_named = |symbol: Symbol| !self.contested.contains(&symbol);
        let blocks = log.blocks_of(entry);
        let fits = |block: &Block| match (block.kind, block.call) {
            (BlockKind::Result(_), Some(call)) => !self.is_followed && may_be_named(call),
            (BlockKind::Call, Some(call)) => call > uuid,
            _ => true,
        };
        hangs
            && !is_special(entry)
            && entry.message.is_none_or(may_be_named)
            && blocks.iter().all(fits)
    }

    /// Notes that an entry does nothing; its names are no longer new.
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

/// Finds the tip after an entry was added; none where other answers decide it.
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
        // An answer that says something is kept whole, one that only thinks is dropped whole.
        EntryKind::Assistant if last.message == entry.message => {
            Some(if tip == node { new } else { tip })
        }
        EntryKind::Assistant if is_new && has(last, says) => Some(node),
        EntryKind::Assistant => None,
        _ => is_new.then_some(node),
    }
}

/// Returns the nodes of compactions.
fn boundaries(table: NodeTable<'_>) -> impl Iterator<Item = NodeId> {
    let compactions = table.log.compactions.iter();
    compactions.filter_map(move |compaction| {
        let uuid = table.log.entries[compaction.entry].uuid?;
        table.node(uuid)
    })
}

/// Tells whether more is to be known of an entry than what it hangs on.
fn is_special(entry: &Entry) -> bool {
    let special = [Flags::BOUNDARY, Flags::COMPACTING, Flags::FLAT, Flags::UNREAD];
    special.into_iter().any(|flag| entry.flags.has(flag))
}
