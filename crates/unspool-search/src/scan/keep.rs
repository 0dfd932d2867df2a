//! The first hits of a scan, added in any order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::hit::SearchHit;

/// Keeps the first hits in the order of their pieces of work, and counts the others.
///
/// Never contains more hits than the limit.
pub(super) struct FirstHits {
    limit: usize,
    /// The number from which pieces of work cannot contain any of the first hits.
    cutoff: AtomicUsize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    hits: BTreeMap<usize, Vec<SearchHit>>,
    count: usize,
    further: u64,
}

impl FirstHits {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            cutoff: AtomicUsize::new(if limit == 0 { 0 } else { usize::MAX }),
            kept: Mutex::default(),
        }
    }

    /// Returns how many hits of a piece of work may be among the first.
    pub(super) fn room(&self, work: usize) -> usize {
        if work < self.cutoff.load(Ordering::Relaxed) { self.limit } else { 0 }
    }

    /// Returns how many hits after the first ones were counted so far.
    pub(super) fn further(&self) -> u64 {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).further
    }

    /// Adds the first hits of a piece of work, and the number of its other hits.
    pub(super) fn add(&self, work: usize, hits: Vec<SearchHit>, further: u64) {
        if hits.is_empty() && further == 0 {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.further += further;
        kept.count += hits.len();
        if !hits.is_empty() {
            kept.hits.insert(work, hits);
        }
        while kept.count > self.limit {
            let over = kept.count - self.limit;
            let Some(mut last) = kept.hits.last_entry() else {
                break;
            };
            let hits = last.get_mut();
            let gone = over.min(hits.len());
            hits.truncate(hits.len() - gone);
            if hits.is_empty() {
                last.remove();
            }
            kept.count -= gone;
            kept.further += gone as u64;
        }
        if kept.count == self.limit
            && let Some((&last, _)) = kept.hits.last_key_value()
        {
            // All hits that are kept come before the work after `last`.
            self.cutoff.fetch_min(last + 1, Ordering::Relaxed);
        }
    }

    /// Returns the first hits, and how many there are after them.
    pub(super) fn finish(self) -> (Vec<SearchHit>, u64) {
        let kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        (kept.hits.into_values().flatten().collect(), kept.further)
    }
}
