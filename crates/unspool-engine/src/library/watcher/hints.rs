//! Hints of the operating system: that something changed at a path.
//!
//! A [`HintSystem`] opens a [`HintSource`], which is told the folders to watch and puts hints into
//! a [`HintInbox`]. Hints are believed in nothing: a source may double them, lose them, or refuse a
//! folder. [`SystemHints`](super::SystemHints) asks the system that this program runs on.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, TrySendError};

/// How many hints wait at most. When more come, everything is looked at instead. Chosen by
/// judgement: a burst over some hundred files fits, and the memory is small.
const WAITING: usize = 1024;

/// A system that gives hints.
pub trait HintSystem: Send + Sync {
    /// Begins to give hints. Everything about it ends when the source is dropped.
    fn open(&self, inbox: HintInbox) -> Result<Box<dyn HintSource>, HintError>;
}

/// Watches folders, each without the folders below it.
pub trait HintSource: Send {
    /// Watches a folder.
    fn watch(&mut self, folder: &Path) -> Result<(), HintError>;

    /// Ends to watch a folder. One that is not watched is passed over.
    fn unwatch(&mut self, folder: &Path);
}

/// Why a folder is not watched.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HintError {
    /// There is no such folder.
    #[error("the folder does not exist")]
    Missing,
    /// The system watches for hints in another way.
    #[error(transparent)]
    Refused(#[from] PollingReason),
}

/// Why files are asked for their times again and again.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PollingReason {
    /// The user's limit of watches is reached (`ENOSPC`).
    #[error("the system's limit of watched folders is reached")]
    TooManyWatches,
    /// The process has no descriptor left, or the user's limit of watchers is reached (`EMFILE`).
    #[error("the system's limit of open files or watchers is reached")]
    TooManyFiles,
    /// The system cannot watch (`ENOSYS`).
    #[error("the system cannot watch folders")]
    Unsupported,
    /// Something changed in a watched folder, and no hint said so, as on network drives.
    #[error("the file system does not tell of all changes")]
    MissedChange,
    /// The system said something else.
    #[error("{0}")]
    Other(String),
}

impl PollingReason {
    /// Tells whether every other folder would be refused too.
    pub(super) fn is_exhaustion(&self) -> bool {
        matches!(self, Self::TooManyWatches | Self::TooManyFiles | Self::Unsupported)
    }
}

/// Takes hints from a source. It never waits, and what it keeps is bounded: when hints come faster
/// than they are looked at, everything is looked at.
#[derive(Clone)]
pub struct HintInbox {
    paths: Sender<PathBuf>,
    overflow: Arc<AtomicBool>,
}

impl HintInbox {
    /// Takes the hint that something changed at a path.
    pub fn changed(&self, path: PathBuf) {
        match self.paths.try_send(path) {
            Ok(()) | Err(TrySendError::Disconnected(_)) => {}
            Err(TrySendError::Full(_)) => self.overflow.store(true, Ordering::Release),
        }
    }

    /// Takes the hint that hints were lost.
    pub fn lost(&self) {
        self.overflow.store(true, Ordering::Release);
        // An empty path wakes the receiver, and is not a place.
        let _ = self.paths.try_send(PathBuf::new());
    }
}

impl fmt::Debug for HintInbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HintInbox")
    }
}

/// The other end of a [`HintInbox`].
pub(super) struct WaitingHints {
    pub(super) paths: Receiver<PathBuf>,
    overflow: Arc<AtomicBool>,
}

impl WaitingHints {
    /// Makes both ends.
    pub(super) fn new() -> (HintInbox, Self) {
        let (sender, paths) = crossbeam_channel::bounded(WAITING);
        let overflow = Arc::new(AtomicBool::new(false));
        let inbox = HintInbox { paths: sender, overflow: Arc::clone(&overflow) };
        (inbox, Self { paths, overflow })
    }

    /// Tells whether hints were lost since it was last asked.
    pub(super) fn take_overflow(&self) -> bool {
        self.overflow.swap(false, Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_that_find_no_room_are_an_overflow() {
        let (inbox, waiting) = WaitingHints::new();
        for number in 0..WAITING {
            inbox.changed(PathBuf::from(number.to_string()));
        }
        assert!(!waiting.take_overflow());
        inbox.changed(PathBuf::from("one more"));
        assert!(waiting.take_overflow());
        assert!(!waiting.take_overflow());
        assert_eq!(waiting.paths.try_iter().count(), WAITING);
        inbox.lost();
        assert!(waiting.take_overflow());
        assert_eq!(waiting.paths.try_iter().count(), 1);
    }
}
