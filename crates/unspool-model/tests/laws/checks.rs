//! Assertions that are true of every log and every view of it.

use std::collections::{BTreeMap, HashSet};

use unspool_model::conversation::{
    Bucket, Conversation, ConversationStructure, RecordCounts, View,
};
use unspool_model::entry::{BlockKind, Entry, EntryKind, Flags};
use unspool_model::graph::{Graph, Rule, Scope};
use unspool_model::json;
use unspool_model::line::{self, PieceKind};
use unspool_model::log::Log;
use unspool_model::node::Edge;
use unspool_model::paths::{LeavingPaths, PathOrder, Paths};
use unspool_model::positions::{EntryIndex, GroupId, NodeId, PathNumber};
use unspool_model::record::{MediaKind, Record, RecordPart};
use unspool_model::symbols::Symbol;

use crate::portrait::VIEWS;

/// Returns the conversation of a log in every view.
pub(crate) fn views(log: &Log) -> impl Iterator<Item = Conversation<'_>> {
    let make = |(rule, scope)| Conversation::new(log, rule, scope);
    VIEWS.into_iter().map(make)
}

/// Asserts everything that must be true of a file.
#[track_caller]
pub(crate) fn assert_sound(bytes: &[u8]) {
    let log = Log::read(bytes);
    assert_spans_cover(&log, bytes);
    for entry in &log.entries {
        assert_parts_are_blocks(&log, entry, bytes);
    }
    for conversation in views(&log) {
        assert_counts_add_up(&conversation);
        assert_graph_is_sound(&conversation.graph);
        assert_paths_are_chains(&conversation);
        assert_paths_hold_everything(&conversation);
        assert_fork_points_are_shared(&conversation);
        assert_exits_are_where_paths_part(&conversation.paths);
        assert_exits_are_where_paths_part(&conversation.inline_agents().paths);
        assert_agents_hold_everything(&conversation);
        assert_views_tell_once(&conversation);
        assert_results_are_attached(&conversation);
    }
}

/// Asserts that the spans of a log are contiguous and cover `bytes`.
#[track_caller]
pub(crate) fn assert_spans_cover(log: &Log, bytes: &[u8]) {
    let mut end = 0;
    for span in log.spans() {
        assert_eq!(span.start, end, "a span starts where the one before ends");
        assert!(span.len > 0, "a span is not empty");
        end = span.end();
    }
    assert_eq!(end, bytes.len() as u64, "spans end where the file ends");
    assert_eq!(log.bytes(), bytes.len() as u64);
}

/// Asserts that the pieces of a line are contiguous, cover it, and have the right kinds.
#[track_caller]
pub(crate) fn assert_pieces_are_the_line(line: &[u8]) {
    let mut end = 0;
    for piece in line::pieces(line) {
        assert_eq!(piece.start, end, "a piece starts where the one before ends");
        assert!(piece.start < piece.end, "a piece is not empty");
        let bytes = &line[piece.start..piece.end];
        let is_white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let is_blank = bytes.iter().all(is_white);
        match piece.kind {
            PieceKind::Record => assert!(json::object_length(bytes).is_some()),
            PieceKind::Blank => assert!(is_blank),
            PieceKind::Fragment => assert!(!is_blank, "white space is not a fragment"),
        }
        end = piece.end;
    }
    assert_eq!(end, line.len(), "pieces end where the line ends");
}

/// Asserts that the parts of a record are the blocks of its entry, in order.
#[track_caller]
pub(crate) fn assert_parts_are_blocks(log: &Log, entry: &Entry, bytes: &[u8]) {
    let bytes = &bytes[entry.span.start as usize..entry.span.end() as usize];
    let (parts, blocks) = parts_and_blocks(log, entry, bytes);
    assert_eq!(parts, blocks, "{}", bytes.escape_ascii());
}

