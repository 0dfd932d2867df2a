//! When to check, and where: hints collected for a moment, and periodic checks.
//!
//! A schedule receives hints and the time, and returns the checks that are due. It has no clock, no
//! thread and no files: times count from the beginning of the watch.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The maximum number of places that wait for a check. Beyond it everything is checked, which costs
/// less than that many checks.
const PLACES: usize = 4096;

/// The intervals of a watch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchPace {
    /// How long hints are collected after the first one. A line is written in several steps, and
    /// several lines come together.
    pub gather: Duration,
    /// The maximum time for which hints are collected while they keep arriving. Each check that is followed
    /// by more hints doubles the time, up to this one. A line is reported within 50 ms, even in a burst.
    pub gather_most: Duration,
    /// How often viewed sessions are polled where hints do not arrive.
    pub poll: Duration,
    /// How often recently written files are polled.
    pub recent: Duration,
    /// How often everything is checked.
    pub everything: Duration,
    /// How late a hint may arrive after its change was found without it.
    pub late: Duration,
}

impl Default for WatchPace {
    fn default() -> Self {
        Self {
            gather: Duration::from_millis(10),
            gather_most: Duration::from_millis(30),
            poll: Duration::from_millis(500),
            recent: Duration::from_secs(2),
            everything: Duration::from_secs(30),
            late: Duration::from_secs(1),
        }
    }
}

/// Whether viewed sessions are polled often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ViewedPolling {
    /// Hints do not arrive for all of them.
    On,
    /// Hints arrive for all of them.
    Off,
}

/// The checks that are due.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct DueChecks {
    /// Places that hints named. A check of everything covers them.
    pub(super) hinted: BTreeSet<PathBuf>,
    /// The viewed sessions.
    pub(super) looked: bool,
    /// Recently written files.
    pub(super) recent: bool,
    /// Everything.
    pub(super) everything: bool,
}

/// Decides which checks are due.
pub(super) struct CheckSchedule {
    pace: WatchPace,
    hinted: BTreeSet<PathBuf>,
    /// When the places that hints named are checked.
    gathered_at: Option<Duration>,
    /// How long hints are being collected.
    window: Duration,
    /// When hints last led to a check.
    looked_at: Option<Duration>,
    poll_at: Option<Duration>,
    recent_at: Duration,
    everything_at: Duration,
}

impl CheckSchedule {
    /// Returns a schedule that begins after a full check.
    pub(super) fn new(pace: WatchPace, now: Duration) -> Self {
        Self {
            pace,
            hinted: BTreeSet::new(),
            gathered_at: None,
            window: pace.gather,
            looked_at: None,
            poll_at: None,
            recent_at: now + pace.recent,
            everything_at: now + pace.everything,
        }
    }

    /// Receives a hint.
    pub(super) fn hint(&mut self, path: PathBuf, now: Duration) {
        if self.hinted.len() >= PLACES {
            self.everything_at = now;
            return;
        }
        self.hinted.insert(path);
        if self.gathered_at.is_none() {
            let follows =
                self.looked_at.is_some_and(|looked| now.saturating_sub(looked) <= self.window);
            self.window = if follows {
                (self.window * 2).min(self.pace.gather_most)
            } else {
                self.pace.gather
            };
            self.gathered_at = Some(now + self.window);
        }
    }

    /// Schedules a full check, because hints were lost.
    pub(super) fn lost_hints(&mut self, now: Duration) {
        self.everything_at = now;
    }

    /// Reports whether a place waits for a check.
    pub(super) fn is_hinted(&self, path: &Path) -> bool {
        self.hinted.contains(path)
    }

    /// Turns the polling of viewed sessions on or off.
    pub(super) fn set_polling(&mut self, polling: ViewedPolling, now: Duration) {
        self.poll_at = match polling {
            ViewedPolling::On => Some(self.poll_at.unwrap_or(now + self.pace.poll)),
            ViewedPolling::Off => None,
        };
    }

