//! What the current client continues, and what it sends, when a session is resumed.
//!
//! The client's rule was measured, not published. It has ten steps, and each file here does
//! some of them:
//!
//! 1. Reading: which records count, and which parent each has ([`links`]).
//! 2. The pin, the last `last-prompt` line ([`leaf`]).
//! 3. Messages that the last compaction keeps ([`links`]).
//! 4. The last entry of the main conversation ([`leaf`]).
//! 5. The pin or the last entry: where the walk begins ([`leaf`]).
//! 6. The walk up to the first entry ([`walk`]).
//! 7. Records of the same answers that the walk missed, and lines at the end ([`siblings`]).
//! 8. The context: from the last boundary on ([`siblings`]).
//! 9. What is sent of it ([`sent`]).
//! 10. The tip, which the next prompt hangs on ([`sent`]).
//!
//! The rule goes by records and knows neither messages nor paths. It does not touch the
//! graph either: [`crate::graph`] asks it for the steps that no record names, so that the
//! history that a person reads leads through what the client walks.
//!
//! A log that is read while it is written is not put through the ten steps for every line:
//! [`growth`] knows which lines only add to what they gave.
//!
//! Work and memory are proportional to the number of entries; only where parents are
//! unknown, entries are sorted by time.

mod growth;
mod leaf;
mod links;
mod sent;
mod siblings;
mod walk;

use crate::entry::{Block, BlockKind, EntryKind};
use crate::node::NodeTable;
use crate::positions::NodeId;

pub(crate) use growth::{Effect, Growth};
use links::Links;
pub(crate) use sent::Sent;

/// What the client would continue.
#[derive(Clone, Default, Debug)]
pub(crate) struct Resumption {
    /// Every entry that the client takes up, in its order: the walk, the records that it
    /// missed, and lines at the end.
    pub(crate) list: Vec<NodeId>,
    /// Where in the list the context begins.
    pub(crate) context: usize,
    /// The node that the walk began with, which is the deepest one.
    pub(crate) deepest: Option<NodeId>,
    /// Steps of the walk that no record names, each from a child to its parent.
    pub(crate) bridges: Vec<(NodeId, NodeId)>,
    /// Entries of the walk whose parent was forgotten at the last compaction.
    pub(crate) adopted: Vec<NodeId>,
    /// The first entry of the walk, if it names a parent that the client does not find.
    pub(crate) cut: Option<NodeId>,
}

impl Resumption {
    /// Follows the client's rule, up to what it takes up.
    pub(crate) fn new(table: NodeTable<'_>) -> Self {
        let links = Links::new(table);
        let Some(leaf::WalkStart { node, .. }) = leaf::start(&links) else {
            return Self::default();
        };
        let walk = walk::ResumeWalk::up(&links, node);
        let adopted = walk
            .nodes
            .iter()
            .copied()
            .filter(|node| links.adopted.binary_search(node).is_ok())
            .collect();
        let list = siblings::complete(&links, walk.nodes);
        let context = siblings::context_start(&links, &list);
        Self { list, context, deepest: Some(node), bridges: walk.bridges, adopted, cut: walk.cut }
    }

    /// Returns the entry that the next prompt hangs on.
    pub(crate) fn tip(&self, table: NodeTable<'_>) -> Option<NodeId> {
        let last = self.list.last().copied()?;
        let entry = table.entry(last);
        let speaks = |block: &Block| !matches!(block.kind, BlockKind::Thinking | BlockKind::Call);
        if entry.kind != EntryKind::Assistant || table.log.blocks_of(entry).iter().any(speaks) {
            return Some(last);
        }
        Sent::new(table, self).tip
    }
}
