//! The nodes of a graph: entries that can be followed, each with what it hangs on.
//!
//! [`crate::graph`] makes and links them; `resume` is asked about them before they are linked.

use crate::entry::Entry;
use crate::log::Log;
use crate::positions::{EntryIndex, NodeId};
use crate::symbols::Symbol;

/// How a node hangs on its parent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Edge {
    /// It has no parent.
    Root,
    /// The parent it names.
    Parent,
    /// The parent it names is unknown; this is what comes before it.
    Bridged,
    /// A compaction, or what goes on after one.
    Logical,
    /// The parent it names would close a cycle; this is what comes before it.
    Cut,
}

/// One entry that can be followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// The first entry with this uuid.
    pub place: EntryIndex,
    /// The last entry with this uuid, which counts.
    pub content: EntryIndex,
    pub(crate) parent: Option<NodeId>,
    /// How it hangs on its parent.
    pub edge: Edge,
    /// Whether it belongs to a subagent inside the file.
    pub sidechain: bool,
}

impl Node {
    /// Returns the node it hangs on.
    pub fn parent(&self) -> Option<NodeId> {
        self.parent
    }

    /// Hangs it on another node, or on none.
    pub(crate) fn hang(&mut self, parent: Option<NodeId>, edge: Edge) {
        self.parent = parent;
        self.edge = edge;
    }
}

/// The nodes of a log, with the log that they are from.
#[derive(Clone, Copy)]
pub(crate) struct NodeTable<'a> {
    pub(crate) log: &'a Log,
    pub(crate) nodes: &'a [Node],
    /// The node of each uuid, by its symbol.
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
