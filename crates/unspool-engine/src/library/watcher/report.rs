//! How homes are watched, for surfaces to show.

use std::path::PathBuf;

use super::hints::PollingReason;

/// How changes of a home are noticed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WatchMode {
    /// The system reports them.
    Events,
    /// The times of files are polled, because the system does not report all changes.
    Polling {
        /// The reason.
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
    /// Whether the homes are watched at all: only while there is a subscription or a viewed
    /// session.
    pub is_watching: bool,
    /// The homes, without archived ones, which are not watched.
    pub homes: Vec<HomeWatch>,
    /// The number of watched folders.
    pub watches: usize,
    /// The number of folders beyond the limit. Changes there are found some seconds later.
    pub left_out: usize,
}
