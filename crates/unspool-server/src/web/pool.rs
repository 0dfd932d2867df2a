//! A pool for synchronous work: a few threads, and a bounded number of requests that wait.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::problem::{ProblemKind, RequestProblem};

/// The maximum number of requests that run or wait. With more, a request would wait longer than a
/// person does, by judgement.
const WAITING: usize = 256;

/// Runs synchronous work on a few threads.
#[derive(Clone, Debug)]
pub(crate) struct WorkPool {
    threads: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl WorkPool {
    /// Creates a pool that runs this many pieces of work at once.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            threads: Arc::new(Semaphore::new(threads.max(1))),
            waiting: Arc::new(Semaphore::new(WAITING)),
        }
    }

    /// Runs a piece of work, unless too many requests wait.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, RequestProblem> {
        let busy = || RequestProblem::new(ProblemKind::Busy, "too many requests wait; try again");
        let place = self.waiting.clone().try_acquire_owned();
        let _place = place.map_err(|_| busy())?;
        self.run_unbounded(work).await
    }

    /// Runs a piece of work, however many requests wait: for streams, which wait anyway.
    pub(crate) async fn run_unbounded<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, RequestProblem> {
        let busy = |_| RequestProblem::new(ProblemKind::Busy, "the server ends");
        let thread = self.threads.clone().acquire_owned().await;
        let thread = thread.map_err(busy)?;
        let done = tokio::task::spawn_blocking(move || {
            let _thread = thread;
            work()
        });
        // The work panicked, or the server stops.
        let ended = |_| RequestProblem::new(ProblemKind::Unreadable, "the request failed");
        done.await.map_err(ended)
    }
}
