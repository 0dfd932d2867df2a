//! Sums rows up by bucket. Nothing is formatted or compared as text while rows are counted.

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::FixedState;
use jiff::tz::TimeZone;
use unspool_model::entry::Verdict;
use unspool_model::query::TimeRange;
use unspool_model::usage::Tokens;

use super::calendar::{Calendar, DayNumber};
use super::groups::{GroupKey, Groups, KeyPart, Running};
use super::known::{NameNumber, RowSpot, StatsNames};
use super::rows::{Rows, StatsCall, StatsMessage, StatsTurn, StatsUsage};
use super::{By, Day, Stats, Sums, TotalsRequest};
use unspool_store::prices::{Cost, PriceTable, Quote};

/// The name of models without a name in lists.
const NAMELESS: &str = "unknown";

/// The sums while rows are counted.
pub(super) struct StatsTally<'t> {
    known: &'t StatsNames<'t>,
    request: &'t TotalsRequest,
    prices: ModelPrices<'t>,
    calendar: Calendar<'t>,
    numbers: HashMap<GroupKey, u32, FixedState>,
    buckets: Vec<(GroupKey, Running)>,
    /// The pairs of buckets and sessions that contribute to them.
    parts: HashSet<(u32, u32), FixedState>,
    last: Option<(u32, u32)>,
    days: BTreeMap<DayNumber, (u64, Cost)>,
}

impl<'t> StatsTally<'t> {
    pub(super) fn new(
        known: &'t StatsNames<'t>,
        request: &'t TotalsRequest,
        prices: &'t PriceTable,
        zone: &'t TimeZone,
    ) -> Self {
        Self {
            known,
            request,
            prices: ModelPrices::new(known, prices),
            calendar: Calendar::new(zone),
            numbers: HashMap::default(),
            buckets: Vec::new(),
            parts: HashSet::default(),
            last: None,
            days: BTreeMap::new(),
        }
    }

    /// Counts rows, each key once.
    pub(super) fn rows(&mut self, rows: &Rows) {
        for row in rows.usage.settle(self.known).iter() {
            self.usage(row);
        }
        for row in rows.messages.iter() {
            self.message(row);
        }
        for row in rows.calls.iter() {
            self.call(row);
        }
        for row in rows.turns.iter() {
            self.turn(row);
        }
    }

    pub(super) fn usage(&mut self, row: &StatsUsage) {
        let Some(at) = self.bucket_of(row.spot, row.model, None) else {
            return;
        };
        let cost = self.prices.cost(row);
        self.buckets[at].1.answer(row.tokens, cost);
        if let Some(day) = row.spot.time().and_then(|time| self.calendar.day(time)) {
            let (tokens, spent) = self.days.entry(day).or_default();
            *tokens = tokens.saturating_add(row.tokens.sum());
            *spent += cost.unwrap_or_default();
        }
    }

    pub(super) fn message(&mut self, row: &StatsMessage) {
        self.count(row.spot, row.model, None, |sums| sums.messages += 1);
    }

    pub(super) fn call(&mut self, row: &StatsCall) {
        self.count(row.spot, row.model, row.tool, |sums| {
            sums.calls += 1;
            sums.failed_calls += u64::from(row.verdict == Some(Verdict::Failed));
            sums.lines_added = sums.lines_added.saturating_add(row.added);
            sums.lines_removed = sums.lines_removed.saturating_add(row.removed);
        });
    }

    pub(super) fn turn(&mut self, row: &StatsTurn) {
        self.count(row.spot, row.model, None, |sums| {
            sums.turns += 1;
            sums.active_ms = sums.active_ms.saturating_add(row.length.millis);
        });
    }

    fn count(
        &mut self,
        spot: RowSpot,
        model: Option<NameNumber>,
        tool: Option<NameNumber>,
        add: impl FnOnce(&mut Sums),
    ) {
        if let Some(at) = self.bucket_of(spot, model, tool) {
            add(&mut self.buckets[at].1.sums);
        }
    }

