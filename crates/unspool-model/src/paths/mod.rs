//! The paths of a conversation: what is left of the graph when recording artefacts are merged.
//!
//! An answer is written as several entries, calls run in parallel, results, hooks and
//! progress records hang wherever they happened to be written. None of that is a fork.
//! So entries are put together into [`Group`]s, each of which is one thing that was
//! said with everything that hangs on it; a fork is a group that was continued in
//! more than one way, and a path is a walk from the first group to a last one.
//!
//! Not every fork is a branch. A *rewind* is one where a person said something else
//! instead, a *retry* one where an answer was given again; only these begin paths. What
//! else is not on the active path was *left out*: see `paths/left_out.rs`.
//!
//! A path is stored as its last group, so ten thousand forks of a long session cost no
//! more than the session; [`Paths::nodes`] spells one out.

mod exits;
mod grouping;
mod growth;
mod left_out;
mod speller;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::commands::AnsweredCommands;
use crate::graph::{Graph, Node, Rule};
use crate::log::Log;
use crate::maybe::MaybeIndex;
use crate::resume::Resumption;
use crate::sdk;

pub use exits::{Exits, Leaving, PathRow};
use grouping::Grouping;
use left_out::LeftOut;
pub use speller::Speller;

/// Entries that are one thing that was said, with what hangs on them.
#[derive(Clone, Debug)]
pub struct Group {
    parent: MaybeIndex,
    /// Its first node.
    pub first: u32,
    /// How many groups continue it on paths.
    pub continuations: u32,
    /// What it begins with.
    pub begins: Begins,
    /// Whether it is on no path: a resume would leave it out, without a rewind.
    pub left_out: bool,
    /// The last node in it that says something, a call's result included.
    last_said: MaybeIndex,
    /// Where its nodes begin among the members of all groups; they end where those of the next
    /// group begin.
    members: u32,
}

impl Group {
    /// Returns the group that it continues.
    pub fn parent(&self) -> Option<u32> {
        self.parent.get()
    }
}

/// What a group begins with, as far as forks are told apart by it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Begins {
    /// A prompt: a person said something.
    Prompt,
    /// An answer of the model.
    Answer,
    /// Anything else.
    Other,
}

impl Begins {
    /// Returns why a path is there that leaves another one with such a group.
    fn path_kind(self) -> PathKind {
        match self {
            Self::Answer => PathKind::Retry,
            Self::Prompt | Self::Other => PathKind::Rewind,
        }
    }
}

/// Why there is a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PathKind {
    /// A resume would go on from it.
    Active,
    /// A person said something else instead.
    Rewind,
    /// The model gave an answer again.
    Retry,
}

impl PathKind {
    /// Returns the name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Rewind => "rewind",
            Self::Retry => "retry",
        }
    }

    /// Says what became of the path.
    pub fn words(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Rewind => "abandoned, rewound",
            Self::Retry => "abandoned, answered again",
        }
    }
}

/// One way through the conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// Its number, counted from one.
    pub index: u32,
    /// Whether a resume would go on from it.
    pub active: bool,
    /// Why there is this path.
    pub kind: PathKind,
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
    /// The groups, each after the one it continues.
    pub groups: Vec<Group>,
    /// The paths, by number.
    pub paths: Vec<Path>,
    /// The number of the path that a resume would go on from.
    active: Option<u32>,
    group_of: Vec<MaybeIndex>,
    members: Vec<u32>,
    /// Whether a node is what its group says, rather than something that hangs on it.
    core: Vec<bool>,
    /// How many continuations of its group a node leads to; many are [`u8::MAX`].
    leads_to: Vec<u8>,
    /// How many of them are on paths; none if all are.
    leads_on: Option<Vec<u8>>,
    left_out: LeftOut,
}

impl Paths {
    /// Finds the paths of the main conversation.
    pub fn new(log: &Log, graph: &Graph, rule: Rule, commands: &AnsweredCommands) -> Self {
        let mut paths = Self::group(log, graph, commands, |node| !node.sidechain);
        let head = match (rule, &graph.resumption) {
            (Rule::Current, Some(resumption)) if resumption.deepest.is_some() => {
                paths.resumed(log, graph, resumption)
            }
            (Rule::Current, _) => paths.last_leaf(),
            (Rule::NewestTime, _) => paths.newest_leaf(log, graph),
            (Rule::Sdk, _) => paths.sdk_head(log, graph),
        };
        if rule != Rule::Sdk {
            paths.leave_out(graph, &head);
        }
        paths.number(graph);
        paths.activate(graph, head);
        paths
    }

