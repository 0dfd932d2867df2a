//! Times, and the ranges of filters of time.

use jiff::tz::TimeZone;

use super::{clock, query};
use crate::query::{Clock, TimeError, period};
use crate::time::Time;

fn time(text: &str) -> Time {
    Time::parse(text).expect(text)
}

/// Checks the period of each text, from and until in UTC.
#[track_caller]
fn check(clock: &Clock, cases: &[(&str, &str, &str)]) {
    for (text, from, until) in cases {
        let found = period(text, clock).unwrap_or_else(|error| panic!("{error}"));
        let found = (found.from.to_string(), found.until.to_string());
        let expected = (time(from).to_string(), time(until).to_string());
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn dates_last_as_long_as_their_smallest_part() {
    check(
        &clock(),
        &[
            ("2026", "2025-12-31T23:00Z", "2026-12-31T23:00Z"),
            ("2026-11", "2026-10-31T23:00Z", "2026-11-30T23:00Z"),
            ("2026-11-01", "2026-10-31T23:00Z", "2026-11-01T23:00Z"),
            ("2026-1-5", "2026-01-04T23:00Z", "2026-01-05T23:00Z"),
            // Summer time ends and begins on these days.
            ("2026-10-25", "2026-10-24T22:00Z", "2026-10-25T23:00Z"),
            ("2026-03-29", "2026-03-28T23:00Z", "2026-03-29T22:00Z"),
            ("2026-11-01T10", "2026-11-01T09:00Z", "2026-11-01T10:00Z"),
            ("2026-11-01T10:00", "2026-11-01T09:00Z", "2026-11-01T09:01Z"),
            ("2026-11-01 10:00", "2026-11-01T09:00Z", "2026-11-01T09:01Z"),
            ("2026-11-01T10:00:30", "2026-11-01T09:00:30Z", "2026-11-01T09:00:31Z"),
            ("2026-11-01T10:00:30.250Z", "2026-11-01T10:00:30.250Z", "2026-11-01T10:00:30.251Z"),
            ("2026-11-01t10:00z", "2026-11-01T10:00Z", "2026-11-01T10:01Z"),
            ("2026-11-01T10:00-05:00", "2026-11-01T15:00Z", "2026-11-01T15:01Z"),
            ("2026-11-01T10Z", "2026-11-01T10:00Z", "2026-11-01T11:00Z"),
        ],
    );
}

#[test]
fn words_name_days() {
    check(
        &clock(),
        &[
            ("today", "2026-11-10T23:00Z", "2026-11-11T23:00Z"),
            (" Yesterday", "2026-11-09T23:00Z", "2026-11-10T23:00Z"),
            ("wednesday", "2026-11-10T23:00Z", "2026-11-11T23:00Z"),
            ("Monday", "2026-11-08T23:00Z", "2026-11-09T23:00Z"),
            ("thu", "2026-11-04T23:00Z", "2026-11-05T23:00Z"),
            ("thurs", "2026-11-04T23:00Z", "2026-11-05T23:00Z"),
            ("now", "2026-11-11T14:30Z", "2026-11-11T14:30Z"),
        ],
    );
    let tokyo =
        Clock { zone: TimeZone::fixed(jiff::tz::offset(9)), now: time("2026-11-11T16:00Z") };
    check(&tokyo, &[("today", "2026-11-11T15:00Z", "2026-11-12T15:00Z")]);
}

#[test]
fn a_last_weekday_is_before_today() {
    check(
        &clock(),
        &[
            ("last monday", "2026-11-08T23:00Z", "2026-11-09T23:00Z"),
            // Today is a Wednesday.
            ("last wednesday", "2026-11-03T23:00Z", "2026-11-04T23:00Z"),
            ("Last  Thu", "2026-11-04T23:00Z", "2026-11-05T23:00Z"),
        ],
    );
}

#[test]
fn months_have_names() {
    check(
        &clock(),
        &[
            ("nov 1", "2026-10-31T23:00Z", "2026-11-01T23:00Z"),
            ("1 november", "2026-10-31T23:00Z", "2026-11-01T23:00Z"),
            ("Nov 11", "2026-11-10T23:00Z", "2026-11-11T23:00Z"),
            // This day is still to come this year.
            ("nov 12", "2025-11-11T23:00Z", "2025-11-12T23:00Z"),
            ("dec 24, 2024", "2024-12-23T23:00Z", "2024-12-24T23:00Z"),
            ("feb 29", "2024-02-28T23:00Z", "2024-02-29T23:00Z"),
            ("nov", "2026-10-31T23:00Z", "2026-11-30T23:00Z"),
            ("sept", "2026-08-31T22:00Z", "2026-09-30T22:00Z"),
            ("december", "2025-11-30T23:00Z", "2025-12-31T23:00Z"),
            ("may 2025", "2025-04-30T22:00Z", "2025-05-31T22:00Z"),
        ],
    );
}

#[test]
fn a_time_of_day_is_the_last_one_that_has_begun() {
    check(
        &clock(),
        &[
            // It is half past three in Berlin.
            ("10:00", "2026-11-11T09:00Z", "2026-11-11T09:01Z"),
            ("15:30", "2026-11-11T14:30Z", "2026-11-11T14:31Z"),
            ("15:31", "2026-11-10T14:31Z", "2026-11-10T14:32Z"),
            ("9:05:30", "2026-11-11T08:05:30Z", "2026-11-11T08:05:31Z"),
            ("yesterday 10:00", "2026-11-10T09:00Z", "2026-11-10T09:01Z"),
            ("nov 1  10:00", "2026-11-01T09:00Z", "2026-11-01T09:01Z"),
            ("last monday 8:00", "2026-11-09T07:00Z", "2026-11-09T07:01Z"),
            ("today 23:00", "2026-11-11T22:00Z", "2026-11-11T22:01Z"),
        ],
    );
}

#[test]
fn weeks_months_and_years_are_those_of_the_calendar() {
    check(
        &clock(),
        &[
            ("this week", "2026-11-08T23:00Z", "2026-11-15T23:00Z"),
            ("Last  Week", "2026-11-01T23:00Z", "2026-11-08T23:00Z"),
            ("this month", "2026-10-31T23:00Z", "2026-11-30T23:00Z"),
            // Summer time ended in that month.
            ("last month", "2026-09-30T22:00Z", "2026-10-31T23:00Z"),
            ("this year", "2025-12-31T23:00Z", "2026-12-31T23:00Z"),
            ("last year", "2024-12-31T23:00Z", "2025-12-31T23:00Z"),
        ],
    );
    for text in ["next week", "last weeks", "last week ago", "week", "last"] {
        let found = period(text, &clock());
        assert!(matches!(found, Err(TimeError::Unknown { .. })), "{text} {found:?}");
    }
}

#[test]
fn lengths_count_back_from_now() {
    let cases = [
        ("30s", "2026-11-11T14:29:30Z"),
        ("15m", "2026-11-11T14:15Z"),
        ("15min", "2026-11-11T14:15Z"),
        ("2h", "2026-11-11T12:30Z"),
        ("1.5h", "2026-11-11T13:00Z"),
        ("3d", "2026-11-08T14:30Z"),
        ("3D", "2026-11-08T14:30Z"),
        ("2w", "2026-10-28T14:30Z"),
        ("1d12h", "2026-11-10T02:30Z"),
        ("3 days ago", "2026-11-08T14:30Z"),
        ("1 week", "2026-11-04T14:30Z"),
        // The time of day stays when the clocks change.
        ("1mo", "2026-10-11T13:30Z"),
        ("30d", "2026-10-12T13:30Z"),
        ("1y", "2025-11-11T14:30Z"),
        ("0d", "2026-11-11T14:30Z"),
    ];
    check(&clock(), &cases.map(|(text, at)| (text, at, at)));
}

#[test]
fn other_texts_are_no_times() {
    for text in [
        "",
        "3",
        "d",
        "-3d",
        "+3d",
        "3x",
        "P3D",
        "26-11-01",
        "nov 1 x",
        "1 2 nov",
        "no 1",
        "later 10:00",
        "tomorow",
        "2026/11/01",
        "mo",
        "ago",
        "３d",
        "3d3",
        "monday tuesday",
    ] {
        let found = period(text, &clock());
        assert!(matches!(found, Err(TimeError::Unknown { .. })), "{text} {found:?}");
    }
    for text in [
        "2026-13",
        "2026-00-01",
        "2026-02-29",
        "2026-",
        "2026-11-",
        "2026-11-01T",
        "2026-11-01T25:00",
        "2026-11-01T10:00[Europe/Berlin]",
        "2026-11-01T10:00+01:00[Europe/Berlin]",
        "2026-11-01T1000",
        "2026-11T10:00",
        "2026-11-01-01",
        "2026-11-001",
        "2026-11-01Tx",
        "2026-11-01T10:00+99:00",
        "nov 31",
        "feb 29 2026",
        "0 nov",
        "25:00",
        "10:60",
        "yesterday 24:30",
    ] {
        let found = period(text, &clock());
        assert!(matches!(found, Err(TimeError::NoSuchTime(_))), "{text} {found:?}");
    }
    for text in ["9000000d", "15000y", "99999999999999999999d", "9999999 weeks ago"] {
        let found = period(text, &clock());
        assert!(matches!(found, Err(TimeError::OutOfRange(_))), "{text} {found:?}");
    }
}

#[test]
fn a_clock_at_the_end_of_time_is_no_panic() {
    for now in [i64::MIN, i64::MAX, 253_402_207_200_999, -377_705_023_201_000] {
        let now = Time::from_millis(now);
        for zone in [TimeZone::UTC, clock().zone] {
            let clock = Clock { now, zone };
            for text in [
                "today",
                "yesterday",
                "sunday",
                "last week",
                "this year",
                "3d",
                "1y",
                "now",
                "9999",
                "9999-12-31",
                "nov 1",
                "feb 29",
                "10:00",
                "last monday",
            ] {
                let _ = period(text, &clock);
            }
        }
    }
}

#[test]
fn filters_of_time_leave_one_range() {
    for (text, from, until) in [
        ("", None, None),
        ("since:today", Some("2026-11-10T23:00Z"), None),
        ("until:today", None, Some("2026-11-11T23:00Z")),
        ("a -since:today", None, Some("2026-11-10T23:00Z")),
        ("a -until:today", Some("2026-11-11T23:00Z"), None),
        ("since:2026-11 until:2026-11", Some("2026-10-31T23:00Z"), Some("2026-11-30T23:00Z")),
        ("since:today since:yesterday", Some("2026-11-09T23:00Z"), None),
        ("until:today until:yesterday", None, Some("2026-11-11T23:00Z")),
        ("until:2026 -since:today", None, Some("2026-11-10T23:00Z")),
        ("since:2026 -until:yesterday", Some("2026-11-10T23:00Z"), None),
    ] {
        let range = query(text).filters.time();
        assert_eq!(range.from, from.map(time), "{text}");
        assert_eq!(range.until, until.map(time), "{text}");
    }
}

#[test]
fn a_range_contains_its_start_and_not_its_end() {
    let range = query("since:yesterday until:yesterday").filters.time();
    for (at, inside) in [
        ("2026-11-09T22:59:59.999Z", false),
        ("2026-11-09T23:00Z", true),
        ("2026-11-10T22:59:59.999Z", true),
        ("2026-11-10T23:00Z", false),
    ] {
        assert_eq!(range.contains(time(at)), inside, "{at}");
    }
}