/// Returns the kinds of the parts of a record and of the blocks of its entry.
pub(crate) fn parts_and_blocks(
    log: &Log,
    entry: &Entry,
    record: &[u8],
) -> (Vec<&'static str>, Vec<&'static str>) {
    if !matches!(entry.kind, EntryKind::User | EntryKind::Assistant) {
        return (Vec::new(), Vec::new());
    }
    // In the flat dialect, the entry decides whether its text is thinking.
    let flat = entry.flags.has(Flags::FLAT);
    let thinking = if flat { "text" } else { "thinking" };
    let parts = Record::read(record).parts.into_iter();
    let parts = parts.map(|part| match part {
        RecordPart::Text(_) => "text",
        RecordPart::Thinking(_) => thinking,
        RecordPart::Call { .. } => "call",
        RecordPart::Result(_) => "result",
        RecordPart::Media(media) if media.kind == MediaKind::Image => "image",
        RecordPart::Media(_) => "document",
        RecordPart::Other { .. } => "other",
    });
    let blocks = log.blocks_of(entry).iter().map(|block| match block.kind {
        BlockKind::Text => "text",
        BlockKind::Thinking => thinking,
        BlockKind::Call => "call",
        BlockKind::Result(_) => "result",
        BlockKind::Image => "image",
        BlockKind::Document => "document",
        BlockKind::Other => "other",
    });
    (parts.collect(), blocks.collect())
}

/// Asserts that every record is in the right bucket, and that the counts add up.
#[track_caller]
pub(crate) fn assert_counts_add_up(conversation: &Conversation<'_>) {
    let RecordCounts { entries, active, other_paths, agents, metadata, damaged } =
        conversation.counts();
    assert_eq!(entries, active + other_paths + agents + metadata + damaged);
    assert_eq!(entries, conversation.log.entries.len() as u64);
    let buckets = conversation.buckets();
    assert_eq!(entries, buckets.len() as u64);
    let count = |wanted| buckets.iter().filter(|&&bucket| bucket == wanted).count() as u64;
    assert_eq!(active, count(Bucket::Active));
    assert_eq!(other_paths, count(Bucket::OtherPath));
    assert_eq!(agents, count(Bucket::Agent));
    for (entry, bucket) in conversation.log.entries.iter().zip(buckets) {
        assert_eq!(bucket == Bucket::Damaged, entry.kind == EntryKind::Fragment);
        let node = entry.uuid.and_then(|uuid| conversation.graph.node(uuid));
        let sidechain = node.is_some_and(|node| conversation.graph.nodes[node].sidechain);
        assert_eq!(bucket == Bucket::Agent, sidechain);
        if node.is_none() {
            assert!(matches!(bucket, Bucket::Metadata | Bucket::Damaged));
        }
    }
}

/// Asserts that parents come first, and that main entries do not hang on a subagent's.
#[track_caller]
pub(crate) fn assert_graph_is_sound(graph: &Graph) {
    let mut place = vec![None; graph.nodes.len()];
    for (at, node) in graph.order().enumerate() {
        let twice = place[node].replace(at).is_some();
        assert!(!twice, "node {node} has one place");
    }
    assert!(place.iter().all(Option::is_some), "every node has a place");
    for (index, node) in NodeId::enumerate(&graph.nodes) {
        let Some(parent) = node.parent() else {
            assert!(matches!(node.edge, Edge::Root | Edge::Cut), "{node:?}");
            continue;
        };
        let above = place[parent] < place[index];
        assert!(above, "{parent} comes before its child {index}");
        let apart = node.sidechain || !graph.nodes[parent].sidechain;
        assert!(apart, "{index} hangs on a subagent's {parent}");
    }
    assert!(graph.nodes.iter().is_sorted_by_key(|node| node.place));
    assert!(graph.nodes.iter().all(|node| node.place <= node.content));
}

/// Tells whether all entries of the beginning of a file have the same parents in the whole file.
/// A resume joins entries whose parents are unknown, and a longer file may be resumed elsewhere.
pub(crate) fn hang_as_before(before: &Log, after: &Log) -> bool {
    let links = |log: &Log| -> Vec<(EntryIndex, Option<EntryIndex>)> {
        let graph = ConversationStructure::new(log, Rule::Current, Scope::Session).graph;
        let place = |node: NodeId| graph.nodes[node].place;
        let nodes = graph.nodes.iter();
        nodes.map(|node| (node.place, node.parent().map(place))).collect()
    };
    links(after).starts_with(&links(before))
}

