//! The graph of a log: which entry follows which.
//!
//! Every entry that can be followed is a [`Node`]; copies with one uuid are one node,
//! whose place is that of the first copy and whose content and parent are those of the last. A
//! node has at most one parent, and the [`Edge`] says how sure that is. The graph has
//! no cycles. Subagents inside the file are apart from the main conversation: a main
//! entry never hangs on one of theirs.
//!
//! What the graph does not know: messages, forks, which path is active. That is
//! [`crate::paths`]'s work.

use std::collections::{HashMap, HashSet};

use crate::entry::{Entry, EntryKind, Flags};
use crate::log::{Compaction, Log};
use crate::resume::{Resumption, Table};
use crate::symbols::Symbol;

/// How the active path is found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Rule {
    /// As the current client resumes: by the last `last-prompt` line, else the last entry of the file.
    #[default]
    Current,
    /// As clients up to 2.1.50 resumed: the leaf with the newest time; an unknown parent cuts.
    NewestTime,
    /// As the vendor's SDK reads: the last leaf of the file; compactions and unknown parents cut.
    Sdk,
}

impl Rule {
    /// Returns the name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::NewestTime => "newest-time",
            Self::Sdk => "sdk",
        }
    }
}

/// Whose conversation a graph is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// A session: subagents inside the file are apart.
    Session,
    /// An agent's own file: everything in it is the conversation.
    Agent,
}

/// How a node hangs on its parent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Edge {
    /// It has no parent.
    Root,
    /// The parent it names.
    Parent,
    /// The parent it names is unknown; this is what stands before it.
    Bridged,
    /// A compaction, or what goes on behind one.
    Logical,
    /// The parent it names would close a cycle; this is what stands before it.
    Cut,
}

/// One entry that can be followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// The first entry with this uuid.
    pub place: u32,
    /// The last entry with this uuid, which counts.
    pub content: u32,
    /// The node it hangs on.
    pub parent: Option<u32>,
    /// How it hangs there.
    pub edge: Edge,
    /// Whether it belongs to a subagent inside the file.
    pub sidechain: bool,
}

/// The nodes of a log and their links.
pub struct Graph {
    /// The nodes, in order of their places.
    pub nodes: Vec<Node>,
    /// The nodes, each behind its parent and else in order of their places.
    pub order: Vec<u32>,
    /// What each compaction keeps in the model's context, by the boundary's node.
    pub preserved: Vec<Preserved>,
    /// Whose conversation it is about.
    pub scope: Scope,
    /// What the current client would take up; none under other rules, and for logs that it
    /// did not write.
    pub(crate) resumption: Option<Resumption>,
    node_of: Vec<u32>,
}

