//! A bound on the memory of texts that wait for the writer.
//!
//! The writer's own queue counts operations, whose texts may be short or long. This one counts
//! bytes, and reuses the buffers of texts that were indexed.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long to wait for room. Chosen by judgement: long enough that only a stopped writer
/// exceeds it.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A budget of bytes for waiting texts.
pub(crate) struct Queue {
    state: Mutex<QueueState>,
    freed: Condvar,
    /// How many bytes must be free before a waiting thread continues, so that it does not wake for
    /// each text.
    enough: isize,
}

struct QueueState {
    /// How many bytes are free; negative if a text was admitted after a timeout.
    left: isize,
    /// Buffers for reuse.
    spare: Vec<String>,
}

/// The concatenated texts of documents that are sent to the writer together.
pub(crate) struct TextQueue {
    text: String,
    queue: Arc<Queue>,
}

impl TextQueue {
    /// Returns all texts.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl Queue {
    /// Makes a queue with a budget of `bytes`.
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(QueueState { left: bytes as isize, spare: Vec::new() }),
            freed: Condvar::new(),
            enough: bytes as isize / 2,
        })
    }

    /// Returns an empty buffer, a used one if possible.
    pub(crate) fn memory(&self) -> String {
        self.lock().spare.pop().unwrap_or_default()
    }

    /// Waits until there is room for the texts, but not for ever: the writer's thread may have
    /// died, and the next send returns its error.
    pub(crate) fn admit(self: &Arc<Self>, text: String) -> TextQueue {
        let bytes = text.capacity() as isize;
        let mut state = self.lock();
        if state.left < bytes {
            let waited =
                self.freed.wait_timeout_while(state, TIMEOUT, |state| state.left < self.enough);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.left -= bytes;
        TextQueue { text, queue: self.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TextQueue {
    fn drop(&mut self) {
        let queue = &self.queue;
        let mut text = std::mem::take(&mut self.text);
        let bytes = text.capacity() as isize;
        text.clear();
        let mut state = queue.lock();
        let before = state.left;
        state.left += bytes;
        state.spare.push(text);
        if before < queue.enough && state.left >= queue.enough {
            queue.freed.notify_all();
        }
    }
}
