//! Counts the steps of loops that a hostile log or text could stretch.
//!
//! Tests check a bound on work by counting, never by the clock, so the result is the same on every
//! machine. Loops report the steps that they take with [`add`]. Builds without debug assertions
//! count nothing and pay nothing.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

use std::cell::Cell;

thread_local! {
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// Adds steps that this thread has taken.
#[inline]
pub fn add(steps: usize) {
    if cfg!(debug_assertions) {
        DONE.set(DONE.get() + steps as u64);
    }
}

/// Asserts that four times the size takes at most five times the steps: linear work, with some room
/// for sorting.
///
/// `steps` returns the number of steps for a size.
///
/// # Panics
///
/// Panics if the work takes more steps, or if the build does not count steps.
#[track_caller]
pub fn assert_linear(what: &str, few: usize, steps: impl Fn(usize) -> u64) {
    let (little, much) = (steps(few), steps(4 * few));
    assert!(little > 0, "{what}: steps are counted");
    assert!(much <= 5 * little, "{what}: {little} steps for {few}, {much} for four times as many");
}

/// Returns how many steps `work` takes on this thread; 0 in builds that do not count.
pub fn count(work: impl FnOnce()) -> u64 {
    let before = DONE.get();
    work();
    DONE.get() - before
}
