//! Amounts of US dollars, for budgets and costs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Millionths of a dollar in a dollar.
const MILLIONTHS: f64 = 1_000_000.0;
/// The largest amount in dollars.
const MOST: f64 = 1e9;

/// An amount of US dollars with a precision of a millionth; JSON has it as a number of dollars.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct UsdAmount(i64);

/// A number that is not a valid amount.
#[derive(Debug, thiserror::Error)]
#[error("not an amount of US dollars: {0}")]
pub struct WrongAmount(f64);

impl UsdAmount {
    /// Converts the number of millionths that the store has.
    pub(crate) fn from_millionths(millionths: i64) -> Self {
        Self(millionths.max(0))
    }

    /// Returns the amount in millionths.
    pub(crate) fn millionths(self) -> i64 {
        self.0
    }

    /// Returns the amount in dollars.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / MILLIONTHS
    }

    /// Parses an amount of dollars, such as `2` or `0.50`, with or without a `$`.
    pub fn parse(text: &str) -> Option<Self> {
        let number: f64 = text.trim().trim_start_matches('$').parse().ok()?;
        Self::try_from(number).ok()
    }
}

impl TryFrom<f64> for UsdAmount {
    type Error = WrongAmount;

    fn try_from(dollars: f64) -> Result<Self, WrongAmount> {
        if (0.0..=MOST).contains(&dollars) {
            Ok(Self((dollars * MILLIONTHS).round() as i64))
        } else {
            Err(WrongAmount(dollars))
        }
    }
}

impl From<UsdAmount> for f64 {
    fn from(amount: UsdAmount) -> Self {
        amount.dollars()
    }
}

impl fmt::Display for UsdAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_whole_cents = self.0 % 10_000 == 0;
        let places = if is_whole_cents { 2 } else { 4 };
        write!(f, "${:.places$}", self.dollars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_numbers_of_dollars() {
        for (text, shown, json) in [
            ("2", "$2.00", "2.0"),
            ("$0.5", "$0.50", "0.5"),
            (" 0.0123 ", "$0.0123", "0.0123"),
            ("0", "$0.00", "0.0"),
        ] {
            let amount = UsdAmount::parse(text).expect(text);
            assert_eq!(amount.to_string(), shown);
            assert_eq!(serde_json::to_string(&amount).expect("json"), json);
            assert_eq!(serde_json::from_str::<UsdAmount>(json).expect("an amount"), amount);
        }
        for wrong in ["-1", "NaN", "inf", "much", "", "2e9"] {
            assert_eq!(UsdAmount::parse(wrong), None, "{wrong}");
        }
        assert!(serde_json::from_str::<UsdAmount>("-0.1").is_err());
    }
}
