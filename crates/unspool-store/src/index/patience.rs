//! How long a run waits for another process that writes the index, and what it says meanwhile.

use std::time::Duration;

use crate::files::lock::until;
use crate::progress::Progress;

/// How long to wait for another process that writes the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// Where there is something to answer from.
    pub usual: Duration,
    /// Where the other process is building the first index, so that there is nothing to answer
    /// from.
    pub first: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { usual: Duration::from_millis(300), first: Duration::from_mins(2) }
    }
}

/// Whether a run has something to answer from while another process writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answerable {
    /// It has.
    FromIndex,
    /// It has nothing before the other process is done.
    NotYet,
}

impl Patience {
    /// Tries something until it gives a value, as long as there is patience. A run with nothing
    /// to answer from tries for longer than a moment; that is told to `progress`.
    pub fn wait<T, E>(
        self,
        answerable: Answerable,
        progress: &dyn Progress,
        mut attempt: impl FnMut() -> Result<Option<T>, E>,
    ) -> Result<Option<T>, E> {
        let mut found = until(self.usual, &mut attempt)?;
        if found.is_some() || answerable == Answerable::FromIndex {
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
