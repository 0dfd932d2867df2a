//! The cost of tokens, by model and day, and the sizes of context windows.
//!
//! A table has the list prices, which the settings can override. The cost of an answer is computed
//! from its tokens; a model without a price has no cost, and the caller names it. Another table has
//! the context windows. This module reads no file and no clock.

mod model_name;
mod money;
mod table;
mod window;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use jiff::civil::{Date, date};
use unspool_model::time::Time;
use unspool_model::usage::{ModelAt, Tokens};

pub use money::{Cost, Rate};
pub use window::{ContextWindow, context_window};

use self::model_name::Model;
use self::table::DatedPrice;

/// The model of entries that the client made up, which cost nothing.
const SYNTHETIC: &str = "<synthetic>";

/// Prices by kind of token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rates {
    /// The price of input tokens that the cache did not have.
    pub input: Rate,
    /// The price of tokens written by the model.
    pub output: Rate,
    /// The price of tokens put into the cache for five minutes.
    pub cache_write_5m: Rate,
    /// The price of tokens put into the cache for an hour.
    pub cache_write_1h: Rate,
    /// The price of tokens read from the cache.
    pub cache_read: Rate,
}

impl Rates {
    /// Makes the prices of a model with the usual prices of the cache: a write costs 1.25 times the
    /// input for five minutes and twice for an hour, a read a tenth of it.
    #[must_use]
    pub const fn usual(input: Rate, output: Rate) -> Self {
        Self {
            input,
            output,
            cache_write_5m: input.times(5, 4),
            cache_write_1h: input.times(2, 1),
            cache_read: input.times(1, 10),
        }
    }

    fn cost(&self, tokens: &Tokens) -> Cost {
        self.input.of(tokens.input)
            + self.output.of(tokens.output)
            + self.cache_write_5m.of(tokens.cache_write_5m)
            + self.cache_write_1h.of(tokens.cache_write_1h)
            + self.cache_read.of(tokens.cache_read)
    }
}

/// A price in the settings that overrides the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Override {
    /// A model's name, or a prefix of names.
    pub model: String,
    /// The day (UTC) from which it applies; always if `None`.
    pub from: Option<Date>,
    /// The price.
    pub rates: Rates,
}

/// All prices that are in force.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PriceTable {
    overrides: Vec<Override>,
}

impl PriceTable {
    /// Makes the table of list prices.
    pub fn built_in() -> Self {
        Self::default()
    }

    /// Adds prices that override the others. Of several that match a model, the one with the
    /// longest name applies, and of those the newest.
    #[must_use]
    pub fn with_overrides(mut self, overrides: impl IntoIterator<Item = Override>) -> Self {
        let mut all: Vec<Override> = overrides.into_iter().collect();
        for price in &mut all {
            price.model.make_ascii_lowercase();
        }
        // The sort is stable: of two with the same name and day the later one applies.
        all.reverse();
        all.append(&mut self.overrides);
        all.sort_by_key(|price| Reverse((price.model.len(), price.from)));
        self.overrides = all;
        self
    }

    /// Returns a number that changes when any price does, for callers that store costs.
    pub fn fingerprint(&self) -> u64 {
        FixedState::default().hash_one((format!("{self:?}"), table::in_words()))
    }

    /// Returns the cost of an answer at its time, or at the newest price if the time is not known;
    /// `None` if the model has no price. The tokens are those of one answer: a price may depend on
    /// the length of its prompt.
    pub fn cost(&self, model: &str, tokens: &Tokens, at: Option<Time>) -> Option<Cost> {
        self.quote(model).cost(tokens, at)
    }

    /// Adds up the cost of answers in US dollars; `None` if there are answers and none has a price.
    pub fn bill<'m>(&self, answers: impl Iterator<Item = (ModelAt<'m>, Tokens)>) -> Option<f64> {
        let mut quotes: HashMap<&str, Quote> = HashMap::new();
        let mut sum = Cost::default();
        let (mut all, mut known) = (0, 0);
        for ((model, time), tokens) in answers {
            let quote = quotes.entry(model).or_insert_with(|| self.quote(model));
            all += 1;
            if let Some(cost) = quote.cost(&tokens, time) {
                known += 1;
                sum += cost;
            }
        }
        (all == 0 || known > 0).then(|| sum.usd())
    }

    /// Looks a model up once, for callers that have many of its answers.
    pub fn quote(&self, model: &str) -> Quote {
        if model == SYNTHETIC {
            return Quote(Prices::Free);
        }
        let name = model.to_ascii_lowercase();
        let bare = model_name::bare(&name);
        let mut rows: Vec<DatedPrice> = self
            .overrides
            .iter()
            .filter(|price| [&name, bare].iter().any(|n| model_name::begins(&price.model, n)))
            .map(|price| DatedPrice { from: price.from, rates: price.rates, long: None })
            .collect();
        rows.extend(Model::parse(bare).map_or(&[][..], table::prices));
        Quote(Prices::Dated(rows))
    }
}

/// The prices of one model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quote(Prices);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Prices {
    Free,
    /// The first price that applies counts.
    Dated(Vec<DatedPrice>),
}

impl Quote {
    /// Returns the cost of an answer, as [`PriceTable::cost`] does.
    pub fn cost(&self, tokens: &Tokens, at: Option<Time>) -> Option<Cost> {
        let rows = match &self.0 {
            Prices::Free => return Some(Cost::default()),
            Prices::Dated(rows) => rows,
        };
        let applies = |row: &&DatedPrice| match (row.from, at) {
            (Some(from), Some(at)) => start_of(from) <= at,
            (None, _) | (_, None) => true,
        };
        Some(rows.iter().find(applies)?.cost(tokens))
    }
}

impl DatedPrice {
    fn cost(&self, tokens: &Tokens) -> Cost {
        let prompt = [tokens.cache_write_5m, tokens.cache_write_1h, tokens.cache_read]
            .iter()
            .fold(tokens.input, |sum, part| sum.saturating_add(*part));
        match &self.long {
            Some((above, rates)) if prompt > *above => rates.cost(tokens),
            _ => self.rates.cost(tokens),
        }
    }
}

/// Returns the first instant of a day, in UTC.
fn start_of(day: Date) -> Time {
    let days = i64::from((day - date(1970, 1, 1)).get_days());
    Time::from_millis(days * 24 * 60 * 60 * 1000)
}

#[cfg(test)]
mod tests;
