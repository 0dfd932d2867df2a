//! The rows that count, each key once, and the merging of copies.
//!
//! Every merge takes the larger of two by a total order, field by field or as a whole, so that any
//! number of copies in any order results in the same row.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::num::NonZeroU64;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use unspool_model::conversation::TurnLength;
use unspool_model::entry::Verdict;
use unspool_model::usage::Tokens;

use super::known::{NameNumber, RowSpot, StatsNames};

/// A row with a key that its copies share.
pub(super) trait KeyedRow: Copy {
    fn key(&self) -> u64;
    /// Returns the place of the row, or the best of the places of its copies.
    fn spot(&self) -> RowSpot;
    /// Merges a copy into the row.
    fn merge(&mut self, copy: Self, known: &StatsNames<'_>);
}

/// Rows of every kind.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) usage: UsageRows,
    pub(super) messages: Keyed<StatsMessage>,
    pub(super) calls: Keyed<StatsCall>,
    pub(super) turns: Keyed<StatsTurn>,
}

/// Rows, each key once.
pub(super) struct Keyed<R> {
    rows: Vec<R>,
    index: HashTable<u32>,
    hasher: FixedState,
}

impl<R> Default for Keyed<R> {
    fn default() -> Self {
        Self { rows: Vec::new(), index: HashTable::new(), hasher: FixedState::default() }
    }
}

impl<R: KeyedRow> Keyed<R> {
    /// Adds a row, or merges it into the row with its key.
    pub(super) fn add(&mut self, row: R, known: &StatsNames<'_>) {
        if let Some(first) = self.add_new(row) {
            first.merge(row, known);
        }
    }

    pub(super) fn add_all(&mut self, rows: impl Iterator<Item = R>, known: &StatsNames<'_>) {
        for row in rows {
            self.add(row, known);
        }
    }

    /// Adds a row with a new key, or returns the existing row with its key.
    fn add_new(&mut self, row: R) -> Option<&mut R> {
        let hash = self.hasher.hash_one(row.key());
        if let Some(&at) = self.find(hash, row.key()) {
            return Some(&mut self.rows[at as usize]);
        }
        let (rows, hasher) = (&mut self.rows, &self.hasher);
        let at = rows.len() as u32;
        rows.push(row);
        let rehash = |&at: &u32| hasher.hash_one(rows[at as usize].key());
        self.index.insert_unique(hash, at, rehash);
        None
    }

    fn find(&self, hash: u64, key: u64) -> Option<&u32> {
        let same = |&at: &u32| self.rows[at as usize].key() == key;
        self.index.find(hash, same)
    }

    pub(super) fn get(&self, key: u64) -> Option<&R> {
        let at = self.find(self.hasher.hash_one(key), key)?;
        Some(&self.rows[*at as usize])
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &R> {
        self.rows.iter()
    }
}

/// The usage of an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatsUsage {
    pub(super) message: u64,
    pub(super) request: Option<NonZeroU64>,
    pub(super) tokens: Tokens,
    pub(super) model: Option<NameNumber>,
    pub(super) spot: RowSpot,
}

impl StatsUsage {
    /// Compares the contents of two rows, and their places only if the contents are equal.
    fn compare(&self, other: &Self, known: &StatsNames<'_>) -> Ordering {
        let ranks = self.tokens.rank().cmp(&other.tokens.rank());
        ranks
            .then_with(|| known.names.compare(self.model, other.model))
            .then_with(|| known.compare(other.spot, self.spot))
    }
}

impl KeyedRow for StatsUsage {
    fn key(&self) -> u64 {
        self.message
    }

    fn spot(&self) -> RowSpot {
        self.spot
    }

    fn merge(&mut self, copy: Self, known: &StatsNames<'_>) {
        if self.compare(&copy, known).is_lt() {
            *self = copy;
        }
    }
}

/// Rows of one message by request.
type Requests = HashMap<Option<NonZeroU64>, StatsUsage, FixedState>;

/// The usage of answers, each answer once.
///
/// Almost every message has one request, or none. Rows of a message with another request than its
/// first are stored separately.
#[derive(Default)]
pub(super) struct UsageRows {
    first: Keyed<StatsUsage>,
    apart: HashMap<u64, Requests, FixedState>,
}

impl UsageRows {
    pub(super) fn add(&mut self, row: StatsUsage, known: &StatsNames<'_>) {
        let Some(first) = self.first.add_new(row) else {
            return;
        };
        let same = if first.request == row.request {
            first
        } else {
            let apart = self.apart.entry(row.message).or_default();
            apart.entry(row.request).or_insert(row)
        };
        same.merge(row, known);
    }

    pub(super) fn add_all(
        &mut self,
        rows: impl Iterator<Item = StatsUsage>,
        known: &StatsNames<'_>,
    ) {
        for row in rows {
            self.add(row, known);
        }
    }

    /// Decides which rows count.
    pub(super) fn settle(&self, known: &StatsNames<'_>) -> Settled<'_> {
        let answers = |(&message, rows): (&u64, &Requests)| {
            let first = self.first.get(message);
            let mut answers =
                MessageRows(first.into_iter().chain(rows.values()).copied().collect());
            answers.join(known);
            (message, answers)
        };
        Settled { first: &self.first, shared: self.apart.iter().map(answers).collect() }
    }
}

/// The rows that count.
pub(super) struct Settled<'a> {
    first: &'a Keyed<StatsUsage>,
    shared: HashMap<u64, MessageRows, FixedState>,
}

