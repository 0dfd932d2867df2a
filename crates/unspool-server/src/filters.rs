//! Filters of lists in the query of an address: those that `unspool list` takes as options, by the
//! same names.
//!
//! In: parameters and the time. Out: a [`RowFilter`], or what is wrong with a parameter. Which
//! sessions there are is not known here.

use jiff::tz::TimeZone;
use unspool_model::query::{Clock, Period, TimeRange, period};
use unspool_model::time::Time;
use unspool_store::filter::{NamePattern, OwnerFilter, RowFilter};
use unspool_store::rows::{SessionKind, Status};

use crate::web::{Problem, Queries};

/// The names of the parameters that filters are made of.
pub(crate) const FILTER_NAMES: [&str; 11] = [
    "project",
    "since",
    "until",
    "branch",
    "model",
    "tool",
    "file",
    "min-messages",
    "kind",
    "status",
    "live",
];

/// Reads the filters of a query. Times are of `zone`, and `now` is the time that "3d" counts from.
pub(crate) fn row_filter(
    query: &Queries,
    now: Time,
    zone: &TimeZone,
) -> Result<RowFilter, Problem> {
    let names = |name| query.all(name).map(NamePattern::new).collect();
    Ok(RowFilter {
        projects: names("project"),
        here: None,
        time: time_range(query, now, zone)?,
        branches: names("branch"),
        models: names("model"),
        tools: names("tool"),
        files: names("file"),
        min_bytes: 0,
        min_messages: query.read("min-messages")?.unwrap_or(0),
        kinds: chosen(query, "kind", &SessionKind::ALL, SessionKind::name)?,
        statuses: chosen(query, "status", &Status::ALL, Status::name)?,
        owner: if query.is_on("live") {
            OwnerFilter::Process
        } else {
            OwnerFilter::Any
        },
    })
}

/// Reads `since` and `until`.
pub(crate) fn time_range(
    query: &Queries,
    now: Time,
    zone: &TimeZone,
) -> Result<TimeRange, Problem> {
    let clock = Clock {
        now,
        zone: zone.clone(),
    };
    let read = |name: &'static str| -> Result<Option<Period>, Problem> {
        let text = query.get(name);
        let read = |text| period(text, &clock).map_err(|e| Problem::parameter(name, e.to_string()));
        text.map(read).transpose()
    };
    let range = TimeRange {
        from: read("since")?.map(|period| period.from),
        until: read("until")?.map(|period| period.until),
    };
    if range.is_empty() {
        return Err(Problem::parameter("until", "it is before `since`"));
    }
    Ok(range)
}

/// Reads all values of a parameter that has a few.
fn chosen<T: Copy>(
    query: &Queries,
    name: &'static str,
    all: &[T],
    named: fn(T) -> &'static str,
) -> Result<Vec<T>, Problem> {
    let read = |text: &str| {
        let found = all.iter().copied().find(|&value| named(value) == text);
        found.ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|&value| named(value)).collect();
            Problem::parameter(name, format!("{text:?} is not one of {}", known.join(", ")))
        })
    };
    query.all(name).map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<RowFilter, Problem> {
        let now = Time::parse("2026-11-09T08:00:00Z").expect("a time");
        row_filter(&Queries::parse(query), now, &TimeZone::UTC)
    }

    #[test]
    fn filters_are_those_of_lists() {
        let query =
            "since=2026-11-01&until=2026-11-02&status=error&status=open&kind=main&live&branch=x";
        let filter = read(query).expect("a filter");
        let day = |text| Time::parse(text).expect("a time");
        assert_eq!(filter.time.from, Some(day("2026-11-01T00:00:00Z")));
        assert_eq!(filter.time.until, Some(day("2026-11-03T00:00:00Z")));
        assert_eq!(filter.statuses, [Status::Error, Status::Open]);
        assert_eq!(filter.kinds, [SessionKind::Main]);
        assert_eq!(filter.owner, OwnerFilter::Process);
        assert_eq!(filter.branches.len(), 1);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (query, name) in [
            ("since=soonish", "since"),
            ("since=2026-11-02&until=2026-11-01", "until"),
            ("status=broken", "status"),
            ("kind=../../etc", "kind"),
            ("min-messages=many", "min-messages"),
        ] {
            let problem = read(query).expect_err("a problem");
            assert!(problem.detail.starts_with(name), "{}", problem.detail);
        }
    }
}
