//! Path numbers stay when a file grows.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::Index;
use unspool_model::conversation::Conversation;
use unspool_model::entry::{EntryKind, MessageKind};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::positions::{EntryIndex, GroupId, NodeId, PathNumber};
use unspool_testkit::random::RandomShape;

use crate::checks::hang_as_before;
use crate::sessions::{cases, session_of};

/// Returns the entries on each path that ends with a leaf, by the path's number. Nodes are
/// identified by their places, which stay when a file grows.
///
/// A `last-prompt` line may end the active path where others continue. Such a path has the number
/// after all others, and disappears when the conversation continues, so it is left out here.
fn paths(log: &Log) -> BTreeMap<PathNumber, BTreeSet<EntryIndex>> {
    let conversation = Conversation::new(log, Rule::Current, Scope::Session);
    let (graph, paths) = (&conversation.graph, &conversation.paths);
    let ends = |last: GroupId| paths.groups[last].continuations == 0;
    paths
        .paths
        .iter()
        .filter(|path| ends(path.last))
        .map(|path| {
            // Entries that a resume adds to its walk are on the path only while it is active.
            let trail: BTreeSet<GroupId> = paths.trail(path.last).into_iter().collect();
            let own = |node: &NodeId| {
                let group = paths.group_of(*node);
                group.is_some_and(|group| trail.contains(&group))
            };
            let nodes = paths.nodes(graph, path).into_iter().filter(own);
            (path.index, nodes.map(|node| graph.nodes[node].place).collect())
        })
        .collect()
}

/// Returns which of the first `entries` entries are on no path.
fn left_out(log: &Log, entries: usize) -> BTreeSet<EntryIndex> {
    let conversation = Conversation::new(log, Rule::Current, Scope::Session);
    let nodes = NodeId::enumerate(&conversation.graph.nodes);
    let left_out = nodes.filter(|(node, _)| conversation.paths.is_left_out(*node));
    let places = left_out.map(|(_, node)| node.place);
    places.filter(|&place| place.index() < entries).collect()
}

/// Tells whether an entry is a step of the conversation. Other entries hang on a step, and a
/// branch that begins below such an entry takes it along.
fn is_step(log: &Log, entry: EntryIndex) -> bool {
    let entry = &log.entries[entry];
    match entry.kind {
        EntryKind::Assistant => true,
        EntryKind::User => {
            !matches!(entry.says, Some(MessageKind::Meta | MessageKind::Interruption))
        }
        _ => entry.says == Some(MessageKind::Boundary),
    }
}

/// Asserts that every path of the first `end` bytes has the same number in the whole file.
#[track_caller]
pub(crate) fn assert_numbers_stay(bytes: &[u8], end: usize) {
    let (before, after) = (Log::read(&bytes[..end]), Log::read(bytes));
    let later = paths(&after);
    // A later line may show that the place where a path leaves is not a rewind, or that it is.
    let judged_alike =
        left_out(&after, before.entries.len()) == left_out(&before, before.entries.len());
    if !judged_alike || !hang_as_before(&before, &after) {
        return;
    }
    for (number, told) in paths(&before) {
        let path = later.get(&number).unwrap_or_else(|| panic!("path {number} is gone"));
        for entry in told.into_iter().filter(|&entry| is_step(&before, entry)) {
            assert!(path.contains(&entry), "entry {entry} left path {number}");
        }
    }
}

/// Returns the end of one of the lines, or the start of the file.
fn end_of_a_line(bytes: &[u8], which: Index) -> usize {
    let ends = (0..bytes.len()).filter(|&at| bytes[at] == b'\n').map(|at| at + 1);
    let ends: Vec<usize> = [0].into_iter().chain(ends).collect();
    ends[which.index(ends.len())]
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn path_numbers_stay_when_a_file_grows(
        bytes in session_of(RandomShape::well_formed, 120),
        cut in any::<Index>(),
    ) {
        assert_numbers_stay(&bytes, end_of_a_line(&bytes, cut));
    }
}
