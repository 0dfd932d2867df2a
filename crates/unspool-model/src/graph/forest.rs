//! From links to a forest: no cycles, parents first, subagents apart.
//!
//! Knows nodes and the links between them, and nothing of the records that they are made of.

use super::{Edge, Graph, Node, Rule};
use crate::maybe::MaybeIndex;

impl Graph {
    /// Breaks every cycle at an edge whose parent stands later in the file than its child.
    ///
    /// Edges that point back in the file cannot close a cycle among themselves. The others
    /// are added from the last child to the first; one that would close a cycle is cut,
    /// and its child hangs on what stands before it. That bridge points back, and what it
    /// leads to has not been given its own forward edges yet, so it closes nothing.
    pub(super) fn cut_cycles(&mut self, rule: Rule) {
        let forward: Vec<u32> = (0..self.nodes.len() as u32)
            .filter(|&node| {
                self.nodes[node as usize]
                    .parent()
                    .is_some_and(|parent| parent >= node)
            })
            .collect();
        if forward.is_empty() {
            return;
        }
        let mut trees = Trees::new(self.nodes.len());
        let walked = self.hang_walk(&mut trees);
        let backward = (0..self.nodes.len() as u32).filter(|&node| {
            let parent = self.nodes[node as usize].parent();
            parent.is_some_and(|parent| parent < node)
        });
        let rest: Vec<u32> = backward.chain(forward.into_iter().rev()).collect();
        let before = self.same_side_before();
        for node in rest {
            let parent = self.nodes[node as usize].parent();
            let Some(parent) = parent.filter(|_| !walked[node as usize]) else {
                continue;
            };
            if trees.root(parent) != node {
                trees.hang(node, parent);
                continue;
            }
            let bridge = before[node as usize]
                .get()
                .filter(|_| rule == Rule::Current)
                .filter(|&bridge| trees.root(bridge) != node);
            self.nodes[node as usize].hang(bridge, Edge::Cut);
            if let Some(bridge) = bridge {
                trees.hang(node, bridge);
            }
        }
    }

    /// Hangs what the client walks before anything else, so that no cycle is cut there, and
    /// marks it.
    fn hang_walk(&self, trees: &mut Trees) -> Vec<bool> {
        let mut walked = vec![false; self.nodes.len()];
        let resumption = self.resumption.as_ref();
        let mut at = resumption.and_then(|resumption| resumption.deepest);
        while let Some(node) = at {
            let parent = self.nodes[node as usize].parent();
            at = parent.filter(|&parent| trees.root(parent) != node);
            let Some(parent) = at else { break };
            walked[node as usize] = true;
            trees.hang(node, parent);
        }
        walked
    }

    /// Returns for each node the one before it that is on the same side.
    fn same_side_before(&self) -> Vec<MaybeIndex> {
        let mut last = [MaybeIndex::NONE; 2];
        (0u32..)
            .zip(&self.nodes)
            .map(|(index, node)| {
                let last = &mut last[usize::from(node.sidechain)];
                std::mem::replace(last, MaybeIndex::some(index))
            })
            .collect()
    }

    /// Lifts main entries off the subagent they hang on, to the main entry above it.
    pub(super) fn part_sidechains(&mut self) {
        if !self.nodes.iter().any(|node| node.sidechain) {
            return;
        }
        let order = ParentsFirst::of(&self.nodes);
        // The main entry above each entry of a subagent.
        let mut above = vec![MaybeIndex::NONE; self.nodes.len()];
        for node in order.iter() {
            let Node {
                parent,
                edge,
                sidechain,
                ..
            } = self.nodes[node as usize];
            let Some(parent) = parent.get() else { continue };
            let parent_is_side = self.nodes[parent as usize].sidechain;
            if sidechain {
                above[node as usize] = if parent_is_side {
                    above[parent as usize]
                } else {
                    MaybeIndex::some(parent)
                };
            } else if parent_is_side {
                let main = above[parent as usize].get();
                self.nodes[node as usize].hang(main, main.map_or(Edge::Root, |_| edge));
            }
        }
    }
}

/// Nodes in an order in which each comes after its parent.
#[derive(Default)]
pub(super) struct ParentsFirst {
    len: u32,
    /// The nodes in order, unless that is the order of their places.
    moved: Option<Vec<u32>>,
}

impl ParentsFirst {
    /// Finds the order of some nodes; each is as near to its place as its parent allows.
    pub(super) fn of(nodes: &[Node]) -> Self {
        let in_place = (0u32..)
            .zip(nodes)
            .all(|(index, node)| node.parent().is_none_or(|parent| parent < index));
        Self {
            len: nodes.len() as u32,
            moved: (!in_place).then(|| Self::sorted(nodes)),
        }
    }

    /// Adds a node that hangs on an earlier one.
    pub(super) fn append(&mut self) {
        if let Some(moved) = &mut self.moved {
            moved.push(self.len);
        }
        self.len += 1;
    }

    /// Returns the nodes in order.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = u32> + use<'_> {
        (0..self.len).map(|index| match &self.moved {
            Some(moved) => moved[index as usize],
            None => index,
        })
    }

    fn sorted(nodes: &[Node]) -> Vec<u32> {
        let mut order = Vec::with_capacity(nodes.len());
        let mut placed = vec![false; nodes.len()];
        let mut waiting = Vec::new();
        for node in 0..nodes.len() as u32 {
            let mut at = Some(node);
            while let Some(current) = at.filter(|&current| !placed[current as usize]) {
                placed[current as usize] = true;
                waiting.push(current);
                at = nodes[current as usize].parent();
            }
            order.extend(waiting.drain(..).rev());
        }
        order
    }
}

/// Which tree each node is in, named by the tree's root (union-find with halved paths).
struct Trees {
    up: Vec<u32>,
    root: Vec<u32>,
    size: Vec<u32>,
}

impl Trees {
    fn new(len: usize) -> Self {
        let all: Vec<u32> = (0..len as u32).collect();
        Self {
            up: all.clone(),
            root: all,
            size: vec![1; len],
        }
    }

    fn set(&mut self, mut node: u32) -> u32 {
        while self.up[node as usize] != node {
            let above = self.up[self.up[node as usize] as usize];
            self.up[node as usize] = above;
            node = above;
        }
        node
    }

    fn root(&mut self, node: u32) -> u32 {
        let set = self.set(node);
        self.root[set as usize]
    }

    /// Hangs the tree whose root is `child` on `parent`.
    fn hang(&mut self, child: u32, parent: u32) {
        let (child, parent) = (self.set(child), self.set(parent));
        let root = self.root[parent as usize];
        let (small, large) = if self.size[child as usize] < self.size[parent as usize] {
            (child, parent)
        } else {
            (parent, child)
        };
        self.up[small as usize] = large;
        self.size[large as usize] += self.size[small as usize];
        self.root[large as usize] = root;
    }
}
