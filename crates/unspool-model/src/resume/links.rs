//! Steps 1 and 3: the entries that the client reads, and the parent of each.

use crate::entry::{Entry, EntryKind, Flags};
use crate::log::{Compaction, Log};
use crate::node::NodeTable;
use crate::positions::{EntryIndex, NodeId};
use crate::symbols::Symbol;

/// The parent of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ParentLink {
    /// The record names no parent.
    Root,
    /// The record names a parent that is not an entry.
    Unknown,
    /// Another node.
    Node(NodeId),
}

/// The entries that the client reads, linked as in the client.
pub(super) struct Links<'a> {
    table: NodeTable<'a>,
    /// Set if the client reads a node and has not forgotten it.
    known: Vec<bool>,
    /// The parent of each node.
    parent: Vec<ParentLink>,
    /// The nodes in the order of their last records; `None` if that is the order of the nodes.
    order: Option<Vec<NodeId>>,
    /// Set if the last compaction keeps messages.
    pub(super) keeps: bool,
    /// Nodes whose parent was forgotten and that hang on the last kept message instead, in order.
    pub(super) adopted: Vec<NodeId>,
}

impl<'a> Links<'a> {
    pub(super) fn new(table: NodeTable<'a>) -> Self {
        let known: Vec<bool> =
            table.nodes.iter().map(|node| is_read(&table.log.entries[node.content])).collect();
        let moved = table.nodes.iter().any(|node| node.place != node.content);
        let order = moved.then(|| {
            let mut order: Vec<NodeId> = NodeId::all(table.nodes.len()).collect();
            order.sort_by_key(|&node| table.nodes[node].content);
            order
        });
        let mut links =
            Self { table, known, parent: Vec::new(), order, keeps: false, adopted: Vec::new() };
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
    pub(super) fn entry(&self, node: NodeId) -> &'a Entry {
        &self.table.log.entries[self.position(node)]
    }

    /// Returns the position of a node's last record.
    pub(super) fn position(&self, node: NodeId) -> EntryIndex {
        self.table.nodes[node].content
    }

    /// Returns the position of a node's first record.
    pub(super) fn first_position(&self, node: NodeId) -> EntryIndex {
        self.table.nodes[node].place
    }

    /// Returns the entry with a uuid.
    pub(super) fn find(&self, uuid: Symbol) -> Option<NodeId> {
        self.table.node(uuid).filter(|&node| self.is_known(node))
    }

    pub(super) fn is_known(&self, node: NodeId) -> bool {
        self.known[node]
    }

    /// Tells whether a node belongs to the main conversation.
    pub(super) fn is_main(&self, node: NodeId) -> bool {
        !self.table.nodes[node].sidechain
    }

    /// Tells whether a node is a record of the user or of the model.
    pub(super) fn is_message(&self, node: NodeId) -> bool {
        matches!(self.entry(node).kind, EntryKind::User | EntryKind::Assistant)
    }

    /// Tells whether a node names no parent.
    pub(super) fn is_root(&self, node: NodeId) -> bool {
        self.parent[node] == ParentLink::Root
    }

    /// Returns the parent of a node if it is an entry.
    pub(super) fn known_parent(&self, node: NodeId) -> Option<NodeId> {
        match self.parent[node] {
            ParentLink::Node(parent) => Some(parent),
            ParentLink::Root | ParentLink::Unknown => None,
        }
    }

    /// Returns the known nodes in the order of their last records.
    pub(super) fn in_order(&self) -> impl DoubleEndedIterator<Item = NodeId> {
        let at = move |index: NodeId| match &self.order {
            Some(order) => order[index],
            None => index,
        };
        NodeId::all(self.len()).map(at).filter(|&node| self.is_known(node))
    }

