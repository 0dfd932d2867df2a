//! The paths of a conversation: the graph, with artefacts of recording merged.
//!
//! An answer is written as several entries, calls run in parallel, and results, hooks and progress
//! records hang wherever they happened to be written. None of that is a fork. So entries are merged into
//! [`Group`]s, each of which is one thing that was said, with everything that hangs on it. A fork is a
//! group that was continued in more than one way, and a path is a walk from a first group to a last one.
//!
//! Not every fork is a branch. In a *rewind*, a person said something else instead; in a
//! *retry*, the model answered again. Only these begin paths. Everything else that is not on
//! the active path was *left out*: see `paths/left_out.rs`.
//!
//! A path is stored as its last group, so ten thousand forks of a long session cost no more
//! than the session; [`Paths::nodes`] lists the nodes of one.

mod active;
mod exits;
mod grouping;
mod growth;
mod left_out;
mod node_lister;
mod numbering;

use std::collections::HashMap;

use crate::commands::AnsweredCommands;
use crate::graph::{Graph, Rule};
use crate::log::Log;
use crate::names;
use crate::node::Node;
use crate::positions::{GroupId, NodeId, PathNumber};

pub use exits::{LeavingPaths, PathExits, PathOrder};
use grouping::Grouping;
use left_out::LeftOutNodes;
pub use node_lister::PathNodeLister;

/// Entries that are one thing that was said, with everything that hangs on them.
#[derive(Clone, Debug)]
pub struct Group {
    parent: Option<GroupId>,
    /// The first node.
    pub first: NodeId,
    /// Number of groups that continue this one on paths.
    pub continuations: u32,
    /// What the group begins with.
    pub begins: GroupStart,
    /// Set if the group is on no path: a resume would leave it out, without a rewind.
    pub left_out: bool,
    /// The last node that says something or contains the result of a call.
    last_said: Option<NodeId>,
    /// The index of the first node of this group in the list of all members; the members end
    /// where those of the next group begin.
    members: u32,
}

impl Group {
    /// Returns the group that this one continues.
    pub fn parent(&self) -> Option<GroupId> {
        self.parent
    }
}

/// What a group begins with, as far as it distinguishes kinds of forks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GroupStart {
    /// A prompt of a person.
    Prompt,
    /// An answer of the model.
    Answer,
    /// Anything else.
    Other,
}

impl GroupStart {
    /// Returns the kind of a path that leaves another one with such a group.
    fn path_kind(self) -> PathKind {
        match self {
            Self::Answer => PathKind::Retry,
            Self::Prompt | Self::Other => PathKind::Rewind,
        }
    }
}

names! {
    /// Why a path exists.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum PathKind {
        /// A resume would continue it.
        Active = "active",
        /// A person said something else instead.
        Rewind = "rewind",
        /// The model answered again.
        Retry = "retry",
    }
}

impl PathKind {
    /// Returns the state of the path, in words.
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
    /// The number of the path.
    pub index: PathNumber,
    /// Set if a resume would continue the path.
    pub active: bool,
    /// Why the path exists.
    pub kind: PathKind,
    /// The last node.
    pub head: NodeId,
    /// For an abandoned path, the last node that it shares with another one.
    pub fork_point: Option<NodeId>,
    /// The last group.
    pub last: GroupId,
    /// The nodes, if they are not those of the groups.
    chain: Option<Vec<NodeId>>,
}

