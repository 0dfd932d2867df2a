//! Instants as milliseconds since the epoch.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An instant, in milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Time(i64);

impl Time {
    /// Makes an instant from milliseconds since the epoch.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns the milliseconds since the epoch.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// Reads an ISO 8601 instant; without an offset it is UTC.
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(instant) = text.parse::<jiff::Timestamp>() {
            return Some(Self(instant.as_millisecond()));
        }
        let civil: jiff::civil::DateTime = text.parse().ok()?;
        let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(Self(zoned.timestamp().as_millisecond()))
    }

    /// Returns the milliseconds from `earlier` to this instant, never negative.
    pub fn since(self, earlier: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }
}

impl fmt::Display for Time {
    /// Writes RFC 3339 in UTC with milliseconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(instant) => write!(f, "{instant:.3}"),
            Err(_) => f.write_str("out of range"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_read_leniently_and_written_in_one_way() {
        for (text, expected) in [
            ("2026-08-10T09:00:00.000Z", Some("2026-08-10T09:00:00.000Z")),
            ("2026-08-10T09:00:00Z", Some("2026-08-10T09:00:00.000Z")),
            (
                "2026-08-10T11:00:00.5+02:00",
                Some("2026-08-10T09:00:00.500Z"),
            ),
            ("2026-08-10T09:00:00", Some("2026-08-10T09:00:00.000Z")),
            ("1", None),
            ("", None),
        ] {
            assert_eq!(
                Time::parse(text).map(|t| t.to_string()).as_deref(),
                expected,
                "{text}"
            );
        }
    }
}
