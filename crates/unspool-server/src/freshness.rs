//! When the index is brought up to date: before a list is shown, once at a time.
//!
//! A request that finds another one at it answers from what is there: the first build of a large
//! home takes seconds, and pages are readable meanwhile. How far that is can be asked.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use unspool_engine::library::{Library, LibraryError, LibraryNote, Listener};
use unspool_store::progress::Progress;

/// Brings the index up to date.
pub(crate) struct IndexFreshness {
    library: Arc<Library>,
    work: Mutex<()>,
    progress: RefreshProgress,
}

/// How far bringing the index up to date is, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BuildProgress {
    pub(crate) done: u64,
    pub(crate) total: u64,
}

/// Listens to the library while it reads.
#[derive(Default)]
struct RefreshProgress {
    is_reading: AtomicBool,
    done: Mutex<Option<Arc<AtomicU64>>>,
    total: AtomicU64,
}

impl IndexFreshness {
    /// Prepares to keep the index of a library up to date.
    pub(crate) fn new(library: Arc<Library>) -> Self {
        Self { library, work: Mutex::default(), progress: RefreshProgress::default() }
    }

    /// Brings the catalogue up to date, unless another request is at it.
    pub(crate) fn freshen(&self) -> Result<(), LibraryError> {
        let Ok(_work) = self.work.try_lock() else {
            return Ok(());
        };
        self.library.refresh(&self.progress).map(|_| ())
    }

    /// Brings the catalogue up to date, and waits for another request that is at it: what is asked for
    /// may be newer than what that one found.
    pub(crate) fn freshen_surely(&self) -> Result<(), LibraryError> {
        let _work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        self.library.refresh(&self.progress).map(|_| ())
    }

    /// Brings the full text up to date too.
    pub(crate) fn freshen_text(&self) -> Result<(), LibraryError> {
        let Ok(_work) = self.work.try_lock() else {
            return Ok(());
        };
        self.library.refresh(&self.progress)?;
        self.library.refresh_text(&self.progress)
    }

    /// Returns how far reading is, while something is read.
    pub(crate) fn building(&self) -> Option<BuildProgress> {
        let progress = &self.progress;
        if !progress.is_reading.load(Ordering::Relaxed) {
            return None;
        }
        let done = progress.done.lock().ok()?;
        let done = done.as_ref()?.load(Ordering::Relaxed);
        let total = progress.total.load(Ordering::Relaxed);
        Some(BuildProgress { done: done.min(total), total })
    }
}

impl Progress for RefreshProgress {
    fn watch(&self, total: u64, work: &mut dyn FnMut(&AtomicU64)) {
        let counter = Arc::new(AtomicU64::new(0));
        if let Ok(mut done) = self.done.lock() {
            *done = Some(Arc::clone(&counter));
        }
        self.total.store(total, Ordering::Relaxed);
        self.is_reading.store(true, Ordering::Relaxed);
        work(&counter);
        self.is_reading.store(false, Ordering::Relaxed);
    }

    fn wait(&self, waiting: &mut dyn FnMut()) {
        waiting();
    }
}

impl Listener for RefreshProgress {
    fn note(&self, _: LibraryNote) {}
}
