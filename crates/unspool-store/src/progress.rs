//! How long pieces of work say how far they are.

use std::sync::atomic::AtomicU64;

/// Receives progress updates; what it does not take part in goes on without it.
pub trait Progress: Sync {
    /// Says how many bytes there are to be read; the counter says how many are done. Calls `work`
    /// once.
    fn watch(&self, _total: u64, work: &mut dyn FnMut(&AtomicU64)) {
        work(&AtomicU64::new(0));
    }

    /// Says that there is nothing to do but to wait for another process, which builds the index;
    /// `waiting` returns when it is done or there is no patience left.
    fn wait(&self, waiting: &mut dyn FnMut()) {
        waiting();
    }
}

/// Watches nothing.
pub struct Unwatched;

impl Progress for Unwatched {}
