//! One writer at a time: a lock on the index folder that ends with its holder.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::files;

/// How long to sleep between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// The lock, held as long as this lives.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a folder, waiting for at most so long; none if somebody else
    /// holds it all the while.
    pub(crate) fn take(folder: &Path, patience: Duration) -> io::Result<Option<Self>> {
        let file = files::open_lock(&folder.join("lock"))?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { _file: file })),
                Err(TryLockError::WouldBlock) if begun.elapsed() < patience => {
                    thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}
