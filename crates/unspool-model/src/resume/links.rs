//! Steps 1 and 3: the entries that the client reads, and the parent that each has for it.

use crate::entry::{BlockKind, Entry, EntryKind, Flags};
use crate::log::{Compaction, Log};
use crate::symbols::Symbol;

use super::Table;

/// Stands for "has no parent".
pub(super) const ROOT: u32 = u32::MAX;
/// Stands for "names a parent that is not an entry".
pub(super) const UNKNOWN: u32 = u32::MAX - 1;

/// The entries that the client reads and how they hang together for it.
pub(super) struct Links<'a> {
    table: Table<'a>,
    /// Whether the client reads a node, and has not forgotten it.
    known: Vec<bool>,
    /// The parent of each node, [`ROOT`] or [`UNKNOWN`].
    parent: Vec<u32>,
    /// The nodes in order of the last record of each; none if that is the order of the nodes.
    order: Option<Vec<u32>>,
    /// Whether the last compaction keeps messages.
    pub(super) keeps: bool,
    /// Nodes whose parent was forgotten and that hang on the last kept message, in order.
    pub(super) adopted: Vec<u32>,
}

impl<'a> Links<'a> {
    pub(super) fn new(table: Table<'a>) -> Self {
        let known: Vec<bool> = table
            .nodes
            .iter()
            .map(|node| is_read(&table.log.entries[node.content as usize]))
            .collect();
        let moved = table.nodes.iter().any(|node| node.place != node.content);
        let order = moved.then(|| {
            let mut order: Vec<u32> = (0..table.nodes.len() as u32).collect();
            order.sort_by_key(|&node| table.nodes[node as usize].content);
            order
        });
        let mut links = Self {
            table,
            known,
            parent: Vec::new(),
            order,
            keeps: false,
            adopted: Vec::new(),
        };
        links.parent = links.named_parents();
        links.keep_messages();
        links
    }