/// Asserts that paths are numbered, and that each has a node once and after its parent.
#[track_caller]
pub(crate) fn assert_paths_are_chains(conversation: &Conversation<'_>) {
    let ConversationStructure { graph, paths, rule, .. } = &**conversation;
    for (number, path) in PathNumber::enumerate(&paths.paths) {
        assert_eq!(path.index, number);
        let nodes = paths.nodes(graph, path);
        assert!(nodes.contains(&path.head), "path {number} contains its head");
        let within: HashSet<NodeId> = nodes.iter().copied().collect();
        assert_eq!(within.len(), nodes.len(), "{nodes:?} of {number} are unique");
        if *rule == Rule::Sdk || (*rule == Rule::Current && path.active) {
            // The chains of the SDK and the client have an order of their own around parallel calls.
            continue;
        }
        let mut before = HashSet::new();
        for node in nodes {
            let parent = graph.nodes[node].parent();
            let parent = parent.filter(|parent| within.contains(parent));
            let above = parent.is_none_or(|parent| before.contains(&parent));
            assert!(above, "path {number}: {node} comes before its parent");
            before.insert(node);
        }
    }
}

/// Asserts that the paths together contain every main node, and agree with the buckets.
#[track_caller]
pub(crate) fn assert_paths_hold_everything(conversation: &Conversation<'_>) {
    let ConversationStructure { graph, paths, .. } = &**conversation;
    let is_told = !paths.groups.is_empty();
    for (index, node) in NodeId::enumerate(&graph.nodes) {
        let grouped = paths.group_of(index).is_some();
        assert_eq!(grouped, is_told && !node.sidechain, "{index} {node:?}");
    }
    assert!(paths.paths.iter().filter(|path| path.active).count() <= 1);
    if conversation.rule == Rule::Sdk {
        // The chain of the SDK may leave out parts of its path, or everything.
        return;
    }
    assert_eq!(paths.active().is_some(), is_told, "one path is active");
    let held = |active: bool| -> HashSet<NodeId> {
        let paths_so = paths.paths.iter().filter(|path| path.active == active);
        paths_so.flat_map(|path| paths.nodes(graph, path)).collect()
    };
    let (active, other) = (held(true), held(false));
    for node in NodeId::all(graph.nodes.len()).filter(|&node| paths.group_of(node).is_some()) {
        let on_some_path = active.contains(&node) || other.contains(&node);
        let left_out = paths.is_left_out(node);
        assert_ne!(on_some_path, left_out, "node {node} is on a path or left out");
    }
    for (entry, bucket) in conversation.log.entries.iter().zip(conversation.buckets()) {
        let Some(node) = entry.uuid.and_then(|uuid| graph.node(uuid)) else {
            continue;
        };
        let expected = match (active.contains(&node), other.contains(&node)) {
            (true, _) => bucket == Bucket::Active,
            (false, true) => bucket == Bucket::OtherPath,
            (false, false) if paths.is_left_out(node) => bucket == Bucket::OtherPath,
            (false, false) => matches!(bucket, Bucket::Agent | Bucket::Metadata),
        };
        assert!(expected, "{node} is {bucket:?}");
    }
}

/// Asserts that a path and another one contain the node where they part.
#[track_caller]
pub(crate) fn assert_fork_points_are_shared(conversation: &Conversation<'_>) {
    let ConversationStructure { graph, paths, rule, .. } = &**conversation;
    if *rule == Rule::Sdk {
        return;
    }
    let nodes_of = |path| paths.nodes(graph, path).into_iter().collect();
    let nodes: Vec<HashSet<NodeId>> = paths.paths.iter().map(nodes_of).collect();
    for (at, path) in paths.paths.iter().enumerate() {
        let Some(point) = path.fork_point else {
            continue;
        };
        assert!(nodes[at].contains(&point), "{path:?} contains its fork point");
        let mut others = (0..nodes.len()).filter(|&other| other != at);
        let shared = others.any(|other| nodes[other].contains(&point));
        assert!(shared, "{path:?} shares its fork point");
    }
}

/// Asserts that every other path leaves a path at the last group that both contain.
#[track_caller]
pub(crate) fn assert_exits_are_where_paths_part(paths: &Paths) {
    let row = PathOrder::new(paths);
    for path in &paths.paths {
        let exits = row.exits(paths, path);
        let own: HashSet<GroupId> = paths.trail(path.last).into_iter().collect();
        let mut expected: BTreeMap<GroupId, Vec<PathNumber>> = BTreeMap::new();
        for other in paths.paths.iter().filter(|other| other.index != path.index) {
            let shared = paths.trail(other.last).into_iter();
            if let Some(last) = shared.rev().find(|group| own.contains(group)) {
                expected.entry(last).or_default().push(other.index);
            }
        }
        for group in GroupId::all(paths.groups.len()) {
            let leaving = row.leaving(&exits, group);
            let numbers = leaving.as_ref().map(LeavingPaths::numbers);
            assert_eq!(numbers.as_ref(), expected.get(&group), "{path:?} at {group}");
            let Some((leaving, numbers)) = leaving.zip(numbers) else {
                continue;
            };
            assert_eq!(leaving.count(), numbers.len());
            let mut all = PathNumber::all(paths.paths.len() + 1);
            assert!(all.all(|other| leaving.has(other) == numbers.contains(&other)));
        }
    }
}

