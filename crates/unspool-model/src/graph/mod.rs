//! The graph of a log: which entry follows which.
//!
//! Every entry that can have children is a [`Node`]. Copies with one uuid are one node, with the
//! place of the first copy and the content and the parent of the last. A node has at most one
//! parent, and the [`Edge`] says how certain that is. The graph has no cycles. Subagents inside the
//! file are separate from the main conversation: a main entry never hangs on an entry of a subagent.
//!
//! First every node gets the parent that its record names. Then `graph/resumed.rs` attaches nodes where
//! the client's resume walks through them, and `graph/forest.rs` cuts cycles and separates the subagents.
//!
//! The graph does not know messages, forks or the active path; these belong to [`crate::paths`].

mod forest;
mod resumed;

use std::collections::HashMap;

use crate::entry::{Entry, EntryKind, Flags};
use crate::log::Log;
use crate::names;
use crate::node::{Edge, Node, NodeTable};
use crate::positions::{EntryIndex, NodeId};
use crate::resume::Resumption;
use crate::symbols::{Symbol, SymbolSet};

use forest::ParentsFirst;

names! {
    /// The rule that determines the active path.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
    pub enum Rule {
        /// The rule of the current client: the last `last-prompt` line, else the last entry of the file.
        #[default]
        Current = "current",
        /// The rule of clients up to 2.1.50: the leaf with the newest time; an unknown parent cuts.
        NewestTime = "newest-time",
        /// The rule of the vendor's SDK: the last leaf of the file; compactions and unknown parents cut.
        Sdk = "sdk",
    }
}

/// Whose log a graph is built from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// A session's: subagents inside the file are separate.
    Session,
    /// An agent's: everything in the file is the conversation.
    Agent,
}

/// The nodes of a log and their links.
pub struct Graph {
    /// The nodes, in order of their places.
    pub nodes: Vec<Node>,
    /// The messages that compactions keep in the model's context, in the order of the compactions.
    pub preserved: Vec<Preserved>,
    /// Whose log the graph is built from.
    pub scope: Scope,
    /// What the current client would continue; `None` under other rules, and for logs that the
    /// client did not write.
    pub(crate) resumption: Option<Resumption>,
    order: ParentsFirst,
    /// The node of each uuid, indexed by symbol.
    node_of: Vec<Option<NodeId>>,
}

/// The messages that one compaction keeps in the model's context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preserved {
    /// The boundary.
    pub boundary: NodeId,
    /// The node after which the context has the kept nodes.
    pub anchor: Option<NodeId>,
    /// The kept nodes, in order.
    pub kept: Vec<NodeId>,
}

impl Graph {
    /// Links the entries of a log.
    pub fn new(log: &Log, rule: Rule, scope: Scope) -> Self {
        let mut graph = Self::collect(log, scope);
        graph.link(log, rule);
        if rule == Rule::Current && !log.has_flat() {
            graph.resume(log);
        }
        // The SDK ends its walk at a compaction, so under its rule nothing is joined across one.
        if rule != Rule::Sdk {
            graph.relink_preserved(log);
            graph.relink_flat(log);
        }
        // Every step above may close a cycle, so cycles are cut last.
        graph.cut_cycles(rule);
        graph.separate_sidechains();
        graph.order = ParentsFirst::of(&graph.nodes);
        graph
    }

    /// Returns the nodes, each after its parent and otherwise in the order of their places.
    pub fn order(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<'_> {
        self.order.iter()
    }

    /// Returns the node of a uuid.
    pub fn node(&self, uuid: Symbol) -> Option<NodeId> {
        *self.node_of.get(uuid.index())?
    }

