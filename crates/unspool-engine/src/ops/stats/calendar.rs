//! Maps instants to days of a time zone, and days to the names of weeks and months.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use unspool_model::time::Time;

/// The milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// The milliseconds of an hour.
const HOUR: i64 = 60 * 60 * 1000;

/// A day, counted from 1970-01-01.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct DayNumber(i32);

impl DayNumber {
    /// Returns the day of the week.
    pub(super) fn weekday(self) -> WeekdayNumber {
        // 1970-01-01 was a Thursday.
        WeekdayNumber((i64::from(self.0) + 3).rem_euclid(7) as u8)
    }

    /// Returns the day as a date.
    pub(super) fn date(self) -> Option<Date> {
        Date::constant(1970, 1, 1).checked_add(i64::from(self.0).days()).ok()
    }
}

/// A day of the week, counted from Monday as zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct WeekdayNumber(u8);

/// The names of the days of a week, in order.
pub(super) const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

impl WeekdayNumber {
    pub(super) fn name(self) -> &'static str {
        WEEKDAYS[usize::from(self.0) % WEEKDAYS.len()]
    }
}

/// An hour of the day, from 0 to 23.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct HourNumber(u8);

impl HourNumber {
    /// Returns the name of the hour: the time at which it begins.
    pub(super) fn name(self) -> String {
        format!("{:02}:00", self.0)
    }
}

/// The days of a time zone.
pub(super) struct Calendar<'z>(&'z TimeZone);

impl<'z> Calendar<'z> {
    pub(super) fn new(zone: &'z TimeZone) -> Self {
        Self(zone)
    }

    /// Returns the day of an instant; `None` outside the range of the calendar.
    pub(super) fn day(&self, time: Time) -> Option<DayNumber> {
        let days = self.on_the_wall(time)?.div_euclid(DAY);
        i32::try_from(days).ok().map(DayNumber)
    }

    /// Returns the hour of an instant; `None` outside the range of the calendar.
    pub(super) fn hour(&self, time: Time) -> Option<HourNumber> {
        let of_day = self.on_the_wall(time)?.rem_euclid(DAY);
        u8::try_from(of_day / HOUR).ok().map(HourNumber)
    }

    /// Returns the local time of an instant, in milliseconds since 1970-01-01.
    fn on_the_wall(&self, time: Time) -> Option<i64> {
        let millis = time.as_millis();
        let instant = Timestamp::from_millisecond(millis).ok()?;
        Some(millis + i64::from(self.0.to_offset(instant).seconds()) * 1000)
    }
}

/// Returns the ISO week of a day: `2026-W46`. The year is that of the week.
pub(super) fn week(date: Date) -> String {
    let week = date.iso_week_date();
    format!("{:04}-W{:02}", week.year(), week.week())
}

