//! Totals count what the views show, and never less when a file grows.

use std::collections::{BTreeSet, HashMap, HashSet};

use proptest::prelude::*;
use unspool_model::conversation::{Conversation, Liveness, Tally, Turn, View};
use unspool_model::entry::{BlockKind, Flags};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::positions::EntryIndex;
use unspool_model::symbols::Symbol;
use unspool_testkit::generate;
use unspool_testkit::random::RandomShape;

use crate::checks::hang_as_before;
use crate::real::parents_are_above;
use crate::sessions::{any_bytes, any_session, cases, session_of};

/// The keys of messages, turns and calls.
#[derive(PartialEq, Eq, Default, Debug)]
struct Keys {
    messages: BTreeSet<String>,
    turns: BTreeSet<String>,
    calls: BTreeSet<String>,
}

impl Keys {
    fn are_among(&self, others: &Self) -> bool {
        self.messages.is_subset(&others.messages)
            && self.turns.is_subset(&others.turns)
            && self.calls.is_subset(&others.calls)
    }
}

fn conversation(log: &Log) -> Conversation<'_> {
    Conversation::new(log, Rule::Current, Scope::Session)
}

/// Returns what a log counts, after asserting that it counts each thing once.
#[track_caller]
fn counted(log: &Log) -> Keys {
    let Tally { messages, turns, calls } = conversation(log).tally();
    let keys = |keys: &mut dyn Iterator<Item = (Symbol, EntryIndex)>| {
        let keys: Vec<_> = keys.collect();
        assert!(keys.is_sorted_by_key(|(_, entry)| *entry), "in file order");
        let distinct: BTreeSet<_> = keys.iter().map(|(key, _)| log.text(*key).to_owned()).collect();
        assert_eq!(distinct.len(), keys.len(), "each once");
        distinct
    };
    Keys {
        messages: keys(&mut messages.iter().map(|message| (message.key, message.entry))),
        turns: keys(&mut turns.iter().map(|turn| (turn.key, turn.entry))),
        calls: keys(&mut calls.iter().map(|call| (call.key, call.entry))),
    }
}

/// Adds the keys of everything that a view shows.
fn add_view(keys: &mut Keys, conversation: &Conversation<'_>, view: &View) {
    let (log, graph) = (conversation.log, &conversation.graph);
    let text = |symbol: Option<Symbol>| symbol.map(|symbol| log.text(symbol).to_owned());
    for message in &view.messages {
        let nodes = view.nodes(message);
        let first = graph.entry(log, nodes[0]);
        keys.messages.extend(text(first.message.or(first.uuid)));
        for &node in nodes {
            for block in log.blocks_of(graph.entry(log, node)) {
                if block.kind == BlockKind::Call {
                    keys.calls.extend(text(block.call));
                }
            }
        }
    }
    for turn in conversation.turns(view, Liveness::Idle) {
        let prompt = view.nodes(&view.messages[turn.messages.start as usize])[0];
        let prompt = graph.entry(log, prompt);
        if !prompt.flags.has(Flags::SIDECHAIN) {
            keys.turns.extend(text(prompt.uuid));
        }
    }
}

/// Returns the keys of everything that the views of a log show: its paths, and those of agents inside it.
fn told(log: &Log) -> Keys {
    let conversation = conversation(log);
    let mut keys = Keys::default();
    for path in &conversation.paths.paths {
        add_view(&mut keys, &conversation, &conversation.history(path));
    }
    let agents = conversation.inline_agents();
    for path in &agents.paths.paths {
        let history = conversation.inline_history(&agents, path);
        add_view(&mut keys, &conversation, &history);
    }
    keys
}

/// Tells whether two records have one uuid: views show the last one, and the tally counts both.
fn repeats_uuids(log: &Log) -> bool {
    let mut seen = HashSet::new();
    let mut uuids = log.entries.iter().filter_map(|entry| entry.uuid);
    uuids.any(|uuid| !seen.insert(uuid))
}

fn is_flat(log: &Log) -> bool {
    log.entries.iter().any(|entry| entry.flags.has(Flags::FLAT))
}

fn lines_of(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n').collect()
}

/// Asserts that the first `end` bytes of a file count nothing that the whole file does not count.
#[track_caller]
pub(crate) fn assert_counts_stay(bytes: &[u8], end: usize) {
    let (part, whole) = (Log::read(&bytes[..end]), Log::read(bytes));
    assert_lengths_stay(&part, &whole);
    let (part, whole) = (counted(&part), counted(&whole));
    assert!(part.are_among(&whole), "{end}: {part:?}\n{whole:?}\n{}", bytes.escape_ascii());
}

/// Asserts that no turn gets shorter when a file grows, unless the links of its first entries change.
#[track_caller]
fn assert_lengths_stay(part: &Log, whole: &Log) {
    let damaged = repeats_uuids(whole) || is_flat(whole) || !parents_are_above(whole);
    if damaged || !hang_as_before(part, whole) {
        return;
    }
    let now = conversation(whole).tally().turns;
    let now: HashMap<_, _> = now.iter().map(|turn| (whole.text(turn.key), turn)).collect();
    for turn in conversation(part).tally().turns {
        let key = part.text(turn.key);
        let now = now.get(key).map(|turn| turn.length);
        assert!(Some(turn.length) <= now, "{key}: {:?} and {now:?}", turn.length);
    }
}

/// Asserts that no beginning of a file counts anything that the whole file does not count.
#[track_caller]
fn assert_counts_grow(bytes: &[u8]) {
    let mut end = 0;
    for line in lines_of(bytes) {
        end += line.len();
        assert_counts_stay(bytes, end);
    }
}

