//! The paths of a conversation: what is left of the graph when recording artefacts are merged.
//!
//! An answer is written as several entries, calls run in parallel, results, hooks and
//! signs of life hang wherever they happened to be written. None of that is a fork.
//! So entries are put together into [`Group`]s, each of which is one thing that was
//! said with everything that hangs on it; a fork is a group that was continued in
//! more than one way, and a path is a walk from the first group to a last one.
//!
//! A path is stored as its last group, so ten thousand forks of a long session cost no
//! more than the session; [`Paths::nodes`] spells one out.

mod grouping;
mod speller;

use std::collections::{HashMap, HashSet};

use crate::graph::{Graph, Node, Rule};
use crate::log::Log;
use crate::sdk;
use crate::symbols::Symbol;

use grouping::Grouping;
pub use speller::Speller;

/// Entries that are one thing that was said, with what hangs on them.
#[derive(Clone, Debug)]
pub struct Group {
    /// The group that it continues.
    pub parent: Option<u32>,
    /// Its first node.
    pub first: u32,
    /// How many groups continue it.
    pub continuations: u32,
    /// The API message, if it is an answer.
    message: Option<Symbol>,
    /// The last node in it that says something, a call's result included.
    last_said: Option<u32>,
    /// Whether it belongs to a team.
    team: bool,
    members: (u32, u32),
}

/// One way through the conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// Its number, counted from one.
    pub index: u32,
    /// Whether a resume would go on from it.
    pub active: bool,
    /// The node it ends with.
    pub head: u32,
    /// For an abandoned path, the last node that it shares with another one.
    pub fork_point: Option<u32>,
    /// Its last group.
    pub last: u32,
    /// Its nodes, where they are not simply those of its groups.
    chain: Option<Vec<u32>>,
}

