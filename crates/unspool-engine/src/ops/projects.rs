//! Projects with their activity per day.

use std::path::PathBuf;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use unspool_model::ids::ProjectId;
use unspool_model::time::Time;

/// The number of days of activity: 26 weeks.
pub const ACTIVITY_DAYS: usize = 26 * 7;

/// A project with sessions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProjectRow {
    /// The root of its home.
    pub home: PathBuf,
    /// The name of the project's folder.
    pub id: ProjectId,
    /// The display name: the last component of its sessions' folder.
    pub name: String,
    /// The folder in which its newest session began.
    pub cwd: Option<String>,
    /// The number of sessions.
    pub sessions: usize,
    /// The time of last activity in any session.
    pub last_active: Time,
    /// Whether a running process owns one of its sessions.
    pub live: bool,
    /// The activity per day.
    pub activity: ProjectActivity,
}

/// The number of sessions that were last active on each day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProjectActivity {
    /// The first day.
    pub from: Date,
    /// The sessions of each day, up to the current day.
    pub days: Vec<u32>,
}

/// The days of activity that are counted.
#[derive(Clone, Debug)]
pub struct ActivityDays {
    zone: TimeZone,
    from: Date,
}

impl ActivityDays {
    /// Returns the days up to that of `now` in a time zone.
    pub fn up_to(now: Time, zone: TimeZone) -> Self {
        let today = date_of(now, &zone);
        let before = (ACTIVITY_DAYS - 1) as i64;
        let from = today.checked_sub(before.days()).unwrap_or(Date::MIN);
        Self { zone, from }
    }

    /// Returns the beginning of the first day.
    pub fn since(&self) -> Time {
        let start = self.from.to_zoned(self.zone.clone());
        start.map_or(Time::from_millis(0), |start| {
            Time::from_millis(start.timestamp().as_millisecond())
        })
    }

    /// Counts times by day. Times after the last day count on it: the clock of a log's writer may
    /// be ahead.
    pub fn count(&self, times: &[Time]) -> ProjectActivity {
        let mut days = vec![0; ACTIVITY_DAYS];
        for &time in times {
            let since = date_of(time, &self.zone).since(self.from);
            let day = since.map_or(0, |span| span.get_days());
            if let Ok(day) = usize::try_from(day) {
                days[day.min(ACTIVITY_DAYS - 1)] += 1;
            }
        }
        ProjectActivity { from: self.from, days }
    }
}

fn date_of(time: Time, zone: &TimeZone) -> Date {
    let time = Timestamp::from_millisecond(time.as_millis()).unwrap_or(Timestamp::UNIX_EPOCH);
    time.to_zoned(zone.clone()).date()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Time {
        Time::parse(text).expect("a time")
    }

    #[test]
    fn times_are_counted_by_the_days_of_a_zone() {
        let zone = TimeZone::get("Europe/Berlin").expect("a zone");
        let days = ActivityDays::up_to(time("2026-11-17T23:30:00Z"), zone);
        let activity = days.count(&[
            time("2026-11-17T23:10:00Z"),
            time("2026-11-17T22:59:59Z"),
            time("2026-11-16T23:00:00Z"),
            time("2030-01-01T00:00:00Z"),
            time("2026-01-01T00:00:00Z"),
            days.since(),
        ]);
        // In Berlin it is already the 18th.
        assert_eq!(activity.from.to_string(), "2026-05-21");
        assert_eq!(activity.days.len(), ACTIVITY_DAYS);
        assert_eq!(activity.days[ACTIVITY_DAYS - 2..], [2, 2]);
        assert_eq!(activity.days[0], 1);
        assert_eq!(activity.days.iter().sum::<u32>(), 5);
    }
}