/// What one compaction keeps in the model's context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preserved {
    /// The boundary.
    pub boundary: u32,
    /// The node behind which the kept ones are put.
    pub anchor: Option<u32>,
    /// The kept nodes, in order.
    pub kept: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Graph {
    /// Links the entries of a log.
    pub fn new(log: &Log, rule: Rule, scope: Scope) -> Self {
        let mut graph = Self::collect(log, scope);
        graph.link(log, rule);
        if rule == Rule::Current && !has_flat(log) {
            graph.resume(log);
        }
        if rule != Rule::Sdk {
            graph.relink_preserved(log);
            graph.relink_flat(log);
        }
        graph.cut_cycles(rule);
        graph.order = graph.parents_first();
        graph.part_sidechains();
        graph
    }

    /// Returns the node of a uuid.
    pub fn node(&self, uuid: Symbol) -> Option<u32> {
        self.node_of
            .get(uuid.index())
            .copied()
            .filter(|&node| node != NONE)
    }

    /// Returns the entry whose content counts for a node.
    pub fn entry<'l>(&self, log: &'l Log, node: u32) -> &'l Entry {
        &log.entries[self.nodes[node as usize].content as usize]
    }

    /// Returns the parent that a node's record names, if that is a node: before any repair.
    pub fn named_parent(&self, log: &Log, node: u32) -> Option<u32> {
        self.entry(log, node)
            .parent
            .and_then(|uuid| self.node(uuid))
    }

    fn collect(log: &Log, scope: Scope) -> Self {
        let linking = linking_symbols(log);
        let mut nodes: Vec<Node> = Vec::with_capacity(log.entries.len());
        let mut node_of = vec![NONE; log.symbols.len()];
        for (index, entry) in log.entries.iter().enumerate() {
            let Some(uuid) = entry.uuid else { continue };
            if !entry.kind.links() && !linking.has(uuid) {
                continue;
            }
            let slot = &mut node_of[uuid.index()];
            if *slot == NONE {
                *slot = nodes.len() as u32;
                nodes.push(Node {
                    place: index as u32,
                    content: index as u32,
                    parent: None,
                    edge: Edge::Root,
                    sidechain: false,
                });
            } else {
                // A record of an unknown type does not replace what was said, nor does one that
                // the client does not read replace one that it reads.
                let node: &mut Node = &mut nodes[*slot as usize];
                let before = &log.entries[node.content as usize];
                let counts = |entry: &Entry| (entry.kind.links(), !entry.is_unread());
                if counts(entry) >= counts(before) {
                    node.content = index as u32;
                }
            }
        }
        if scope == Scope::Session {
            for node in &mut nodes {
                node.sidechain = log.entries[node.content as usize]
                    .flags
                    .has(Flags::SIDECHAIN);
            }
        }
        Self {
            nodes,
            order: Vec::new(),
            preserved: Vec::new(),
            scope,
            resumption: None,
            node_of,
        }
    }

    /// Finds out what the client would take up, and hangs nodes where its walk leads through
    /// them without a record saying so.
    fn resume(&mut self, log: &Log) {
        let resumption = Resumption::new(Table {
            log,
            nodes: &self.nodes,
            node_of: &self.node_of,
        });
        for &(child, parent) in &resumption.bridges {
            self.bridge(child, Some(parent));
        }
        // The client starts with this one; history joins it to what it names, if that is known
        // to us and does not lead back, else to what stands before it.
        let walked = |node: &u32| resumption.list.contains(node);
        let first = resumption.cut.filter(|&first| {
            let parent = self.nodes[first as usize].parent;
            parent.is_none_or(|parent| walked(&parent))
        });
        if let Some(first) = first {
            let before = (0..first).rev().find(|&before| {
                self.nodes[before as usize].sidechain == self.nodes[first as usize].sidechain
            });
            self.bridge(first, before);
        }
        let summary = log.compactions.last().and_then(|last| last.anchor);
        if let Some(summary) = summary.and_then(|uuid| self.node(uuid)) {
            for &node in &resumption.adopted {
                self.nodes[node as usize].parent = Some(summary);
                self.nodes[node as usize].edge = Edge::Logical;
            }
        }
        self.resumption = Some(resumption);
    }

    /// Hangs a node on what stands in for the parent that it names.
    fn bridge(&mut self, node: u32, parent: Option<u32>) {
        let node = &mut self.nodes[node as usize];
        node.edge = match (node.edge, parent) {
            // The parent is there, but leads back to the node.
            (Edge::Parent | Edge::Logical | Edge::Cut, _) => Edge::Cut,
            (Edge::Bridged | Edge::Root, Some(_)) => Edge::Bridged,
            (Edge::Bridged | Edge::Root, None) => Edge::Root,
        };
        node.parent = parent;
    }

    /// Gives every node the parent it names, or what stands in for it.
    ///
    /// Of several copies the last decides where the node hangs, unless it names nothing known;
    /// under the oldest rule the first does.
    fn link(&mut self, log: &Log, rule: Rule) {
        let unlinked = is_unlinked(log);
        let mut before = [None, None];
        for index in 0..self.nodes.len() {
            let node = self.nodes[index];
            let side = usize::from(node.sidechain);
            let (first, other) = match rule {
                Rule::Sdk => (node.content, node.content),
                Rule::Current => (node.content, node.place),
                Rule::NewestTime => (node.place, node.content),
            };
            let bridge = before[side]
                .filter(|_| Self::bridges(&log.entries[first as usize], rule) || unlinked);
            let named = self.parent_of(index as u32, &log.entries[first as usize], rule);
            let other = || self.parent_of(index as u32, &log.entries[other as usize], rule);
            let (parent, edge) = match (named.or_else(other), bridge) {
                (Some(found), _) => found,
                (None, Some(before)) => {
                    let entry = &log.entries[first as usize];
                    let itself = entry.parent.is_some() && entry.parent == entry.uuid;
                    (before, if itself { Edge::Cut } else { Edge::Bridged })
                }
                (None, None) => {
                    before[side] = Some(index as u32);
                    continue;
                }
            };
            self.nodes[index].parent = Some(parent);
            self.nodes[index].edge = edge;
            before[side] = Some(index as u32);
        }
    }

    /// Finds the parent that a record names, or for a compaction what it compacted.
    fn parent_of(&self, node: u32, entry: &Entry, rule: Rule) -> Option<(u32, Edge)> {
        let known = |uuid: Option<Symbol>| {
            uuid.and_then(|uuid| self.node(uuid))
                .filter(|&parent| parent != node)
        };
        let joins = entry.flags.has(Flags::BOUNDARY) || entry.flags.has(Flags::FLAT);
        let logical = entry.logical_parent.filter(|_| rule != Rule::Sdk && joins);
        known(entry.parent)
            .map(|parent| (parent, Edge::Parent))
            .or_else(|| Some((known(logical)?, Edge::Logical)))
    }

    /// Tells whether a record without a known parent is joined to what stands before it.
    fn bridges(entry: &Entry, rule: Rule) -> bool {
        let compaction = entry.flags.has(Flags::BOUNDARY) || entry.flags.has(Flags::COMPACTING);
        match rule {
            Rule::Current => compaction || entry.parent.is_some(),
            Rule::NewestTime => compaction,
            Rule::Sdk => false,
        }
    }

    /// Hangs what goes on from a kept message behind the summary: the kept message itself
    /// stays where it was said, before the boundary.
    fn relink_preserved(&mut self, log: &Log) {
        let mut budget = self.nodes.len().saturating_mul(4);
        for compaction in &log.compactions {
            if let Some(preserved) = self.preserved_by(log, compaction, &mut budget) {
                self.join_summarized(&preserved, &mut budget);
                self.preserved.push(preserved);
            }
        }
        // Later boundaries first, so that the last one before an entry counts.
        let mut keeper = vec![NONE; self.nodes.len()];
        let mut next = 0;
        for index in 0..self.nodes.len() as u32 {
            while next < self.preserved.len() && self.preserved[next].boundary < index {
                for &kept in &self.preserved[next].kept {
                    keeper[kept as usize] = next as u32;
                }
                next += 1;
            }
            let node = self.nodes[index as usize];
            let Some(parent) = node.parent.filter(|_| node.edge == Edge::Parent) else {
                continue;
            };
            let Some(preserved) = self.preserved.get(keeper[parent as usize] as usize) else {
                continue;
            };
            let Some(anchor) = preserved.anchor else {
                continue;
            };
            if anchor < index && parent < preserved.boundary {
                self.nodes[index as usize].parent = Some(anchor);
                self.nodes[index as usize].edge = Edge::Logical;
            }
        }
    }

    /// Hangs a boundary that sums up what follows a message ("summarize from here") behind what
    /// it sums up: it names the message as its logical parent, as if a person had rewound there.
    fn join_summarized(&mut self, preserved: &Preserved, budget: &mut usize) {
        let boundary = preserved.boundary;
        let Node {
            parent, sidechain, ..
        } = self.nodes[boundary as usize];
        let (Some(from), true) = (parent, preserved.anchor == Some(boundary)) else {
            return;
        };
        let same_side = |node: &u32| self.nodes[*node as usize].sidechain == sidechain;
        let Some(last) = (0..boundary).rev().find(same_side) else {
            return;
        };
        if self.segment(from, last, budget).is_some() {
            self.nodes[boundary as usize].parent = Some(last);
        }
    }

    /// Hangs what follows a compaction of the flat dialect behind it: entries there name
    /// parents from before, or have only a logical one.
    fn relink_flat(&mut self, log: &Log) {
        let mut last = [None, None];
        for index in 0..self.nodes.len() as u32 {
            let node = self.nodes[index as usize];
            let side = usize::from(node.sidechain);
            let flags = log.entries[node.content as usize].flags;
            if !flags.has(Flags::FLAT) {
                continue;
            }
            if flags.has(Flags::COMPACTING) {
                last[side] = Some(index);
            } else if let (Some(compaction), Some(parent)) = (last[side], node.parent)
                && parent < compaction
            {
                self.nodes[index as usize].parent = Some(compaction);
                self.nodes[index as usize].edge = Edge::Logical;
            }
        }
    }

    fn preserved_by(
        &self,
        log: &Log,
        compaction: &Compaction,
        budget: &mut usize,
    ) -> Option<Preserved> {
        let boundary = self.node(log.entries[compaction.entry as usize].uuid?)?;
        let mut seen = HashSet::new();
        let mut kept: Vec<u32> = compaction
            .preserved
            .iter()
            .filter_map(|&uuid| self.node(uuid))
            .filter(|&node| seen.insert(node))
            .collect();
        if let (true, Some((head, tail))) = (kept.is_empty(), compaction.segment) {
            kept = self.segment(self.node(head)?, self.node(tail)?, budget)?;
        }
        let anchor = compaction.anchor.and_then(|uuid| self.node(uuid));
        Some(Preserved {
            boundary,
            anchor,
            kept,
        })
    }

    /// Returns the nodes from `head` down to `tail`, if the one leads to the other.
    fn segment(&self, head: u32, tail: u32, budget: &mut usize) -> Option<Vec<u32>> {
        let mut walked = vec![tail];
        let mut at = tail;
        while at != head {
            *budget = budget.checked_sub(1)?;
            at = self.nodes[at as usize].parent?;
            walked.push(at);
        }
        walked.reverse();
        Some(walked)
    }

    /// Breaks every cycle at an edge whose parent stands later in the file than its child.
    ///
    /// Edges that point back in the file cannot close a cycle among themselves. The others
    /// are added from the last child to the first; one that would close a cycle is cut,
    /// and its child hangs on what stands before it. That bridge points back, and what it
    /// leads to has not been given its own forward edges yet, so it closes nothing.
    fn cut_cycles(&mut self, rule: Rule) {
        let forward: Vec<u32> = (0..self.nodes.len() as u32)
            .filter(|&node| {
                self.nodes[node as usize]
                    .parent
                    .is_some_and(|parent| parent >= node)
            })
            .collect();
        if forward.is_empty() {
            return;
        }
        let mut trees = Trees::new(self.nodes.len());
        let walked = self.hang_walk(&mut trees);
        let backward = (0..self.nodes.len() as u32).filter(|&node| {
            let parent = self.nodes[node as usize].parent;
            parent.is_some_and(|parent| parent < node)
        });
        let rest: Vec<u32> = backward.chain(forward.into_iter().rev()).collect();
        let before = self.same_side_before();
        for node in rest {
            let parent = self.nodes[node as usize].parent;
            let Some(parent) = parent.filter(|_| !walked[node as usize]) else {
                continue;
            };
            if trees.root(parent) != node {
                trees.hang(node, parent);
                continue;
            }
            let bridge = before[node as usize]
                .filter(|_| rule == Rule::Current)
                .filter(|&bridge| trees.root(bridge) != node);
            self.nodes[node as usize].parent = bridge;
            self.nodes[node as usize].edge = Edge::Cut;
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
            let parent = self.nodes[node as usize].parent;
            at = parent.filter(|&parent| trees.root(parent) != node);
            let Some(parent) = at else { break };
            walked[node as usize] = true;
            trees.hang(node, parent);
        }
        walked
    }

    /// Returns for each node the one before it that is on the same side.
    fn same_side_before(&self) -> Vec<Option<u32>> {
        let mut last = [None, None];
        (0u32..)
            .zip(&self.nodes)
            .map(|(index, node)| last[usize::from(node.sidechain)].replace(index))
            .collect()
    }

    fn parents_first(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut placed = vec![false; self.nodes.len()];
        let mut waiting = Vec::new();
        for node in 0..self.nodes.len() as u32 {
            let mut at = Some(node);
            while let Some(current) = at.filter(|&current| !placed[current as usize]) {
                placed[current as usize] = true;
                waiting.push(current);
                at = self.nodes[current as usize].parent;
            }
            order.extend(waiting.drain(..).rev());
        }
        order
    }

    /// Lifts main entries off the subagent they hang on, to the main entry above it.
    fn part_sidechains(&mut self) {
        let mut above: Vec<u32> = vec![NONE; self.nodes.len()];
        for &node in &self.order {
            let Node {
                parent, sidechain, ..
            } = self.nodes[node as usize];
            let Some(parent) = parent else { continue };
            let parent_is_side = self.nodes[parent as usize].sidechain;
            if sidechain {
                above[node as usize] = if parent_is_side {
                    above[parent as usize]
                } else {
                    parent
                };
            } else if parent_is_side {
                let main = above[parent as usize];
                self.nodes[node as usize].parent = (main != NONE).then_some(main);
                if main == NONE {
                    self.nodes[node as usize].edge = Edge::Root;
                }
            }
        }
        self.order = self.parents_first();
    }
}

