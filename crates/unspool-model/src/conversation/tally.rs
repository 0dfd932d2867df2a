//! The base of totals: every message, turn and call of a file, counted once.
//!
//! A view shows one path. A [`Tally`] covers the whole file, including abandoned branches and
//! agents inside the file, in time that grows with the file and not with its paths.
//!
//! Everything counted has a key that its copies in other files share, and keys are found entry by entry:
//! a file that has grown counts everything that it counted before. In the wire dialect, keys depend on
//! the entry alone, so a file with some lines of another counts nothing that the other does not count.
//! Only in the flat dialect do earlier entries decide whether a remark is a result. Whether a slash
//! command is a turn depends on the entries below it, see [`crate::commands`], which keeps both laws.
//!
//! Views differ in one respect. If two records with one uuid say different things, a view shows
//! the last one, and here both count.

use std::collections::HashSet;

use super::results::FlatCalls;
use super::{Conversation, TurnLength};
use crate::commands::AnsweredCommands;
use crate::entry::{BlockKind, Entry, EntryKind, Flags, Verdict};
use crate::log::Log;
use crate::positions::{EntryIndex, NodeId, TurnIndex};
use crate::symbols::{Symbol, SymbolSet};

/// Everything in one file that counts, in the order of first entries.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// The messages.
    pub messages: Vec<CountedMessage>,
    /// The turns; prompts of subagents begin none, so an agent's own file has none.
    pub turns: Vec<CountedTurn>,
    /// The calls that have an id.
    pub calls: Vec<CountedCall>,
}

/// A message. A user entry with only results is not one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CountedMessage {
    /// The id of the API message; without one, the uuid of the entry or of its original.
    pub key: Symbol,
    /// The first entry.
    pub entry: EntryIndex,
    /// The turn that the message belongs to.
    pub turn: Option<TurnIndex>,
}

/// A turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CountedTurn {
    /// The uuid of the prompt, or of its original.
    pub key: Symbol,
    /// The prompt.
    pub entry: EntryIndex,
    /// How long the turn was worked on: everything that hangs on the prompt and on no later one.
    pub length: Option<TurnLength>,
}

/// A call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CountedCall {
    /// The id.
    pub key: Symbol,
    /// The first entry that contains it.
    pub entry: EntryIndex,
    /// The name of the tool.
    pub tool: Option<Symbol>,
    /// The verdict; `None` without a result.
    pub verdict: Option<Verdict>,
    /// Lines that the call added to files.
    pub added: u32,
    /// Lines that the call removed from files.
    pub removed: u32,
}

