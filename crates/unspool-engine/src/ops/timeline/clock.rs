//! Moments, in whatever order a log tells them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use unspool_model::time::Time;

/// Returns the instant so many milliseconds before another.
pub(super) fn before(time: Time, millis: u64) -> Time {
    let millis = i64::try_from(millis).unwrap_or(i64::MAX);
    Time::from_millis(time.as_millis().saturating_sub(millis))
}

/// The moments at which something happened, in whatever order the log tells them.
#[derive(Default)]
pub(super) struct EventClock {
    /// Moments that are later than those asked for so far.
    later: BinaryHeap<Reverse<Time>>,
    /// The latest of the others.
    passed: Option<Time>,
    latest: Option<Time>,
}

impl EventClock {
    pub(super) fn note(&mut self, time: Option<Time>) {
        if let Some(time) = time {
            self.later.push(Reverse(time));
            self.latest = self.latest.max(Some(time));
        }
    }

    /// Returns the last moment that is not after an instant, unless a later instant was asked for
    /// before.
    pub(super) fn before(&mut self, time: Time) -> Option<Time> {
        while let Some(&Reverse(next)) = self.later.peek()
            && next <= time
        {
            unspool_work::add(1);
            self.later.pop();
            self.passed = self.passed.max(Some(next));
        }
        self.passed.filter(|&passed| passed <= time)
    }

    pub(super) fn latest(&self) -> Option<Time> {
        self.latest
    }
}
