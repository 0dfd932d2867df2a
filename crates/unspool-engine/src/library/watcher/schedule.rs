//! When to look, and where: hints gathered for a moment, and looks that come by themselves.
//!
//! It is told hints and the time, and says what is due. It knows no clock, no thread and no file:
//! times are counted from when the watch began.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How many places wait to be looked at, at most. With more of them everything is looked at, which
/// costs less than so many looks.
const PLACES: usize = 4096;

/// How long to wait for what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchPace {
    /// How long hints are gathered after the first one. A line is written in several steps, and
    /// several lines come together.
    pub gather: Duration,
    /// How long hints are gathered while they do not end. Each look that hints follow at once
    /// doubles the time, up to this one. A line is told within 50 ms, also while many come.
    pub gather_most: Duration,
    /// How often sessions that are looked at are asked for their times where hints do not come.
    pub poll: Duration,
    /// How often files that were written a short time ago are asked for their times.
    pub recent: Duration,
    /// How often everything is looked at.
    pub everything: Duration,
    /// How late a hint may come after what it tells was found without it.
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

/// Whether sessions that are looked at are asked for their times often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LookedPolling {
    /// They are.
    On,
    /// Hints come for all of them.
    Off,
}

/// What is to be looked at now.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct DueLooks {
    /// Places that hints named. A look at everything finds what changed there.
    pub(super) hinted: BTreeSet<PathBuf>,
    /// The sessions that are looked at.
    pub(super) looked: bool,
    /// What was written a short time ago.
    pub(super) recent: bool,
    /// Everything.
    pub(super) everything: bool,
}

/// Says what is due when.
pub(super) struct LookSchedule {
    pace: WatchPace,
    hinted: BTreeSet<PathBuf>,
    /// When the places that hints named are looked at.
    gathered_at: Option<Duration>,
    /// How long hints are gathered now.
    window: Duration,
    /// When hints last led to a look.
    looked_at: Option<Duration>,
    poll_at: Option<Duration>,
    recent_at: Duration,
    everything_at: Duration,
}

impl LookSchedule {
    /// Begins at a time at which everything was looked at.
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

    /// Takes a hint.
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

    /// Has everything looked at, since hints were lost.
    pub(super) fn lost_hints(&mut self, now: Duration) {
        self.everything_at = now;
    }

    /// Tells whether a place waits to be looked at.
    pub(super) fn is_hinted(&self, path: &Path) -> bool {
        self.hinted.contains(path)
    }

    /// Turns frequent looks at the sessions that are looked at on or off.
    pub(super) fn set_polling(&mut self, polling: LookedPolling, now: Duration) {
        self.poll_at = match polling {
            LookedPolling::On => Some(self.poll_at.unwrap_or(now + self.pace.poll)),
            LookedPolling::Off => None,
        };
    }

    /// Returns what is due, and takes it as done.
    pub(super) fn due(&mut self, now: Duration) -> DueLooks {
        let is_due = |at: Duration| at <= now;
        let mut due = DueLooks {
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
        // A larger look finds what a smaller one does.
        due.recent &= !due.everything;
        due.looked &= !due.recent && !due.everything;
        due
    }

    /// Returns when something is due next.
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

    fn schedule() -> LookSchedule {
        LookSchedule::new(WatchPace::default(), ms(0))
    }

    fn hinted(due: &DueLooks) -> usize {
        due.hinted.len()
    }

    #[test]
    fn hints_are_gathered_for_a_moment_after_the_first() {
        let mut schedule = schedule();
        schedule.hint("a".into(), ms(100));
        assert_eq!(schedule.next(), ms(110));
        schedule.hint("b".into(), ms(109));
        schedule.hint("a".into(), ms(109));
        assert_eq!(schedule.due(ms(109)), DueLooks::default());
        assert_eq!(hinted(&schedule.due(ms(110))), 2);
        assert_eq!(schedule.due(ms(111)), DueLooks::default());
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
        schedule.set_polling(LookedPolling::On, ms(0));
        schedule.set_polling(LookedPolling::On, ms(400));
        assert_eq!(schedule.next(), ms(500));
        assert!(schedule.due(ms(500)).looked);
        assert_eq!(schedule.next(), ms(1000));
        schedule.set_polling(LookedPolling::Off, ms(600));
        assert_eq!(schedule.next(), ms(2000));
    }

    #[test]
    fn lost_hints_lead_to_a_look_at_everything() {
        let mut schedule = schedule();
        schedule.hint("a".into(), ms(10));
        schedule.lost_hints(ms(11));
        let due = schedule.due(ms(11));
        assert!(due.everything && hinted(&due) == 1);
        assert_eq!(schedule.due(ms(40)), DueLooks::default());
        for number in 0..=PLACES {
            schedule.hint(number.to_string().into(), ms(50));
        }
        assert!(schedule.due(ms(50)).everything);
    }
}
