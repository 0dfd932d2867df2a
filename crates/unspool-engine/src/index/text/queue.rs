//! Room for texts that wait to be taken apart.
//!
//! The writer's own queue counts documents, which may be short or long. This counts bytes.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long to wait for room.
const PATIENCE: Duration = Duration::from_secs(30);

/// A number of bytes that may wait.
pub(crate) struct Queue {
    left: Mutex<isize>,
    freed: Condvar,
}

/// A part of a queue's bytes, given back when dropped.
pub(crate) struct Room {
    queue: Arc<Queue>,
    bytes: usize,
}

impl Queue {
    /// Makes a queue for so many bytes.
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            left: Mutex::new(bytes as isize),
            freed: Condvar::new(),
        })
    }

    /// Waits until there is room, but not for ever: whoever takes documents may have died,
    /// which the next document that is added brings to light.
    pub(crate) fn room(self: &Arc<Self>, bytes: usize) -> Room {
        let left = self.lock();
        let (mut left, _) = self
            .freed
            .wait_timeout_while(left, PATIENCE, |left| *left < bytes as isize)
            .unwrap_or_else(PoisonError::into_inner);
        *left -= bytes as isize;
        Room {
            queue: self.clone(),
            bytes,
        }
    }

    fn lock(&self) -> MutexGuard<'_, isize> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        *self.queue.lock() += self.bytes as isize;
        self.queue.freed.notify_all();
    }
}
