//! Lists the nodes of paths.

use super::{Path, Paths};
use crate::graph::Graph;
use crate::positions::NodeId;

/// Lists the nodes of any number of paths, each in time proportional to its length.
///
/// A mark is the number of the round in which it was set, and each path is one round, so
/// nothing is cleared between paths. Paths of different conversations may be listed in turn.
#[derive(Clone, Default, Debug)]
pub struct PathNodeLister {
    round: u32,
    on_walk: Vec<u32>,
    held: Vec<u32>,
}

impl PathNodeLister {
    /// Returns the nodes of a path in order, including merged ones.
    pub fn nodes(&mut self, paths: &Paths, graph: &Graph, path: &Path) -> Vec<NodeId> {
        if let Some(chain) = &path.chain {
            unspool_work::add(chain.len());
            return chain.clone();
        }
        self.begin_round(graph.nodes.len());
        let trail = paths.trail(path.last);
        self.mark_walk(graph, path.head);
        for &group in &trail {
            self.mark_walk(graph, paths.groups[group].first);
        }
        let mut nodes = Vec::new();
        for group in trail {
            unspool_work::add(paths.members(group).len());
            for &node in paths.members(group) {
                // A group contributes what it says, the nodes that the walk passes, and side nodes
                // that lead nowhere. Nodes that lead only to another continuation belong to its path.
                let hangs_here = graph.nodes[node].parent().is_none_or(|parent| {
                    let elsewhere = paths.group_of(parent) != Some(group);
                    elsewhere || self.held[parent] == self.round
                });
                let side_leaf = hangs_here && paths.continuations_below[node] == 0;
                if paths.core[node] || self.on_walk[node] == self.round || side_leaf {
                    self.held[node] = self.round;
                    nodes.push(node);
                }
            }
        }
        nodes
    }

    /// Begins a round, which invalidates all marks, with room for marks on `nodes` nodes.
    fn begin_round(&mut self, nodes: usize) {
        self.round += 1;
        if self.held.len() < nodes {
            unspool_work::add(nodes);
            self.on_walk.resize(nodes, 0);
            self.held.resize(nodes, 0);
        }
    }

    /// Marks a node and the nodes above it, up to a marked one.
    fn mark_walk(&mut self, graph: &Graph, node: NodeId) {
        let mut at = Some(node);
        while let Some(node) = at.filter(|&node| self.on_walk[node] != self.round) {
            unspool_work::add(1);
            self.on_walk[node] = self.round;
            at = graph.nodes[node].parent();
        }
    }
}
