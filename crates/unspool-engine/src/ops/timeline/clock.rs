//! Moments of a log, which may be in any order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use unspool_model::time::Time;

/// Returns the instant that many milliseconds before a time.
pub(super) fn before(time: Time, millis: u64) -> Time {
    let millis = i64::try_from(millis).unwrap_or(i64::MAX);
    Time::from_millis(time.as_millis().saturating_sub(millis))
}

/// The moments of a log's events, added in any order.
#[derive(Default)]
pub(super) struct EventClock {
    /// Moments after all instants that were requested so far.
    later: BinaryHeap<Reverse<Time>>,
    /// The latest of the other moments.
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

    /// Returns the last moment at or before an instant. After a request for a later instant, the
    /// result may be `None` instead.
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