fn lengths(tally: &Tally) -> Vec<Option<u64>> {
    let lengths = tally.turns.iter().map(|turn| turn.length);
    lengths.map(|length| Some(length?.millis)).collect()
}

fn durations(turns: &[Turn]) -> Vec<Option<u64>> {
    turns.iter().map(|turn| turn.duration_ms).collect()
}

/// Asserts that the turns of a file with one path are as long as in totals.
#[track_caller]
pub(crate) fn assert_turns_last_as_counted(log: &Log) {
    let conversation = conversation(log);
    let [path] = conversation.paths.paths.as_slice() else {
        return;
    };
    let turns = conversation.turns(&conversation.history(path), Liveness::Idle);
    assert_eq!(lengths(&conversation.tally()), durations(&turns));
}

/// Asserts that the views together show what the tally counts.
#[track_caller]
pub(crate) fn assert_views_tell_what_counts(log: &Log) {
    if !repeats_uuids(log) {
        assert_eq!(counted(log), told(log));
    }
}

/// Returns the shape of a conversation without forks, with parallel calls and other lines in between.
fn one_thread(entries: usize) -> RandomShape {
    RandomShape {
        parallel: 0.6,
        metadata: 0.1,
        missing_results: 0.1,
        ..RandomShape::linear(entries)
    }
}

/// Returns the shape of a conversation in the flat dialect alone.
fn flat(entries: usize) -> RandomShape {
    RandomShape { flat: 1.0, ..RandomShape::linear(entries) }
}

/// Returns the shape of a conversation with lines of both dialects.
fn mixed(entries: usize) -> RandomShape {
    RandomShape { flat: 0.4, ..RandomShape::linear(entries) }
}

proptest! {
    #![proptest_config(cases(192))]

    #[test]
    fn all_views_together_tell_what_counts(bytes in any_session(60)) {
        let log = Log::read(&bytes);
        if !is_flat(&log) {
            assert_views_tell_what_counts(&log);
        }
    }

    #[test]
    fn views_of_the_flat_dialect_tell_what_counts(bytes in session_of(flat, 40)) {
        assert_views_tell_what_counts(&Log::read(&bytes));
    }

    #[test]
    fn views_of_both_dialects_tell_what_counts(bytes in session_of(mixed, 40)) {
        let log = Log::read(&bytes);
        // In a flat log each entry follows the one before, until one names a parent.
        if log.entries.first().is_some_and(|first| !first.flags.has(Flags::FLAT)) {
            assert_views_tell_what_counts(&log);
        }
    }

    #[test]
    fn a_file_that_grows_never_counts_less(bytes in any_session(40)) {
        assert_counts_grow(&bytes);
    }

    #[test]
    fn a_file_of_any_bytes_that_grows_never_counts_less(bytes in any_bytes(60)) {
        assert_counts_grow(&bytes);
    }

    #[test]
    fn a_file_of_both_dialects_that_grows_never_counts_less(bytes in session_of(mixed, 30)) {
        assert_counts_grow(&bytes);
    }

    #[test]
    fn one_path_without_agents_counts_what_its_history_has(bytes in session_of(one_thread, 80)) {
        let log = Log::read(&bytes);
        let conversation = conversation(&log);
        let tally = conversation.tally();
        let history = conversation.paths.active().map(|path| conversation.history(path));
        let history = history.unwrap_or_default();
        let turns = conversation.turns(&history, Liveness::Idle);
        prop_assert_eq!(tally.messages.len(), history.messages.len());
        prop_assert_eq!(tally.turns.len(), turns.len());
        prop_assert_eq!(lengths(&tally), durations(&turns));
        let before = turns.first().map_or(0, |turn| turn.messages.start);
        let in_turns: u32 = turns.iter().map(|turn| turn.calls).sum();
        let outside = tally.calls.iter().filter(|call| {
            let of = log.entries[call.entry].message;
            let message = tally.messages.iter().find(|message| Some(message.key) == of);
            message.is_some_and(|message| message.turn.is_none())
        });
        let outside = outside.count() as u32;
        prop_assert_eq!(tally.calls.len() as u32, in_turns + outside);
        let first = tally.messages.iter().filter(|message| message.turn.is_none());
        prop_assert_eq!(first.count() as u32, if turns.is_empty() { history.messages.len() as u32 } else { before });
    }

    #[test]
    fn some_of_the_lines_of_a_file_count_nothing_new(
        bytes in any_session(60),
        keep in prop::collection::vec(any::<bool>(), 90),
    ) {
        let some = lines_of(&bytes).into_iter().zip(keep.iter().cycle());
        let some: Vec<u8> = some.filter(|(_, keep)| **keep).flat_map(|(line, _)| line.to_vec()).collect();
        let (whole, part) = (Log::read(&bytes), Log::read(&some));
        if !is_flat(&whole) {
            prop_assert!(counted(&part).are_among(&counted(&whole)));
        }
    }
}

#[test]
fn ten_thousand_forks_count_once_each() {
    let mut bytes = Vec::new();
    generate::forks(&mut bytes, 30_000, 10_000).expect("memory takes everything");
    let log = Log::read(&bytes);
    let tally = conversation(&log).tally();
    assert_eq!(tally.messages.len(), 30_000);
    assert_eq!(tally.turns.len(), 15_000);
    assert!(tally.turns.iter().all(|turn| turn.length.is_some()));
}
