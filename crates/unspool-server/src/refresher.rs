//! Updates the index before a list is shown, one update at a time.
//!
//! A request that arrives during an update is answered from the index as it is: the first build for
//! a large home takes seconds, and pages can be read meanwhile. The progress can be queried.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use unspool_engine::library::{Library, LibraryError, LibraryNote, Listener};
use unspool_store::progress::Progress;

/// Updates the index for requests.
pub(crate) struct IndexRefresher {
    library: Arc<Library>,
    work: Mutex<()>,
    progress: RefreshProgress,
}

/// The progress of an update, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BuildProgress {
    pub(crate) done: u64,
    pub(crate) total: u64,
}

/// Records the progress that the library reports.
#[derive(Default)]
struct RefreshProgress {
    is_reading: AtomicBool,
    done: Mutex<Option<Arc<AtomicU64>>>,
    total: AtomicU64,
}

impl IndexRefresher {
    /// Prepares to update the index of a library.
    pub(crate) fn new(library: Arc<Library>) -> Self {
        Self { library, work: Mutex::default(), progress: RefreshProgress::default() }
    }

    /// Updates the catalogue, unless another request is updating it.
    pub(crate) fn try_refresh(&self) -> Result<(), LibraryError> {
        let Ok(_work) = self.work.try_lock() else {
            return Ok(());
        };
        self.library.refresh(&self.progress).map(|_| ())
    }

    /// Updates the catalogue after waiting for any update in progress: the requested session may be
    /// newer than what that update has seen.
    pub(crate) fn refresh(&self) -> Result<(), LibraryError> {
        let _work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        self.library.refresh(&self.progress).map(|_| ())
    }

    /// Updates the catalogue and the full text, unless another request is updating them.
    pub(crate) fn try_refresh_text(&self) -> Result<(), LibraryError> {
        let Ok(_work) = self.work.try_lock() else {
            return Ok(());
        };
        self.library.refresh(&self.progress)?;
        self.library.refresh_text(&self.progress)
    }

    /// Returns the progress of an update while files are read.
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