impl Conversation<'_> {
    /// Counts messages, turns and calls.
    pub fn tally(&self) -> Tally {
        let mut count = Count::new(self.log, &self.commands);
        for (index, entry) in EntryIndex::enumerate(&self.log.entries) {
            if let Some(uuid) = entry.uuid {
                count.entry(index, entry, uuid);
            }
        }
        let mut tally = count.finish();
        let turn_of = self.turns_of_nodes(&tally);
        for message in &mut tally.messages {
            let node = self.node_at(message.entry);
            message.turn = node.and_then(|node| turn_of[node]);
        }
        self.measure(&mut tally.turns, &turn_of);
        for call in &mut tally.calls {
            self.judge(call);
        }
        tally
    }

    fn node_at(&self, entry: EntryIndex) -> Option<NodeId> {
        let uuid = self.log.entries[entry].uuid?;
        self.graph.node(uuid)
    }

    /// Returns the turn of each node: that of the nearest prompt at or above it.
    fn turns_of_nodes(&self, tally: &Tally) -> Vec<Option<TurnIndex>> {
        let mut turn_of = vec![None; self.graph.nodes.len()];
        // A copy of a prompt has another uuid and the same key.
        let mut turns = FirstPlaces::new(self.log);
        for (position, turn) in TurnIndex::enumerate(&tally.turns) {
            turns.first(turn.key, position);
        }
        for (index, entry) in EntryIndex::enumerate(&self.log.entries) {
            let starts = starts_turn(&self.commands, entry);
            let key = starts.then(|| own_key(self.log, index, entry));
            let turn = key.flatten().and_then(|key| turns.find(key));
            if let (Some(turn), Some(node)) = (turn, self.node_at(index)) {
                turn_of[node] = Some(turn);
            }
        }
        for node in self.graph.order() {
            let parent = self.graph.nodes[node].parent();
            if let Some(parent) = parent.filter(|_| turn_of[node].is_none()) {
                turn_of[node] = turn_of[parent];
            }
        }
        turn_of
    }

    /// Measures how long turns were worked on.
    fn measure(&self, turns: &mut [CountedTurn], turn_of: &[Option<TurnIndex>]) {
        let main = NodeId::enumerate(&self.graph.nodes).filter(|(_, node)| !node.sidechain);
        let of_turns = main.filter_map(|(node, _)| Some((turn_of[node]?, node)));
        let mut of_turns: Vec<(TurnIndex, NodeId)> = of_turns.collect();
        // Turns follow each other in the file, so this is nearly sorted. Nodes are in the order
        // of their places.
        of_turns.sort();
        let mut of_turns = of_turns.into_iter().peekable();
        for (position, turn) in TurnIndex::enumerate(turns) {
            let mut watch = self.stopwatch(turn.entry);
            while let Some((_, node)) = of_turns.next_if(|(turn, _)| *turn == position) {
                if let Some(step) = self.step(node) {
                    watch.take(step, self.graph.entry(self.log, node).time);
                }
            }
            turn.length = watch.length();
        }
    }

    /// Sets the verdict and the changed lines of a call.
    fn judge(&self, call: &mut CountedCall) {
        let node = self.node_at(call.entry);
        let Some(result) = node.and_then(|node| self.result_of(node, call.key)) else {
            return;
        };
        call.verdict = Some(result.verdict);
        // The changed lines of an entry belong to one call. Results of MCP servers may only
        // look as if they stated changed lines.
        let blocks = self.log.blocks_of(&self.log.entries[result.entry]);
        let first =
            (0u32..).zip(blocks).find(|(_, block)| block.kind == BlockKind::Result(Verdict::Done));
        let is_it = first.is_some_and(|(position, _)| Some(position) == result.block);
        let tool = call.tool.map_or("", |tool| self.log.text(tool));
        if is_it && !tool.starts_with("mcp__") {
            (call.added, call.removed) = self.log.changes_of(result.entry);
        }
    }
}

/// Tells whether a turn of the main conversation begins with an entry.
fn starts_turn(commands: &AnsweredCommands, entry: &Entry) -> bool {
    commands.begins_turn(entry) && !entry.flags.has(Flags::SIDECHAIN)
}

/// Returns the uuid of the original of an entry, or its own.
fn own_key(log: &Log, index: EntryIndex, entry: &Entry) -> Option<Symbol> {
    log.origin_of(index).or(entry.uuid)
}

/// The first place of each key.
struct FirstPlaces<T>(Vec<Option<T>>);

impl<T: Copy> FirstPlaces<T> {
    fn new(log: &Log) -> Self {
        Self(vec![None; log.symbols.len()])
    }

    /// Returns the place of a key, if it has one.
    fn find(&self, key: Symbol) -> Option<T> {
        self.0[key.index()]
    }

    /// Sets the place of a key that has none; returns true if it had none.
    fn first(&mut self, key: Symbol, place: T) -> bool {
        let known = &mut self.0[key.index()];
        let is_first = known.is_none();
        if is_first {
            *known = Some(place);
        }
        is_first
    }
}

/// The state of counting, entry by entry.
struct Count<'l> {
    log: &'l Log,
    commands: &'l AnsweredCommands,
    tally: Tally,
    /// The keys that were counted.
    messages: SymbolSet,
    turns: SymbolSet,
    calls: SymbolSet,
    answers: HashSet<EntryIndex>,
    /// Whether anything was said in the main conversation, and by subagents.
    spoken: [bool; 2],
}

