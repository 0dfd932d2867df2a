//! Nodes of a graph: the entries that can have children, each with its parent.
//!
//! [`crate::graph`] creates and links them; `resume` reads them before they are linked.

use crate::entry::Entry;
use crate::log::Log;
use crate::positions::{EntryIndex, NodeId};
use crate::symbols::Symbol;

/// How a node is attached to its parent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Edge {
    /// The node has no parent.
    Root,
    /// The parent that the entry names.
    Parent,
    /// The entry names an unknown parent; the node hangs on the entry before it.
    Bridged,
    /// The edge crosses a compaction: a boundary on its logical parent, or the first entry after one.
    Logical,
    /// The named parent would close a cycle; the node hangs on the entry before it.
    Cut,
}

/// The entries with one uuid, as a node of the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// The first entry with the uuid, which gives the node its place in the file.
    pub place: EntryIndex,
    /// The last entry with the uuid, whose content counts.
    pub content: EntryIndex,
    pub(crate) parent: Option<NodeId>,
    /// The kind of the edge to the parent.
    pub edge: Edge,
    /// Set if the node belongs to a subagent inside the file.
    pub sidechain: bool,
}

impl Node {
    /// Returns the parent.
    pub fn parent(&self) -> Option<NodeId> {
        self.parent
    }

    /// Sets the parent and the edge to it.
    pub(crate) fn hang(&mut self, parent: Option<NodeId>, edge: Edge) {
        self.parent = parent;
        self.edge = edge;
    }
}

/// The nodes of a log, together with the log.
#[derive(Clone, Copy)]
pub(crate) struct NodeTable<'a> {
    pub(crate) log: &'a Log,
    pub(crate) nodes: &'a [Node],
    /// The node of each uuid, indexed by symbol.
    pub(crate) node_of: &'a [Option<NodeId>],
}

impl<'a> NodeTable<'a> {
    /// Returns the node of a uuid.
    pub(crate) fn node(&self, uuid: Symbol) -> Option<NodeId> {
        *self.node_of.get(uuid.index())?
    }

    /// Returns the entry whose content counts for a node.
    pub(crate) fn entry(&self, node: NodeId) -> &'a Entry {
        &self.log.entries[self.nodes[node].content]
    }
}