    /// Returns the bucket of a row, or `None` if the row is not requested.
    fn bucket_of(
        &mut self,
        spot: RowSpot,
        model: Option<NameNumber>,
        tool: Option<NameNumber>,
    ) -> Option<usize> {
        let session = self.known.session_of(spot);
        let selected = self.known.sessions[session as usize].selected;
        if !selected || !self.is_in_time(spot) {
            return None;
        }
        let [second, third] = self.request.then;
        let bucket = [self.request.by, second, third].map(|by| {
            let time = spot.time();
            let calendar = &self.calendar;
            match by {
                By::Nothing => KeyPart::All,
                By::Day | By::Week | By::Month => {
                    KeyPart::Day(time.and_then(|time| calendar.day(time)))
                }
                By::Hour => KeyPart::Hour(time.and_then(|time| calendar.hour(time))),
                By::Weekday => {
                    let day = time.and_then(|time| calendar.day(time));
                    KeyPart::Weekday(day.map(DayNumber::weekday))
                }
                By::Project | By::Session => KeyPart::Session(session),
                By::Model => KeyPart::Name(model),
                By::Tool => KeyPart::Name(tool),
                By::Branch => KeyPart::Name(spot.branch),
            }
        });
        let at = self.number(bucket);
        if self.last != Some((at, session)) {
            self.parts.insert((at, session));
            self.last = Some((at, session));
        }
        Some(at as usize)
    }

    fn number(&mut self, bucket: GroupKey) -> u32 {
        if let Some((last, _)) = self.last
            && self.buckets[last as usize].0 == bucket
        {
            return last;
        }
        let buckets = &mut self.buckets;
        *self.numbers.entry(bucket).or_insert_with(|| {
            buckets.push((bucket, Running::default()));
            buckets.len() as u32 - 1
        })
    }

    /// Reports whether a row was written in the requested time. A row without a time only counts if
    /// any time is requested.
    fn is_in_time(&self, spot: RowSpot) -> bool {
        let range = self.request.time;
        range == TimeRange::default() || spot.time().is_some_and(|time| range.contains(time))
    }

    /// Adds the sums of another tally.
    pub(super) fn absorb(&mut self, other: Self) {
        let mut numbers = Vec::with_capacity(other.buckets.len());
        for (bucket, running) in &other.buckets {
            let at = self.number(*bucket);
            self.buckets[at as usize].1.absorb(running);
            numbers.push(at);
        }
        let parts = other.parts.into_iter();
        self.parts.extend(parts.map(|(bucket, session)| (numbers[bucket as usize], session)));
        for (day, (tokens, cost)) in other.days {
            let (sum, spent) = self.days.entry(day).or_default();
            *sum = sum.saturating_add(tokens);
            *spent += cost;
        }
        self.prices.unpriced.extend(other.prices.unpriced);
    }

    /// Resolves all names and sorts the groups.
    pub(super) fn finish(self) -> Stats {
        let groups = Groups::new(self.known, self.request, &self.buckets, &self.parts);
        let (total, groups, others) = groups.finish(self.request.limit);
        let days = self
            .days
            .iter()
            .filter_map(|(day, &(tokens, cost))| Some(Day { date: day.date()?, tokens, cost }));
        Stats {
            by: self.request.by,
            then: self.request.then,
            total,
            groups,
            others,
            days: days.collect(),
            unpriced_models: self.prices.unpriced(),
        }
    }
}

/// Looks up the price of each model once, and remembers models without a price.
pub(super) struct ModelPrices<'t> {
    known: &'t StatsNames<'t>,
    table: &'t PriceTable,
    quotes: HashMap<NameNumber, Quote, FixedState>,
    unpriced: HashSet<Option<NameNumber>>,
}

impl<'t> ModelPrices<'t> {
    pub(super) fn new(known: &'t StatsNames<'t>, table: &'t PriceTable) -> Self {
        Self { known, table, quotes: HashMap::default(), unpriced: HashSet::new() }
    }

    /// Returns the cost of an answer; zero if it used no tokens.
    pub(super) fn cost(&mut self, row: &StatsUsage) -> Option<Cost> {
        if row.tokens == Tokens::default() {
            return Some(Cost::default());
        }
        let cost = row.model.and_then(|model| {
            let look_up = || self.table.quote(self.known.names.text(model));
            let quote = self.quotes.entry(model).or_insert_with(look_up);
            quote.cost(&row.tokens, row.spot.time())
        });
        if cost.is_none() {
            self.unpriced.insert(row.model);
        }
        cost
    }

    /// Returns the models without a price, by name.
    pub(super) fn unpriced(&self) -> Vec<String> {
        let name =
            |name: &Option<NameNumber>| name.map_or(NAMELESS, |name| self.known.names.text(name));
        let mut names: Vec<_> = self.unpriced.iter().map(name).map(str::to_owned).collect();
        names.sort();
        names
    }
}
