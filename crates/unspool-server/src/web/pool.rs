//! Where synchronous work is done: a few threads, and a bounded number of requests that wait.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::problem::{ProblemKind, RequestProblem};

/// Requests that may wait for a thread. More would wait longer than a person does, by judgement.
const WAITING: usize = 256;

/// Runs synchronous work on a few threads.
#[derive(Clone, Debug)]
pub(crate) struct WorkPool {
    threads: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl WorkPool {
    /// Makes a pool that does this many pieces of work at once.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            threads: Arc::new(Semaphore::new(threads.max(1))),
            waiting: Arc::new(Semaphore::new(WAITING)),
        }
    }

    /// Does a piece of work.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, RequestProblem> {
        let busy = || RequestProblem::new(ProblemKind::Busy, "too many requests wait; try again");
        let place = self.waiting.clone().try_acquire_owned();
        let _place = place.map_err(|_| busy())?;
        self.run_patiently(work).await
    }

    /// Does a piece of work, however many wait: for streams, which wait anyway.
    pub(crate) async fn run_patiently<T: Send + 'static>(
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
        // The work panicked, or the server ends.
        let ended = |_| RequestProblem::new(ProblemKind::Unreadable, "the request failed");
        done.await.map_err(ended)
    }
}