impl<'l> Count<'l> {
    fn new(log: &'l Log, commands: &'l AnsweredCommands) -> Self {
        Self {
            log,
            commands,
            tally: Tally { messages: Vec::with_capacity(log.entries.len()), ..Tally::default() },
            messages: SymbolSet::of(&log.symbols),
            turns: SymbolSet::of(&log.symbols),
            calls: SymbolSet::of(&log.symbols),
            answers: flat_answers(log),
            spoken: [false; 2],
        }
    }

    fn entry(&mut self, index: EntryIndex, entry: &Entry, uuid: Symbol) {
        let speaks = matches!(entry.kind, EntryKind::User | EntryKind::Assistant);
        self.spoken[side(entry)] |= speaks || entry.flags.has(Flags::BOUNDARY);
        let own = self.log.origin_of(index).unwrap_or(uuid);
        let key = entry.message.unwrap_or(own);
        let says = entry.says.is_some() && !self.answers.contains(&index);
        if says && self.messages.insert(key) {
            self.tally.messages.push(CountedMessage { key, entry: index, turn: None });
        }
        if starts_turn(self.commands, entry) && self.turns.insert(own) {
            self.tally.turns.push(CountedTurn { key: own, entry: index, length: None });
        }
        for block in self.log.calls_of(entry) {
            if let Some(key) = block.call.filter(|&key| self.calls.insert(key)) {
                self.tally.calls.push(CountedCall {
                    key,
                    entry: index,
                    tool: block.name,
                    verdict: None,
                    added: 0,
                    removed: 0,
                });
            }
        }
    }

    /// Removes remarks of the client on a side on which only the client says anything, because
    /// that side has no path.
    fn finish(mut self) -> Tally {
        let entries = &self.log.entries;
        let heard = |entry: EntryIndex| self.spoken[side(&entries[entry])];
        self.tally.messages.retain(|message| heard(message.entry));
        self.tally.turns.retain(|turn| heard(turn.entry));
        self.tally.messages.shrink_to_fit();
        self.tally.turns.shrink_to_fit();
        self.tally
    }
}

fn side(entry: &Entry) -> usize {
    usize::from(entry.flags.has(Flags::SIDECHAIN))
}

/// Finds the remarks of the flat dialect that are results and therefore not messages.
///
/// Follows the rules of the graph, with only the entries before each entry.
fn flat_answers(log: &Log) -> HashSet<EntryIndex> {
    let mut answers = HashSet::new();
    if !log.has_flat() {
        return answers;
    }
    let is_flat = |entry: &Entry| entry.flags.has(Flags::FLAT);
    let mut calls = FlatCalls::new(log.entries.len());
    let mut places = FirstPlaces::new(log);
    let (mut before, mut compacted) = ([None; 2], [None; 2]);
    let mut linked = false;
    for (index, entry) in EntryIndex::enumerate(&log.entries) {
        let Some(uuid) = entry.uuid.filter(|_| entry.kind.links()) else {
            continue;
        };
        if !places.first(uuid, index) {
            let copied = places.find(uuid).is_some_and(|place| answers.contains(&place));
            if copied {
                answers.insert(index);
            }
            continue;
        }
        let (side, flags) = (side(entry), entry.flags);
        linked |= entry.parent.is_some() || !is_flat(entry);
        let compacts = flags.has(Flags::BOUNDARY) || flags.has(Flags::COMPACTING);
        let known = |uuid: Option<Symbol>| places.find(uuid?).filter(|&place| place != index);
        let bridge = before[side].filter(|_| entry.parent.is_some() || compacts || !linked);
        let above = known(entry.parent)
            .or_else(|| known(entry.logical_parent.filter(|_| is_flat(entry))))
            .or(bridge)
            .filter(|&above| Some(above) >= compacted[side]);
        if calls.follow(log, index, index.index(), above.map(EntryIndex::index)).is_some() {
            answers.insert(index);
        }
        before[side] = Some(index);
        if is_flat(entry) && flags.has(Flags::COMPACTING) {
            compacted[side] = Some(index);
        }
    }
    answers
}