    /// Returns the entry whose content counts for a node.
    pub fn entry<'l>(&self, log: &'l Log, node: NodeId) -> &'l Entry {
        &log.entries[self.nodes[node].content]
    }

    /// Returns the parent that a node's record names, before any repair, if that is a node.
    pub fn named_parent(&self, log: &Log, node: NodeId) -> Option<NodeId> {
        self.entry(log, node).parent.and_then(|uuid| self.node(uuid))
    }

    /// Returns the nodes as input for the rule of the current client.
    pub(crate) fn table<'a>(&'a self, log: &'a Log) -> NodeTable<'a> {
        NodeTable { log, nodes: &self.nodes, node_of: &self.node_of }
    }

    /// Adds the entry at a position of the log as a node that hangs on its named parent. The
    /// entry has a uuid of its own and is part of the main conversation.
    pub(crate) fn append(&mut self, log: &Log, index: EntryIndex) -> NodeId {
        let node = NodeId::at(self.nodes.len());
        let entry = &log.entries[index];
        let parent = entry.parent.and_then(|parent| self.node(parent));
        self.nodes.push(Node {
            place: index,
            content: index,
            parent,
            edge: Edge::Parent,
            sidechain: false,
        });
        self.order.append();
        self.node_of.resize(log.symbols.len(), None);
        if let Some(uuid) = entry.uuid {
            self.node_of[uuid.index()] = Some(node);
        }
        node
    }

    /// Creates the nodes, without parents.
    fn collect(log: &Log, scope: Scope) -> Self {
        let linking = linking_symbols(log);
        let mut nodes: Vec<Node> = Vec::with_capacity(log.entries.len());
        let mut node_of = vec![None; log.symbols.len()];
        for (index, entry) in EntryIndex::enumerate(&log.entries) {
            let Some(uuid) = entry.uuid else { continue };
            if !entry.kind.links() && !linking.contains(uuid) {
                continue;
            }
            let slot = &mut node_of[uuid.index()];
            if let Some(known) = *slot {
                // A record of an unknown type does not replace a known one, nor does a record
                // that the client does not read replace one that it reads.
                let node: &mut Node = &mut nodes[known];
                let before = &log.entries[node.content];
                let counts = |entry: &Entry| (entry.kind.links(), !entry.is_unread());
                if counts(entry) >= counts(before) {
                    node.content = index;
                }
            } else {
                *slot = Some(NodeId::at(nodes.len()));
                nodes.push(Node {
                    place: index,
                    content: index,
                    parent: None,
                    edge: Edge::Root,
                    sidechain: false,
                });
            }
        }
        if scope == Scope::Session {
            for node in &mut nodes {
                node.sidechain = log.entries[node.content].flags.has(Flags::SIDECHAIN);
            }
        }
        Self {
            nodes,
            preserved: Vec::new(),
            scope,
            resumption: None,
            order: ParentsFirst::default(),
            node_of,
        }
    }

    /// Sets the parent of every node: the one that its record names, or a replacement.
    ///
    /// Of several copies, the last decides, unless it names no known parent; under
    /// [`Rule::NewestTime`] the first decides.
    fn link(&mut self, log: &Log, rule: Rule) {
        let unlinked = is_unlinked(log);
        // The last node so far on the main side and on the side of subagents.
        let mut before = [None, None];
        for index in NodeId::all(self.nodes.len()) {
            let node = self.nodes[index];
            let side = usize::from(node.sidechain);
            let (first, other) = match rule {
                Rule::Sdk => (node.content, node.content),
                Rule::Current => (node.content, node.place),
                Rule::NewestTime => (node.place, node.content),
            };
            let bridge =
                before[side].filter(|_| Self::bridges(&log.entries[first], rule) || unlinked);
            let named = self.parent_of(index, &log.entries[first], rule);
            let other = || self.parent_of(index, &log.entries[other], rule);
            let (parent, edge) = match (named.or_else(other), bridge) {
                (Some(found), _) => found,
                (None, Some(before)) => {
                    let entry = &log.entries[first];
                    // An entry that names itself is the shortest cycle.
                    let itself = entry.parent.is_some() && entry.parent == entry.uuid;
                    (before, if itself { Edge::Cut } else { Edge::Bridged })
                }
                (None, None) => {
                    before[side] = Some(index);
                    continue;
                }
            };
            self.nodes[index].hang(Some(parent), edge);
            before[side] = Some(index);
        }
    }

    /// Returns the parent that a record names, or for a compaction its logical parent.
    fn parent_of(&self, node: NodeId, entry: &Entry, rule: Rule) -> Option<(NodeId, Edge)> {
        let known = |uuid: Option<Symbol>| {
            uuid.and_then(|uuid| self.node(uuid)).filter(|&parent| parent != node)
        };
        let joins = entry.flags.has(Flags::BOUNDARY) || entry.flags.has(Flags::FLAT);
        let logical = entry.logical_parent.filter(|_| rule != Rule::Sdk && joins);
        known(entry.parent)
            .map(|parent| (parent, Edge::Parent))
            .or_else(|| Some((known(logical)?, Edge::Logical)))
    }

    /// Tells whether a record without a known parent is attached to the entry before it.
    fn bridges(entry: &Entry, rule: Rule) -> bool {
        let compaction = entry.flags.has(Flags::BOUNDARY) || entry.flags.has(Flags::COMPACTING);
        match rule {
            Rule::Current => compaction || entry.parent.is_some(),
            Rule::NewestTime => compaction,
            Rule::Sdk => false,
        }
    }

    /// Attaches entries after a compaction of the flat dialect to it, because they name parents
    /// from before it, or only a logical parent.
    fn relink_flat(&mut self, log: &Log) {
        let mut last = [None, None];
        for index in NodeId::all(self.nodes.len()) {
            let node = self.nodes[index];
            let side = usize::from(node.sidechain);
            let flags = log.entries[node.content].flags;
            if !flags.has(Flags::FLAT) {
                continue;
            }
            if flags.has(Flags::COMPACTING) {
                last[side] = Some(index);
            } else if let (Some(compaction), Some(parent)) = (last[side], node.parent())
                && parent < compaction
            {
                self.nodes[index].hang(Some(compaction), Edge::Logical);
            }
        }
    }
}

/// Tells whether no entry of a flat log names a parent, so that only their order links them.
fn is_unlinked(log: &Log) -> bool {
    let mut said = log.entries.iter().filter(|entry| entry.kind.links() && entry.uuid.is_some());
    let mut any = false;
    let none = said.all(|entry| {
        any = true;
        entry.parent.is_none() && entry.flags.has(Flags::FLAT)
    });
    any && none
}

/// Returns the uuids that entries in the graph name as their parents, also through entries of unknown types.
fn linking_symbols(log: &Log) -> SymbolSet {
    let mut named = SymbolSet::of(&log.symbols);
    let mut others: Vec<(Symbol, Option<Symbol>)> = Vec::new();
    for entry in &log.entries {
        match (entry.kind, entry.uuid) {
            (EntryKind::Metadata, Some(uuid)) => others.push((uuid, entry.parent)),
            (_, Some(_)) if entry.kind.links() => {
                if let Some(parent) = entry.parent {
                    named.insert(parent);
                }
            }
            _ => {}
        }
    }
    // The parent of a linking entry of an unknown type links too.
    let parents: HashMap<Symbol, Option<Symbol>> = others.iter().copied().collect();
    for (uuid, _) in others {
        let mut at = Some(uuid).filter(|&uuid| named.contains(uuid));
        while let Some(Some(parent)) = at.and_then(|uuid| parents.get(&uuid)) {
            at = (!named.contains(*parent)).then_some(*parent);
            named.insert(*parent);
        }
    }
    named
}
