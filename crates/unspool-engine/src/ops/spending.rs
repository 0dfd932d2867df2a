//! What answers used and what that cost, added up.
//!
//! One answer is written as several lines, and copies repeat it. A ledger counts it once; here
//! each claim carries a tag, so that a caller learns which part of a conversation the answer that
//! counts belongs to, and parts add up to the whole.

use std::collections::HashMap;
use std::ops::AddAssign;

use unspool_model::log::Log;
use unspool_model::positions::EntryIndex;
use unspool_model::usage::{Claim, Ledger, ModelAt, Tokens};
use unspool_store::prices::{Cost, PriceTable, Quote};

/// What some answers used, and what that cost.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Spending {
    /// What they used.
    pub tokens: Tokens,
    /// What those cost that have a price.
    cost: Cost,
    /// How many answers there are.
    answers: u32,
    /// How many of them have a price.
    priced: u32,
}

impl Spending {
    /// Returns what the answers cost in US dollars; none if there are some and none of them has a
    /// price.
    pub fn cost_usd(&self) -> Option<f64> {
        (self.answers == 0 || self.priced > 0).then(|| self.cost.usd())
    }

    /// Returns how many answers there are.
    pub fn answers(&self) -> u32 {
        self.answers
    }
}

impl AddAssign for Spending {
    fn add_assign(&mut self, other: Self) {
        self.tokens += other.tokens;
        self.cost += other.cost;
        self.answers += other.answers;
        self.priced += other.priced;
    }
}

/// Claims of answers, each with a tag that says where it belongs. Of copies with equal tokens the
/// one with the greatest tag counts.
pub(crate) type TaggedLedger<'l, T> = Ledger<&'l str, (ModelAt<'l>, T)>;

/// Adds what one entry of a log claims to have used.
pub(crate) fn claim<'l, T: Copy + Ord>(
    ledger: &mut TaggedLedger<'l, T>,
    log: &'l Log,
    entry: EntryIndex,
    tag: T,
) {
    let start = log.usage.partition_point(|row| row.entry < entry);
    let rows = log.usage[start..].iter();
    for row in rows.take_while(|row| row.entry == entry) {
        ledger.add(&Claim {
            message: log.text(row.message),
            request: row.request.map(|request| log.text(request)),
            model: ((log.text(row.model), log.entries[entry].time), tag),
            tokens: row.tokens,
        });
    }
}

/// Says what answers cost, and looks each model up once.
pub(crate) struct QuoteCache<'p, 'm> {
    prices: &'p PriceTable,
    quotes: HashMap<&'m str, Quote>,
}

impl<'p, 'm> QuoteCache<'p, 'm> {
    /// Asks a table of prices.
    pub(crate) fn new(prices: &'p PriceTable) -> Self {
        Self { prices, quotes: HashMap::new() }
    }

    /// Returns what one answer used and cost.
    pub(crate) fn answer(&mut self, (model, time): ModelAt<'m>, tokens: Tokens) -> Spending {
        let prices = self.prices;
        let quote = self.quotes.entry(model).or_insert_with(|| prices.quote(model));
        let cost = quote.cost(&tokens, time);
        Spending {
            tokens,
            cost: cost.unwrap_or_default(),
            answers: 1,
            priced: u32::from(cost.is_some()),
        }
    }
}
