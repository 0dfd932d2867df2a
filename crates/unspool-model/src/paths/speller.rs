//! Paths spelled out, node by node.

use super::{Path, Paths};
use crate::graph::Graph;
use crate::positions::NodeId;

/// Spells out any number of paths, each in time proportional to its length.
///
/// It remembers what it marked for a path by the number of that path's round, so nothing is
/// cleared between two paths. Paths of different conversations may be spelled out in turn.
#[derive(Clone, Default, Debug)]
pub struct Speller {
    round: u32,
    on_walk: Vec<u32>,
    held: Vec<u32>,
}

impl Speller {
    /// Returns the nodes of a path in order, merged ones included.
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
                let hangs_here = graph.nodes[node].parent().is_none_or(|parent| {
                    let elsewhere = paths.group_of(parent) != Some(group);
                    elsewhere || self.held[parent] == self.round
                });
                let side_leaf = hangs_here && paths.leads_to[node] == 0;
                if paths.core[node] || self.on_walk[node] == self.round || side_leaf {
                    self.held[node] = self.round;
                    nodes.push(node);
                }
            }
        }
        nodes
    }

    /// Forgets the path before, and makes room for marks on so many nodes.
    fn begin_round(&mut self, nodes: usize) {
        self.round += 1;
        if self.held.len() < nodes {
            unspool_work::add(nodes);
            self.on_walk.resize(nodes, 0);
            self.held.resize(nodes, 0);
        }
    }

    /// Marks what leads to a node, up to what is marked already.
    fn mark_walk(&mut self, graph: &Graph, node: NodeId) {
        let mut at = Some(node);
        while let Some(node) = at.filter(|&node| self.on_walk[node] != self.round) {
            unspool_work::add(1);
            self.on_walk[node] = self.round;
            at = graph.nodes[node].parent();
        }
    }
}
