//! Filters as people type them and programs send them, resolved to a [`RowFilter`].
//!
//! The command line and the API have the same filters with the same meaning, so both fill a
//! [`TypedFilter`] and resolve it here. Each shows errors in its own way.

use std::path::Path;

use unspool_model::names;
use unspool_model::query::{Clock, Period, TimeError, TimeRange, period};

use super::{Here, NamePattern, OwnerFilter, RowFilter};
use crate::rows::{SessionKind, Status};

/// Filters as typed. Empty fields admit every session.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TypedFilter {
    /// Projects, by name, path or a part of either.
    pub projects: Vec<String>,
    /// Whether sessions must belong to the current folder.
    pub here: bool,
    /// The beginning of the time range in which sessions must have been active.
    pub since: Option<String>,
    /// The end of that range.
    pub until: Option<String>,
    /// Git branches, by name.
    pub branches: Vec<String>,
    /// Models, by name or a part of it.
    pub models: Vec<String>,
    /// Tools that were called, by name.
    pub tools: Vec<String>,
    /// Files that calls name, by path, by its end or by a part of it.
    pub files: Vec<String>,
    /// The minimum size of the log in bytes.
    pub min_bytes: Option<u64>,
    /// The minimum number of messages.
    pub min_messages: Option<usize>,
    /// Kinds of sessions; any if empty.
    pub kinds: Vec<SessionKind>,
    /// How sessions must have ended; in any way if empty.
    pub statuses: Vec<Status>,
    /// Whether a process must own sessions.
    pub owner: OwnerFilter,
}

/// What the texts of a filter are resolved with.
#[derive(Clone, Copy, Debug)]
pub struct FilterBasis<'a> {
    /// The current time and the time zone.
    pub clock: &'a Clock,
    /// The current folder.
    pub here: &'a Path,
    /// The folder that `~` means.
    pub user_home: Option<&'a Path>,
}

names! {
    /// An end of a filter's time range.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum TimeBound {
        /// Its beginning.
        Since = "since",
        /// Its end.
        Until = "until",
    }
}

/// Why a typed filter cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TypedFilterError {
    /// A time is not valid.
    #[error("{error}")]
    Time {
        /// Which end of the range it is.
        bound: TimeBound,
        /// The time as typed.
        text: String,
        /// What is wrong with it.
        error: TimeError,
    },
    /// The time range ends before it begins.
    #[error("no time is both since `{since}` and until `{until}`")]
    EmptyRange {
        /// Its beginning as typed.
        since: String,
        /// Its end as typed.
        until: String,
    },
}

impl TypedFilter {
    /// Resolves the texts to a filter.
    pub fn resolve(&self, basis: FilterBasis<'_>) -> Result<RowFilter, TypedFilterError> {
        let path = |text: &String| NamePattern::path(text, basis.here, basis.user_home);
        let name = |text: &String| NamePattern::new(text.as_str());
        Ok(RowFilter {
            projects: self.projects.iter().map(path).collect(),
            here: self.here.then(|| Here::of(basis.here)),
            time: self.time(basis.clock)?,
            branches: self.branches.iter().map(name).collect(),
            models: self.models.iter().map(name).collect(),
            tools: self.tools.iter().map(name).collect(),
            files: self.files.iter().map(path).collect(),
            min_bytes: self.min_bytes.unwrap_or(0),
            min_messages: self.min_messages.unwrap_or(0),
            kinds: self.kinds.clone(),
            statuses: self.statuses.clone(),
            owner: self.owner,
        })
    }

    fn time(&self, clock: &Clock) -> Result<TimeRange, TypedFilterError> {
        let read = |bound, text: &Option<String>| {
            let text = text.as_deref();
            text.map(|text| read_time(bound, text, clock)).transpose()
        };
        let range = TimeRange {
            from: read(TimeBound::Since, &self.since)?.map(|period| period.from),
            until: read(TimeBound::Until, &self.until)?.map(|period| period.until),
        };
        if range.is_empty() {
            return Err(TypedFilterError::EmptyRange {
                since: self.since.clone().unwrap_or_default(),
                until: self.until.clone().unwrap_or_default(),
            });
        }
        Ok(range)
    }
}

fn read_time(bound: TimeBound, text: &str, clock: &Clock) -> Result<Period, TypedFilterError> {
    period(text, clock).map_err(|error| TypedFilterError::Time {
        bound,
        text: text.to_owned(),
        error,
    })
}

/// The error for a text that is not a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("write a size such as 500k, 1M or 1.5G")]
pub struct NotASize;

/// Parses a size: a number with an optional unit. Units are powers of 1000, those with an `i`
/// of 1024.
pub fn parse_size(text: &str) -> Result<u64, NotASize> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| NotASize)?;
    let unit = unit.trim().to_ascii_lowercase();
    let unit = unit.strip_suffix('b').unwrap_or(&unit);
    let (unit, base) = match unit.strip_suffix('i') {
        Some(unit) => (unit, 1024_f64),
        None => (unit, 1000_f64),
    };
    let power = match unit {
        "" if base < 1024.0 => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(NotASize),
    };
    Ok((number * base.powi(power)).round() as u64)
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use unspool_model::time::Time;

    use super::*;

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("0", Some(0)),
            ("1024", Some(1024)),
            ("500k", Some(500_000)),
            ("1M", Some(1_000_000)),
            ("1.5G", Some(1_500_000_000)),
            ("2 MB", Some(2_000_000)),
            ("1KiB", Some(1024)),
            ("1mi", Some(1_048_576)),
            ("10B", Some(10)),
            ("", None),
            ("M", None),
            ("1x", None),
            ("1.2.3", None),
            ("-1", None),
            ("1ib", None),
        ] {
            assert_eq!(parse_size(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn an_end_that_cannot_be_read_is_named() {
        let clock = Clock { now: Time::from_millis(1_700_000_000_000), zone: TimeZone::UTC };
        let resolve = |since: Option<&str>, until: Option<&str>| {
            let typed = TypedFilter {
                since: since.map(str::to_owned),
                until: until.map(str::to_owned),
                ..TypedFilter::default()
            };
            typed.resolve(FilterBasis { clock: &clock, here: Path::new("/srv"), user_home: None })
        };
        let filter = resolve(Some("2023-11-01"), None).expect("a filter");
        assert!(filter.has_only_time() && filter.time.from.is_some());
        let error = resolve(None, Some("soon")).expect_err("an error");
        let bound = TimeBound::Until;
        assert!(matches!(error, TypedFilterError::Time { bound: found, .. } if found == bound));
        let error = resolve(Some("2023-11-02"), Some("2023-11-01")).expect_err("an error");
        assert!(error.to_string().contains("both since `2023-11-02`"));
    }
}