/// All paths of a conversation.
pub struct Paths {
    /// The groups, each after the one that it continues.
    pub groups: Vec<Group>,
    /// The paths, by number.
    pub paths: Vec<Path>,
    /// The number of the path that a resume would continue.
    active: Option<PathNumber>,
    group_of: Vec<Option<GroupId>>,
    members: Vec<NodeId>,
    /// Set for nodes that are a part of what their group says; clear for those that only hang on it.
    core: Vec<bool>,
    /// How many continuations of its group each node leads to, at most [`u8::MAX`].
    continuations_below: Vec<u8>,
    /// How many of these are on paths; `None` if all are.
    path_continuations_below: Option<Vec<u8>>,
    left_out: LeftOutNodes,
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
        // The chain of the SDK does not follow groups, so its forks are not judged.
        if rule != Rule::Sdk {
            paths.leave_out(graph, &head);
        }
        paths.number(graph);
        paths.activate(graph, head);
        paths
    }

    /// Finds the paths of the subagents inside the file. Each subagent begins with a root of
    /// its own; of the paths from one root, the one with the last leaf is active.
    pub fn of_sidechains(log: &Log, graph: &Graph, commands: &AnsweredCommands) -> Self {
        let mut paths = Self::group(log, graph, commands, |node| node.sidechain);
        paths.number(graph);
        let root = paths.roots();
        let mut best: HashMap<GroupId, usize> = HashMap::new();
        let said = |path: &Path| paths.groups[path.last].last_said;
        for (index, path) in paths.paths.iter().enumerate() {
            let best = best.entry(root[path.last]).or_insert(index);
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
    pub fn path(&self, number: PathNumber) -> Option<&Path> {
        self.paths.get(number.index())
    }

    /// Returns the group of a node, if the node is on this side.
    pub fn group_of(&self, node: NodeId) -> Option<GroupId> {
        self.group_of[node]
    }

    /// Returns the nodes of a group, in order.
    pub fn members(&self, group: GroupId) -> &[NodeId] {
        let start = self.groups[group].members as usize;
        match self.groups.get(group.index() + 1) {
            Some(next) => &self.members[start..next.members as usize],
            None => &self.members[start..],
        }
    }

    /// Returns the node of a group that is last in the file.
    fn last_member(&self, group: GroupId) -> NodeId {
        let last = self.members(group).iter().copied().max();
        last.unwrap_or(self.groups[group].first)
    }

    /// Returns the groups from the first one to `last`.
    pub fn trail(&self, last: GroupId) -> Vec<GroupId> {
        let mut trail = vec![last];
        while let Some(parent) = self.groups[trail[trail.len() - 1]].parent() {
            trail.push(parent);
        }
        unspool_work::add(trail.len());
        trail.reverse();
        trail
    }

    /// Returns for each group the first group above it.
    pub fn roots(&self) -> Vec<GroupId> {
        let mut roots: Vec<GroupId> = Vec::with_capacity(self.groups.len());
        for (index, group) in GroupId::enumerate(&self.groups) {
            roots.push(group.parent().map_or(index, |parent| roots[parent]));
        }
        roots
    }

    /// Returns for each group its continuations, in file order.
    pub fn continuations(&self) -> Vec<Vec<GroupId>> {
        let mut children = vec![Vec::new(); self.groups.len()];
        for (index, group) in GroupId::enumerate(&self.groups) {
            if let Some(parent) = group.parent() {
                children[parent].push(index);
            }
        }
        for list in &mut children {
            list.sort_by_key(|&group| self.groups[group].first);
        }
        children
    }

    /// Returns the nodes of a path in order, including merged ones.
    pub fn nodes(&self, graph: &Graph, path: &Path) -> Vec<NodeId> {
        PathNodeLister::default().nodes(self, graph, path)
    }

    /// Tells for each node whether a path contains it.
    pub fn on_path(&self, graph: &Graph, path: &Path) -> Vec<bool> {
        let mut held = vec![false; graph.nodes.len()];
        for node in self.nodes(graph, path) {
            held[node] = true;
        }
        if path.chain.is_some() {
            // Nodes that only hang on a node of the chain belong to the path, too.
            for node in graph.order() {
                let Some(parent) = graph.nodes[node].parent() else {
                    continue;
                };
                let together = self.group_of[node] == self.group_of[parent];
                let leaf = self.continuations_below[node] == 0 && !self.core[node];
                held[node] |= held[parent] && together && leaf;
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
            if side(&graph.nodes[node]) {
                grouping.add(log, graph, node);
            }
        }
        grouping.finish(graph)
    }
}
