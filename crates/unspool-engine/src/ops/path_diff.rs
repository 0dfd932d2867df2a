//! Compares two paths of one conversation: the work of each since they forked.
//!
//! A [`Transcript`] and the numbers of two paths go in. Out come the entry at the fork, and for
//! each side the work that only it has: prompts, calls, changed files, tokens, cost, time, and its
//! outcome. Shared work is left out of every sum. The transcript may show any path; both paths
//! belong to the conversation that it shows, so paths of an agent can be compared too.

use std::collections::HashMap;
use std::io;

use unspool_model::conversation::{CallStatus, Liveness, Message, Turn, TurnOutcome, View};
use unspool_model::entry::MessageKind;
use unspool_model::ids::EntryId;
use unspool_model::paths::PathKind;
use unspool_model::positions::{NodeId, PathNumber, TurnNumber};
use unspool_model::time::Time;

use super::changes::{ChangedFile, EditCollector, EditTotals};
use super::message::MessageReader;
use super::path_cost::{nodes_cost, path_nodes};
use super::spending::Spending;
use super::transcript::{RequestError, Transcript};
use unspool_store::prices::PriceTable;

/// Two compared paths.
#[derive(Clone, Debug)]
pub struct PathDiff {
    /// The fork; `None` if the paths have nothing in common.
    pub fork: Option<ForkPoint>,
    /// The number of shared messages.
    pub shared_messages: usize,
    /// The path that was named first.
    pub a: PathSide,
    /// The path that was named second.
    pub b: PathSide,
    /// The files that either path changed since the fork, those of the first path first.
    pub files: Vec<ComparedFile>,
}

/// The point where two paths fork.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForkPoint {
    /// The last entry that both have.
    pub entry: Option<EntryId>,
    /// The time of that entry.
    pub time: Option<Time>,
    /// The turn of that entry; `None` before the first prompt.
    pub turn: Option<TurnNumber>,
}

/// The work of one path since the fork.
#[derive(Clone, Debug)]
pub struct PathSide {
    /// The number of the path.
    pub number: PathNumber,
    /// Why this path exists.
    pub kind: PathKind,
    /// The last entry of the path.
    pub head: Option<EntryId>,
    /// The number of messages that only this path has.
    pub messages: usize,
    /// The turns since the fork.
    pub turns: Vec<SideTurn>,
    /// The number of calls.
    pub calls: u32,
    /// The number of failed calls.
    pub failed_calls: u32,
    /// The number of agents that worked for the path.
    pub agents: u32,
    /// The tokens and cost, including agents.
    pub spending: Spending,
    /// The time of the first entry that only this path has.
    pub started: Option<Time>,
    /// The time of the last entry that only this path has.
    pub ended: Option<Time>,
    /// The working time.
    pub worked_ms: u64,
    /// The sums of its changes to files.
    pub edits: EditTotals,
    /// The outcome of its last turn; `None` if the path has no messages of its own.
    pub outcome: Option<TurnOutcome>,
    /// The last answer.
    pub last_answer: Option<LastAnswer>,
}

/// A turn of one side.
#[derive(Clone, Debug)]
pub struct SideTurn {
    /// The number of the turn on the path.
    pub index: TurnNumber,
    /// The text of its prompt; `None` for a turn that began before the fork.
    pub prompt: Option<String>,
    /// The entry of its prompt, or of its first message that only this side has.
    pub entry: Option<EntryId>,
    /// The time of that entry.
    pub started: Option<Time>,
    /// The working time since the fork.
    pub duration_ms: Option<u64>,
    /// The number of calls since the fork.
    pub calls: u32,
    /// The outcome of the turn.
    pub outcome: TurnOutcome,
}

/// The last answer of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LastAnswer {
    /// The first entry of the answer.
    pub entry: Option<EntryId>,
    /// The text of the answer.
    pub text: String,
}

/// A file that one or both paths changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComparedFile {
    /// The file.
    pub path: String,
    /// The changes of the first path.
    pub a: Option<EditTotals>,
    /// The changes of the second path.
    pub b: Option<EditTotals>,
}

