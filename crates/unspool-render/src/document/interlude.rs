//! Passing time between messages: a new day begins, or there was a long pause.
//!
//! Computed once for every surface, from the times of the messages and a time zone: UTC for files,
//! the reader's own in a terminal.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use unspool_model::time::Time;
use unspool_text::human;

/// The shortest pause that is shown: long enough that a person has been away, and longer than
/// almost every call takes.
const LONG_MS: u64 = 60 * 60 * 1000;

/// A new day or a long pause between two messages; at least one of the two is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interlude {
    /// The day that begins.
    pub day: Option<Date>,
    /// The length of the pause, if it was long.
    pub pause_ms: Option<u64>,
}

impl Interlude {
    /// Describes the interlude: `Tuesday, 10 November 2026, 14 h later`.
    pub fn words(&self) -> String {
        let day = self.day.map(|day| day.strftime("%A, %-d %B %Y").to_string());
        let pause = self.pause_ms.map(|ms| format!("{} later", human::duration(ms)));
        let words: Vec<String> = day.into_iter().chain(pause).collect();
        words.join(", ")
    }
}

/// Tracks the days and pauses of a conversation.
#[derive(Clone, Debug)]
pub struct DayTracker {
    zone: TimeZone,
    /// The day that was shown last.
    day: Option<Date>,
    /// The latest time so far.
    latest: Option<Time>,
}

impl DayTracker {
    /// Creates a tracker that starts at the time in the header, if there is one.
    pub fn new(zone: TimeZone, started: Option<Time>) -> Self {
        let mut calendar = Self { zone, day: None, latest: None };
        calendar.day = started.and_then(|time| calendar.day_of(time));
        calendar
    }

    /// Returns the interlude before a message with this time.
    ///
    /// Times of a log may go back: records are copied, and messages that a compaction kept come
    /// after its summary. A time before the latest one is ignored.
    pub fn turn_to(&mut self, time: Option<Time>) -> Option<Interlude> {
        let time = time.filter(|time| self.latest.is_none_or(|latest| *time >= latest))?;
        let before = self.latest.replace(time);
        let pause_ms = before.map(|before| time.since(before)).filter(|ms| *ms >= LONG_MS);
        let today = self.day_of(time)?;
        let day = self.day.replace(today).filter(|day| *day < today).map(|_| today);
        (day.is_some() || pause_ms.is_some()).then_some(Interlude { day, pause_ms })
    }

    fn day_of(&self, time: Time) -> Option<Date> {
        let instant = Timestamp::from_millisecond(time.as_millis()).ok()?;
        Some(self.zone.to_datetime(instant).date())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(zone: TimeZone, started: &str, times: &[&str]) -> Vec<String> {
        let time = |text: &str| Time::parse(text).expect("a time");
        let mut calendar = DayTracker::new(zone, Some(time(started)));
        times
            .iter()
            .map(|at| {
                let interlude = calendar.turn_to(Some(time(at)));
                interlude.map_or_else(String::new, |interlude| interlude.words())
            })
            .collect()
    }

    #[test]
    fn days_and_long_pauses_are_told_once() {
        let times = [
            "2026-11-09T20:00:00.000Z",
            "2026-11-09T20:59:00.000Z",
            "2026-11-09T22:00:00.000Z",
            "2026-11-09T21:00:00.000Z",
            "2026-11-10T00:10:00.000Z",
            "2026-11-10T00:20:00.000Z",
            "2026-11-12T09:20:00.000Z",
        ];
        let expected = [
            "",
            "",
            "1 h 1 min later",
            "",
            "Tuesday, 10 November 2026, 2 h 10 min later",
            "",
            "Thursday, 12 November 2026, 2 d 9 h later",
        ];
        assert_eq!(told(TimeZone::UTC, times[0], &times), expected);
    }

    #[test]
    fn a_day_begins_where_the_reader_is() {
        let times = ["2026-11-09T22:50:00.000Z", "2026-11-09T23:10:00.000Z"];
        assert_eq!(told(TimeZone::UTC, times[0], &times), ["", ""]);
        let east = TimeZone::fixed(jiff::tz::offset(1));
        assert_eq!(told(east, times[0], &times), ["", "Tuesday, 10 November 2026"]);
    }

    #[test]
    fn what_is_shown_from_a_later_day_on_begins_with_that_day() {
        let times = ["2026-11-11T08:00:00.000Z"];
        assert_eq!(
            told(TimeZone::UTC, "2026-11-09T08:00:00.000Z", &times),
            ["Wednesday, 11 November 2026"]
        );
        let mut calendar = DayTracker::new(TimeZone::UTC, None);
        assert_eq!(calendar.turn_to(None), None);
        assert_eq!(calendar.turn_to(Time::parse(times[0])), None);
    }
}
