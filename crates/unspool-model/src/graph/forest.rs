//! Turns links into a forest: without cycles, in order with parents first, subagents separate.
//!
//! Knows nodes and links, not the records that they come from.

use super::{Graph, Rule};
use crate::node::{Edge, Node};
use crate::positions::NodeId;

impl Graph {
    /// Breaks every cycle at an edge whose parent comes later in the file than its child.
    ///
    /// Edges that point back in the file cannot close a cycle among themselves. Forward edges
    /// are added from the last child to the first; one that would close a cycle is cut, and its
    /// child hangs on the entry before it. That bridge points back to an entry whose own
    /// forward edges are not added yet, so it closes no cycle.
    pub(super) fn cut_cycles(&mut self, rule: Rule) {
        let forward: Vec<NodeId> = NodeId::all(self.nodes.len())
            .filter(|&node| self.nodes[node].parent().is_some_and(|parent| parent >= node))
            .collect();
        if forward.is_empty() {
            return;
        }
        let mut trees = Trees::new(self.nodes.len());
        let walked = self.attach_walk(&mut trees);
        let backward = NodeId::all(self.nodes.len()).filter(|&node| {
            let parent = self.nodes[node].parent();
            parent.is_some_and(|parent| parent < node)
        });
        let rest: Vec<NodeId> = backward.chain(forward.into_iter().rev()).collect();
        let before = self.same_side_before();
        for node in rest {
            let parent = self.nodes[node].parent();
            let Some(parent) = parent.filter(|_| !walked[node]) else {
                continue;
            };
            // A node without its edge is the root of its tree, so the edge closes a cycle if
            // the parent is in that tree.
            if trees.root(parent) != node {
                trees.hang(node, parent);
                continue;
            }
            // Under the other rules, the walk ends at the cut.
            let bridge = before[node]
                .filter(|_| rule == Rule::Current)
                .filter(|&bridge| trees.root(bridge) != node);
            self.nodes[node].hang(bridge, Edge::Cut);
            if let Some(bridge) = bridge {
                trees.hang(node, bridge);
            }
        }
    }

    /// Attaches the nodes of the client's walk before all others, so that no cycle is cut on
    /// it, and marks them.
    fn attach_walk(&self, trees: &mut Trees) -> Vec<bool> {
        let mut walked = vec![false; self.nodes.len()];
        let resumption = self.resumption.as_ref();
        let mut at = resumption.and_then(|resumption| resumption.deepest);
        while let Some(node) = at {
            let parent = self.nodes[node].parent();
            at = parent.filter(|&parent| trees.root(parent) != node);
            let Some(parent) = at else { break };
            walked[node] = true;
            trees.hang(node, parent);
        }
        walked
    }

    /// Returns for each node the node before it on the same side.
    fn same_side_before(&self) -> Vec<Option<NodeId>> {
        let mut last = [None; 2];
        NodeId::enumerate(&self.nodes)
            .map(|(index, node)| {
                let last = &mut last[usize::from(node.sidechain)];
                last.replace(index)
            })
            .collect()
    }

    /// Moves main entries that hang on a subagent to the main entry above the subagent.
    pub(super) fn separate_sidechains(&mut self) {
        if !self.nodes.iter().any(|node| node.sidechain) {
            return;
        }
        let order = ParentsFirst::of(&self.nodes);
        // The main entry above each entry of a subagent.
        let mut above = vec![None; self.nodes.len()];
        for node in order.iter() {
            let Node { parent, edge, sidechain, .. } = self.nodes[node];
            let Some(parent) = parent else { continue };
            let parent_is_side = self.nodes[parent].sidechain;
            if sidechain {
                above[node] = if parent_is_side { above[parent] } else { Some(parent) };
            } else if parent_is_side {
                let main = above[parent];
                self.nodes[node].hang(main, main.map_or(Edge::Root, |_| edge));
            }
        }
    }
}

/// Nodes in an order in which each comes after its parent.
#[derive(Default)]
pub(super) struct ParentsFirst {
    len: usize,
    /// The nodes in order; `None` if that is the order of their places.
    moved: Option<Vec<NodeId>>,
}

impl ParentsFirst {
    /// Finds the order of some nodes, each as close to its place as its parent allows.
    pub(super) fn of(nodes: &[Node]) -> Self {
        let in_place = NodeId::enumerate(nodes)
            .all(|(index, node)| node.parent().is_none_or(|parent| parent < index));
        Self { len: nodes.len(), moved: (!in_place).then(|| Self::sorted(nodes)) }
    }

    /// Adds a node that hangs on an earlier one.
    pub(super) fn append(&mut self) {
        if let Some(moved) = &mut self.moved {
            moved.push(NodeId::at(self.len));
        }
        self.len += 1;
    }

    /// Returns the nodes in order.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<'_> {
        NodeId::all(self.len).map(|index| match &self.moved {
            Some(moved) => moved[index],
            None => index,
        })
    }

    fn sorted(nodes: &[Node]) -> Vec<NodeId> {
        let mut order = Vec::with_capacity(nodes.len());
        let mut placed = vec![false; nodes.len()];
        let mut waiting = Vec::new();
        for node in NodeId::all(nodes.len()) {
            // Ancestors that are not placed yet come before the node.
            let mut at = Some(node);
            while let Some(current) = at.filter(|&current| !placed[current]) {
                placed[current] = true;
                waiting.push(current);
                at = nodes[current].parent();
            }
            order.extend(waiting.drain(..).rev());
        }
        order
    }
}

/// The tree of each node, identified by its root (union-find with path halving).
struct Trees {
    up: Vec<NodeId>,
    root: Vec<NodeId>,
    size: Vec<u32>,
}

impl Trees {
    fn new(len: usize) -> Self {
        let all: Vec<NodeId> = NodeId::all(len).collect();
        Self { up: all.clone(), root: all, size: vec![1; len] }
    }

    fn set(&mut self, mut node: NodeId) -> NodeId {
        while self.up[node] != node {
            let above = self.up[self.up[node]];
            self.up[node] = above;
            node = above;
        }
        node
    }

    fn root(&mut self, node: NodeId) -> NodeId {
        let set = self.set(node);
        self.root[set]
    }

    /// Attaches the tree with the root `child` to the tree of `parent`.
    fn hang(&mut self, child: NodeId, parent: NodeId) {
        let (child, parent) = (self.set(child), self.set(parent));
        let root = self.root[parent];
        // The larger set stays on top to keep paths short, so the root of the tree is stored separately.
        let (small, large) =
            if self.size[child] < self.size[parent] { (child, parent) } else { (parent, child) };
        self.up[small] = large;
        self.size[large] += self.size[small];
        self.root[large] = root;
    }
}
