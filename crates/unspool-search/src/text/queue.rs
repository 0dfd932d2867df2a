//! Room for texts that wait to be taken apart.
//!
//! The writer's own queue counts operations, whose texts may be short or long. This counts
//! bytes, and gives the memory of texts that were taken apart to those that come next.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long to wait for room. Chosen by judgement: so long that only a writer that has stopped
/// is given up on.
const PATIENCE: Duration = Duration::from_secs(30);

/// A number of bytes that may wait.
pub(crate) struct Queue {
    state: Mutex<QueueState>,
    freed: Condvar,
    /// A waiting thread goes on when so many are free, not for each text.
    enough: isize,
}

struct QueueState {
    /// How many bytes more may wait.
    left: isize,
    /// Memory to be used again.
    spare: Vec<String>,
}

/// Texts, one after the other, that wait or are being taken apart.
pub(crate) struct TextQueue {
    text: String,
    queue: Arc<Queue>,
}

impl TextQueue {
    /// Returns them all.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl Queue {
    /// Makes a queue for so many bytes.
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(QueueState { left: bytes as isize, spare: Vec::new() }),
            freed: Condvar::new(),
            enough: bytes as isize / 2,
        })
    }

    /// Returns memory for some texts.
    pub(crate) fn memory(&self) -> String {
        self.lock().spare.pop().unwrap_or_default()
    }

    /// Waits until there is room for texts, but not for ever: the thread that takes them may have
    /// died, which the next ones that are sent bring to light.
    pub(crate) fn admit(self: &Arc<Self>, text: String) -> TextQueue {
        let bytes = text.capacity() as isize;
        let mut state = self.lock();
        if state.left < bytes {
            let waited =
                self.freed.wait_timeout_while(state, PATIENCE, |state| state.left < self.enough);
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
