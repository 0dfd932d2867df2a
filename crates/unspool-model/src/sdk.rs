//! The chain of entries as the vendor's SDK builds it, step by step.
//!
//! The SDK takes the last leaf of the file, walks up by `parentUuid` alone, and adds back the calls and
//! results that are parallel to the walk. Compactions and unknown parents end the walk; nothing is repaired.
//! The code follows the SDK exactly, oddities included, and is compared with recorded answers of the SDK.

use std::collections::{HashMap, HashSet};

use crate::entry::{EntryKind, Flags};
use crate::graph::{Graph, Scope};
use crate::log::Log;
use crate::positions::{EntryIndex, NodeId};
use crate::symbols::Symbol;

/// Returns the SDK's chain, in order.
pub(crate) fn chain(log: &Log, graph: &Graph) -> Vec<NodeId> {
    let view = SdkView { log, graph };
    if graph.scope == Scope::Agent {
        // In an agent's file, the SDK starts at the last user or assistant entry and adds nothing back.
        let last = view.nodes().filter(|&node| view.is_said(node));
        let last = last.max_by_key(|&node| graph.nodes[node].content);
        return last.map(|leaf| view.walk(leaf)).unwrap_or_default();
    }
    let Some(leaf) = view.leaf() else {
        return Vec::new();
    };
    let walk = view.walk(leaf);
    view.with_parallels(walk)
}

struct SdkView<'a> {
    log: &'a Log,
    graph: &'a Graph,
}

impl SdkView<'_> {
    fn kind(&self, node: NodeId) -> EntryKind {
        self.graph.entry(self.log, node).kind
    }

    /// Tells whether the SDK knows the type of an entry; compactions of the flat dialect are unknown to it.
    fn is_known(&self, node: NodeId) -> bool {
        let entry = self.graph.entry(self.log, node);
        let flat_compaction = entry.flags.has(Flags::COMPACTING) && entry.flags.has(Flags::FLAT);
        entry.kind.links() && !flat_compaction
    }

    fn is_said(&self, node: NodeId) -> bool {
        matches!(self.kind(node), EntryKind::User | EntryKind::Assistant)
    }

    fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.graph.named_parent(self.log, node).filter(|&parent| self.is_known(parent))
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> {
        NodeId::all(self.graph.nodes.len()).filter(|&node| self.is_known(node))
    }

    /// Returns the leaf: the last user or assistant entry at or above an entry without children.
    /// Entries of sidechains and teams and injected ones are chosen only if there are no others.
    fn leaf(&self) -> Option<NodeId> {
        let mut has_child = vec![false; self.graph.nodes.len()];
        for parent in self.nodes().filter_map(|node| self.parent(node)) {
            has_child[parent] = true;
        }
        // All walks share the marks: above an entry that an earlier walk passed is the same leaf.
        let mut passed = vec![false; self.graph.nodes.len()];
        let mut leaves = Vec::new();
        for terminal in self.nodes().filter(|&node| !has_child[node]) {
            let mut at = Some(terminal);
            while let Some(node) = at.filter(|&node| !passed[node]) {
                passed[node] = true;
                if self.is_said(node) {
                    leaves.push(node);
                    break;
                }
                at = self.parent(node);
            }
        }
        let preferred = |node: NodeId| {
            let flags = self.graph.entry(self.log, node).flags;
            !flags.has(Flags::SIDECHAIN) && !flags.has(Flags::TEAM) && !flags.has(Flags::META)
        };
        leaves.into_iter().max_by_key(|&node| (preferred(node), self.graph.nodes[node].content))
    }

    fn walk(&self, leaf: NodeId) -> Vec<NodeId> {
        let mut seen = vec![false; self.graph.nodes.len()];
        let mut walk = Vec::new();
        let mut at = Some(leaf);
        while let Some(node) = at.filter(|&node| !seen[node]) {
            seen[node] = true;
            walk.push(node);
            at = self.parent(node);
        }
        walk.reverse();
        walk
    }

    /// Adds back the lines of the walk's answers and their results that are not on the walk.
    fn with_parallels(&self, walk: Vec<NodeId>) -> Vec<NodeId> {
        let mut on_chain = vec![false; self.graph.nodes.len()];
        for &node in &walk {
            on_chain[node] = true;
        }
        let answers = AnswerLines::new(self);
        let mut anchors: HashMap<Symbol, NodeId> = HashMap::new();
        for &node in &walk {
            if let Some(message) = self.message(node) {
                anchors.insert(message, node);
            }
        }
        let answered: HashSet<Symbol> = walk.iter().flat_map(|&node| self.results(node)).collect();
        let mut chain = Vec::with_capacity(walk.len());
        for node in walk {
            chain.push(node);
            if let Some(message) = self.message(node).filter(|message| anchors[message] == node) {
                self.add_parallels(&answers, message, &mut on_chain, &answered, &mut chain);
            }
        }
        chain
    }

    fn add_parallels(
        &self,
        answers: &AnswerLines,
        message: Symbol,
        on_chain: &mut [bool],
        answered: &HashSet<Symbol>,
        chain: &mut Vec<NodeId>,
    ) {
        let Some(lines) = answers.lines.get(&message) else {
            return;
        };
        let mut siblings: Vec<NodeId> =
            lines.iter().copied().filter(|&line| !on_chain[line]).collect();
        let mut found: Vec<NodeId> =
            lines.iter().filter_map(|line| answers.results.get(line)).flatten().copied().collect();
        found.sort_unstable_by_key(|&node| self.graph.nodes[node].content);
        found.dedup();
        found.retain(|&node| !on_chain[node]);
        let own: HashSet<NodeId> = lines.iter().copied().collect();
        let (mut results, strays): (Vec<NodeId>, Vec<NodeId>) = found
            .into_iter()
            .partition(|&node| self.parent(node).is_some_and(|parent| own.contains(&parent)));
        let mut collected: HashSet<Symbol> =
            results.iter().flat_map(|&node| self.results(node)).collect();
        // A result that hangs elsewhere counts if only these lines made its call and nothing so
        // far answers it.
        for stray in strays {
            let fresh = self.results(stray).any(|call| {
                answers.owner.get(&call).copied().flatten().is_some_and(|line| own.contains(&line))
                    && !answered.contains(&call)
                    && !collected.contains(&call)
            });
            if fresh {
                collected.extend(self.results(stray));
                results.push(stray);
            }
        }
        let time = |node: &NodeId| self.graph.entry(self.log, *node).time;
        siblings.sort_by_key(time);
        results.sort_by_key(time);
        for node in siblings.into_iter().chain(results) {
            on_chain[node] = true;
            chain.push(node);
        }
    }

    fn message(&self, node: NodeId) -> Option<Symbol> {
        self.graph.entry(self.log, node).message
    }

    /// Returns the ids of the calls that an entry answers.
    fn results(&self, node: NodeId) -> impl Iterator<Item = Symbol> {
        let entry = self.graph.entry(self.log, node);
        let answers = entry.kind == EntryKind::User;
        self.log.calls_answered(entry).filter(move |_| answers)
    }
}

