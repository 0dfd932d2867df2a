//! Progress reports of long operations.

use std::sync::atomic::AtomicU64;

/// Receives progress updates. The default methods do the work and show nothing.
pub trait Progress: Sync {
    /// Calls `work` once. The work reads `_total` bytes and adds those that are done to the
    /// counter.
    fn watch(&self, _total: u64, work: &mut dyn FnMut(&AtomicU64)) {
        work(&AtomicU64::new(0));
    }

    /// Calls `waiting`, which blocks until another process has built the index or the wait times
    /// out.
    fn wait(&self, waiting: &mut dyn FnMut()) {
        waiting();
    }
}

/// Shows no progress.
pub struct Unwatched;

impl Progress for Unwatched {}
