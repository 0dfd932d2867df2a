//! What the catalogue keeps of one log: its row, what counts in it, what is off its path.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use unspool_model::conversation::{Bucket, Conversation};
use unspool_model::entry::{BlockKind, Flags};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::symbols::Symbol;

use super::ledger::{CallLine, FileLedger, MessageLine, Place, TurnLength, TurnLine, UsageLine};
use crate::ops::list::{Row, Subject};

/// What calls go by that do not name their tool.
const NAMELESS: &str = "unknown";

/// What is kept of one log.
pub(super) struct Digest {
    /// The log's row, without what its agents add.
    pub(super) row: Row,
    /// What counts in it.
    pub(super) ledger: FileLedger,
    /// The bytes that are not on the active path, as ranges in order.
    pub(super) off_path: Vec<(u64, u64)>,
}

impl Digest {
    /// Draws up what is kept of a log.
    pub(super) fn of(subject: &Subject<'_>) -> Self {
        let conversation = Conversation::new(subject.log, Rule::Current, subject.scope);
        let row = subject.row(&conversation);
        let mut ledger = Counting::new(&conversation).ledger();
        if subject.scope == Scope::Agent {
            ledger.files.clone_from(&row.files);
        }
        Self {
            row,
            ledger,
            off_path: off_path(&conversation),
        }
    }
}

/// Returns the bytes of entries that only abandoned paths hold.
fn off_path(conversation: &Conversation<'_>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    if conversation.paths.paths.len() < 2 {
        return ranges;
    }
    let entries = &conversation.log.entries;
    for (entry, bucket) in entries.iter().zip(conversation.buckets()) {
        if bucket != Bucket::OtherPath {
            continue;
        }
        match ranges.last_mut() {
            Some((_, end)) if *end == entry.span.start => *end = entry.span.end(),
            _ => ranges.push((entry.span.start, entry.span.end())),
        }
    }
    ranges
}

/// A log whose things are being counted.
///
/// Things are found entry by entry, on whatever path they are, so that a part of a file has
/// no key that the whole one lacks.
struct Counting<'c> {
    conversation: &'c Conversation<'c>,
    log: &'c Log,
    ledger: FileLedger,
    models: Numbers,
    tools: Numbers,
    branches: Numbers,
    hasher: FixedState,
}

/// Numbers that names were given.
type Numbers = HashMap<Symbol, u32, FixedState>;

impl<'c> Counting<'c> {
    fn new(conversation: &'c Conversation<'c>) -> Self {
        Self {
            conversation,
            log: conversation.log,
            ledger: FileLedger::default(),
            models: HashMap::default(),
            tools: HashMap::default(),
            branches: HashMap::default(),
            hasher: FixedState::default(),
        }
    }

    fn ledger(mut self) -> FileLedger {
        self.usage();
        self.messages_and_calls();
        if self.conversation.graph.scope == Scope::Session {
            self.turns();
        }
        self.ledger
    }

    fn usage(&mut self) {
        let log = self.log;
        self.ledger.usage.reserve_exact(log.usage.len());
        for row in &log.usage {
            let model = Some(row.model).filter(|model| !log.text(*model).is_empty());
            let line = UsageLine {
                message: self.key(row.message),
                request: row.request.map(|request| self.key(request)),
                tokens: row.tokens,
                place: Place {
                    model: model.map(|model| self.model(model)),
                    ..self.place(row.entry)
                },
            };
            self.ledger.usage.push(line);
        }
    }

    fn messages_and_calls(&mut self) {
        let (log, graph) = (self.log, &self.conversation.graph);
        let mut answers: HashSet<Symbol, FixedState> = HashSet::default();
        let mut calls: HashMap<Symbol, usize, FixedState> = HashMap::default();
        for (number, node) in (0u32..).zip(&graph.nodes) {
            let entry = &log.entries[node.content as usize];
            let known = entry.message.is_some_and(|answer| !answers.insert(answer));
            if entry.says.is_some() && !known {
                let key = entry.message.or_else(|| self.name(node.content));
                let key = key.map_or(0, |key| self.key(key));
                let place = self.place_with_model(node.content);
                self.ledger.messages.push(MessageLine { key, place });
            }
            for block in log.blocks_of(entry) {
                if let (BlockKind::Call, Some(call)) = (block.kind, block.call) {
                    let line = self.call(number, call, block.name);
                    let at = *calls.entry(call).or_insert(self.ledger.calls.len());
                    match self.ledger.calls.get_mut(at) {
                        // A call that is repeated has its result at one of its places.
                        Some(known) if known.verdict.is_none() => *known = line,
                        Some(_) => {}
                        None => self.ledger.calls.push(line),
                    }
                }
            }
        }
    }