/// All paths of a conversation.
pub struct Paths {
    /// The groups, each behind the one it continues.
    pub groups: Vec<Group>,
    /// The paths, by number.
    pub paths: Vec<Path>,
    group_of: Vec<u32>,
    members: Vec<u32>,
    /// Whether a node is what its group says, rather than something that hangs on it.
    core: Vec<bool>,
    /// How many continuations of its group a node leads to.
    leads_to: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Paths {
    /// Finds the paths of the main conversation.
    pub fn new(log: &Log, graph: &Graph, rule: Rule) -> Self {
        let mut paths = Self::group(log, graph, |node| !node.sidechain);
        paths.number(graph);
        let head = match rule {
            Rule::Current => paths.current_head(log, graph),
            Rule::NewestTime => paths.last_leaf(|said| (graph.entry(log, said).time, said)),
            Rule::Sdk => paths.sdk_head(log, graph),
        };
        paths.activate(graph, head);
        paths
    }

    /// Finds the paths of the subagents inside the file. Each begins with a root of its
    /// own, and of the paths from one root the last leaf's is active.
    pub fn of_sidechains(log: &Log, graph: &Graph) -> Self {
        let mut paths = Self::group(log, graph, |node| node.sidechain);
        paths.number(graph);
        let mut root: Vec<u32> = Vec::with_capacity(paths.groups.len());
        for (index, group) in (0u32..).zip(&paths.groups) {
            root.push(group.parent.map_or(index, |parent| root[parent as usize]));
        }
        let mut best: HashMap<u32, usize> = HashMap::new();
        let said = |path: &Path| paths.groups[path.last as usize].last_said;
        for (index, path) in paths.paths.iter().enumerate() {
            let best = best.entry(root[path.last as usize]).or_insert(index);
            if said(path) > said(&paths.paths[*best]) {
                *best = index;
            }
        }
        for index in best.into_values() {
            paths.paths[index].active = true;
        }
        paths
    }

    /// Returns the active path.
    pub fn active(&self) -> Option<&Path> {
        self.paths.iter().find(|path| path.active)
    }

    /// Returns the group of a node, if it has one on this side.
    pub fn group_of(&self, node: u32) -> Option<u32> {
        Some(self.group_of[node as usize]).filter(|&group| group != NONE)
    }

    /// Returns the nodes of a group, in order.
    pub fn members(&self, group: u32) -> &[u32] {
        let (start, end) = self.groups[group as usize].members;
        &self.members[start as usize..end as usize]
    }

    /// Returns the groups from the first one to `last`.
    pub fn trail(&self, last: u32) -> Vec<u32> {
        let mut trail = vec![last];
        while let Some(parent) = self.groups[trail[trail.len() - 1] as usize].parent {
            trail.push(parent);
        }
        trail.reverse();
        trail
    }

    /// Returns where other paths leave this one: the group, and their numbers in order.
    pub fn branches(&self, path: &Path) -> HashMap<u32, Vec<u32>> {
        let mut exit: Vec<u32> = vec![NONE; self.groups.len()];
        for group in self.trail(path.last) {
            exit[group as usize] = group;
        }
        for (index, group) in self.groups.iter().enumerate() {
            if let Some(parent) = group.parent.filter(|_| exit[index] == NONE) {
                exit[index] = exit[parent as usize];
            }
        }
        let mut branches: HashMap<u32, Vec<u32>> = HashMap::new();
        for other in self.paths.iter().filter(|other| other.index != path.index) {
            let group = exit[other.last as usize];
            if group != NONE {
                branches.entry(group).or_default().push(other.index);
            }
        }
        branches
    }

    /// Returns for each group the groups that continue it, in file order.
    pub fn continuations(&self) -> Vec<Vec<u32>> {
        let mut children = vec![Vec::new(); self.groups.len()];
        for (index, group) in (0u32..).zip(&self.groups) {
            if let Some(parent) = group.parent {
                children[parent as usize].push(index);
            }
        }
        for list in &mut children {
            list.sort_by_key(|&group| self.groups[group as usize].first);
        }
        children
    }

    /// Spells out a path: its nodes in order, merged ones included.
    pub fn nodes(&self, graph: &Graph, path: &Path) -> Vec<u32> {
        Speller::new(self, graph).nodes(path)
    }

    /// Tells for every node whether a path holds it.
    pub fn holds(&self, graph: &Graph, path: &Path) -> Vec<bool> {
        let mut held = vec![false; graph.nodes.len()];
        for node in self.nodes(graph, path) {
            held[node as usize] = true;
        }
        if path.chain.is_some() {
            // What merely hangs on an entry of the chain is held with it.
            for &node in &graph.order {
                let Some(parent) = graph.nodes[node as usize].parent else {
                    continue;
                };
                let together = self.group_of[node as usize] == self.group_of[parent as usize];
                let leaf = self.leads_to[node as usize] == 0 && !self.core[node as usize];
                held[node as usize] |= held[parent as usize] && together && leaf;
            }
        }
        held
    }

    fn group(log: &Log, graph: &Graph, side: impl Fn(&Node) -> bool) -> Self {
        let mut grouping = Grouping::new(graph.nodes.len());
        for &node in &graph.order {
            if side(&graph.nodes[node as usize]) {
                grouping.add(log, graph, node);
            }
        }
        grouping.finish(graph)
    }

    /// Lists the paths and numbers them by where they leave an earlier one.
    ///
    /// Where a group is continued in several ways, the first one goes on with the number
    /// and each later one is a new path. A file only grows, so numbers stay.
    fn number(&mut self, graph: &Graph) {
        let mut start: Vec<u32> = self.groups.iter().map(|group| group.first).collect();
        let mut first_child: Vec<u32> = vec![NONE; self.groups.len()];
        for (index, group) in self.groups.iter().enumerate() {
            let Some(parent) = group.parent else { continue };
            let slot = &mut first_child[parent as usize];
            if *slot == NONE || self.groups[*slot as usize].first > group.first {
                *slot = index as u32;
            }
        }
        for index in 0..self.groups.len() {
            let Some(parent) = self.groups[index].parent else {
                continue;
            };
            if first_child[parent as usize] == index as u32 {
                start[index] = start[parent as usize];
            }
        }
        let mut leaves: Vec<u32> = (0..self.groups.len() as u32)
            .filter(|&group| self.groups[group as usize].continuations == 0)
            .collect();
        leaves.sort_by_key(|&group| (start[group as usize], group));
        let forks = self.fork_points(graph);
        self.paths = (1..)
            .zip(leaves)
            .map(|(index, last)| Path {
                index,
                active: false,
                head: self.members(last).iter().copied().max().unwrap_or_default(),
                fork_point: forks[last as usize],
                last,
                chain: None,
            })
            .collect();
    }

    /// Returns for each group the last node above it that several ways lead on from.
    fn fork_points(&self, graph: &Graph) -> Vec<Option<u32>> {
        let mut points: Vec<Option<u32>> = vec![None; self.groups.len()];
        for index in 0..self.groups.len() {
            let group = &self.groups[index];
            let Some(parent) = group.parent else { continue };
            if self.groups[parent as usize].continuations < 2 {
                points[index] = points[parent as usize];
                continue;
            }
            let mut at = graph.nodes[group.first as usize].parent;
            while let Some(node) =
                at.filter(|&node| !self.core[node as usize] && self.leads_to[node as usize] < 2)
            {
                let above = graph.nodes[node as usize].parent;
                match above.filter(|&above| self.group_of[above as usize] == parent) {
                    Some(above) => at = Some(above),
                    None => break,
                }
            }
            points[index] = at;
        }
        points
    }

    /// Marks the path that ends with `head` as active; one that another path goes on from is new.
    fn activate(&mut self, graph: &Graph, (last, head, chain): Head) {
        let (Some(last), Some(head)) = (last, head) else {
            return;
        };
        if self.groups[last as usize].continuations == 0 {
            if let Some(path) = self.paths.iter_mut().find(|path| path.last == last) {
                path.active = true;
                path.fork_point = None;
                if chain.is_some() {
                    path.head = head;
                }
                path.chain = chain;
            }
            return;
        }
        self.fork_at(graph, last, head);
        let index = self.paths.len() as u32 + 1;
        self.paths.push(Path {
            index,
            active: true,
            head,
            fork_point: None,
            last,
            chain,
        });
    }

    /// Lets the paths that go on from a group fork there, unless they fork further down.
    fn fork_at(&mut self, graph: &Graph, group: u32, head: u32) {
        let mut trunk = vec![false; self.groups.len()];
        for above in self.trail(group) {
            trunk[above as usize] = true;
        }
        let mut meets: Vec<Option<u32>> = vec![None; self.groups.len()];
        for index in 0..self.groups.len() {
            meets[index] = match self.groups[index].parent {
                Some(parent) if parent == group => self.meeting(graph, index as u32, head),
                Some(parent) => meets[parent as usize],
                None => None,
            };
        }
        for path in &mut self.paths {
            let of = path.fork_point.map(|fork| self.group_of[fork as usize]);
            if let Some(point) = meets[path.last as usize]
                && of.is_none_or(|of| trunk[of as usize])
            {
                path.fork_point = Some(point);
            }
        }
    }

    /// Returns the last node that a continuation shares with a path that ends with `head`.
    fn meeting(&self, graph: &Graph, continuation: u32, head: u32) -> Option<u32> {
        let within = self.groups[continuation as usize].parent?;
        let inside = |node: &u32| self.group_of[*node as usize] == within;
        let climb = |from: Option<u32>| {
            std::iter::successors(from.filter(inside), |&node| {
                graph.nodes[node as usize].parent.filter(inside)
            })
        };
        let first = self.groups[continuation as usize].first;
        let walk: HashSet<u32> = climb(graph.nodes[first as usize].parent).collect();
        let mut chain: Vec<u32> = climb(Some(head)).collect();
        chain.reverse();
        let shared = |&&node: &&u32| {
            self.core[node as usize] || self.leads_to[node as usize] == 0 || walk.contains(&node)
        };
        chain.iter().take_while(shared).last().copied()
    }

    /// Finds the leaf whose last word has the highest rank; teams only if there is nothing else.
    fn last_leaf<K: Ord>(&self, rank: impl Fn(u32) -> K) -> Head {
        let best = (0u32..)
            .zip(&self.groups)
            .filter(|(_, group)| group.continuations == 0)
            .filter_map(|(index, group)| Some((index, group, group.last_said?)))
            .max_by_key(|(_, group, said)| (!group.team, rank(*said)))
            .map(|(index, ..)| index);
        let head = best.and_then(|group| self.members(group).iter().copied().max());
        (best, head, None)
    }

    /// Follows the current client: from the last `last-prompt` line, else the last leaf.
    fn current_head(&self, log: &Log, graph: &Graph) -> Head {
        let noted = log.facts.last_prompt.and_then(|note| {
            let leaf = note.leaf.and_then(|uuid| graph.node(uuid))?;
            self.group_of(leaf).map(|_| (note.entry, leaf))
        });
        match noted {
            Some((line, leaf)) => self.follow(graph, line, leaf),
            None => self.last_leaf(|said| said),
        }
    }

    /// Follows what was appended behind entry `line` and descends from `leaf`: the last of it.
    fn follow(&self, graph: &Graph, line: u32, leaf: u32) -> Head {
        let mut descends = vec![false; graph.nodes.len()];
        descends[leaf as usize] = true;
        let home = self.group_of[leaf as usize];
        if self.core[leaf as usize] {
            // Results of parallel calls hang on any of the answer's entries.
            for &node in self.members(home) {
                descends[node as usize] |= self.core[node as usize];
            }
        }
        let (mut last, mut head) = (home, leaf);
        for &node in &graph.order {
            let Node { place, parent, .. } = graph.nodes[node as usize];
            let group = self.group_of[node as usize];
            if group == NONE {
                continue;
            }
            descends[node as usize] |= parent.is_some_and(|parent| descends[parent as usize]);
            if !descends[node as usize] || place <= line {
                continue;
            }
            if group == last || self.said_in(group, node) {
                head = if group == last { head.max(node) } else { node };
                last = group;
            }
        }
        (Some(last), Some(head), None)
    }

    /// Tells whether a node says something in its group, rather than merely hanging there.
    fn said_in(&self, group: u32, node: u32) -> bool {
        self.core[node as usize] || self.groups[group as usize].first == node
    }

    fn sdk_head(&self, log: &Log, graph: &Graph) -> Head {
        let chain = sdk::chain(log, graph);
        let head = chain.last().copied();
        let last = chain.iter().rev().find_map(|&node| self.group_of(node));
        (last, head, Some(chain))
    }
}

/// The last group of the active path, the node it ends with, and its nodes where a rule spells them out.
type Head = (Option<u32>, Option<u32>, Option<Vec<u32>>);
