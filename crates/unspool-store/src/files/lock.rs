//! One writer at a time: a lock on a folder, released at the latest when its process ends.

#![expect(clippy::disallowed_methods, reason = "waiting for another process has an end")]

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long to sleep between two attempts. Chosen by judgement: shorter than a person notices.
const PAUSE: Duration = Duration::from_millis(20);

/// The lock, held as long as this value lives.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Locks a folder, waiting at most `limit`; `None` if another process keeps the lock.
    pub(crate) fn take(folder: &Path, limit: Duration) -> io::Result<Option<Self>> {
        until(limit, &mut || Self::try_take(folder))
    }

    /// Locks a folder; `None` if another process has the lock.
    pub(crate) fn try_take(folder: &Path) -> io::Result<Option<Self>> {
        let file = super::open_lock(&folder.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Calls `attempt` at least once, until it returns a value or the limit has passed.
pub(crate) fn until<T, E>(
    limit: Duration,
    attempt: &mut impl FnMut() -> Result<Option<T>, E>,
) -> Result<Option<T>, E> {
    let begun = Instant::now();
    loop {
        let found = attempt()?;
        if found.is_some() || begun.elapsed() >= limit {
            return Ok(found);
        }
        thread::sleep(PAUSE);
    }
}
