//! Filters: conditions on the place of a text.

use std::fmt;

use super::field::{Has, Is, TextRole};
use crate::time::Time;

/// All filters of a query. All fields must match; see [`Values`] for each of them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Filters {
    /// Projects, as written: a name or a path.
    pub project: Values<String>,
    /// Git branches, as written.
    pub branch: Values<String>,
    /// Tools, as written.
    pub tool: Values<String>,
    /// Roles of the text.
    pub role: Values<TextRole>,
    /// Models, as written: a name or a part of one.
    pub model: Values<String>,
    /// Files, as written: a path or a part of one.
    pub file: Values<String>,
    /// Starts of the time range; [`Filters::time`] combines them.
    pub since: Values<Bound>,
    /// Ends of the time range; [`Filters::time`] combines them.
    pub until: Values<Bound>,
    /// Properties of the place.
    pub is: Values<Is>,
    /// Parts of the place.
    pub has: Values<Has>,
}

impl Filters {
    /// Tells whether there are no filters.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the time range that all filters of time leave.
    ///
    /// Of several `since:` the earliest counts, of several `until:` the latest, because they are
    /// alternatives. An excluded filter is the opposite bound: `-since:today` is everything before today.
    pub fn time(&self) -> TimeRange {
        let start = self.since.any.iter().map(|bound| bound.at).min();
        let end = self.until.any.iter().map(|bound| bound.at).max();
        let not_before = self.until.none.iter().map(|bound| bound.at).max();
        let not_from = self.since.none.iter().map(|bound| bound.at).min();
        TimeRange {
            from: start.max(not_before),
            until: match (end, not_from) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        }
    }
}

/// The allowed and the excluded values of one field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Values<T> {
    /// One of these must match, if there are any.
    pub any: Vec<T>,
    /// None of these may match.
    pub none: Vec<T>,
}

impl<T> Values<T> {
    /// Tells whether every value is allowed.
    pub fn is_empty(&self) -> bool {
        self.any.is_empty() && self.none.is_empty()
    }

    /// Tells whether a value is allowed; `matches` compares it with a value of the filter.
    pub fn allow(&self, mut matches: impl FnMut(&T) -> bool) -> bool {
        (self.any.is_empty() || self.any.iter().any(&mut matches))
            && !self.none.iter().any(&mut matches)
    }
}

impl<T> Default for Values<T> {
    fn default() -> Self {
        Self { any: Vec::new(), none: Vec::new() }
    }
}

/// One end of a time range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// The time as written, such as `3d`.
    pub text: String,
    /// The instant: the first one of a `since:` period, the one after the last of an `until:` period.
    pub at: Time,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A time range, open at an end without a bound.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TimeRange {
    /// The first instant of the range.
    pub from: Option<Time>,
    /// The first instant after the range.
    pub until: Option<Time>,
}

impl TimeRange {
    /// Tells whether the range contains `time`.
    pub fn contains(self, time: Time) -> bool {
        self.from.is_none_or(|from| from <= time) && self.until.is_none_or(|until| time < until)
    }

    /// Tells whether the range contains no time.
    pub fn is_empty(self) -> bool {
        matches!((self.from, self.until), (Some(from), Some(until)) if until <= from)
    }
}
