//! The accumulator: ledgers in, rows that count out.

use std::num::NonZeroU64;

use jiff::tz::TimeZone;

use super::explain::{self, Explained, ExplainedFile};
use super::known::{Known, Name, Spot, name_of};
use super::origins::Origins;
use super::rows::{Call, Keyed, Message, Row, Settled, Turn, Usage, UsageRows};
use super::tally::Tally;
use super::{Request, SessionMeta, Source, Stats};
use unspool_store::index::ledger::{FileLedger, Place, UsageLine};
use unspool_store::prices::PriceTable;

/// Ledgers of any number of files, each thing that counts kept once.
///
/// Holds some hundred bytes for each answer with its messages and calls, and no strings but
/// names; a ledger can go as soon as it was added.
#[derive(Default)]
pub struct Totals {
    pub(super) known: Known,
    pub(super) origins: Origins,
    pub(super) usage: UsageRows,
    pub(super) messages: Keyed<Message>,
    pub(super) calls: Keyed<Call>,
    pub(super) turns: Keyed<Turn>,
}

impl Totals {
    /// Takes the ledger of a file into account. Order does not matter, and neither does a
    /// file that comes twice; the sources of a session must agree on what they say of it.
    pub fn add(&mut self, source: &Source<'_>) {
        let file = self.known.add(source);
        let ledger = source.ledger;
        let names = Numbered::new(&mut self.known, ledger);
        self.join(ledger);
        let spot = |place: &Place| Spot::new(place, file, &names.branches);
        let (known, origins) = (&self.known, &self.origins);
        for line in &ledger.usage {
            let row = Usage {
                message: origins.root(line.message),
                request: request(line),
                tokens: line.tokens,
                model: name_of(line.place.model.get(), &names.models),
                spot: spot(&line.place),
            };
            self.usage.add(row, known);
        }
        for line in &ledger.messages {
            let row = Message {
                key: origins.root(line.key),
                model: name_of(line.place.model.get(), &names.models),
                spot: spot(&line.place),
            };
            self.messages.add(row, known);
        }
        for line in &ledger.calls {
            let row = Call {
                key: line.key,
                added: line.added,
                removed: line.removed,
                spot: spot(&line.place),
                tool: name_of(Some(line.tool), &names.tools),
                model: name_of(line.place.model.get(), &names.models),
                verdict: line.verdict,
            };
            self.calls.add(row, known);
        }
        for line in &ledger.turns {
            let row = Turn {
                key: origins.root(line.key),
                length: line.length,
                spot: spot(&line.place),
                model: name_of(line.place.model.get(), &names.models),
            };
            self.turns.add(row, known);
        }
    }

    /// Takes into account which entries a ledger says to be copies; rows that came before
    /// under either name are merged.
    fn join(&mut self, ledger: &FileLedger) {
        for line in &ledger.copies {
            if let Some((from, to)) = self.origins.join(line.copy, line.original) {
                self.usage.rename(from, to, &self.known);
                self.messages.rename(from, to, &self.known);
                self.turns.rename(from, to, &self.known);
            }
        }
    }

    /// Sums up what was asked for.
    pub fn stats(&self, request: &Request, prices: &PriceTable, zone: &TimeZone) -> Stats {
        let mut tally = Tally::new(&self.known, request, prices, zone);
        for row in self.settle().iter() {
            tally.usage(row);
        }
        for row in self.messages.iter() {
            tally.message(row);
        }
        for row in self.calls.iter() {
            tally.call(row);
        }
        for row in self.turns.iter() {
            tally.turn(row);
        }
        tally.finish()
    }

    /// Says of each line of a session's files what came of it.
    ///
    /// The files must be among those that were added; others have no part in totals.
    pub fn explain(
        &self,
        session: &SessionMeta,
        files: &[ExplainedFile<'_>],
        prices: &PriceTable,
    ) -> Explained {
        explain::explain(self, session, files, prices)
    }

    pub(super) fn settle(&self) -> Settled<'_> {
        self.usage.settle(&self.known)
    }

    /// Returns the session that each of some keys is credited to.
    pub(super) fn owners<'r, R: Row + 'r>(
        &'r self,
        rows: &'r Keyed<R>,
        keys: impl Iterator<Item = u64> + 'r,
    ) -> impl Iterator<Item = u32> + 'r {
        keys.filter_map(|key| rows.get(key))
            .map(|row| self.known.session_of(row.spot()))
    }
}

/// The names of a ledger, as all ledgers number them.
struct Numbered {
    models: Vec<Name>,
    tools: Vec<Name>,
    branches: Vec<Name>,
}

impl Numbered {
    fn new(known: &mut Known, ledger: &FileLedger) -> Self {
        Self {
            models: known.names.add_all(&ledger.models),
            tools: known.names.add_all(&ledger.tools),
            branches: known.names.add_all(&ledger.branches),
        }
    }
}

/// Returns the key of a row's request; zero is as good a hash as one.
pub(super) fn request(line: &UsageLine) -> Option<NonZeroU64> {
    line.request
        .map(|key| NonZeroU64::new(key).unwrap_or(NonZeroU64::MIN))
}
