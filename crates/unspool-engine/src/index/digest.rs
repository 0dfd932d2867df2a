//! What the catalogue keeps of one log: its row, what counts in it, what is off its path.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash};

use foldhash::quality::FixedState;
use unspool_model::conversation::{Bucket, Conversation};
use unspool_model::graph::Rule;
use unspool_model::log::Log;
use unspool_model::symbols::Symbol;

use super::ledger::{FileLedger, Place, UsageLine};
use crate::ops::list::{Row, Subject};

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
        Self {
            row: subject.row(&conversation),
            ledger: Counting::new(subject.log).ledger(),
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
struct Counting<'l> {
    log: &'l Log,
    ledger: FileLedger,
    models: HashMap<Symbol, u32>,
    hasher: FixedState,
}

impl<'l> Counting<'l> {
    fn new(log: &'l Log) -> Self {
        Self {
            log,
            ledger: FileLedger::default(),
            models: HashMap::new(),
            hasher: FixedState::default(),
        }
    }

    fn ledger(mut self) -> FileLedger {
        for row in &self.log.usage {
            let model = self.model(row.model);
            let line = UsageLine {
                message: self.key(row.message),
                request: row.request.map(|request| self.key(request)),
                tokens: row.tokens,
                place: Place {
                    model,
                    ..self.place(row.entry)
                },
            };
            self.ledger.usage.push(line);
        }
        self.ledger
    }

    fn key(&self, symbol: Symbol) -> u64 {
        hash(&self.hasher, self.log.text(symbol))
    }

    fn place(&self, entry: u32) -> Place {
        let entry = &self.log.entries[entry as usize];
        Place {
            line: entry.line,
            time: entry.time,
            ..Place::default()
        }
    }

    fn model(&mut self, model: Symbol) -> Option<u32> {
        let name = self.log.text(model);
        if name.is_empty() {
            return None;
        }
        let models = &mut self.ledger.models;
        let number = self.models.entry(model).or_insert_with(|| {
            models.push(name.to_owned());
            models.len() as u32 - 1
        });
        Some(*number)
    }
}

fn hash(hasher: &FixedState, text: impl Hash) -> u64 {
    hasher.hash_one(text)
}
