//! Paths spelled out, node by node.

use super::{Path, Paths};
use crate::graph::Graph;

/// Spells out any number of paths, each in time proportional to its length.
pub struct Speller<'a> {
    paths: &'a Paths,
    graph: &'a Graph,
    round: u32,
    on_walk: Vec<u32>,
    held: Vec<u32>,
}

impl<'a> Speller<'a> {
    /// Prepares to spell out paths.
    pub fn new(paths: &'a Paths, graph: &'a Graph) -> Self {
        let nodes = graph.nodes.len();
        Self {
            paths,
            graph,
            round: 0,
            on_walk: vec![0; nodes],
            held: vec![0; nodes],
        }
    }

    /// Returns the nodes of a path in order, merged ones included.
    pub fn nodes(&mut self, path: &Path) -> Vec<u32> {
        if let Some(chain) = &path.chain {
            return chain.clone();
        }
        self.round += 1;
        let paths = self.paths;
        let trail = paths.trail(path.last);
        self.mark_walk(path.head);
        for &group in &trail {
            self.mark_walk(paths.groups[group as usize].first);
        }
        let mut nodes = Vec::new();
        for group in trail {
            for &node in paths.members(group) {
                let index = node as usize;
                let hangs_here = self.graph.nodes[index].parent().is_none_or(|parent| {
                    let elsewhere = paths.group_of(parent) != Some(group);
                    elsewhere || self.held[parent as usize] == self.round
                });
                let side_leaf = hangs_here && paths.leads_to[index] == 0;
                if paths.core[index] || self.on_walk[index] == self.round || side_leaf {
                    self.held[index] = self.round;
                    nodes.push(node);
                }
            }
        }
        nodes
    }

    /// Marks what leads to a node, up to what is marked already.
    fn mark_walk(&mut self, node: u32) {
        let mut at = Some(node);
        while let Some(node) = at.filter(|&node| self.on_walk[node as usize] != self.round) {
            self.on_walk[node as usize] = self.round;
            at = self.graph.nodes[node as usize].parent();
        }
    }
}
