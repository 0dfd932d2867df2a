//! Sums the ledgers of files up, with each thing counted once.
//!
//! Nearly every key is in one file only, and its row counts as it is. So totals take two passes
//! over the ledgers. The first reads their heads and finds the keys that may have copies
//! ([`RepeatedKeys`]). The second reads their lines on every core, adds rows without copies to the
//! sums at once, and keeps the others to be merged.

use std::num::NonZeroU64;

use jiff::tz::TimeZone;
use rayon::prelude::*;

use super::copies::RepeatedKeys;
use super::known::{NameNumber, NameTable, RowSpot, StatsNames, name_of};
use super::origins::JoinedKeys;
use super::rows::{KeyedRow, Rows, StatsCall, StatsMessage, StatsTurn, StatsUsage};
use super::tally::StatsTally;
use super::{Stats, StatsSource, TotalsRequest};
use unspool_store::index::Damaged;
use unspool_store::index::ledger::{FileLedger, KeyHalves, LedgerHead, LedgerPlace, UsageLine};
use unspool_store::prices::PriceTable;

/// The ledgers of any number of files, from which totals count each thing once.
///
/// The sealed ledgers are in memory; each core opens one of them at a time.
pub struct Totals<'a> {
    pub(super) known: StatsNames<'a>,
    pub(super) origins: JoinedKeys,
    files: Vec<NumberedFile<'a>>,
    copies: KeyCopies,
}

impl<'a> Totals<'a> {
    /// Reads the heads of the ledgers of some files. Their order does not matter, and neither do
    /// repeated files; the sources of a session must have the same [`super::SessionMeta`].
    pub fn new(sources: impl IntoIterator<Item = StatsSource<'a>>) -> Result<Self, Damaged> {
        let sources: Vec<StatsSource<'a>> = sources.into_iter().collect();
        let heads = sources.iter().map(|source| source.ledger.head());
        let heads: Vec<LedgerHead<'_>> = heads.collect::<Result<_, _>>()?;
        let mut origins = JoinedKeys::default();
        for line in heads.iter().flat_map(|head| &head.copies) {
            origins.join(line.copy, line.original);
        }
        let copies = KeyCopies::among(&heads);
        let mut known = StatsNames::default();
        let names = heads.iter().map(|head| Numbers::of(head, &mut known.names));
        let names: Vec<Numbers> = names.collect();
        drop(heads);
        let files = sources.into_iter().zip(names).map(|(source, names)| NumberedFile {
            number: known.add(&source),
            source,
            names,
        });
        Ok(Self { files: files.collect(), known, origins, copies })
    }

    /// Returns the files in the given order.
    pub fn sources(&self) -> impl Iterator<Item = &StatsSource<'a>> {
        self.files.iter().map(|file| &file.source)
    }

    /// Returns the totals of a request.
    pub fn stats(
        &self,
        request: &TotalsRequest,
        prices: &PriceTable,
        zone: &TimeZone,
    ) -> Result<Stats, Damaged> {
        let begin = || Part {
            totals: self,
            tally: StatsTally::new(&self.known, request, prices, zone),
            kept: KeptRows::default(),
        };
        let parts = self.files.par_iter().try_fold(begin, Part::with);
        let mut whole = parts.try_reduce(begin, |part, other| Ok(part.and(other)))?;
        whole.tally.rows(&whole.kept.rows(&self.known));
        Ok(whole.tally.finish())
    }

    /// Returns the number of a file, if it is among the sources.
    pub(super) fn file(&self, source: &StatsSource<'_>) -> Option<u32> {
        let same = |file: &&NumberedFile<'_>| {
            file.source.file == source.file && file.source.session == source.session
        };
        self.files.iter().find(same).map(|file| file.number)
    }

    /// Returns all rows, each key once.
    pub(super) fn rows(&self) -> Result<Rows, Damaged> {
        let (mut rows, known) = (Rows::default(), &self.known);
        for file in &self.files {
            let lines = file.open(self)?;
            rows.usage.add_all(lines.usage(), known);
            rows.messages.add_all(lines.messages(), known);
            rows.calls.add_all(lines.calls(), known);
            rows.turns.add_all(lines.turns(), known);
        }
        Ok(rows)
    }
}

/// The keys of each kind that may have copies.
struct KeyCopies {
    answers: RepeatedKeys,
    messages: RepeatedKeys,
    calls: RepeatedKeys,
    turns: RepeatedKeys,
}

impl KeyCopies {
    fn among(heads: &[LedgerHead<'_>]) -> Self {
        let copies = heads.iter().flat_map(|head| &head.copies);
        let joined: Vec<u32> =
            copies.flat_map(|line| [line.copy as u32, line.original as u32]).collect();
        Self {
            answers: may_repeat(heads.iter().map(|head| &head.answers), &joined),
            messages: may_repeat(heads.iter().map(|head| &head.messages), &joined),
            calls: may_repeat(heads.iter().map(|head| &head.calls), &[]),
            turns: may_repeat(heads.iter().map(|head| &head.turns), &joined),
        }
    }
}

/// Finds the keys of files that may have copies. Keys in `joined` have a copy under another key.
fn may_repeat<'h>(
    files: impl Iterator<Item = &'h KeyHalves<'h>> + Clone,
    joined: &[u32],
) -> RepeatedKeys {
    let count = files.clone().map(|keys| keys.iter().len()).sum();
    // Twice, so that each joined key counts as repeated.
    let joined = joined.iter().chain(joined).copied();
    RepeatedKeys::among(count, files.flat_map(KeyHalves::iter).chain(joined))
}