/// Asserts that the paths of subagents contain all entries of the subagents.
#[track_caller]
pub(crate) fn assert_agents_hold_everything(conversation: &Conversation<'_>) {
    let graph = &conversation.graph;
    let paths = conversation.inline_agents().paths;
    let nodes = paths.paths.iter().flat_map(|path| paths.nodes(graph, path));
    let held: HashSet<NodeId> = nodes.collect();
    for (index, node) in NodeId::enumerate(&graph.nodes) {
        let theirs = node.sidechain && !paths.groups.is_empty();
        assert_eq!(held.contains(&index), theirs, "{index} {node:?}");
    }
}

/// Asserts that views show every node of a path that says something exactly once: as a message,
/// or in the flat dialect as the result of a call.
#[track_caller]
pub(crate) fn assert_views_tell_once(conversation: &Conversation<'_>) {
    let log = conversation.log;
    let ConversationStructure { graph, paths, .. } = &**conversation;
    for path in &paths.paths {
        let told = nodes_told(&conversation.history(path));
        nodes_told(&conversation.context(path));
        let nodes = paths.nodes(graph, path);
        let shown = |node: &NodeId| nodes.contains(node) || paths.is_left_out(*node);
        assert!(told.iter().all(shown));
        let results: HashSet<EntryIndex> = nodes
            .iter()
            .flat_map(|&node| calls_of(conversation, node))
            .filter_map(|(node, call)| conversation.result_of(node, call))
            .map(|result| result.entry)
            .collect();
        for node in nodes {
            let says = graph.entry(log, node).says.is_some();
            let is_result = results.contains(&graph.nodes[node].content);
            assert!(!says || is_result || told.contains(&node), "{node} of {path:?} is told");
        }
    }
}

/// Returns the calls of a node.
fn calls_of(conversation: &Conversation<'_>, node: NodeId) -> Vec<(NodeId, Symbol)> {
    let entry = conversation.graph.entry(conversation.log, node);
    let blocks = conversation.log.blocks_of(entry).iter();
    let calls = blocks.filter(|block| block.kind == BlockKind::Call);
    calls.filter_map(|block| Some((node, block.call?))).collect()
}

/// Returns the nodes of a view, none of which occurs twice.
#[track_caller]
fn nodes_told(view: &View) -> HashSet<NodeId> {
    let nodes = view.messages.iter().flat_map(|message| view.nodes(message));
    let mut told = HashSet::new();
    for &node in nodes {
        assert!(told.insert(node), "{node} is told once");
    }
    told
}

/// Asserts that every call has its result, unless a later or closer one takes its place.
#[track_caller]
pub(crate) fn assert_results_are_attached(conversation: &Conversation<'_>) {
    let log = conversation.log;
    let ConversationStructure { graph, paths, .. } = &**conversation;
    for node in NodeId::all(graph.nodes.len()) {
        let entry = graph.entry(log, node);
        for (_, call) in calls_of(conversation, node) {
            let found = conversation.result_of(node, call);
            let rank = |at: EntryIndex| {
                let result = &log.entries[at];
                let group = result.uuid.and_then(|uuid| graph.node(uuid));
                let group = group.and_then(|node| paths.group_of(node));
                let together = group.is_some() && group == paths.group_of(node);
                (result.parent == entry.uuid, together, at)
            };
            for (at, other) in EntryIndex::enumerate(&log.entries) {
                let mut blocks = log.blocks_of(other).iter();
                let answers = blocks.any(|block| {
                    matches!(block.kind, BlockKind::Result(_)) && block.call == Some(call)
                });
                if answers {
                    let found = found.expect("a call with a result has one").entry;
                    assert!(rank(found) >= rank(at), "{found} in place of entry {at}");
                }
            }
        }
    }
}
