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
    /// Whoever waits goes on when so many are free: not for each document.
    enough: isize,
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
            enough: bytes as isize / 2,
        })
    }

    /// Waits until there is room, but not for ever: whoever takes documents may have died,
    /// which the next document that is added brings to light.
    pub(crate) fn room(self: &Arc<Self>, bytes: usize) -> Room {
        let mut left = self.lock();
        if *left < bytes as isize {
            let waited = self
                .freed
                .wait_timeout_while(left, PATIENCE, |left| *left < self.enough);
            (left, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
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
        let mut left = self.queue.lock();
        let before = *left;
        *left += self.bytes as isize;
        let enough = self.queue.enough;
        if before < enough && *left >= enough {
            self.queue.freed.notify_all();
        }
    }
}
