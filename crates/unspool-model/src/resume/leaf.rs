//! Steps 2, 4 and 5: the start of the walk.

use std::collections::HashSet;

use crate::facts::LastPrompt;
use crate::positions::NodeId;
use crate::symbols::{Symbol, SymbolSet};

use super::links::Links;

/// The start of the walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkStart {
    /// The entry at which the walk begins.
    pub(super) node: NodeId,
    /// The last entry of the main conversation.
    pub(super) last: NodeId,
}

/// Returns the start of the walk; `None` without a conversation.
pub(super) fn start(links: &Links<'_>) -> Option<WalkStart> {
    let mut search = LeafSearch::new(links);
    let pin = pin_in_force(links);
    let given = if links.keeps { search.given() } else { Vec::new() };
    let last = match given.last() {
        Some(&last) => last,
        None if links.keeps => return None,
        None => search.last_entry()?,
    };
    let node = match pin {
        Some(pin) => search.by_pin(pin, last, &given),
        None if links.keeps => last,
        None => search.newest_below(last),
    };
    Some(WalkStart { node, last })
}

/// Step 2: returns the last `last-prompt` line, unless a compaction follows it.
fn pin_in_force(links: &Links<'_>) -> Option<LastPrompt> {
    let log = links.log();
    let boundary = log.compactions.iter().rev().find(|found| !log.entries[found.entry].is_unread());
    log.facts.last_prompt.filter(|pin| boundary.is_none_or(|boundary| boundary.entry < pin.entry))
}

/// Searches for the start of the walk, and caches results.
struct LeafSearch<'a> {
    links: &'a Links<'a>,
    /// Set for each node that an entry hangs on.
    has_child: Vec<bool>,
    /// Set for each node that a message hangs on.
    continued: Vec<bool>,
    /// The nearest message at or above each node; empty until it is needed.
    nearest: Vec<Nearest>,
}

/// The nearest message at or above a node.
#[derive(Clone, Copy)]
enum Nearest {
    /// Not computed yet.
    Unset,
    /// The result, which may be none.
    Found(Option<NodeId>),
}

impl<'a> LeafSearch<'a> {
    fn new(links: &'a Links<'a>) -> Self {
        let mut has_child = vec![false; links.len()];
        let mut continued = vec![false; links.len()];
        for node in links.in_order() {
            if let Some(parent) = links.known_parent(node).filter(|&parent| parent != node) {
                has_child[parent] = true;
                continued[parent] |= links.is_message(node);
            }
        }
        Self { links, has_child, continued, nearest: Vec::new() }
    }

    /// Returns the nearest message at or above a node. Unknown parents are not bridged.
    fn nearest(&mut self, node: NodeId) -> Option<NodeId> {
        if self.links.is_message(node) {
            return Some(node);
        }
        self.nearest.resize(self.links.len(), Nearest::Unset);
        let mut passed = Vec::new();
        let mut at = Some(node);
        let found = loop {
            let Some(node) = at else { break None };
            match self.nearest[node] {
                Nearest::Found(known) => break known,
                Nearest::Unset if self.links.is_message(node) => break at,
                // In a cycle without a message, the walk comes back to a node that it has passed.
                Nearest::Unset => {
                    self.nearest[node] = Nearest::Found(None);
                    passed.push(node);
                }
            }
            at = self.links.known_parent(node);
        };
        for node in passed {
            self.nearest[node] = Nearest::Found(found);
        }
        found
    }

    /// Step 4: returns the last main entry with a message at or above it.
    fn last_entry(&mut self) -> Option<NodeId> {
        let links = self.links;
        let mut main = links.in_order().filter(|&node| links.is_main(node));
        main.rfind(|&node| self.nearest(node).is_some())
    }

    /// Step 4, without a pin: returns the newest childless entry at or below the last one.
    fn newest_below(&self, last: NodeId) -> NodeId {
        if !self.has_child[last] {
            return last;
        }
        let links = self.links;
        let time = |node: NodeId| links.entry(node).time;
        let is_leaf = |node: &NodeId| !self.has_child[*node] && links.is_main(*node);
        let below = self.below(last);
        let leaves = links.in_order().filter(|&node| below[node]);
        // Of several entries with one time, the first counts.
        let newest = leaves.filter(is_leaf).rev().max_by_key(|&node| time(node));
        newest.filter(|&newest| time(newest) >= time(last)).unwrap_or(last)
    }