/// Returns the month of a day: `2026-11`.
pub(super) fn month(date: Date) -> String {
    format!("{:04}-{:02}", date.year(), date.month())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).expect("the zone is known")
    }

    fn day(text: &str, zone: &TimeZone) -> String {
        let time = Time::parse(text).expect("a time");
        let day = Calendar::new(zone).day(time).and_then(DayNumber::date);
        day.expect("a day").to_string()
    }

    #[test]
    fn a_day_is_that_of_the_zone() {
        let cases = [
            ("UTC", "2026-11-09T23:59:59.999Z", "2026-11-09"),
            ("UTC", "2026-11-10T00:00:00Z", "2026-11-10"),
            ("Europe/Berlin", "2026-11-09T22:59:59Z", "2026-11-09"),
            ("Europe/Berlin", "2026-11-09T23:00:00Z", "2026-11-10"),
            ("Asia/Kolkata", "2026-11-09T18:30:00Z", "2026-11-10"),
            ("America/New_York", "2026-11-10T04:59:59Z", "2026-11-09"),
            // Daylight saving time begins: the day has 23 hours.
            ("Europe/Berlin", "2026-03-28T22:59:59Z", "2026-03-28"),
            ("Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29"),
            ("Europe/Berlin", "2026-03-29T21:59:59Z", "2026-03-29"),
            ("Europe/Berlin", "2026-03-29T22:00:00Z", "2026-03-30"),
            // Daylight saving time ends: the day has 25 hours.
            ("Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25"),
            ("Europe/Berlin", "2026-10-25T22:59:59Z", "2026-10-25"),
            ("Europe/Berlin", "2026-10-25T23:00:00Z", "2026-10-26"),
            // Midnight itself is skipped.
            ("America/Santiago", "2026-09-06T03:59:59Z", "2026-09-05"),
            ("America/Santiago", "2026-09-06T04:00:00Z", "2026-09-06"),
            // A zone that skipped a day.
            ("Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29"),
            ("Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31"),
            ("UTC", "1969-12-31T23:59:59.999Z", "1969-12-31"),
        ];
        for (name, text, expected) in cases {
            assert_eq!(day(text, &zone(name)), expected, "{text} in {name}");
        }
    }

    #[test]
    fn weeks_are_those_of_iso_8601() {
        let cases = [
            ("2026-11-09", "2026-W46"),
            ("2026-11-15", "2026-W46"),
            ("2026-11-16", "2026-W47"),
            ("2025-12-28", "2025-W52"),
            ("2025-12-29", "2026-W01"),
            ("2027-01-03", "2026-W53"),
            ("2027-01-04", "2027-W01"),
            ("2021-01-01", "2020-W53"),
        ];
        for (date, expected) in cases {
            let date: Date = date.parse().expect("a date");
            assert_eq!(week(date), expected, "{date}");
        }
        assert_eq!(month(Date::constant(2026, 3, 1)), "2026-03");
    }

    #[test]
    fn hours_and_weekdays_are_those_of_the_zone() {
        for (name, text, hour, weekday) in [
            ("UTC", "1970-01-01T00:00:00Z", "00:00", "Thursday"),
            ("UTC", "1969-12-31T23:59:59Z", "23:00", "Wednesday"),
            ("UTC", "2026-11-09T08:28:00Z", "08:00", "Monday"),
            ("Europe/Berlin", "2026-11-08T23:30:00Z", "00:00", "Monday"),
            ("Asia/Kolkata", "2026-11-09T08:28:00Z", "13:00", "Monday"),
        ] {
            let zone = zone(name);
            let calendar = Calendar::new(&zone);
            let time = Time::parse(text).expect("a time");
            assert_eq!(calendar.hour(time).map(HourNumber::name).as_deref(), Some(hour));
            let day = calendar.day(time).map(|day| day.weekday().name());
            assert_eq!(day, Some(weekday), "{text} in {name}");
        }
    }

    #[test]
    fn what_no_calendar_knows_has_no_day() {
        for millis in [i64::MIN, i64::MAX, -400_000_000_000_000, 300_000_000_000_000] {
            let utc = TimeZone::UTC;
            assert_eq!(Calendar::new(&utc).day(Time::from_millis(millis)), None);
        }
    }

    proptest! {
        #[test]
        fn days_are_those_of_the_clock_on_the_wall(
            instants in prop::collection::vec(-2_000_000_000_000i64..4_000_000_000_000, 1..40),
            name in prop::sample::select(vec![
                "UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "Asia/Kathmandu",
                "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca",
            ]),
        ) {
            let zone = zone(name);
            let calendar = Calendar::new(&zone);
            for millis in instants {
                let instant = Timestamp::from_millisecond(millis).expect("in range");
                let expected = instant.to_zoned(zone.clone()).date();
                let day = calendar.day(Time::from_millis(millis)).and_then(DayNumber::date);
                prop_assert_eq!(day, Some(expected), "{} in {}", instant, name);
            }
        }
    }
}
