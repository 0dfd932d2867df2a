//! Instants as milliseconds since the epoch.

use std::fmt;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

/// An instant, in milliseconds since 1970-01-01 UTC.
///
/// The number is stored with its sign bit flipped, so that its order is that of the instants
/// and zero is free for `None`: a million entries have a million `Option<Time>`s.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "i64", into = "i64")]
pub struct Time(NonZeroU64);

/// The sign bit.
const SIGN: u64 = 1 << 63;

impl Time {
    /// Creates an instant from milliseconds since the epoch; `i64::MIN` becomes the next larger number.
    pub fn from_millis(millis: i64) -> Self {
        Self(NonZeroU64::new(millis as u64 ^ SIGN).unwrap_or(NonZeroU64::MIN))
    }

    /// Returns the milliseconds since the epoch.
    pub fn as_millis(self) -> i64 {
        (self.0.get() ^ SIGN) as i64
    }

    /// Parses an ISO 8601 instant; without an offset, it is in UTC.
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(instant) = text.parse::<jiff::Timestamp>() {
            return Some(Self::from_millis(instant.as_millisecond()));
        }
        let civil: jiff::civil::DateTime = text.parse().ok()?;
        let zoned = civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(Self::from_millis(zoned.timestamp().as_millisecond()))
    }

    /// Returns the milliseconds from `earlier` to this instant, never negative.
    pub fn since(self, earlier: Self) -> u64 {
        let millis = self.as_millis().saturating_sub(earlier.as_millis());
        u64::try_from(millis).unwrap_or(0)
    }
}

impl From<i64> for Time {
    fn from(millis: i64) -> Self {
        Self::from_millis(millis)
    }
}

impl From<Time> for i64 {
    fn from(time: Time) -> Self {
        time.as_millis()
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Time").field(&self.as_millis()).finish()
    }
}

impl fmt::Display for Time {
    /// Writes RFC 3339 in UTC with milliseconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.as_millis()) {
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
            ("2026-08-10T11:00:00.5+02:00", Some("2026-08-10T09:00:00.500Z")),
            ("2026-08-10T09:00:00", Some("2026-08-10T09:00:00.000Z")),
            ("1", None),
            ("", None),
            ("1999-02-29T09:00:00.000Z", None),
            ("2026-08-10T24:00:00.000Z", None),
            ("2026-08-10T09:00:00.0é", None),
        ] {
            assert_eq!(Time::parse(text).map(|t| t.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn instants_are_in_order_and_none_takes_no_room() {
        let millis = [i64::MIN + 1, -1, 0, 1, 1_786_000_000_000, i64::MAX];
        let times = millis.map(Time::from_millis);
        assert_eq!(times.map(Time::as_millis), millis);
        assert!(times.is_sorted());
        assert_eq!(Time::from_millis(i64::MIN), times[0]);
        assert_eq!(size_of::<Option<Time>>(), 8);
    }
}
