//! Counts the bytes that rules look at.
//!
//! Tests compare the count with the length of a text: no text may cost more than its length
//! allows, on any machine. Outside of tests nothing is counted.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static SPENT: Cell<u64> = const { Cell::new(0) };
}

/// Counts bytes that were looked at.
#[cfg(test)]
pub(super) fn spend(bytes: usize) {
    SPENT.with(|spent| spent.set(spent.get() + bytes as u64));
}

/// Counts nothing.
#[cfg(not(test))]
#[inline]
pub(super) fn spend(_: usize) {}

/// Returns how many bytes some work looks at.
#[cfg(test)]
pub(super) fn of(work: impl FnOnce()) -> u64 {
    SPENT.with(|spent| spent.set(0));
    work();
    SPENT.with(Cell::get)
}
