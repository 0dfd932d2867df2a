//! Changes the links to follow a resume.
//!
//! The client deviates from its records in two ways: its walk continues past a parent that it
//! does not find, and a compaction keeps messages in the context that were said before it. This
//! module attaches nodes accordingly, so that the history leads through everything that the
//! client takes up. [`crate::resume`] decides what that is.

use std::collections::HashSet;

use super::{Graph, Preserved};
use crate::log::{Compaction, Log};
use crate::node::{Edge, Node};
use crate::positions::NodeId;
use crate::resume::Resumption;

impl Graph {
    /// Computes what the client would continue, and attaches nodes where its walk leads through
    /// them although no record says so.
    pub(super) fn resume(&mut self, log: &Log) {
        let resumption = Resumption::new(self.table(log));
        for &(child, parent) in &resumption.bridges {
            self.bridge(child, Some(parent));
        }
        // The client starts with this node. The history joins it to the parent that it names,
        // if that is a node and does not lead back, and otherwise to the entry before it.
        let walked = |node: &NodeId| resumption.list.contains(node);
        let first = resumption.cut.filter(|&first| {
            let parent = self.nodes[first].parent();
            parent.is_none_or(|parent| walked(&parent))
        });
        if let Some(first) = first {
            let before = NodeId::all(first.index())
                .rev()
                .find(|&before| self.nodes[before].sidechain == self.nodes[first].sidechain);
            self.bridge(first, before);
        }
        // Entries whose parents the last compaction discarded continue from its summary.
        let summary = log.compactions.last().and_then(|last| last.anchor);
        if let Some(summary) = summary.and_then(|uuid| self.node(uuid)) {
            for &node in &resumption.adopted {
                self.nodes[node].hang(Some(summary), Edge::Logical);
            }
        }
        self.resumption = Some(resumption);
    }

    /// Attaches a node to a replacement of the parent that it names.
    fn bridge(&mut self, node: NodeId, parent: Option<NodeId>) {
        let node = &mut self.nodes[node];
        let edge = match (node.edge, parent) {
            // The named parent exists, but leads back to the node.
            (Edge::Parent | Edge::Logical | Edge::Cut, _) => Edge::Cut,
            (Edge::Bridged | Edge::Root, Some(_)) => Edge::Bridged,
            (Edge::Bridged | Edge::Root, None) => Edge::Root,
        };
        node.hang(parent, edge);
    }

    /// Attaches entries that continue a kept message to the summary. The kept message itself
    /// stays where it was said, before the boundary.
    pub(super) fn relink_preserved(&mut self, log: &Log) {
        // Segments of hostile logs overlap, so the number of walked nodes is limited.
        let mut budget = self.nodes.len().saturating_mul(4);
        for compaction in &log.compactions {
            if let Some(preserved) = self.preserved_by(log, compaction, &mut budget) {
                self.join_summarized(&preserved, &mut budget);
                self.preserved.push(preserved);
            }
        }
        if self.preserved.is_empty() {
            return;
        }
        // The last boundary before an entry that keeps a node counts, so later ones overwrite earlier ones.
        let mut keeper: Vec<Option<u32>> = vec![None; self.nodes.len()];
        let mut next = 0;
        for index in NodeId::all(self.nodes.len()) {
            while next < self.preserved.len() && self.preserved[next].boundary < index {
                for &kept in &self.preserved[next].kept {
                    keeper[kept] = Some(next as u32);
                }
                next += 1;
            }
            let node = self.nodes[index];
            let Some(parent) = node.parent().filter(|_| node.edge == Edge::Parent) else {
                continue;
            };
            let Some(keeper) = keeper[parent] else {
                continue;
            };
            let preserved = &self.preserved[keeper as usize];
            let Some(anchor) = preserved.anchor else {
                continue;
            };
            if anchor < index && parent < preserved.boundary {
                self.nodes[index].hang(Some(anchor), Edge::Logical);
            }
        }
    }

    /// Attaches a boundary that summarises everything after a message ("summarize from here") to the last
    /// entry that it summarises. Its logical parent is that message, as if a person had rewound to it.
    fn join_summarized(&mut self, preserved: &Preserved, budget: &mut usize) {
        let boundary = preserved.boundary;
        let Node { parent, edge, sidechain, .. } = self.nodes[boundary];
        let (Some(from), true) = (parent, preserved.anchor == Some(boundary)) else {
            return;
        };
        let same_side = |node: &NodeId| self.nodes[*node].sidechain == sidechain;
        let Some(last) = NodeId::all(boundary.index()).rev().find(same_side) else {
            return;
        };
        if self.segment(from, last, budget).is_some() {
            self.nodes[boundary].hang(Some(last), edge);
        }
    }

    /// Returns the messages that a compaction keeps, if its boundary is a node.
    fn preserved_by(
        &self,
        log: &Log,
        compaction: &Compaction,
        budget: &mut usize,
    ) -> Option<Preserved> {
        let boundary = self.node(log.entries[compaction.entry].uuid?)?;
        let mut seen = HashSet::new();
        let mut kept: Vec<NodeId> = compaction
            .preserved
            .iter()
            .filter_map(|&uuid| self.node(uuid))
            .filter(|&node| seen.insert(node))
            .collect();
        if let (true, Some((head, tail))) = (kept.is_empty(), compaction.segment) {
            kept = self.segment(self.node(head)?, self.node(tail)?, budget)?;
        }
        let anchor = compaction.anchor.and_then(|uuid| self.node(uuid));
        Some(Preserved { boundary, anchor, kept })
    }

    /// Returns the nodes from `head` down to `tail`, if `head` is above `tail`.
    fn segment(&self, head: NodeId, tail: NodeId, budget: &mut usize) -> Option<Vec<NodeId>> {
        let mut walked = vec![tail];
        let mut at = tail;
        while at != head {
            *budget = budget.checked_sub(1)?;
            at = self.nodes[at].parent()?;
            walked.push(at);
        }
        walked.reverse();
        Some(walked)
    }
}
