//! The time, from a source that tests set.

use std::fmt;

use unspool_model::time::Time;

/// Returns the time. Deadlines are instants of this clock; a host reads it after every event.
pub trait DriveClock: fmt::Debug + Send + Sync {
    /// Returns the time.
    fn now(&self) -> Time;
}

/// The clock of the system.
#[derive(Clone, Copy, Default, Debug)]
pub struct SystemDriveClock;

impl DriveClock for SystemDriveClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where this crate looks at the clock"
    )]
    fn now(&self) -> Time {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Time::from_millis(since.map_or(0, |since| since.as_millis() as i64))
    }
}
