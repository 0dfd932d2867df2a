//! Filters of lists in the query of a URL: the options of `unspool list`, under the same names.
//!
//! Input: parameters, the time, and the folder that the server was started in. Output: a
//! [`RowFilter`], or the problem of a parameter. This module does not know which sessions exist.

use jiff::tz::TimeZone;
use unspool_engine::library::LibrarySettings;
use unspool_model::named::Named;
use unspool_model::query::Clock;
use unspool_store::filter::{
    FilterBasis, OwnerFilter, RowFilter, TypedFilter, TypedFilterError, parse_size,
};
use unspool_store::rows::{SessionKind, Status};

use crate::web::{Parameter, ParameterForm, Queries, RequestProblem};

/// The parameters that filter sessions, as the options of `unspool list` do.
pub(crate) const FILTERS: &[Parameter] = &[
    Parameter::many(
        "project",
        ParameterForm::Text,
        "Only sessions of this project: its name, its path, a part of these, or a pattern with *",
    ),
    Parameter::one(
        "here",
        ParameterForm::Switch,
        "Only sessions of the folder that the server was started in, of folders in it, and of \
         other git worktrees of its repository",
    ),
    Parameter::one(
        "since",
        ParameterForm::Text,
        "Only sessions with something in them after this: 3d, 10:00, yesterday, monday, last \
         week, nov 1, 2026-11-01",
    ),
    Parameter::one(
        "until",
        ParameterForm::Text,
        "Only sessions with something in them before the end of this",
    ),
    Parameter::many(
        "branch",
        ParameterForm::Text,
        "Only sessions on this git branch: its name, or a pattern with *",
    ),
    Parameter::many(
        "model",
        ParameterForm::Text,
        "Only sessions with this model: its name, a part of it, or a pattern with *",
    ),
    Parameter::many(
        "tool",
        ParameterForm::Text,
        "Only sessions that called this tool: its name, or a pattern with *",
    ),
    Parameter::many(
        "file",
        ParameterForm::Text,
        "Only sessions that touched this file: its path, the end or a part of it, or a pattern \
         with *",
    ),
    Parameter::one(
        "min_size",
        ParameterForm::Text,
        "Only sessions with a log of at least this size: 500k, 1M, 1.5G",
    ),
    Parameter::one(
        "min_messages",
        ParameterForm::Integer { least: 0, most: u32::MAX as u64, usual: None },
        "Only sessions with at least this many messages",
    ),
    Parameter::many(
        "kind",
        ParameterForm::Choice { names: || SessionKind::NAMES.to_vec(), usual: None },
        "Only sessions of this kind",
    ),
    Parameter::one(
        "headless",
        ParameterForm::Switch,
        "Only sessions that a program ran, as kind=headless",
    ),
    Parameter::many(
        "status",
        ParameterForm::Choice { names: || Status::NAMES.to_vec(), usual: None },
        "Only sessions that ended like this",
    ),
    Parameter::one("live", ParameterForm::Switch, "Only sessions that a running process owns"),
];

/// The names of the parameters that filter sessions.
pub(crate) const FILTER_NAMES: [&str; FILTERS.len()] = {
    let mut names = [""; FILTERS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = FILTERS[at].name;
        at += 1;
    }
    names
};

/// Reads the filters of a query. Times are in `zone`; those like "3d" count from the time of the
/// library's clock.
pub(crate) fn row_filter(
    query: &Queries,
    settings: &LibrarySettings,
    zone: &TimeZone,
) -> Result<RowFilter, RequestProblem> {
    let clock = Clock { now: settings.clock.time(), zone: zone.clone() };
    let basis = FilterBasis {
        clock: &clock,
        here: &settings.here,
        user_home: settings.user_home.as_deref(),
    };
    typed(query)?.resolve(basis).map_err(|error| {
        let name = match &error {
            TypedFilterError::Time { bound, .. } => bound.name(),
            TypedFilterError::EmptyRange { .. } => "until",
        };
        RequestProblem::parameter(name, error.to_string())
    })
}

fn typed(query: &Queries) -> Result<TypedFilter, RequestProblem> {
    let all = |name: &str| -> Vec<String> {
        let values = query.all(name);
        values.map(str::to_owned).collect()
    };
    let size = |text: &str| {
        parse_size(text).map_err(|error| RequestProblem::parameter("min_size", error.to_string()))
    };
    Ok(TypedFilter {
        projects: all("project"),
        here: query.is_on("here"),
        since: query.get("since").map(str::to_owned),
        until: query.get("until").map(str::to_owned),
        branches: all("branch"),
        models: all("model"),
        tools: all("tool"),
        files: all("file"),
        min_bytes: query.get("min_size").map(size).transpose()?,
        min_messages: query.read("min_messages")?,
        kinds: if query.is_on("headless") {
            vec![SessionKind::Headless]
        } else {
            chosen(query, "kind")?
        },
        statuses: chosen(query, "status")?,
        owner: if query.is_on("live") { OwnerFilter::Process } else { OwnerFilter::Any },
    })
}

/// Parses all values of a parameter that has a fixed set of names.
fn chosen<T: Named>(query: &Queries, name: &'static str) -> Result<Vec<T>, RequestProblem> {
    let read = |text: &str| {
        T::from_name(text).ok_or_else(|| {
            let known = T::NAMES.join(", ");
            RequestProblem::parameter(name, format!("{text:?} is not one of {known}"))
        })
    };
    query.all(name).map(read).collect()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use unspool_engine::library::LibraryClock;
    use unspool_model::time::Time;

    use super::*;

    fn read(query: &str) -> Result<RowFilter, RequestProblem> {
        let now = SystemTime::UNIX_EPOCH + Duration::from_hours(498_392);
        let settings = LibrarySettings::of_home("/nowhere", LibraryClock::fixed(now));
        row_filter(&Queries::parse(query), &settings, &TimeZone::UTC)
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
            ("min-messages=many", "min_messages"),
            ("min_size=large", "min_size"),
        ] {
            let problem = read(query).expect_err("a problem");
            assert!(problem.detail.starts_with(name), "{}", problem.detail);
        }
    }
}