/// Why two paths cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A path does not exist.
    #[error(transparent)]
    Path(#[from] RequestError),
    /// The log could not be read.
    #[error("the log could not be read: {0}")]
    Read(#[from] io::Error),
}

/// Compares two paths of the shown conversation, given their numbers.
pub fn path_diff(
    shown: &Transcript<'_>,
    (a, b): (PathNumber, PathNumber),
    prices: &PriceTable,
) -> Result<PathDiff, CompareError> {
    let one = SideReading::new(shown, a)?;
    let other = SideReading::new(shown, b)?;
    let (in_one, in_other) = (one.held(), other.held());
    let shared = one.nodes.iter().filter(|node| in_other[node.index()]);
    let fork = shared.max().copied();
    let (one_side, one_files) = one.side(&in_other, fork, prices)?;
    let (other_side, other_files) = other.side(&in_one, fork, prices)?;
    let messages = one.view.messages.len();
    Ok(PathDiff {
        fork: fork.map(|node| ForkPoint {
            entry: one.uuid(node),
            time: one.time(node),
            turn: one.turn_of(node),
        }),
        shared_messages: messages.saturating_sub(one_side.messages),
        files: compare_files(&one_files, &other_files),
        a: one_side,
        b: other_side,
    })
}

fn compare_files(one: &[ChangedFile], other: &[ChangedFile]) -> Vec<ComparedFile> {
    let mut rows: HashMap<&str, usize> = HashMap::new();
    let mut files: Vec<ComparedFile> = Vec::new();
    let named = |file: &ChangedFile| ComparedFile { path: file.path.clone(), a: None, b: None };
    for file in one {
        rows.insert(&file.path, files.len());
        files.push(ComparedFile { a: Some(file.totals()), ..named(file) });
    }
    for file in other {
        let row = *rows.entry(&file.path).or_insert(files.len());
        if row == files.len() {
            files.push(named(file));
        }
        files[row].b = Some(file.totals());
    }
    files
}

/// One path during the comparison.
struct SideReading<'t, 's> {
    shown: &'t Transcript<'s>,
    number: PathNumber,
    nodes: Vec<NodeId>,
    view: View,
    turns: Vec<Turn>,
}

impl<'t, 's> SideReading<'t, 's> {
    fn new(shown: &'t Transcript<'s>, number: PathNumber) -> Result<Self, RequestError> {
        let nodes = path_nodes(shown, number)?;
        let view = shown.conversation.view_of(&nodes);
        let (_, listed) = shown.listed_paths();
        let is_active = listed[number].active;
        // Only the active path can have a running turn.
        let live = match shown.live {
            Liveness::Live if is_active => Liveness::Live,
            _ => Liveness::Idle,
        };
        let turns = shown.conversation.turns(&view, live);
        Ok(Self { shown, number, nodes, view, turns })
    }

    /// Returns for every node whether the path contains it.
    fn held(&self) -> Vec<bool> {
        let mut held = vec![false; self.shown.conversation.graph.nodes.len()];
        for node in &self.nodes {
            held[node.index()] = true;
        }
        held
    }

    fn uuid(&self, node: NodeId) -> Option<EntryId> {
        let conversation = &self.shown.conversation;
        let uuid = conversation.graph.entry(conversation.log, node).uuid?;
        let text = conversation.log.text(uuid);
        Some(EntryId::new(self.shown.entry_id(text)))
    }

    fn time(&self, node: NodeId) -> Option<Time> {
        let conversation = &self.shown.conversation;
        conversation.graph.entry(conversation.log, node).time
    }

    /// Returns the turn of a node: the last turn that begins at or before the node.
    fn turn_of(&self, node: NodeId) -> Option<TurnNumber> {
        let before = |turn: &&Turn| {
            let message = &self.view.messages[turn.messages.start as usize];
            self.view.nodes(message)[0] <= node
        };
        let count = self.turns.iter().take_while(before).count();
        count.checked_sub(1).map(TurnNumber::at)
    }

    /// Sums up the messages that the other path lacks.
    fn side(
        &self,
        in_other: &[bool],
        fork: Option<NodeId>,
        prices: &PriceTable,
    ) -> io::Result<(PathSide, Vec<ChangedFile>)> {
        let mut own = self.nodes.clone();
        own.retain(|node| !in_other[node.index()]);
        let is_own = |message: &Message| {
            let nodes = self.view.nodes(message);
            nodes.iter().any(|node| !in_other[node.index()])
        };
        let mut collector = EditCollector::new(self.shown);
        collector.conversation(&self.view, &self.turns, is_own)?;
        let collected = collector.finish()?;
        let mut reader = self.shown.reader();
        let turns = self.side_turns(&mut reader, &is_own, fork)?;
        let (_, listed) = self.shown.listed_paths();
        let path = listed[self.number];
        let (calls, failed_calls) = self.calls(self.view.messages.iter().filter(|m| is_own(m)));
        let times = own.iter().filter_map(|&node| self.time(node));
        let mut edits = EditTotals::default();
        for file in &collected.files {
            edits += file.totals();
        }
        let side = PathSide {
            number: self.number,
            kind: path.kind,
            head: self.uuid(path.head),
            messages: self.view.messages.iter().filter(|m| is_own(m)).count(),
            calls,
            failed_calls,
            agents: collected.agents,
            spending: nodes_cost(self.shown, &own, prices),
            started: times.clone().min(),
            ended: times.max(),
            worked_ms: turns.iter().filter_map(|turn| turn.duration_ms).sum(),
            edits,
            outcome: turns.last().map(|turn| turn.outcome),
            last_answer: self.last_answer(&mut reader, &is_own)?,
            turns,
        };
        Ok((side, collected.files))
    }

    /// Lists the turns with a message that only this path has.
    fn side_turns(
        &self,
        reader: &mut MessageReader<'_>,
        is_own: &impl Fn(&Message) -> bool,
        fork: Option<NodeId>,
    ) -> io::Result<Vec<SideTurn>> {
        let mut turns = Vec::new();
        for (index, turn) in TurnNumber::enumerate(&self.turns) {
            let range = turn.messages.start as usize..turn.messages.end as usize;
            let messages = &self.view.messages[range];
            let own = messages.iter().filter(|message| is_own(message));
            let Some(first) = own.clone().next() else {
                continue;
            };
            let is_whole = messages.first().is_some_and(is_own);
            let node = self.view.nodes(first)[0];
            let prompt = if is_whole { Some(reader.read(&self.view, first)?.said()) } else { None };
            let parted = fork.and_then(|fork| self.time(fork));
            let since = |(ended, parted): (Time, Time)| ended.since(parted);
            turns.push(SideTurn {
                index,
                prompt,
                entry: self.uuid(node),
                started: self.time(node),
                duration_ms: if is_whole {
                    turn.duration_ms
                } else {
                    turn.ended.zip(parted).map(since)
                },
                calls: self.calls(own).0,
                outcome: turn.outcome,
            });
        }
        Ok(turns)
    }

    /// Counts the calls of messages, and the failed ones.
    fn calls<'m>(&self, messages: impl Iterator<Item = &'m Message>) -> (u32, u32) {
        let conversation = &self.shown.conversation;
        let (mut calls, mut failed) = (0, 0);
        for &node in messages.flat_map(|message| self.view.nodes(message)) {
            unspool_work::add(1);
            let entry = conversation.graph.entry(conversation.log, node);
            for block in conversation.log.calls_of(entry) {
                calls += 1;
                let call = block.call;
                let found = call.and_then(|call| conversation.result_in(&self.view, node, call));
                let status = conversation.call_status(node, found, Liveness::Idle);
                failed += u32::from(status == CallStatus::Failed);
            }
        }
        (calls, failed)
    }

    /// Reads the last answer of this path with a text.
    fn last_answer(
        &self,
        reader: &mut MessageReader<'_>,
        is_own: &impl Fn(&Message) -> bool,
    ) -> io::Result<Option<LastAnswer>> {
        let is_answer = |message: &&Message| {
            matches!(message.kind, MessageKind::Answer | MessageKind::Error) && is_own(message)
        };
        for message in self.view.messages.iter().rev().filter(is_answer) {
            let read = reader.read(&self.view, message)?;
            let text = read.said();
            if !text.trim().is_empty() {
                let entry = read.entries.into_iter().next();
                return Ok(Some(LastAnswer { entry, text }));
            }
        }
        Ok(None)
    }
}
