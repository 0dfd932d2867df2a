//! Builds what the catalogue stores of one log: its row, its ledger, the ranges off its path.

use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use foldhash::quality::FixedState;
use unspool_model::conversation::{Bucket, Conversation, Tally};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_model::maybe::MaybeIndex;
use unspool_model::positions::EntryIndex;
use unspool_model::symbols::Symbol;

use super::ledger::{
    CallLine, CopyLine, FileLedger, LedgerPlace, MessageLine, SealedLedger, TurnLine, UsageLine,
};
use crate::rows::{RowSource, SessionRow};

/// The tool name of calls that name no tool.
const NAMELESS: &str = "unknown";

/// The number of entries from which threads share the work on a log. Chosen by judgement: such a
/// log takes milliseconds, starting a thread a tenth of one.
const LONG: usize = 4096;

/// What the catalogue stores of one log.
pub(super) struct Digest {
    /// The row of the log, without what its agents add.
    pub(super) row: SessionRow,
    /// The ledger of the log.
    pub(super) ledger: FileLedger,
    /// The ledger as it is stored; `None` for an agent, whose facts are added later.
    pub(super) sealed: Option<SealedLedger>,
    /// The log itself, from which a later read continues; `None` if it was not wanted.
    pub(super) snapshot: Option<Vec<u8>>,
    /// The byte ranges that are not on the active path, in order.
    pub(super) off_path: Vec<(u64, u64)>,
}

impl Digest {
    /// Builds the digest of a log. When a long log has grown by a line, this is nearly all the
    /// work, so threads share it.
    pub(super) fn of(subject: &RowSource<'_>, wants_snapshot: bool) -> Self {
        let log = subject.log;
        let is_long = log.entries.len() >= LONG;
        let is_agent = subject.scope == Scope::Agent;
        let (snapshot, ((mut ledger, sealed), (row, off_path))) = both(
            is_long,
            || wants_snapshot.then(|| log.snapshot()),
            || {
                // Each closure drops its reference as soon as it can: the results take as much
                // memory.
                let conversation = Arc::new(Conversation::new(log, Rule::Current, subject.scope));
                let counted = Arc::clone(&conversation);
                both(
                    is_long,
                    move || {
                        let tally = counted.tally();
                        drop(counted);
                        let ledger = Counting::new(log).ledger(tally);
                        let sealed = (!is_agent).then(|| SealedLedger::new(&ledger));
                        (ledger, sealed)
                    },
                    move || (subject.row(&conversation), off_path(&conversation)),
                )
            },
        );
        if is_agent {
            ledger.files.clone_from(&row.files);
        }
        Self { row, ledger, sealed, snapshot, off_path }
    }
}

/// Runs two closures, in parallel if that is worth a thread.
fn both<A: Send, B>(
    is_worth_it: bool,
    aside: impl FnOnce() -> A + Send,
    here: impl FnOnce() -> B,
) -> (A, B) {
    if !is_worth_it {
        return (aside(), here());
    }
    thread::scope(|scope| {
        let aside = scope.spawn(aside);
        let here = here();
        (aside.join().unwrap_or_else(|panic| resume_unwind(panic)), here)
    })
}