impl Settled<'_> {
    /// Returns every row that counts.
    pub(super) fn iter(&self) -> impl Iterator<Item = &StatsUsage> {
        let shared = self.shared.values().flat_map(|answers| &answers.0);
        let alone =
            |row: &&StatsUsage| self.shared.is_empty() || !self.shared.contains_key(&row.message);
        self.first.iter().filter(alone).chain(shared)
    }

    /// Returns the row that counts for a message and a request.
    pub(super) fn winner(&self, message: u64, request: Option<NonZeroU64>) -> Option<&StatsUsage> {
        match self.shared.get(&message) {
            Some(answers) => answers.of(request),
            None => self.first.get(message),
        }
    }
}

/// The rows of a message with several requests; the first one counts for rows without a request.
struct MessageRows(Vec<StatsUsage>);

impl MessageRows {
    /// Merges the row without a request into the best of the others, as
    /// [`unspool_model::usage::Ledger`] does.
    ///
    /// The merged row keeps the request, so that it counts for both.
    fn join(&mut self, known: &StatsNames<'_>) {
        let rows = &mut self.0;
        let order = |a: &StatsUsage, b: &StatsUsage| {
            let ranks = a.tokens.rank().cmp(&b.tokens.rank());
            ranks
                .then_with(|| known.names.compare(a.model, b.model))
                .then_with(|| a.request.cmp(&b.request))
        };
        rows.sort_by(|a, b| {
            let named = b.request.is_some().cmp(&a.request.is_some());
            named.then_with(|| order(b, a))
        });
        let Some(copy) = rows.pop_if(|row| row.request.is_none()) else {
            return;
        };
        match rows.first_mut() {
            Some(best) if copy.tokens.rank() > best.tokens.rank() => {
                *best = StatsUsage { request: best.request, ..copy };
            }
            Some(_) => {}
            None => rows.push(copy),
        }
    }

    fn of(&self, request: Option<NonZeroU64>) -> Option<&StatsUsage> {
        let same = |row: &&StatsUsage| row.request == request;
        let first = self.0.first();
        self.0.iter().find(same).or(first)
    }
}

/// A message.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatsMessage {
    pub(super) key: u64,
    pub(super) model: Option<NameNumber>,
    pub(super) spot: RowSpot,
}

impl KeyedRow for StatsMessage {
    fn key(&self) -> u64 {
        self.key
    }

    fn spot(&self) -> RowSpot {
        self.spot
    }

    fn merge(&mut self, copy: Self, known: &StatsNames<'_>) {
        self.model = known.names.last(self.model, copy.model);
        self.spot = earlier(self.spot, copy.spot, known);
    }
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatsCall {
    pub(super) key: u64,
    pub(super) added: u64,
    pub(super) removed: u64,
    pub(super) spot: RowSpot,
    pub(super) tool: Option<NameNumber>,
    pub(super) model: Option<NameNumber>,
    pub(super) verdict: Option<Verdict>,
}

impl KeyedRow for StatsCall {
    fn key(&self) -> u64 {
        self.key
    }

    fn spot(&self) -> RowSpot {
        self.spot
    }

    fn merge(&mut self, copy: Self, known: &StatsNames<'_>) {
        self.added = self.added.max(copy.added);
        self.removed = self.removed.max(copy.removed);
        self.tool = known.names.last(self.tool, copy.tool);
        self.model = known.names.last(self.model, copy.model);
        if weight(self.verdict) < weight(copy.verdict) {
            self.verdict = copy.verdict;
        }
        self.spot = earlier(self.spot, copy.spot, known);
    }
}

/// Returns the precedence of a verdict where copies differ. The client may synthesize an
/// interruption for a call without a result, so real verdicts have precedence over it.
fn weight(verdict: Option<Verdict>) -> u8 {
    match verdict {
        None => 0,
        Some(Verdict::Interrupted) => 1,
        Some(Verdict::Done) => 2,
        Some(Verdict::Denied) => 3,
        Some(Verdict::Failed) => 4,
    }
}

/// A turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatsTurn {
    pub(super) key: u64,
    pub(super) length: TurnLength,
    pub(super) spot: RowSpot,
    pub(super) model: Option<NameNumber>,
}

impl KeyedRow for StatsTurn {
    fn key(&self) -> u64 {
        self.key
    }

    fn spot(&self) -> RowSpot {
        self.spot
    }

    fn merge(&mut self, copy: Self, known: &StatsNames<'_>) {
        self.length = self.length.max(copy.length);
        self.model = known.names.last(self.model, copy.model);
        self.spot = earlier(self.spot, copy.spot, known);
    }
}

fn earlier(a: RowSpot, b: RowSpot, known: &StatsNames<'_>) -> RowSpot {
    if known.compare(b, a).is_lt() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_small() {
        assert!(size_of::<StatsUsage>() <= 88, "{}", size_of::<StatsUsage>());
        assert!(size_of::<StatsMessage>() <= 40, "{}", size_of::<StatsMessage>());
        assert!(size_of::<StatsCall>() <= 64, "{}", size_of::<StatsCall>());
        assert!(size_of::<StatsTurn>() <= 56, "{}", size_of::<StatsTurn>());
    }
}