/// Tells whether a log holds entries of the flat dialect, which the client did not write.
fn has_flat(log: &Log) -> bool {
    log.entries
        .iter()
        .any(|entry| entry.flags.has(Flags::FLAT) && entry.kind.links())
}

/// Tells whether a log of the flat dialect has no links at all: its order is all there is.
fn is_unlinked(log: &Log) -> bool {
    let mut said = log
        .entries
        .iter()
        .filter(|entry| entry.kind.links() && entry.uuid.is_some());
    let mut any = false;
    let none = said.all(|entry| {
        any = true;
        entry.parent.is_none() && entry.flags.has(Flags::FLAT)
    });
    any && none
}

/// The uuids of entries of other types that something in the graph names as its parent.
fn linking_symbols(log: &Log) -> SymbolSet {
    let mut named = SymbolSet::new(log.symbols.len());
    let mut others: Vec<(Symbol, Option<Symbol>)> = Vec::new();
    for entry in &log.entries {
        match (entry.kind, entry.uuid) {
            (EntryKind::Metadata, Some(uuid)) => others.push((uuid, entry.parent)),
            (_, Some(_)) if entry.kind.links() => {
                if let Some(parent) = entry.parent {
                    named.add(parent);
                }
            }
            _ => {}
        }
    }
    // What a linking entry of an unknown type names links too.
    let parents: HashMap<Symbol, Option<Symbol>> = others.iter().copied().collect();
    for (uuid, _) in others {
        let mut at = Some(uuid).filter(|&uuid| named.has(uuid));
        while let Some(Some(parent)) = at.and_then(|uuid| parents.get(&uuid)) {
            at = (!named.has(*parent)).then_some(*parent);
            named.add(*parent);
        }
    }
    named
}

struct SymbolSet(Vec<bool>);

impl SymbolSet {
    fn new(len: usize) -> Self {
        Self(vec![false; len])
    }

    fn add(&mut self, symbol: Symbol) {
        self.0[symbol.index()] = true;
    }

    fn has(&self, symbol: Symbol) -> bool {
        self.0[symbol.index()]
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