    /// Marks a node and all nodes below it.
    fn below(&self, top: NodeId) -> Vec<bool> {
        let links = self.links;
        let mut children: Vec<(NodeId, NodeId)> =
            links.in_order().filter_map(|node| Some((links.known_parent(node)?, node))).collect();
        children.sort_unstable();
        let mut marked = vec![false; links.len()];
        let mut waiting = vec![top];
        while let Some(node) = waiting.pop() {
            if std::mem::replace(&mut marked[node], true) {
                continue;
            }
            let start = children.partition_point(|&(parent, _)| parent < node);
            let own = children[start..].iter().take_while(|row| row.0 == node);
            waiting.extend(own.map(|row| row.1));
        }
        marked
    }

    /// Step 4, if the last compaction keeps messages: takes for each childless entry the
    /// nearest message at or above it, unless another message hangs on that one. Returns the
    /// messages in the order of the childless entries.
    fn given(&mut self) -> Vec<NodeId> {
        let links = self.links;
        let leaves = links.in_order().filter(|&node| links.is_main(node) && !self.has_child[node]);
        let leaves: Vec<NodeId> = leaves.collect();
        let messages = leaves.into_iter().filter_map(|leaf| self.nearest(leaf));
        let messages: Vec<NodeId> = messages.collect();
        let goes_on = |message: &NodeId| self.continued[*message];
        messages.into_iter().filter(|message| !goes_on(message)).collect()
    }

    /// Step 5: returns the leaf of the pin, or the last entry if that continues from the leaf.
    fn by_pin(&mut self, pin: LastPrompt, last: NodeId, given: &[NodeId]) -> NodeId {
        let links = self.links;
        let leaf = pin.leaf.and_then(|uuid| links.find(uuid));
        let leaf = leaf.filter(|&leaf| self.nearest(leaf).is_some());
        let Some(leaf) = leaf.filter(|&leaf| self.hangs_on_main(leaf)) else {
            return last;
        };
        if links.keeps && !pin.explicit && !given.contains(&leaf) {
            return last;
        }
        // A leaf that a person chose only gives way to an entry after the pin.
        let goes_on = !pin.explicit || links.position(last) > pin.entry;
        if goes_on && self.continuations_below(leaf, last) {
            return last;
        }
        leaf
    }

    /// Tells whether a main entry is at or above a node. A pin into a subagent without one is
    /// not followed, because no path of the session contains it.
    fn hangs_on_main(&self, node: NodeId) -> bool {
        let links = self.links;
        let above = std::iter::successors(Some(node), |&node| links.known_parent(node));
        // A cycle of a subagent has no main entry either, and the limit ends the walk in it.
        above.take(links.len()).any(|node| links.is_main(node))
    }

    /// Tells whether an entry is on the chain above the last one, or is a record of an answer
    /// on that chain, or a result of such an answer.
    fn continuations_below(&self, leaf: NodeId, last: NodeId) -> bool {
        let links = self.links;
        let mut on_chain = vec![false; links.len()];
        let mut answers = SymbolSet::of(&links.log().symbols);
        let mut at = Some(last);
        while let Some(node) = at.filter(|&node| !on_chain[node]) {
            on_chain[node] = true;
            answers.extend(links.entry(node).message);
            at = links.known_parent(node);
        }
        if on_chain[leaf] {
            return true;
        }
        if let Some(message) = links.entry(leaf).message {
            return answers.contains(message);
        }
        let results: HashSet<Symbol> = links.results(leaf).collect();
        let answered = |node: NodeId| {
            let message = links.entry(node).message;
            message.is_some_and(|message| answers.contains(message))
                && links.calls(node).any(|call| results.contains(&call))
        };
        !results.is_empty() && links.in_order().any(answered)
    }
}
