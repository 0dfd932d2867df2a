//! What the current client continues, and what it sends, when a session is resumed.
//!
//! The client's rule was measured, not published. It has ten steps:
//!
//! 1. Reading: the records that count, and the parent of each ([`links`]).
//! 2. The pin: the last `last-prompt` line ([`leaf`]).
//! 3. Messages that the last compaction keeps ([`links`]).
//! 4. The last entry of the main conversation ([`leaf`]).
//! 5. The start of the walk: the leaf of the pin, or the last entry ([`leaf`]).
//! 6. The walk up to the first entry ([`walk`]).
//! 7. Records of the walk's answers that the walk missed, and lines at the end ([`siblings`]).
//! 8. The context: the list from the last boundary on ([`siblings`]).
//! 9. What is sent of the context ([`sent`]).
//! 10. The tip: the entry that the next prompt hangs on ([`sent`]).
//!
//! The rule works on records and knows neither messages nor paths. It does not change the
//! graph: [`crate::graph`] takes from it the steps that no record names, so that the history
//! leads through the entries that the client walks.
//!
//! For a log that is read while it grows, the ten steps are not repeated for every line:
//! [`growth`] knows which lines only extend their result.
//!
//! Work and memory are proportional to the number of entries, except that entries are sorted by
//! time if a parent is unknown.

mod growth;
mod leaf;
mod links;
mod sent;
mod siblings;
mod walk;

use crate::entry::{Block, BlockKind, EntryKind};
use crate::node::NodeTable;
use crate::positions::NodeId;

pub(crate) use growth::{GrowthEffect, ResumptionGrowth};
use links::Links;
pub(crate) use sent::Sent;

/// What the client would continue.
#[derive(Clone, Default, Debug)]
pub(crate) struct Resumption {
    /// The entries that the client uses, in its order: the walk, the records that it missed,
    /// and lines at the end.
    pub(crate) list: Vec<NodeId>,
    /// The index in the list where the context begins.
    pub(crate) context: usize,
    /// The node at which the walk began, the deepest one.
    pub(crate) deepest: Option<NodeId>,
    /// Steps of the walk that no record names, from a child to its parent.
    pub(crate) bridges: Vec<(NodeId, NodeId)>,
    /// Entries of the walk whose parent was forgotten at the last compaction.
    pub(crate) adopted: Vec<NodeId>,
    /// The first entry of the walk, if it names a parent that the client does not find.
    pub(crate) cut: Option<NodeId>,
}

impl Resumption {
    /// Applies the client's rule, up to the list of entries.
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
        // Only an answer that consists of thinking and calls may be dropped, which step 9 decides.
        if entry.kind != EntryKind::Assistant || table.log.blocks_of(entry).iter().any(speaks) {
            return Some(last);
        }
        Sent::new(table, self).tip
    }
}