    /// Returns the checks that are due, and schedules the next ones.
    pub(super) fn due(&mut self, now: Duration) -> DueChecks {
        let is_due = |at: Duration| at <= now;
        let mut due = DueChecks {
            everything: is_due(self.everything_at),
            recent: is_due(self.recent_at),
            looked: self.poll_at.is_some_and(is_due),
            hinted: BTreeSet::new(),
        };
        if due.everything || self.gathered_at.is_some_and(is_due) {
            due.hinted = std::mem::take(&mut self.hinted);
            self.gathered_at = None;
            self.looked_at = Some(now);
        }
        if due.everything {
            self.everything_at = now + self.pace.everything;
            due.recent = true;
        }
        if due.recent {
            self.recent_at = now + self.pace.recent;
        }
        if due.recent || due.looked {
            self.poll_at = self.poll_at.map(|_| now + self.pace.poll);
        }
        // A larger check covers a smaller one.
        due.recent &= !due.everything;
        due.looked &= !due.recent && !due.everything;
        due
    }

    /// Returns the time of the next check.
    pub(super) fn next(&self) -> Duration {
        let times = [self.gathered_at, self.poll_at];
        let times = times.into_iter().flatten();
        times.fold(self.recent_at.min(self.everything_at), Duration::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn schedule() -> CheckSchedule {
        CheckSchedule::new(WatchPace::default(), ms(0))
    }

    fn hinted(due: &DueChecks) -> usize {
        due.hinted.len()
    }

    #[test]
    fn hints_are_gathered_for_a_moment_after_the_first() {
        let mut schedule = schedule();
        schedule.hint("a".into(), ms(100));
        assert_eq!(schedule.next(), ms(110));
        schedule.hint("b".into(), ms(109));
        schedule.hint("a".into(), ms(109));
        assert_eq!(schedule.due(ms(109)), DueChecks::default());
        assert_eq!(hinted(&schedule.due(ms(110))), 2);
        assert_eq!(schedule.due(ms(111)), DueChecks::default());
    }

    #[test]
    fn hints_that_do_not_end_are_gathered_for_longer_and_with_a_limit() {
        let mut schedule = schedule();
        let mut now = ms(0);
        let mut waits = Vec::new();
        for _ in 0..6 {
            schedule.hint("a".into(), now);
            let next = schedule.next();
            waits.push(next.as_millis() - now.as_millis());
            assert_eq!(hinted(&schedule.due(next)), 1);
            now = next + ms(1);
        }
        assert_eq!(waits, [10, 20, 30, 30, 30, 30]);
        now += ms(101);
        schedule.hint("a".into(), now);
        assert_eq!(schedule.next(), now + ms(10));
    }

    #[test]
    fn looks_come_by_themselves() {
        let mut schedule = schedule();
        assert_eq!(schedule.next(), ms(2000));
        let due = schedule.due(ms(2000));
        assert!(due.recent && !due.everything && !due.looked);
        assert_eq!(schedule.next(), ms(4000));
        let due = schedule.due(ms(30_000));
        assert!(due.everything && !due.recent, "{due:?}");
        assert_eq!(schedule.next(), ms(32_000));
    }

    #[test]
    fn sessions_are_polled_where_hints_do_not_come() {
        let mut schedule = schedule();
        schedule.set_polling(ViewedPolling::On, ms(0));
        schedule.set_polling(ViewedPolling::On, ms(400));
        assert_eq!(schedule.next(), ms(500));
        assert!(schedule.due(ms(500)).looked);
        assert_eq!(schedule.next(), ms(1000));
        schedule.set_polling(ViewedPolling::Off, ms(600));
        assert_eq!(schedule.next(), ms(2000));
    }

    #[test]
    fn lost_hints_lead_to_a_look_at_everything() {
        let mut schedule = schedule();
        schedule.hint("a".into(), ms(10));
        schedule.lost_hints(ms(11));
        let due = schedule.due(ms(11));
        assert!(due.everything && hinted(&due) == 1);
        assert_eq!(schedule.due(ms(40)), DueChecks::default());
        for number in 0..=PLACES {
            schedule.hint(number.to_string().into(), ms(50));
        }
        assert!(schedule.due(ms(50)).everything);
    }
}