    pub(super) fn log(&self) -> &'a Log {
        self.table.log
    }

    pub(super) fn len(&self) -> usize {
        self.table.nodes.len()
    }

    /// Returns the record that counts for a node.
    pub(super) fn entry(&self, node: u32) -> &'a Entry {
        &self.table.log.entries[self.position(node) as usize]
    }

    /// Returns where the last record of a node stands in the file.
    pub(super) fn position(&self, node: u32) -> u32 {
        self.table.nodes[node as usize].content
    }

    /// Returns where the first record of a node stands in the file.
    pub(super) fn first_position(&self, node: u32) -> u32 {
        self.table.nodes[node as usize].place
    }

    /// Returns the entry that has a uuid.
    pub(super) fn find(&self, uuid: Symbol) -> Option<u32> {
        self.table.node(uuid).filter(|&node| self.is_known(node))
    }

    pub(super) fn is_known(&self, node: u32) -> bool {
        self.known[node as usize]
    }

    /// Tells whether a node belongs to the main conversation.
    pub(super) fn is_main(&self, node: u32) -> bool {
        !self.table.nodes[node as usize].sidechain
    }

    /// Tells whether a node is a record of the user or of the model.
    pub(super) fn is_message(&self, node: u32) -> bool {
        matches!(
            self.entry(node).kind,
            EntryKind::User | EntryKind::Assistant
        )
    }

    /// Returns the parent of a node, [`ROOT`] or [`UNKNOWN`].
    pub(super) fn parent(&self, node: u32) -> u32 {
        self.parent[node as usize]
    }

    /// Returns the parent of a node if it is an entry.
    pub(super) fn known_parent(&self, node: u32) -> Option<u32> {
        Some(self.parent(node)).filter(|&parent| parent < UNKNOWN)
    }

    /// Returns the known nodes in order of their last records.
    pub(super) fn in_order(&self) -> impl DoubleEndedIterator<Item = u32> {
        let at = move |index: u32| match &self.order {
            Some(order) => order[index as usize],
            None => index,
        };
        (0..self.len() as u32)
            .map(at)
            .filter(|&node| self.is_known(node))
    }

    /// Returns the ids of the calls that a record of the user answers.
    pub(super) fn results(&self, node: u32) -> impl Iterator<Item = Symbol> + use<'a> {
        let entry = self.entry(node);
        let log = self.table.log;
        let answers = entry.kind == EntryKind::User;
        log.calls_answered(entry).filter(move |_| answers)
    }

    /// Returns the ids of the calls that a record of the model makes.
    pub(super) fn calls(&self, node: u32) -> impl Iterator<Item = Symbol> + use<'a> {
        let entry = self.entry(node);
        let log = self.table.log;
        let makes = entry.kind == EntryKind::Assistant;
        log.blocks_of(entry)
            .iter()
            .filter(move |block| makes && block.kind == BlockKind::Call)
            .filter_map(|block| block.call)
    }

    /// Finds the parent that each node names. What hangs on an earlier progress line hangs on
    /// that line's parent.
    fn named_parents(&self) -> Vec<u32> {
        let (log, nodes) = (self.table.log, self.table.nodes);
        let progress = log.entries.iter().any(is_progress);
        let mut lifted = progress.then(|| lift_progress(log));
        (0u32..)
            .zip(nodes)
            .map(|(index, node)| {
                let entry = &log.entries[node.content as usize];
                let named = match &mut lifted {
                    Some(lifted) => lifted[node.content as usize],
                    None => entry.parent,
                };
                let Some(uuid) = named.filter(|_| self.is_known(index)) else {
                    return ROOT;
                };
                self.find(uuid).unwrap_or(UNKNOWN)
            })
            .collect()
    }

    /// Step 3: puts the messages that the last compaction keeps after its anchor and forgets
    /// everything else before the boundary.
    fn keep_messages(&mut self) {
        let log = self.table.log;
        let boundaries = || {
            let own = |found: &&Compaction| {
                let uuid = log.entries[found.entry as usize].uuid;
                let node = uuid.and_then(|uuid| self.find(uuid));
                node.is_some_and(|node| self.position(node) == found.entry)
            };
            log.compactions.iter().filter(own)
        };
        if !boundaries().any(|found| found.names_kept) {
            return;
        }
        let Some(last) = boundaries().next_back() else {
            return;
        };
        if !last.names_kept {
            self.forget_before(last.entry, &[]);
            self.unhang();
            return;
        }
        let anchor = last.anchor.and_then(|uuid| self.find(uuid));
        let (Some(kept), Some(anchor)) = (self.kept(last), anchor) else {
            return;
        };
        self.keeps = true;
        self.hang_kept(last.entry, &kept, anchor);
        self.unhang();
    }

    /// Makes parents unknown that were forgotten.
    fn unhang(&mut self) {
        for node in 0..self.len() as u32 {
            let parent = self.known_parent(node);
            if parent.is_some_and(|parent| !self.is_known(parent)) {
                self.parent[node as usize] = UNKNOWN;
            }
        }
    }

    /// Returns the messages that a compaction keeps; none if one is missing.
    fn kept(&self, compaction: &Compaction) -> Option<Vec<u32>> {
        if let (true, Some((head, tail))) = (compaction.preserved.is_empty(), compaction.segment) {
            return self.segment(self.find(head)?, self.find(tail)?);
        }
        if compaction.preserved.is_empty() && !compaction.names_messages {
            return None;
        }
        let kept = compaction.preserved.iter().map(|&uuid| self.find(uuid));
        kept.collect()
    }

    /// Returns the nodes from `head` down to `tail`, if the one leads to the other.
    fn segment(&self, head: u32, tail: u32) -> Option<Vec<u32>> {
        let mut walked = vec![tail];
        let mut at = tail;
        while at != head {
            at = self.known_parent(at)?;
            walked.push(at);
            // A cycle never gets to the head.
            if walked.len() > self.len() {
                return None;
            }
        }
        walked.reverse();
        Some(walked)
    }

    fn hang_kept(&mut self, boundary: u32, kept: &[u32], anchor: u32) {
        let mut is_kept = vec![false; self.len()];
        for &node in kept {
            is_kept[node as usize] = true;
        }
        let last = kept.last().copied().unwrap_or(anchor);
        for (parent, kept) in self.parent.iter_mut().zip(&is_kept) {
            if *parent == anchor && !kept {
                *parent = last;
            }
        }
        let mut before = anchor;
        for &node in kept {
            self.parent[node as usize] = before;
            before = node;
        }
        is_kept[anchor as usize] = true;
        let stays: Vec<u32> = (0u32..)
            .zip(&is_kept)
            .filter_map(|(node, &stays)| stays.then_some(node))
            .collect();
        self.forget_before(boundary, &stays);
        for node in 0..self.len() as u32 {
            let forgotten = |parent: u32| !self.known[parent as usize];
            let orphan = self.known_parent(node).is_some_and(forgotten);
            if orphan && self.is_known(node) && self.position(node) > boundary {
                self.parent[node as usize] = last;
                self.adopted.push(node);
            }
        }
    }

    /// Forgets what stands before a record, but for some nodes that are given in order.
    fn forget_before(&mut self, record: u32, stays: &[u32]) {
        for node in 0..self.len() as u32 {
            if self.position(node) < record && stays.binary_search(&node).is_err() {
                self.known[node as usize] = false;
            }
        }
    }
}

/// Tells whether the client reads a record as an entry.
pub(super) fn is_read(entry: &Entry) -> bool {
    let kind = matches!(
        entry.kind,
        EntryKind::User | EntryKind::Assistant | EntryKind::System | EntryKind::Attachment
    );
    kind && !entry.flags.has(Flags::UNREAD)
}

fn is_progress(entry: &Entry) -> bool {
    entry.kind == EntryKind::Progress && !entry.flags.has(Flags::UNREAD)
}

/// Returns the parent that each record names, with progress lines before it left out.
fn lift_progress(log: &Log) -> Vec<Option<Symbol>> {
    let mut stands_for: Vec<Option<Option<Symbol>>> = vec![None; log.symbols.len()];
    let mut parents = Vec::with_capacity(log.entries.len());
    for entry in &log.entries {
        let parent = entry
            .parent
            .and_then(|uuid| stands_for[uuid.index()].unwrap_or(Some(uuid)));
        parents.push(parent);
        if let Some(uuid) = entry.uuid.filter(|_| is_progress(entry)) {
            stands_for[uuid.index()] = Some(parent);
        }
    }
    parents
}
