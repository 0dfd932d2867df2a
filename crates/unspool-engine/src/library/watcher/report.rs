//! How homes are watched, for surfaces to show.

use std::path::PathBuf;

use super::hints::PollingReason;

/// How changes of a home are noticed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WatchMode {
    /// The system tells of them.
    Events,
    /// Files are asked for their times, since the system does not tell of all changes.
    Polling {
        /// Why.
        reason: PollingReason,
    },
}

/// How one home is watched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HomeWatch {
    /// The root of the home.
    pub home: PathBuf,
    /// How its changes are noticed.
    pub mode: WatchMode,
}

/// How the homes of a library are watched.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct WatchReport {
    /// Whether they are watched at all. They are not while there is neither a subscription nor a
    /// session that is looked at.
    pub is_watching: bool,
    /// The homes, without those in archives, which are not watched.
    pub homes: Vec<HomeWatch>,
    /// How many folders have a watch.
    pub watches: usize,
    /// How many folders there was no room for. Changes there are found some seconds later.
    pub left_out: usize,
}
