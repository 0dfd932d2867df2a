//! How homes are watched.

use std::time::Duration;

pub use super::schedule::WatchPace;

/// How homes are watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchSettings {
    /// The intervals of checks.
    pub pace: WatchPace,
    /// The maximum number of watched folders; the folders of projects and of processes of each home
    /// are watched in any case.
    pub watches: usize,
    /// The age up to which projects are watched, counted from their last written file.
    pub young: Duration,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self { pace: WatchPace::default(), watches: 512, young: Duration::from_hours(7 * 24) }
    }
}