/// Lines, calls and results of answers, by message.
struct AnswerLines {
    lines: HashMap<Symbol, Vec<NodeId>>,
    /// The line that makes a call; `None` if two answers claim it.
    owner: HashMap<Symbol, Option<NodeId>>,
    results: HashMap<NodeId, Vec<NodeId>>,
}

impl AnswerLines {
    fn new(view: &SdkView<'_>) -> Self {
        let mut answers =
            Self { lines: HashMap::new(), owner: HashMap::new(), results: HashMap::new() };
        for node in view.nodes() {
            let Some(message) = view.message(node) else {
                continue;
            };
            answers.lines.entry(message).or_default().push(node);
            let entry = view.graph.entry(view.log, node);
            for block in view.log.calls_of(entry) {
                let Some(call) = block.call else { continue };
                let owner = answers.owner.entry(call).or_insert(Some(node));
                if owner.is_some_and(|line| view.message(line) != Some(message)) {
                    *owner = None;
                }
            }
        }
        let sources: HashMap<EntryIndex, Symbol> = view.log.sources.iter().copied().collect();
        for node in view.nodes() {
            let entry = view.graph.entry(view.log, node);
            if entry.parent.is_none() || view.results(node).next().is_none() {
                continue;
            }
            let content = view.graph.nodes[node].content;
            let source = sources.get(&content).and_then(|&uuid| view.graph.node(uuid));
            let owners = view.results(node).filter_map(|call| answers.owner.get(&call).copied()?);
            let same_side = |line: &NodeId| {
                let line = view.graph.entry(view.log, *line);
                line.agent == entry.agent
                    && line.flags.has(Flags::SIDECHAIN) == entry.flags.has(Flags::SIDECHAIN)
            };
            let mut lines: Vec<NodeId> = view.parent(node).into_iter().collect();
            lines.extend(source.into_iter().chain(owners).filter(same_side));
            for line in lines {
                answers.results.entry(line).or_default().push(node);
            }
        }
        answers
    }
}
