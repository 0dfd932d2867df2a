//! When Claude Code deletes sessions: a number of days after they were last written.

use std::fmt;

use jiff::tz::TimeZone;
use unspool_model::json::Cursor;
use unspool_model::time::Time;
use unspool_text::human;

/// How many days sessions are kept by default.
pub const USUAL_DAYS: u64 = 30;

/// The key of the setting.
const KEY: &[u8] = b"cleanupPeriodDays";

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The sessions of a home that are deleted next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retention {
    /// How many days a session is kept after it was last written.
    pub days: u64,
    /// How many sessions are older, and are deleted when Claude Code starts next.
    pub overdue: usize,
    /// The time of the next deletion, and the number of sessions deleted within a day of it.
    pub next: Option<(Time, usize)>,
}

/// Returns how many days sessions are kept, by the settings of a home. Zero counts as unset: the
/// client's minimum is one day.
pub fn days_of(settings: &[u8]) -> u64 {
    let mut days = None;
    // Keys before the damage of a truncated file count.
    let _ = Cursor::new(settings).object(|cursor, key| {
        if key == KEY {
            days = cursor.count()?;
        } else {
            cursor.skip()?;
        }
        Ok(())
    });
    days.filter(|days| *days > 0).unwrap_or(USUAL_DAYS)
}

impl Retention {
    /// Returns the next deletions, given when each session was last written.
    pub fn of(days: u64, written: impl Iterator<Item = Time>, now: Time) -> Self {
        let kept = i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY_MS);
        let goes = written.map(|at| at.as_millis().saturating_add(kept));
        let (overdue, later): (Vec<i64>, Vec<i64>) = goes.partition(|&at| at <= now.as_millis());
        let first = later.iter().min().copied();
        Self {
            days,
            overdue: overdue.len(),
            next: first.map(|first| {
                let together = later.iter().filter(|&&at| at - first < DAY_MS);
                (Time::from_millis(first), together.count())
            }),
        }
    }

    /// Returns a description in one line; `None` if there are no sessions.
    pub fn words(self, zone: &TimeZone) -> Option<String> {
        let Self { days, overdue, next } = self;
        let which = match (overdue, next) {
            (0, None) => return None,
            (0, Some((at, count))) => {
                let verb = if count == 1 { "goes" } else { "go" };
                format!("the next {} {verb} on {}", Sessions(count), day(at, zone))
            }
            (1, _) => "1 session goes when it starts next".to_owned(),
            (count, _) => format!("{count} sessions go when it starts next"),
        };
        let days = human::plural(usize::try_from(days).unwrap_or(usize::MAX), "day");
        Some(format!(
            "Claude Code deletes sessions {days} after they were last written: {which}; \
             `unspool archive FOLDER` keeps them"
        ))
    }
}

/// Displays as `session` or `12 sessions`.
struct Sessions(usize);

impl fmt::Display for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("session"),
            count => f.write_str(&human::plural(count, "session")),
        }
    }
}

fn day(at: Time, zone: &TimeZone) -> String {
    let instant = jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or_default();
    let local = instant.to_zoned(zone.clone());
    local.strftime("%A, %b %-d, %Y").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_say_how_long() {
        for (settings, days) in [
            (&b"{}"[..], 30),
            (b"", 30),
            (b"not json", 30),
            (br#"{"model":"opus","cleanupPeriodDays":90,"x":1}"#, 90),
            (br#"{"cleanupPeriodDays":0}"#, 30),
            (br#"{"cleanupPeriodDays":"many"}"#, 30),
            (br#"{"cleanupPeriodDays": 7, "torn": "#, 7),
        ] {
            assert_eq!(days_of(settings), days, "{}", String::from_utf8_lossy(settings));
        }
    }

    #[test]
    fn what_goes_next_is_said_with_its_day() {
        let at = |days: i64| Time::from_millis(days * DAY_MS);
        let say = |written: &[i64], now| {
            let written = written.iter().map(|&days| at(days));
            Retention::of(30, written, at(now)).words(&TimeZone::UTC)
        };
        assert_eq!(say(&[], 100), None);
        let said = say(&[80, 80, 85], 100).expect("words");
        assert!(said.contains("30 days after"), "{said}");
        // Day 110 of 1970.
        assert!(said.contains("the next 2 sessions go on Tuesday, Apr 21, 1970"), "{said}");
        assert!(said.contains("`unspool archive FOLDER` keeps them"), "{said}");
        let said = say(&[80], 100).expect("words");
        assert!(said.contains("the next session goes on"), "{said}");
        let said = say(&[1, 2, 80], 100).expect("words");
        assert!(said.contains("2 sessions go when it starts next"), "{said}");
    }
}
