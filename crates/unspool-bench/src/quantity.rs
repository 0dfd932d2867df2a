//! Numbers with a unit.

use std::fmt;

use serde::Serialize;

/// The unit of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QuantityUnit {
    Seconds,
    Bytes,
    Instructions,
    Crashes,
}

/// A number with a unit.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Quantity {
    pub(crate) value: f64,
    pub(crate) unit: QuantityUnit,
}

impl Quantity {
    pub(crate) fn seconds(value: f64) -> Self {
        let unit = QuantityUnit::Seconds;
        Self { value, unit }
    }

    pub(crate) fn bytes(bytes: u64) -> Self {
        let unit = QuantityUnit::Bytes;
        let value = bytes as f64;
        Self { value, unit }
    }

    pub(crate) fn instructions(count: u64) -> Self {
        let unit = QuantityUnit::Instructions;
        let value = count as f64;
        Self { value, unit }
    }

    pub(crate) fn crashes(count: u64) -> Self {
        let unit = QuantityUnit::Crashes;
        let value = count as f64;
        Self { value, unit }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value;
        match self.unit {
            QuantityUnit::Seconds if value < 0.1 => write!(f, "{:.2} ms", value * 1e3),
            QuantityUnit::Seconds => write!(f, "{value:.3} s"),
            QuantityUnit::Bytes if value < 1e6 => write!(f, "{:.0} KB", value / 1e3),
            QuantityUnit::Bytes if value < 1e9 => write!(f, "{:.0} MB", value / 1e6),
            QuantityUnit::Bytes => write!(f, "{:.2} GB", value / 1e9),
            QuantityUnit::Instructions => write!(f, "{:.1} M instr.", value / 1e6),
            QuantityUnit::Crashes => write!(f, "{value} crashed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_chosen_by_size() {
        for (quantity, text) in [
            (Quantity::seconds(0.0123), "12.30 ms"),
            (Quantity::seconds(1.5), "1.500 s"),
            (Quantity::bytes(700_000), "700 KB"),
            (Quantity::bytes(50_000_000), "50 MB"),
            (Quantity::bytes(1_170_000_000), "1.17 GB"),
            (Quantity::instructions(2_500_000), "2.5 M instr."),
            (Quantity::crashes(0), "0 crashed"),
        ] {
            assert_eq!(quantity.to_string(), text);
        }
    }
}