/// Returns the byte ranges of entries that are on other paths only.
fn off_path(conversation: &Conversation<'_>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    let paths = &conversation.paths;
    if paths.paths.len() < 2 && paths.count_left_out() == 0 {
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

/// Builds the ledger of a log.
struct Counting<'c> {
    log: &'c Log,
    ledger: FileLedger,
    models: NameNumbers,
    tools: NameNumbers,
    branches: NameNumbers,
    hasher: FixedState,
}

/// The numbers of names.
type NameNumbers = HashMap<Symbol, u32, FixedState>;

impl<'c> Counting<'c> {
    fn new(log: &'c Log) -> Self {
        Self {
            log,
            ledger: FileLedger::default(),
            models: HashMap::default(),
            tools: HashMap::default(),
            branches: HashMap::default(),
            hasher: FixedState::default(),
        }
    }

    fn ledger(mut self, mut tally: Tally) -> FileLedger {
        self.usage();
        self.copies();
        self.turns(&tally);
        tally.turns = Vec::new();
        self.ledger.messages.reserve_exact(tally.messages.len());
        for message in &tally.messages {
            let place = self.place_with_model(message.entry);
            let key = self.key(message.key);
            self.ledger.messages.push(MessageLine { key, place });
        }
        self.ledger.calls.reserve_exact(tally.calls.len());
        for call in &tally.calls {
            let line = CallLine {
                key: self.key(call.key),
                tool: self.tool(call.tool),
                verdict: call.verdict,
                added: u64::from(call.added),
                removed: u64::from(call.removed),
                place: self.place_with_model(call.entry),
            };
            self.ledger.calls.push(line);
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
                place: LedgerPlace {
                    model: model.map(|model| self.model(model)).into(),
                    ..self.place(row.entry)
                },
            };
            self.ledger.usage.push(line);
        }
    }

    /// Records which entries are copies; answers are keyed by their message's id in all copies.
    fn copies(&mut self) {
        let log = self.log;
        for &(entry, original) in &log.origins {
            let entry = &log.entries[entry];
            let speaks = entry.says.is_some() && entry.message.is_none();
            if let Some(uuid) = entry.uuid.filter(|_| speaks) {
                let (copy, original) = (self.key(uuid), self.key(original));
                self.ledger.copies.push(CopyLine { copy, original });
            }
        }
    }

    /// Records turns; the model of a turn is the first that answered in it.
    fn turns(&mut self, tally: &Tally) {
        let mut models = vec![MaybeIndex::NONE; tally.turns.len()];
        for message in &tally.messages {
            let Some(turn) = message.turn else {
                continue;
            };
            if models[turn].is_none() {
                models[turn] = self.place_with_model(message.entry).model;
            }
        }
        self.ledger.turns.reserve_exact(tally.turns.len());
        for (turn, model) in tally.turns.iter().zip(models) {
            let line = TurnLine {
                key: self.key(turn.key),
                length: turn.length.unwrap_or_default(),
                place: LedgerPlace { model, ..self.place(turn.entry) },
            };
            self.ledger.turns.push(line);
        }
    }

    fn key(&self, symbol: Symbol) -> u64 {
        self.hasher.hash_one(self.log.text(symbol))
    }

    fn place(&mut self, entry: EntryIndex) -> LedgerPlace {
        let log = self.log;
        let branch = log.branch_of(entry);
        let found = &log.entries[entry];
        LedgerPlace {
            line: found.line,
            time: found.time,
            model: MaybeIndex::NONE,
            branch: branch
                .map(|branch| number(&mut self.branches, &mut self.ledger.branches, log, branch))
                .into(),
            copied: log.origin_of(entry).is_some(),
        }
    }

    fn place_with_model(&mut self, entry: EntryIndex) -> LedgerPlace {
        let model = self.model_of(entry).map(|model| self.model(model));
        LedgerPlace { model: model.into(), ..self.place(entry) }
    }

    /// Returns the model that wrote an entry, if the entry states its usage.
    fn model_of(&self, entry: EntryIndex) -> Option<Symbol> {
        let usage = &self.log.usage;
        let at = usage.partition_point(|row| row.entry < entry);
        let row = usage.get(at).filter(|row| row.entry == entry)?;
        Some(row.model).filter(|model| !self.log.text(*model).is_empty())
    }

    /// Returns the number of a tool; calls without a name share one number.
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

/// Returns the number of a name, assigning one if it is new.
fn number(known: &mut NameNumbers, names: &mut Vec<String>, log: &Log, name: Symbol) -> u32 {
    *known.entry(name).or_insert_with(|| {
        names.push(log.text(name).to_owned());
        names.len() as u32 - 1
    })
}
