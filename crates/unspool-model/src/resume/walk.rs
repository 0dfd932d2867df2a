//! Step 6: the walk from the deepest entry up to the first.

use super::links::Links;
use crate::positions::NodeId;

/// How many milliseconds older than a child an entry may be that the client takes in place of a
/// parent that it does not find.
const REACH: i64 = 5_000;

/// The walk, from the first entry down.
pub(super) struct ResumeWalk {
    pub(super) nodes: Vec<NodeId>,
    /// Steps that no record names, from a child to its parent.
    pub(super) bridges: Vec<(NodeId, NodeId)>,
    /// The first entry, if it names a parent that the client does not find.
    pub(super) cut: Option<NodeId>,
}

impl ResumeWalk {
    /// Walks up from a node. A null parent ends the walk. If a parent is unknown, is the node itself
    /// or was walked already, the walk continues with the entry that was written just before.
    pub(super) fn up(links: &Links<'_>, from: NodeId) -> Self {
        let mut walked = vec![false; links.len()];
        let mut times: Option<ByTime> = None;
        let mut walk = Self { nodes: Vec::new(), bridges: Vec::new(), cut: None };
        let mut at = Some(from);
        while let Some(node) = at {
            walk.nodes.push(node);
            walked[node] = true;
            if links.is_root(node) {
                break;
            }
            let parent = links.known_parent(node);
            at = parent.filter(|&parent| !walked[parent]);
            if at.is_none() {
                let times = times.get_or_insert_with(|| ByTime::new(links));
                at = times.before(links, node, &walked);
                match at {
                    Some(parent) => walk.bridges.push((node, parent)),
                    None => walk.cut = Some(node),
                }
            }
        }
        walk.nodes.reverse();
        walk
    }
}

/// The main entries by time, for finding the newest one that is not walked yet.
struct ByTime {
    /// Times and nodes in order; of several with one time, the first in the file comes last.
    rows: Vec<(i64, NodeId)>,
    /// For each row, a row at or before it that may be unwalked (union-find with path halving).
    free: Vec<u32>,
}

impl ByTime {
    fn new(links: &Links<'_>) -> Self {
        let main = links.in_order().filter(|&node| links.is_main(node));
        let timed = main.filter_map(|node| Some((links.entry(node).time?.as_millis(), node)));
        let mut rows: Vec<(i64, NodeId)> = timed.collect();
        rows.sort_by_key(|&(time, node)| (time, std::cmp::Reverse(links.position(node))));
        let free = (0..=rows.len() as u32).collect();
        Self { rows, free }
    }

    /// Returns the newest entry that is not newer than a node and at most [`REACH`] older.
    fn before(&mut self, links: &Links<'_>, node: NodeId, walked: &[bool]) -> Option<NodeId> {
        let time = links.entry(node).time?.as_millis();
        // Row numbers are shifted by one, so that zero means none.
        let mut row = self.rows.partition_point(|&(other, _)| other <= time) as u32;
        loop {
            row = self.settle(row);
            let (other, found) = *self.rows.get((row as usize).checked_sub(1)?)?;
            if !walked[found] {
                return (other >= time.saturating_sub(REACH)).then_some(found);
            }
            self.free[row as usize] = row - 1;
        }
    }

    fn settle(&mut self, mut row: u32) -> u32 {
        while self.free[row as usize] != row {
            let next = self.free[self.free[row as usize] as usize];
            self.free[row as usize] = next;
            row = next;
        }
        row
    }
}
