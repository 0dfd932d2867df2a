//! What a person has seen, kept in the folder for state.
//!
//! Without such a folder, as in the demo, marks live as long as the library. So they do where the
//! folder cannot be used, and a note says so.

use std::sync::Arc;

use unspool_model::ids::{EntryId, SessionId};
use unspool_model::time::Time;

use super::error::LibraryError;
use super::note::{LibraryNote, Listener};
use super::{Library, locked};
use unspool_store::seen::{ReadMark, SeenMarks};

impl Library {
    /// Returns when the inbox was last marked as seen.
    pub fn inbox_seen(&self, listener: &dyn Listener) -> Result<Option<Time>, LibraryError> {
        self.with_marks(listener, |marks| Ok(marks.inbox_seen()?))
    }

    /// Marks the inbox as seen now, and returns the time. What has ended until then is not new any
    /// more.
    pub fn mark_inbox_seen(&self, listener: &dyn Listener) -> Result<Time, LibraryError> {
        let now = self.settings.clock.time();
        self.with_marks(listener, |marks| {
            marks.see_inbox(now)?;
            Ok(now)
        })
    }

    /// Returns how far a session was read, if it was: what comes after is new.
    pub fn last_read(
        &self,
        session: &SessionId,
        listener: &dyn Listener,
    ) -> Result<Option<ReadMark>, LibraryError> {
        self.with_marks(listener, |marks| Ok(marks.last_read(session)?))
    }

    /// Marks that a session was read up to an entry, now; `ordinal` is the number of its message.
    pub fn mark_read(
        &self,
        session: &SessionId,
        entry: &EntryId,
        ordinal: u64,
        listener: &dyn Listener,
    ) -> Result<(), LibraryError> {
        let mark = ReadMark { entry: entry.clone(), ordinal, at: self.settings.clock.time() };
        self.with_marks(listener, |marks| Ok(marks.mark_read(session, &mark)?))
    }

    /// Asks the marks, which are opened if no request has needed them before.
    pub(super) fn with_marks<T>(
        &self,
        listener: &dyn Listener,
        ask: impl FnOnce(&SeenMarks) -> Result<T, LibraryError>,
    ) -> Result<T, LibraryError> {
        let marks = self.marks()?;
        let answer = ask(&marks);
        for note in marks.take_notes() {
            listener.note(LibraryNote::Seen(note));
        }
        answer
    }

    fn marks(&self) -> Result<Arc<SeenMarks>, LibraryError> {
        let mut kept = locked(&self.seen);
        if let Some(marks) = &*kept {
            return Ok(Arc::clone(marks));
        }
        let marks = match (&self.settings.data, self.data_folder()) {
            (None, _) => SeenMarks::in_memory()?,
            (Some(_), Ok(folder)) => SeenMarks::open(folder)?,
            (Some(_), Err(error)) => SeenMarks::in_memory_since(error.to_string())?,
        };
        Ok(Arc::clone(kept.insert(Arc::new(marks))))
    }
}
