//! List prices of Anthropic's API, in US dollars per million tokens.
//!
//! Recorded on 2026-11-16 from the vendor's price page and the pages of its models
//! (<https://platform.claude.com/docs/en/about-claude/pricing>), in copies of October 2026 and
//! older. A price that changed has several rows, each with the day (UTC) from which it applies; the
//! oldest row of a model applies to all time before. A version that is not listed has no price
//! here, since the next one may cost less or more.
//!
//! Prices that a log does not determine are not included: discounts for batches, the surcharges for
//! fast mode and for a region, the prices of other platforms, server-side tools.

use jiff::civil::{Date, date};

use super::Rates;
use super::model_name::{Family, Model};
use super::money::Rate;

/// The prices of some versions of a family.
#[derive(Debug)]
struct PriceEntry {
    family: Family,
    versions: &'static [(u8, u8)],
    /// Newest first.
    prices: &'static [DatedPrice],
}

/// A price and the day from which it applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DatedPrice {
    pub(super) from: Option<Date>,
    pub(super) rates: Rates,
    /// The prices of a request whose prompt is longer than this many tokens, cache included; they
    /// apply to the whole request.
    pub(super) long: Option<(u64, Rates)>,
}

/// Returns the prices of a model, newest first; no prices if it is not listed.
pub(super) fn prices(model: Model) -> &'static [DatedPrice] {
    TABLE
        .iter()
        .find(|entry| entry.family == model.family && entry.versions.contains(&model.version))
        .map_or(&[], |entry| entry.prices)
}

/// Returns the whole table as text, for a fingerprint.
pub(super) fn in_words() -> String {
    format!("{TABLE:?}")
}

const TABLE: &[PriceEntry] = &[
    entry(Family::Fable, &[(5, 1)], &[always(FABLE_5_1)]),
    entry(Family::Mythos, &[(5, 1)], &[always(FABLE_5_1)]),
    entry(Family::Fable, &[(5, 0)], &[always(FABLE_5)]),
    entry(Family::Mythos, &[(5, 0)], &[always(FABLE_5)]),
    entry(Family::Opus, &[(5, 5)], &[always(OPUS_5_5)]),
    entry(Family::Opus, &[(5, 0), (4, 8), (4, 7), (4, 5)], &[always(OPUS_4_5)]),
    // The surcharge for prompts over 200,000 tokens ended when the long context left beta.
    entry(
        Family::Opus,
        &[(4, 6)],
        &[
            from(date(2026, 3, 13), OPUS_4_5),
            always(OPUS_4_5).above(200_000, rates(10_000, 37_500)),
        ],
    ),
    entry(Family::Opus, &[(4, 1), (4, 0), (3, 0)], &[always(rates(15_000, 75_000))]),
    // Cache reads were listed at $0.20 when the model came out and at $0.10 on 8 October.
    entry(
        Family::Sonnet,
        &[(5, 5)],
        &[from(date(2026, 10, 8), rates(2_000, 10_000).reading(100)), always(rates(2_000, 10_000))],
    ),
    // Announced as introductory, then made the standard price before that ended.
    entry(Family::Sonnet, &[(5, 0)], &[always(rates(2_000, 10_000))]),
    entry(
        Family::Sonnet,
        &[(4, 6)],
        &[
            from(date(2026, 3, 13), SONNET_3_5),
            always(SONNET_3_5).above(200_000, rates(6_000, 22_500)),
        ],
    ),
    entry(
        Family::Sonnet,
        &[(4, 5), (4, 0)],
        &[always(SONNET_3_5).above(200_000, rates(6_000, 22_500))],
    ),
    entry(Family::Sonnet, &[(3, 7), (3, 5)], &[always(SONNET_3_5)]),
    entry(Family::Haiku, &[(5, 5)], &[always(rates(100, 500)).above(100_000, rates(500, 2_500))]),
    entry(Family::Haiku, &[(4, 5)], &[always(rates(1_000, 5_000))]),
    entry(Family::Haiku, &[(3, 5)], &[always(rates(800, 4_000))]),
    entry(Family::Haiku, &[(3, 0)], &[always(HAIKU_3)]),
];

const FABLE_5: Rates = rates(10_000, 50_000);
const FABLE_5_1: Rates = rates(10_000, 50_000).reading(250);
const OPUS_4_5: Rates = rates(5_000, 25_000);
const OPUS_5_5: Rates = rates(4_000, 20_000).reading(200);
const SONNET_3_5: Rates = rates(3_000, 15_000);
/// Its cache prices are rounded.
const HAIKU_3: Rates = Rates {
    input: Rate::from_thousandths(250),
    output: Rate::from_thousandths(1_250),
    cache_write_5m: Rate::from_thousandths(300),
    cache_write_1h: Rate::from_thousandths(500),
    cache_read: Rate::from_thousandths(30),
};

/// Makes prices from those of input and output, in thousandths of a dollar.
const fn rates(input: u64, output: u64) -> Rates {
    Rates::usual(Rate::from_thousandths(input), Rate::from_thousandths(output))
}

impl Rates {
    /// Sets the price of cache reads, in thousandths of a dollar.
    const fn reading(mut self, cache_read: u64) -> Self {
        self.cache_read = Rate::from_thousandths(cache_read);
        self
    }
}

const fn entry(
    family: Family,
    versions: &'static [(u8, u8)],
    prices: &'static [DatedPrice],
) -> PriceEntry {
    PriceEntry { family, versions, prices }
}

const fn always(rates: Rates) -> DatedPrice {
    DatedPrice { from: None, rates, long: None }
}

const fn from(day: Date, rates: Rates) -> DatedPrice {
    DatedPrice { from: Some(day), rates, long: None }
}

impl DatedPrice {
    const fn above(mut self, tokens: u64, rates: Rates) -> Self {
        self.long = Some((tokens, rates));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_newest_first_and_the_last_applies_to_all_time_before() {
        for entry in TABLE {
            let days: Vec<_> = entry.prices.iter().map(|listed| listed.from).collect();
            assert!(days.is_sorted_by(|a, b| a > b), "{days:?}");
            assert_eq!(days.last(), Some(&None));
        }
    }

    #[test]
    fn no_model_is_listed_twice() {
        for (index, entry) in TABLE.iter().enumerate() {
            for version in entry.versions {
                let again = TABLE[index + 1..]
                    .iter()
                    .any(|other| other.family == entry.family && other.versions.contains(version));
                assert!(!again, "{:?} {version:?}", entry.family);
            }
        }
    }
}
