//! Sums of the tokens and costs of answers.
//!
//! One answer is written as several lines, and copies repeat it. A ledger counts it once; here each
//! claim has a tag, so that a caller learns which part of a conversation the counted answer belongs
//! to, and parts add up to the whole.

use std::collections::HashMap;
use std::ops::AddAssign;

use unspool_model::log::Log;
use unspool_model::positions::EntryIndex;
use unspool_model::usage::{Claim, Ledger, ModelAt, Tokens};
use unspool_store::prices::{Cost, PriceTable, Quote};

/// The tokens and cost of some answers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Spending {
    /// The tokens of all answers.
    pub tokens: Tokens,
    /// The cost of the answers that have a price.
    cost: Cost,
    /// The number of answers.
    answers: u32,
    /// The number of answers with a price.
    priced: u32,
}

impl Spending {
    /// Returns the cost in US dollars; `None` if there are answers but none of them has a price.
    pub fn cost_usd(&self) -> Option<f64> {
        (self.answers == 0 || self.priced > 0).then(|| self.cost.usd())
    }

    /// Returns the number of answers.
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

/// Claims of answers, each with a tag for its part. Of copies with equal tokens the one with the
/// greatest tag counts.
pub(crate) type TaggedLedger<'l, T> = Ledger<&'l str, (ModelAt<'l>, T)>;

/// Adds the usage claims of one entry of a log.
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

/// Computes the costs of answers, and looks each model up once.
pub(crate) struct QuoteCache<'p, 'm> {
    prices: &'p PriceTable,
    quotes: HashMap<&'m str, Quote>,
}

impl<'p, 'm> QuoteCache<'p, 'm> {
    /// Returns a cache of quotes from a price table.
    pub(crate) fn new(prices: &'p PriceTable) -> Self {
        Self { prices, quotes: HashMap::new() }
    }

    /// Returns the tokens and cost of one answer.
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
