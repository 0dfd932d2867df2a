//! How long a run waits for another process that writes the index.

use std::time::Duration;

use crate::files::lock::until;
use crate::progress::Progress;

/// How long to wait for another process that writes the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockTimeouts {
    /// The limit if the index can answer queries.
    pub usual: Duration,
    /// The limit while the other process builds the first index, which cannot answer queries yet.
    pub first: Duration,
}

impl Default for LockTimeouts {
    fn default() -> Self {
        Self { usual: Duration::from_millis(300), first: Duration::from_mins(2) }
    }
}

/// Whether the index can answer queries while another process writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CanAnswer {
    /// It can.
    FromIndex,
    /// It cannot before the other process is done.
    NotYet,
}

impl LockTimeouts {
    /// Calls `attempt` until it returns a value or the limit has passed. The longer wait, for a
    /// first index, is reported to `progress`.
    pub fn wait<T, E>(
        self,
        answerable: CanAnswer,
        progress: &dyn Progress,
        mut attempt: impl FnMut() -> Result<Option<T>, E>,
    ) -> Result<Option<T>, E> {
        let mut found = until(self.usual, &mut attempt)?;
        if found.is_some() || answerable == CanAnswer::FromIndex {
            return Ok(found);
        }
        let mut failed = None;
        progress.wait(&mut || match until(self.first, &mut attempt) {
            Ok(value) => found = value,
            Err(error) => failed = Some(error),
        });
        failed.map_or(Ok(found), Err)
    }
}
