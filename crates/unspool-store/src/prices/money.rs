//! Exact money: whole numbers of a unit so small that every listed price fits.
//!
//! One dollar per million tokens is a million picodollars per token, so a price with up to six
//! decimals is a whole number, and so is every cost. Sums are exact in any order; they are
//! converted to dollars once, when they are shown.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Picodollars in a dollar.
const DOLLAR: f64 = 1e12;
/// The highest valid price, in dollars per million tokens. Chosen by judgement: thousands of times
/// the highest list price, so a higher one is a mistake.
const HIGHEST: f64 = 1e6;

/// The price of one token in picodollars, which is that of a million in microdollars.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Rate(u64);

impl Rate {
    /// Converts dollars per million tokens, rounded to six decimals; `None` if that is not a price,
    /// such as a negative number or one beyond a million dollars.
    pub fn from_usd(dollars: f64) -> Option<Self> {
        (0.0..=HIGHEST).contains(&dollars).then(|| Self((dollars * 1e6).round() as u64))
    }

    /// Makes a price from thousandths of a dollar per million tokens.
    pub(super) const fn from_thousandths(thousandths: u64) -> Self {
        Self(thousandths * 1000)
    }

    /// Returns this price times a fraction, rounded down to the unit.
    pub(super) const fn times(self, numerator: u64, denominator: u64) -> Self {
        Self(self.0 * numerator / denominator)
    }

    /// Returns dollars per million tokens.
    pub fn usd(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns the cost of some tokens.
    pub(super) fn of(self, tokens: u64) -> Cost {
        Cost(u128::from(self.0) * u128::from(tokens))
    }
}

/// A cost in picodollars.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Cost(u128);

impl Cost {
    /// Returns the cost in dollars.
    pub fn usd(self) -> f64 {
        self.0 as f64 / DOLLAR
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_exact_to_six_decimals() {
        for (dollars, expected) in [
            (0.0, Some(0.0)),
            (0.1, Some(0.1)),
            (6.25, Some(6.25)),
            (0.000_001, Some(0.000_001)),
            (0.000_000_4, Some(0.0)),
            (1e6, Some(1e6)),
            (1e6 + 1.0, None),
            (-0.01, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(Rate::from_usd(dollars).map(Rate::usd), expected, "{dollars}");
        }
    }

    #[test]
    fn tenths_of_a_cent_add_up_to_the_cent() {
        let rate = Rate::from_usd(0.1).expect("a price");
        let total: Cost = std::iter::repeat_n(rate.of(1), 10_000_000).sum();
        assert_eq!(total, rate.of(10_000_000));
        assert_eq!(total.usd().to_string(), "1");
    }

    #[test]
    fn no_count_of_tokens_is_too_large() {
        let highest = Rate::from_usd(1e6).expect("a price");
        let much = highest.of(u64::MAX);
        assert!((much + much).usd() > much.usd());
        assert!(Cost(u128::MAX) + much == Cost(u128::MAX));
    }
}
