//! Hints of the operating system: something changed at a path.
//!
//! A [`HintSystem`] opens a [`HintSource`], which watches folders and puts hints into a
//! [`HintInbox`]. Hints are not trusted: a source may double or lose them, or refuse a folder.
//! [`SystemHints`](super::SystemHints) uses the operating system.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, TrySendError};

/// How many hints wait at most. If more arrive, everything is checked instead. Chosen by judgement:
/// a burst over some hundred files fits, and the memory is small.
const WAITING: usize = 1024;

/// A source of hints that can be opened.
pub trait HintSystem: Send + Sync {
    /// Begins to send hints. They end when the source is dropped.
    fn open(&self, inbox: HintInbox) -> Result<Box<dyn HintSource>, HintError>;
}

/// Watches folders without their subfolders.
pub trait HintSource: Send {
    /// Watches a folder.
    fn watch(&mut self, folder: &Path) -> Result<(), HintError>;

    /// Ends the watch of a folder. A folder without a watch is ignored.
    fn unwatch(&mut self, folder: &Path);
}

/// Why a folder is not watched.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HintError {
    /// The folder does not exist.
    #[error("the folder does not exist")]
    Missing,
    /// The system refuses to watch the folder.
    #[error(transparent)]
    Refused(#[from] PollingReason),
}

/// Why the times of files are polled.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PollingReason {
    /// The user's limit of watches is reached (`ENOSPC`).
    #[error("the system's limit of watched folders is reached")]
    TooManyWatches,
    /// The process has no file descriptor left, or the user's limit of watchers is reached (`EMFILE`).
    #[error("the system's limit of open files or watchers is reached")]
    TooManyFiles,
    /// The system does not support watching (`ENOSYS`).
    #[error("the system cannot watch folders")]
    Unsupported,
    /// A file in a watched folder changed without a hint, as happens on network drives.
    #[error("the file system does not tell of all changes")]
    MissedChange,
    /// Any other error of the system.
    #[error("{0}")]
    Other(String),
}

impl PollingReason {
    /// Reports whether every other folder would be refused too.
    pub(super) fn is_exhaustion(&self) -> bool {
        matches!(self, Self::TooManyWatches | Self::TooManyFiles | Self::Unsupported)
    }
}

/// Receives hints from a source. It never blocks, and its memory is bounded: if hints arrive faster
/// than they are handled, everything is checked.
#[derive(Clone)]
pub struct HintInbox {
    paths: Sender<PathBuf>,
    overflow: Arc<AtomicBool>,
}

impl HintInbox {
    /// Receives the hint that something changed at a path.
    pub fn changed(&self, path: PathBuf) {
        match self.paths.try_send(path) {
            Ok(()) | Err(TrySendError::Disconnected(_)) => {}
            Err(TrySendError::Full(_)) => self.overflow.store(true, Ordering::Release),
        }
    }

    /// Receives the hint that hints were lost.
    pub fn lost(&self) {
        self.overflow.store(true, Ordering::Release);
        // An empty path only wakes the receiver.
        let _ = self.paths.try_send(PathBuf::new());
    }
}

impl fmt::Debug for HintInbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HintInbox")
    }
}

/// The receiving end of a [`HintInbox`].
pub(super) struct WaitingHints {
    pub(super) paths: Receiver<PathBuf>,
    overflow: Arc<AtomicBool>,
}

impl WaitingHints {
    /// Returns both ends.
    pub(super) fn new() -> (HintInbox, Self) {
        let (sender, paths) = crossbeam_channel::bounded(WAITING);
        let overflow = Arc::new(AtomicBool::new(false));
        let inbox = HintInbox { paths: sender, overflow: Arc::clone(&overflow) };
        (inbox, Self { paths, overflow })
    }

    /// Reports whether hints were lost since the last call.
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
