//! How homes are watched.

use std::time::Duration;

pub use super::schedule::WatchPace;

/// How homes are watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchSettings {
    /// How long to wait for what.
    pub pace: WatchPace,
    /// How many folders have a watch at most; the folders with the projects and the processes of
    /// each home have one in any case.
    pub watches: usize,
    /// Projects in which something was written since so long get a watch.
    pub young: Duration,
}

impl Default for WatchSettings {
    fn default() -> Self {
        Self { pace: WatchPace::default(), watches: 512, young: Duration::from_hours(7 * 24) }
    }
}
