//! Marks of what the user has seen, stored in the data folder.
//!
//! Without a data folder, as in the demo, marks last as long as the library. The same applies if
//! the folder cannot be used, with a note.

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

    /// Marks the inbox as seen at the current time, which is returned. Sessions that ended before
    /// are not new.
    pub fn mark_inbox_seen(&self, listener: &dyn Listener) -> Result<Time, LibraryError> {
        let now = self.settings.clock.time();
        self.with_marks(listener, |marks| {
            marks.see_inbox(now)?;
            Ok(now)
        })
    }

    /// Returns up to where a session was read, if it was: later messages are new.
    pub fn last_read(
        &self,
        session: &SessionId,
        listener: &dyn Listener,
    ) -> Result<Option<ReadMark>, LibraryError> {
        self.with_marks(listener, |marks| Ok(marks.last_read(session)?))
    }

    /// Marks a session as read up to an entry at the current time; `ordinal` is the number of its message.
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

    /// Queries the marks, which are opened if no request has needed them before.
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
            (Some(_), Err(error)) => SeenMarks::in_memory_because(error.to_string())?,
        };
        Ok(Arc::clone(kept.insert(Arc::new(marks))))
    }
}