    /// Finds the paths of the subagents inside the file. Each begins with a root of its
    /// own, and of the paths from one root the last leaf's is active.
    pub fn of_sidechains(log: &Log, graph: &Graph, commands: &AnsweredCommands) -> Self {
        let mut paths = Self::group(log, graph, commands, |node| node.sidechain);
        paths.number(graph);
        let root = paths.roots();
        let mut best: HashMap<u32, usize> = HashMap::new();
        let said = |path: &Path| paths.groups[path.last as usize].last_said.get();
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

    /// Returns the active path of the main conversation.
    pub fn active(&self) -> Option<&Path> {
        self.path(self.active?)
    }

    /// Returns the path with a number.
    pub fn path(&self, number: u32) -> Option<&Path> {
        self.paths.get((number as usize).checked_sub(1)?)
    }

    /// Returns the group of a node, if it has one on this side.
    pub fn group_of(&self, node: u32) -> Option<u32> {
        self.group_of[node as usize].get()
    }

    /// Returns the nodes of a group, in order.
    pub fn members(&self, group: u32) -> &[u32] {
        let start = self.groups[group as usize].members as usize;
        match self.groups.get(group as usize + 1) {
            Some(next) => &self.members[start..next.members as usize],
            None => &self.members[start..],
        }
    }

    /// Returns the groups from the first one to `last`.
    pub fn trail(&self, last: u32) -> Vec<u32> {
        let mut trail = vec![last];
        while let Some(parent) = self.groups[trail[trail.len() - 1] as usize].parent() {
            trail.push(parent);
        }
        unspool_work::add(trail.len());
        trail.reverse();
        trail
    }

    /// Returns for each group the first one of its walk.
    pub fn roots(&self) -> Vec<u32> {
        let mut roots: Vec<u32> = Vec::with_capacity(self.groups.len());
        for (index, group) in (0u32..).zip(&self.groups) {
            roots.push(
                group
                    .parent()
                    .map_or(index, |parent| roots[parent as usize]),
            );
        }
        roots
    }

    /// Returns for each group the groups that continue it, in file order.
    pub fn continuations(&self) -> Vec<Vec<u32>> {
        let mut children = vec![Vec::new(); self.groups.len()];
        for (index, group) in (0u32..).zip(&self.groups) {
            if let Some(parent) = group.parent() {
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
        Speller::default().nodes(self, graph, path)
    }

    /// Tells for every node whether a path holds it.
    pub fn holds(&self, graph: &Graph, path: &Path) -> Vec<bool> {
        let mut held = vec![false; graph.nodes.len()];
        for node in self.nodes(graph, path) {
            held[node as usize] = true;
        }
        if path.chain.is_some() {
            // What merely hangs on an entry of the chain is held with it.
            for node in graph.order() {
                let Some(parent) = graph.nodes[node as usize].parent() else {
                    continue;
                };
                let together = self.group_of[node as usize] == self.group_of[parent as usize];
                let leaf = self.leads_to[node as usize] == 0 && !self.core[node as usize];
                held[node as usize] |= held[parent as usize] && together && leaf;
            }
        }
        held
    }

    fn group(
        log: &Log,
        graph: &Graph,
        commands: &AnsweredCommands,
        side: impl Fn(&Node) -> bool,
    ) -> Self {
        let mut grouping = Grouping::new(graph.nodes.len(), commands);
        for node in graph.order() {
            if side(&graph.nodes[node as usize]) {
                grouping.add(log, graph, node);
            }
        }
        grouping.finish(graph)
    }

    /// Lists the paths and numbers them by where they leave an earlier one.
    ///
    /// Where a group is continued by several paths, the first one goes on with the number and
    /// each later one is a new path. A file only grows, so numbers stay, unless a later line
    /// shows that the place where a path was left is not a rewind.
    fn number(&mut self, graph: &Graph) {
        let mut leaves: Vec<u32> = (0u32..)
            .zip(&self.groups)
            .filter(|(_, group)| group.continuations == 0 && !group.left_out)
            .map(|(index, _)| index)
            .collect();
        if leaves.len() > 1 {
            let first = self.first_continuations();
            leaves.sort_by_cached_key(|&leaf| (self.start(leaf, &first), leaf));
        }
        self.paths = (1..)
            .zip(leaves)
            .map(|(index, last)| {
                let (fork_point, kind) = self.fork(graph, last);
                Path {
                    index,
                    active: false,
                    kind,
                    head: self.members(last).iter().copied().max().unwrap_or_default(),
                    fork_point,
                    last,
                    chain: None,
                }
            })
            .collect();
    }

    /// Returns for each group the one that continues it and stands first in the file.
    fn first_continuations(&self) -> Vec<MaybeIndex> {
        let mut first = vec![MaybeIndex::NONE; self.groups.len()];
        for (index, group) in (0u32..).zip(&self.groups) {
            let Some(parent) = group.parent().filter(|_| !group.left_out) else {
                continue;
            };
            let slot = &mut first[parent as usize];
            let before = |other: u32| self.groups[other as usize].first <= group.first;
            if !slot.get().is_some_and(before) {
                *slot = MaybeIndex::some(index);
            }
        }
        first
    }

    /// Returns the node that a path begins to be one of its own with: as far up from its last
    /// group as each continues the one above first. No two paths go up through one group.
    fn start(&self, last: u32, first: &[MaybeIndex]) -> u32 {
        let above = |&group: &u32| {
            let parent = self.groups[group as usize].parent()?;
            (first[parent as usize].get() == Some(group)).then_some(parent)
        };
        let top = std::iter::successors(Some(last), above).last();
        self.groups[top.unwrap_or(last) as usize].first
    }

    /// Returns the last node above the end of a path that several paths lead on from, and why
    /// there are several. No two paths go up through one group to get there.
    fn fork(&self, graph: &Graph, last: u32) -> (Option<u32>, PathKind) {
        let mut at = last;
        loop {
            let group = &self.groups[at as usize];
            let kind = group.begins.path_kind();
            match group.parent() {
                None => return (None, kind),
                Some(parent) if self.groups[parent as usize].continuations < 2 => at = parent,
                Some(parent) => return (self.fork_above(graph, group, parent), kind),
            }
        }
    }

    /// Returns the node of a group's parent that it leaves the other paths at.
    fn fork_above(&self, graph: &Graph, group: &Group, parent: u32) -> Option<u32> {
        let mut at = graph.nodes[group.first as usize].parent();
        while let Some(node) =
            at.filter(|&node| !self.core[node as usize] && self.leads_on(node) < 2)
        {
            let above = graph.nodes[node as usize].parent();
            match above.filter(|&above| self.group_of(above) == Some(parent)) {
                Some(above) => at = Some(above),
                None => break,
            }
        }
        at
    }

    /// Marks the path that ends with `head` as active; one that another path goes on from is new.
    fn activate(&mut self, graph: &Graph, Head { last, node, chain }: Head) {
        let (Some(last), Some(head)) = (last, node) else {
            return;
        };
        if self.groups[last as usize].continuations == 0 {
            if let Some(path) = self.paths.iter_mut().find(|path| path.last == last) {
                path.active = true;
                path.kind = PathKind::Active;
                path.fork_point = None;
                path.head = head;
                path.chain = chain;
                self.active = Some(path.index);
            }
            return;
        }
        self.fork_at(graph, last, head);
        let index = self.paths.len() as u32 + 1;
        self.active = Some(index);
        self.paths.push(Path {
            index,
            active: true,
            kind: PathKind::Active,
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
        let mut meets = vec![MaybeIndex::NONE; self.groups.len()];
        for index in 0..self.groups.len() {
            meets[index] = match self.groups[index].parent() {
                Some(parent) if parent == group => self.meeting(graph, index as u32, head).into(),
                Some(parent) => meets[parent as usize],
                None => MaybeIndex::NONE,
            };
        }
        for path in &mut self.paths {
            let of = path.fork_point.map(|fork| self.group_of[fork as usize]);
            if let Some(point) = meets[path.last as usize].get()
                && of.is_none_or(|of| of.get().is_some_and(|of| trunk[of as usize]))
            {
                path.fork_point = Some(point);
            }
        }
    }

    /// Returns the last node that a continuation shares with a path that ends with `head`.
    fn meeting(&self, graph: &Graph, continuation: u32, head: u32) -> Option<u32> {
        let within = self.groups[continuation as usize].parent()?;
        let inside = |node: &u32| self.group_of(*node) == Some(within);
        let climb = |from: Option<u32>| {
            std::iter::successors(from.filter(inside), |&node| {
                graph.nodes[node as usize].parent().filter(inside)
            })
        };
        let first = self.groups[continuation as usize].first;
        let walk: HashSet<u32> = climb(graph.nodes[first as usize].parent()).collect();
        let mut chain: Vec<u32> = climb(Some(head)).collect();
        chain.reverse();
        let shared = |&&node: &&u32| {
            self.core[node as usize] || self.leads_to[node as usize] == 0 || walk.contains(&node)
        };
        chain.iter().take_while(shared).last().copied()
    }

    /// Finds the group that ends a path and whose last word stands last in the file.
    fn last_leaf(&self) -> Head {
        let leaves = (0u32..).zip(&self.groups);
        let leaves = leaves.filter(|(_, group)| group.continuations == 0);
        let last = leaves.max_by_key(|(_, group)| group.last_said.get());
        let last = last.map(|(index, _)| index);
        Head {
            last,
            node: last.and_then(|group| self.members(group).iter().copied().max()),
            chain: None,
        }
    }

    /// Follows older clients: the entry of any type with the newest time that nothing hangs on.
    fn newest_leaf(&self, log: &Log, graph: &Graph) -> Head {
        let mut continued = vec![false; graph.nodes.len()];
        for node in &graph.nodes {
            if let Some(parent) = node.parent() {
                continued[parent as usize] = true;
            }
        }
        let leaves = (0..graph.nodes.len() as u32)
            .filter(|&node| !continued[node as usize] && self.group_of(node).is_some());
        let node = leaves.max_by_key(|&node| (graph.entry(log, node).time, node));
        Head {
            last: node.and_then(|node| self.group_of(node)),
            node,
            chain: None,
        }
    }

    fn sdk_head(&self, log: &Log, graph: &Graph) -> Head {
        let chain = sdk::chain(log, graph);
        Head {
            last: chain.iter().rev().find_map(|&node| self.group_of(node)),
            node: chain.last().copied(),
            chain: Some(chain),
        }
    }

    /// Follows the current client: the path to where its walk began, with all that it takes up.
    fn resumed(&self, log: &Log, graph: &Graph, resumption: &Resumption) -> Head {
        let deepest = resumption.deepest;
        // The walk may begin in a subagent inside the file, which no group of this side has.
        let above = |&node: &u32| graph.nodes[node as usize].parent();
        let last = std::iter::successors(deepest, above).find_map(|node| self.group_of(node));
        let mut head = Head {
            last,
            node: resumption.tip(log, graph).or(deepest),
            chain: None,
        };
        let (Some(last), Some(deepest)) = (last, deepest) else {
            return head;
        };
        // Where the walk leads through a subagent, a person has not seen that.
        let aside = |node: u32| graph.nodes[node as usize].sidechain;
        let mut taken = Cow::Borrowed(resumption.list.as_slice());
        if !aside(deepest) && taken.iter().any(|&node| aside(node)) {
            taken.to_mut().retain(|&node| !aside(node));
        }
        if !self.reaches(graph, last, deepest, &taken) {
            head.chain = Some(self.with_all(graph, last, deepest, &taken));
        }
        head
    }

    /// Tells whether the path to a group has all of some nodes.
    fn reaches(&self, graph: &Graph, last: u32, deepest: u32, taken: &[u32]) -> bool {
        let mut on_trail = vec![false; self.groups.len()];
        for group in self.trail(last) {
            on_trail[group as usize] = true;
        }
        let mut above = vec![false; graph.nodes.len()];
        let mut at = Some(deepest);
        while let Some(node) = at {
            above[node as usize] = true;
            at = graph.nodes[node as usize].parent();
        }
        taken.iter().all(|&node| {
            let there = self
                .group_of(node)
                .is_some_and(|group| on_trail[group as usize]);
            let leads_nowhere = self.leads_to[node as usize] == 0;
            there && (self.core[node as usize] || above[node as usize] || leads_nowhere)
        })
    }

    /// Spells out the path to a group with all of some nodes, each after the one before it.
    fn with_all(&self, graph: &Graph, last: u32, deepest: u32, taken: &[u32]) -> Vec<u32> {
        let path = Path {
            index: 0,
            active: true,
            kind: PathKind::Active,
            head: deepest,
            fork_point: None,
            last,
            chain: None,
        };
        let spelled = self.nodes(graph, &path);
        let mut held = vec![false; graph.nodes.len()];
        for &node in &spelled {
            held[node as usize] = true;
        }
        let mut behind: HashMap<Option<u32>, Vec<u32>> = HashMap::new();
        let mut before = None;
        for &node in taken {
            if held[node as usize] {
                before = Some(node);
            } else {
                held[node as usize] = true;
                behind.entry(before).or_default().push(node);
            }
        }
        let mut chain = behind.remove(&None).unwrap_or_default();
        for node in spelled {
            chain.push(node);
            chain.extend(behind.remove(&Some(node)).into_iter().flatten());
        }
        chain
    }
}

/// Where the active path ends.
struct Head {
    /// Its last group.
    last: Option<u32>,
    /// The node it ends with.
    node: Option<u32>,
    /// Its nodes, where a rule spells them out.
    chain: Option<Vec<u32>>,
}
