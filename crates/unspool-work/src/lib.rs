//! Counts the steps of loops that a hostile log or text could stretch.
//!
//! A bound on work is tested by counting, never by the clock: a test takes the count before and
//! after, and the answer is the same on every machine. Loops report what they looked at with
//! [`add`]. Builds without debug assertions count nothing, and pay nothing.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

use std::cell::Cell;

thread_local! {
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// Takes note of steps that were done on this thread.
#[inline]
pub fn add(steps: usize) {
    if cfg!(debug_assertions) {
        DONE.set(DONE.get() + steps as u64);
    }
}

/// Returns how many steps `work` took on this thread; 0 in builds that do not count.
pub fn count(work: impl FnOnce()) -> u64 {
    let before = DONE.get();
    work();
    DONE.get() - before
}
