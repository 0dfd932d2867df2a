//! Steps 7 and 8: records that belong to the walk but are not on it, and the start of the context.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use crate::entry::{EntryKind, Flags};
use crate::positions::NodeId;
use crate::symbols::Symbol;

use super::links::Links;

/// Adds to the walk the records of its answers that it missed, their results, and the lines of
/// the client at its end.
pub(super) fn complete(links: &Links<'_>, walk: Vec<NodeId>) -> Vec<NodeId> {
    let mut on_list = vec![false; links.len()];
    for &node in &walk {
        on_list[node] = true;
    }
    let message = walk.iter().rfind(|&&node| links.is_message(node)).copied();
    let mut list = match Missed::find(links, &walk, &on_list) {
        Some(missed) => missed.insert(links, &walk, &mut on_list),
        None => walk,
    };
    if let Some(message) = message {
        list.extend(tail(links, message, &on_list));
    }
    list
}

/// Returns the index in a list where the context begins: its last boundary, or its start.
pub(super) fn context_start(links: &Links<'_>, list: &[NodeId]) -> usize {
    let is_boundary = |&node: &NodeId| links.entry(node).flags.has(Flags::BOUNDARY);
    list.iter().rposition(is_boundary).unwrap_or(0)
}

type ByAnswer<T> = HashMap<Symbol, T, FixedState>;

/// Records that the walk missed, by answer.
struct Missed {
    /// The index on the walk of the last record of each answer.
    last: ByAnswer<usize>,
    /// The missed records of each answer.
    records: ByAnswer<Vec<NodeId>>,
    /// Results that hang on a record of the answer.
    results: ByAnswer<Vec<NodeId>>,
    /// Results that hang elsewhere.
    strays: Vec<NodeId>,
}

impl Missed {
    /// Finds the missed records; `None` if the walk has them all.
    fn find(links: &Links<'_>, walk: &[NodeId], on_list: &[bool]) -> Option<Self> {
        let off = |&node: &NodeId| !on_list[node];
        let may_belong = |&node: &NodeId| {
            links.entry(node).message.is_some() || links.results(node).next().is_some()
        };
        let others: Vec<NodeId> = links.in_order().filter(off).filter(may_belong).collect();
        if others.is_empty() {
            return None;
        }
        let mut last = ByAnswer::default();
        for (at, &node) in walk.iter().enumerate() {
            if let Some(message) = links.entry(node).message {
                last.insert(message, at);
            }
        }
        let mut missed = Self {
            last,
            records: ByAnswer::default(),
            results: ByAnswer::default(),
            strays: Vec::new(),
        };
        for node in others {
            missed.note(links, node);
        }
        Some(missed)
    }

    fn note(&mut self, links: &Links<'_>, node: NodeId) {
        if let Some(message) = links.entry(node).message {
            if self.last.contains_key(&message) {
                self.records.entry(message).or_default().push(node);
            }
            return;
        }
        let parent = links.known_parent(node);
        let answer = parent.and_then(|parent| links.entry(parent).message);
        match answer.filter(|answer| self.last.contains_key(answer)) {
            Some(answer) => self.results.entry(answer).or_default().push(node),
            None => self.strays.push(node),
        }
    }

    /// Inserts the missed records: after the last record of their answer, and results after the
    /// results that follow there.
    fn insert(mut self, links: &Links<'_>, walk: &[NodeId], on_list: &mut [bool]) -> Vec<NodeId> {
        self.adopt_strays(links, walk);
        let mut after: HashMap<usize, Vec<NodeId>, FixedState> = HashMap::default();
        let mut answers: Vec<(usize, Symbol)> = self.last.iter().map(|(&m, &at)| (at, m)).collect();
        answers.sort_unstable();
        for &(at, message) in &answers {
            if let Some(records) = self.records.remove(&message) {
                // Results of an earlier answer may have the same place; they come after the records.
                after.entry(at).or_default().splice(0..0, records);
            }
            let Some(results) = self.results.remove(&message) else {
                continue;
            };
            let follow = walk[at + 1..].iter();
            let follow = follow.take_while(|&&node| links.results(node).next().is_some());
            after.entry(at + follow.count()).or_default().extend(results);
        }
        let mut list = Vec::with_capacity(links.len());
        for (at, &node) in walk.iter().enumerate() {
            list.push(node);
            list.extend(after.remove(&at).into_iter().flatten());
        }
        for &node in &list {
            on_list[node] = true;
        }
        list
    }

    /// Assigns results that hang elsewhere to the answers whose calls have no result so far.
    fn adopt_strays(&mut self, links: &Links<'_>, walk: &[NodeId]) {
        if self.strays.is_empty() {
            return;
        }
        let missed = self.results.values().flatten();
        let mut answered: HashSet<Symbol> =
            walk.iter().chain(missed).flat_map(|&node| links.results(node)).collect();
        let records = self.records.values().flatten();
        let mut owner: ByAnswer<Symbol> = ByAnswer::default();
        for &node in walk.iter().chain(records) {
            if let Some(message) = links.entry(node).message {
                owner.extend(links.calls(node).map(|call| (call, message)));
            }
        }
        for &node in &self.strays {
            let open = links.results(node).find(|call| !answered.contains(call));
            let Some(message) = open.and_then(|call| owner.get(&call)) else {
                continue;
            };
            self.results.entry(*message).or_default().push(node);
            answered.extend(links.results(node));
        }
    }
}

/// Returns the lines of the client at the end: those that hang below the last message through
/// such lines only and come after it in the file. Returns none if a message continues there.
fn tail(links: &Links<'_>, last: NodeId, on_list: &[bool]) -> Vec<NodeId> {
    let is_line = |node: NodeId| {
        let kind = links.entry(node).kind;
        links.is_main(node) && matches!(kind, EntryKind::System | EntryKind::Attachment)
    };
    let mut children: Vec<(NodeId, NodeId)> = Vec::new();
    for node in links.in_order() {
        let Some(parent) = links.known_parent(node) else {
            continue;
        };
        if parent == last && node != last && links.is_message(node) {
            return Vec::new();
        }
        if is_line(node) {
            children.push((parent, node));
        }
    }
    children.sort_unstable();
    let mut found = Vec::new();
    let mut seen = HashSet::from([last]);
    let mut waiting = vec![last];
    while let Some(node) = waiting.pop() {
        let start = children.partition_point(|&(parent, _)| parent < node);
        for &(_, child) in children[start..].iter().take_while(|row| row.0 == node) {
            if seen.insert(child) {
                waiting.push(child);
                found.push(child);
            }
        }
    }
    let is_later =
        |&node: &NodeId| !on_list[node] && links.first_position(node) > links.first_position(last);
    found.retain(is_later);
    found.sort_unstable_by_key(|&node| links.position(node));
    found
}