    /// Returns the ids of the calls that a record of the user answers.
    pub(super) fn results(&self, node: NodeId) -> impl Iterator<Item = Symbol> + use<'a> {
        let entry = self.entry(node);
        let log = self.table.log;
        let answers = entry.kind == EntryKind::User;
        log.calls_answered(entry).filter(move |_| answers)
    }

    /// Returns the ids of the calls that a record of the model makes.
    pub(super) fn calls(&self, node: NodeId) -> impl Iterator<Item = Symbol> + use<'a> {
        let entry = self.entry(node);
        let log = self.table.log;
        let makes = entry.kind == EntryKind::Assistant;
        log.calls_of(entry).filter(move |_| makes).filter_map(|block| block.call)
    }

    /// Finds the parent that each node names. An entry that hangs on an earlier progress line
    /// gets the parent of that line.
    fn named_parents(&self) -> Vec<ParentLink> {
        let (log, nodes) = (self.table.log, self.table.nodes);
        let progress = log.entries.iter().any(is_progress);
        let mut lifted = progress.then(|| lift_progress(log));
        NodeId::enumerate(nodes)
            .map(|(index, node)| {
                let entry = &log.entries[node.content];
                let named = match &mut lifted {
                    Some(lifted) => lifted[node.content],
                    None => entry.parent,
                };
                let Some(uuid) = named.filter(|_| self.is_known(index)) else {
                    return ParentLink::Root;
                };
                self.find(uuid).map_or(ParentLink::Unknown, ParentLink::Node)
            })
            .collect()
    }

    /// Step 3: puts the messages that the last compaction keeps after its anchor and forgets
    /// everything else before the boundary.
    fn keep_messages(&mut self) {
        let log = self.table.log;
        let boundaries = || {
            // A boundary does not count if a later record has its uuid.
            let own = |found: &&Compaction| {
                let uuid = log.entries[found.entry].uuid;
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

    /// Marks parents that were forgotten as unknown.
    fn unhang(&mut self) {
        for node in NodeId::all(self.len()) {
            let parent = self.known_parent(node);
            if parent.is_some_and(|parent| !self.is_known(parent)) {
                self.parent[node] = ParentLink::Unknown;
            }
        }
    }

    /// Returns the messages that a compaction keeps, or `None` if one is missing.
    fn kept(&self, compaction: &Compaction) -> Option<Vec<NodeId>> {
        if let (true, Some((head, tail))) = (compaction.preserved.is_empty(), compaction.segment) {
            return self.segment(self.find(head)?, self.find(tail)?);
        }
        if compaction.preserved.is_empty() && !compaction.names_messages {
            return None;
        }
        let kept = compaction.preserved.iter().map(|&uuid| self.find(uuid));
        kept.collect()
    }

    /// Returns the nodes from `head` down to `tail`, if `head` is above `tail`.
    fn segment(&self, head: NodeId, tail: NodeId) -> Option<Vec<NodeId>> {
        let mut walked = vec![tail];
        let mut at = tail;
        while at != head {
            at = self.known_parent(at)?;
            walked.push(at);
            // A walk in a cycle never reaches the head.
            if walked.len() > self.len() {
                return None;
            }
        }
        walked.reverse();
        Some(walked)
    }

    fn hang_kept(&mut self, boundary: EntryIndex, kept: &[NodeId], anchor: NodeId) {
        let mut is_kept = vec![false; self.len()];
        for &node in kept {
            is_kept[node] = true;
        }
        let last = kept.last().copied().unwrap_or(anchor);
        // Entries that hung on the anchor continue from the last kept message.
        for (parent, kept) in self.parent.iter_mut().zip(&is_kept) {
            if *parent == ParentLink::Node(anchor) && !kept {
                *parent = ParentLink::Node(last);
            }
        }
        // The kept messages become a chain below the anchor.
        let mut before = anchor;
        for &node in kept {
            self.parent[node] = ParentLink::Node(before);
            before = node;
        }
        is_kept[anchor] = true;
        let stays: Vec<NodeId> = NodeId::enumerate(&is_kept)
            .filter_map(|(node, &stays)| stays.then_some(node))
            .collect();
        self.forget_before(boundary, &stays);
        // Later entries that hung on a forgotten one continue from the last kept message, too.
        for node in NodeId::all(self.len()) {
            let forgotten = |parent: NodeId| !self.known[parent];
            let orphan = self.known_parent(node).is_some_and(forgotten);
            if orphan && self.is_known(node) && self.position(node) > boundary {
                self.parent[node] = ParentLink::Node(last);
                self.adopted.push(node);
            }
        }
    }

    /// Forgets the nodes before a record, except those in `stays`, which is in order.
    fn forget_before(&mut self, record: EntryIndex, stays: &[NodeId]) {
        for node in NodeId::all(self.len()) {
            if self.position(node) < record && stays.binary_search(&node).is_err() {
                self.known[node] = false;
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

/// Returns the parent that each record names, skipping progress lines before it.
fn lift_progress(log: &Log) -> Vec<Option<Symbol>> {
    let mut resolved: Vec<Option<Option<Symbol>>> = vec![None; log.symbols.len()];
    let mut parents = Vec::with_capacity(log.entries.len());
    for entry in &log.entries {
        let parent = entry.parent.and_then(|uuid| resolved[uuid.index()].unwrap_or(Some(uuid)));
        parents.push(parent);
        if let Some(uuid) = entry.uuid.filter(|_| is_progress(entry)) {
            resolved[uuid.index()] = Some(parent);
        }
    }
    parents
}