    fn call(&mut self, node: u32, call: Symbol, tool: Option<Symbol>) -> CallLine {
        let content = self.conversation.graph.nodes[node as usize].content;
        let result = self.conversation.result_of(node, call);
        let (added, removed) = result.map_or((0, 0), |result| self.log.changes_of(result.entry));
        let entry = &self.log.entries[content as usize];
        let flat = entry.uuid == Some(call);
        let key = if flat { self.name(content) } else { None };
        CallLine {
            key: self.key(key.unwrap_or(call)),
            tool: self.tool(tool),
            verdict: result.map(|result| result.verdict),
            added: u64::from(added),
            removed: u64::from(removed),
            place: self.place_with_model(content),
        }
    }

    /// Counts the turns of all paths: what hangs under a prompt belongs to it, up to the next.
    fn turns(&mut self) {
        let (log, graph) = (self.log, &self.conversation.graph);
        let mut turn_of: Vec<Option<u32>> = vec![None; graph.nodes.len()];
        let mut lines: Vec<TurnLine> = Vec::new();
        for &number in &graph.order {
            let node = &graph.nodes[number as usize];
            let entry = &log.entries[node.content as usize];
            if entry.flags.has(Flags::STARTS_TURN) && !node.sidechain {
                turn_of[number as usize] = Some(lines.len() as u32);
                lines.push(TurnLine {
                    key: self.name(node.content).map_or(0, |name| self.key(name)),
                    length: TurnLength::Measured(0),
                    place: self.place(node.content),
                });
                continue;
            }
            let above = node.parent.and_then(|parent| turn_of[parent as usize]);
            let Some(turn) = above.filter(|_| !node.sidechain) else {
                continue;
            };
            turn_of[number as usize] = Some(turn);
            let line = &mut lines[turn as usize];
            let times = line.place.time.zip(entry.time);
            let measured = times.map_or(0, |(from, to)| to.since(from));
            let stated = self.conversation.duration_of(node.content);
            let length = stated.map_or(TurnLength::Measured(measured), TurnLength::Stated);
            line.length = line.length.max(length);
            if line.place.model.is_none() {
                let model = self.model_of(node.content);
                line.place.model = model.and_then(|model| self.models.get(&model)).copied();
            }
        }
        self.ledger.turns = lines;
    }

    /// Returns the name that copies of an entry share.
    fn name(&self, entry: u32) -> Option<Symbol> {
        let origin = self.log.origin_of(entry);
        origin.or(self.log.entries[entry as usize].uuid)
    }

    fn key(&self, symbol: Symbol) -> u64 {
        self.hasher.hash_one(self.log.text(symbol))
    }

    fn place(&mut self, entry: u32) -> Place {
        let log = self.log;
        let branch = log.branch_of(entry);
        let found = &log.entries[entry as usize];
        Place {
            line: found.line,
            time: found.time,
            model: None,
            branch: branch
                .map(|branch| number(&mut self.branches, &mut self.ledger.branches, log, branch)),
            copied: log.origin_of(entry).is_some(),
        }
    }

    fn place_with_model(&mut self, entry: u32) -> Place {
        let model = self.model_of(entry).map(|model| self.model(model));
        Place {
            model,
            ..self.place(entry)
        }
    }

    /// Returns the model that wrote an entry, if the entry says what it used.
    fn model_of(&self, entry: u32) -> Option<Symbol> {
        let usage = &self.log.usage;
        let at = usage.partition_point(|row| row.entry < entry);
        let row = usage.get(at).filter(|row| row.entry == entry)?;
        Some(row.model).filter(|model| !self.log.text(*model).is_empty())
    }

    /// Returns the number of a tool; those without a name share one.
    fn tool(&mut self, tool: Option<Symbol>) -> u32 {
        if let Some(tool) = tool {
            return number(&mut self.tools, &mut self.ledger.tools, self.log, tool);
        }
        let names = &mut self.ledger.tools;
        let known = names.iter().position(|name| name == NAMELESS);
        known.unwrap_or_else(|| {
            names.push(NAMELESS.to_owned());
            names.len() - 1
        }) as u32
    }

    fn model(&mut self, model: Symbol) -> u32 {
        number(&mut self.models, &mut self.ledger.models, self.log, model)
    }
}

/// Returns the number of a name, giving it one if it is new.
fn number(known: &mut Numbers, names: &mut Vec<String>, log: &Log, name: Symbol) -> u32 {
    *known.entry(name).or_insert_with(|| {
        names.push(log.text(name).to_owned());
        names.len() as u32 - 1
    })
}
