//! One writer at a time: a lock on a folder that ends with the process that has it.

#![expect(clippy::disallowed_methods, reason = "waiting for another process has an end")]

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long to sleep between two tries. Chosen by judgement: shorter than a person notices.
const PAUSE: Duration = Duration::from_millis(20);

/// The lock, held as long as this lives.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a folder, waiting for at most so long; none if another process has it
    /// all the while.
    pub(crate) fn take(folder: &Path, limit: Duration) -> io::Result<Option<Self>> {
        until(limit, &mut || Self::try_take(folder))
    }

    /// Takes the lock of a folder; none if another process has it.
    pub(crate) fn try_take(folder: &Path) -> io::Result<Option<Self>> {
        let file = super::open_lock(&folder.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Tries something, once at least, until it gives a value or some time has passed.
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