/// Sums of some of the files, and their rows that may have copies.
struct Part<'t> {
    totals: &'t Totals<'t>,
    tally: StatsTally<'t>,
    kept: KeptRows,
}

/// Rows that may have copies, before merging.
#[derive(Default)]
struct KeptRows {
    usage: Vec<StatsUsage>,
    messages: Vec<StatsMessage>,
    calls: Vec<StatsCall>,
    turns: Vec<StatsTurn>,
}

impl KeptRows {
    fn rows(self, known: &StatsNames<'_>) -> Rows {
        let mut rows = Rows::default();
        rows.usage.add_all(self.usage.into_iter(), known);
        rows.messages.add_all(self.messages.into_iter(), known);
        rows.calls.add_all(self.calls.into_iter(), known);
        rows.turns.add_all(self.turns.into_iter(), known);
        rows
    }
}

impl Part<'_> {
    fn with(mut self, file: &NumberedFile<'_>) -> Result<Self, Damaged> {
        let (totals, tally, kept) = (self.totals, &mut self.tally, &mut self.kept);
        let copies = &totals.copies;
        let lines = file.open(totals)?;
        kept.usage.extend(sum_up(lines.usage(), &copies.answers, |row| {
            tally.usage(row);
        }));
        kept.messages.extend(sum_up(lines.messages(), &copies.messages, |row| {
            tally.message(row);
        }));
        kept.calls.extend(sum_up(lines.calls(), &copies.calls, |row| tally.call(row)));
        kept.turns.extend(sum_up(lines.turns(), &copies.turns, |row| tally.turn(row)));
        Ok(self)
    }

    fn and(mut self, other: Self) -> Self {
        self.tally.absorb(other.tally);
        self.kept.usage.extend(other.kept.usage);
        self.kept.messages.extend(other.kept.messages);
        self.kept.calls.extend(other.kept.calls);
        self.kept.turns.extend(other.kept.turns);
        self
    }
}

/// Passes rows without copies to `count`, and returns the others.
fn sum_up<R: KeyedRow>(
    rows: impl Iterator<Item = R>,
    copies: &RepeatedKeys,
    mut count: impl FnMut(&R),
) -> impl Iterator<Item = R> {
    rows.filter(move |row| {
        let may_have_copies = copies.may_have(row.key());
        if !may_have_copies {
            count(row);
        }
        may_have_copies
    })
}

/// The numbers of a ledger's names in the shared table.
struct Numbers {
    models: Vec<NameNumber>,
    tools: Vec<NameNumber>,
    branches: Vec<NameNumber>,
}

impl Numbers {
    fn of(head: &LedgerHead<'_>, names: &mut NameTable) -> Self {
        Self {
            models: names.add_all(&head.models),
            tools: names.add_all(&head.tools),
            branches: names.add_all(&head.branches),
        }
    }
}

/// A file with its number.
struct NumberedFile<'a> {
    source: StatsSource<'a>,
    number: u32,
    names: Numbers,
}

impl NumberedFile<'_> {
    fn open<'f>(&'f self, totals: &'f Totals<'_>) -> Result<Lines<'f>, Damaged> {
        Ok(Lines { file: self, totals, ledger: self.source.ledger.open()? })
    }
}

/// The rows of a file.
struct Lines<'f> {
    file: &'f NumberedFile<'f>,
    totals: &'f Totals<'f>,
    ledger: FileLedger,
}

impl Lines<'_> {
    fn spot(&self, place: &LedgerPlace) -> RowSpot {
        RowSpot::new(place, self.file.number, &self.file.names.branches)
    }

    fn model(&self, place: &LedgerPlace) -> Option<NameNumber> {
        name_of(place.model.get(), &self.file.names.models)
    }

    /// Returns the usage of answers. The lines of one answer are nearly always consecutive, and are
    /// merged here.
    fn usage(&self) -> impl Iterator<Item = StatsUsage> {
        self.ledger.answers().filter_map(|lines| {
            let rows = lines.iter().map(|line| StatsUsage {
                message: self.totals.origins.root(line.message),
                request: request(line),
                tokens: line.tokens,
                model: self.model(&line.place),
                spot: self.spot(&line.place),
            });
            rows.reduce(|mut merged, copy| {
                merged.merge(copy, &self.totals.known);
                merged
            })
        })
    }

    fn messages(&self) -> impl Iterator<Item = StatsMessage> {
        self.ledger.messages.iter().map(|line| StatsMessage {
            key: self.totals.origins.root(line.key),
            model: self.model(&line.place),
            spot: self.spot(&line.place),
        })
    }

    fn calls(&self) -> impl Iterator<Item = StatsCall> {
        self.ledger.calls.iter().map(|line| StatsCall {
            key: line.key,
            added: line.added,
            removed: line.removed,
            spot: self.spot(&line.place),
            tool: name_of(Some(line.tool), &self.file.names.tools),
            model: self.model(&line.place),
            verdict: line.verdict,
        })
    }

    fn turns(&self) -> impl Iterator<Item = StatsTurn> {
        self.ledger.turns.iter().map(|line| StatsTurn {
            key: self.totals.origins.root(line.key),
            length: line.length,
            spot: self.spot(&line.place),
            model: self.model(&line.place),
        })
    }
}

/// Returns the key of a row's request. The hash zero becomes one, which is as good a hash.
pub(super) fn request(line: &UsageLine) -> Option<NonZeroU64> {
    line.request.map(|key| NonZeroU64::new(key).unwrap_or(NonZeroU64::MIN))
}
