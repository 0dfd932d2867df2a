//! Notes of a library in addition to its answers, as data.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use unspool_model::query::Hint;

use super::error::MissingHomes;
use unspool_search::text::{Coverage, Freshness, TextReport};
use unspool_store::home::Problem;
use unspool_store::index::IndexNote;
use unspool_store::progress::{Progress, Unwatched};
use unspool_store::seen::SeenNote;
use unspool_store::session::SessionFileError;

/// A message for the user in addition to the answer. `Display` gives the text.
#[derive(Debug)]
pub enum LibraryNote {
    /// Named homes do not exist.
    MissingHomes(MissingHomes),
    /// A file or folder of a home that could not be used.
    Problem(Problem),
    /// A file that could not be read.
    Unreadable(SessionFileError),
    /// A note of the index.
    Index(IndexNote),
    /// A note of the seen marks.
    Seen(SeenNote),
    /// The full text was damaged or of another version, and was rebuilt.
    TextRebuilt,
    /// The full text may lack the newest entries: another process is writing it.
    TextBusy,
    /// The full text may lack the newest entries: its folder is not writable.
    TextReadOnly,
    /// The full text could not be updated, for this reason.
    TextFailed(String),
    /// A part of the logs cannot be searched yet.
    TextPartial(Coverage),
    /// A part of a query that may not mean what the user meant.
    QueryHint(Hint),
    /// The current folder has no sessions, so `@` counts the sessions of all projects.
    CountingAllProjects,
    /// An entry was found in this many other sessions too; the one that was written last is opened.
    EntryInOthers(usize),
}

/// The severity of a note.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NoteLevel {
    /// Information that may help.
    Note,
    /// Something is unusual.
    Warning,
    /// A requested thing is missing.
    Error,
}

impl LibraryNote {
    /// Returns the severity of this note.
    pub fn level(&self) -> NoteLevel {
        match self {
            Self::MissingHomes(_) => NoteLevel::Error,
            Self::Problem(_) | Self::Unreadable(_) | Self::TextFailed(_) => NoteLevel::Warning,
            Self::Index(_)
            | Self::Seen(_)
            | Self::TextRebuilt
            | Self::TextBusy
            | Self::TextReadOnly
            | Self::TextPartial(_)
            | Self::QueryHint(_)
            | Self::CountingAllProjects
            | Self::EntryInOthers(_) => NoteLevel::Note,
        }
    }

    /// Returns the file or folder that this note is about.
    pub fn path(&self) -> Option<&PathBuf> {
        match self {
            Self::Problem(problem) => Some(&problem.path),
            Self::Unreadable(file_error) => Some(&file_error.path),
            _ => None,
        }
    }
}

impl fmt::Display for LibraryNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingHomes(missing) => missing.fmt(f),
            Self::Problem(problem) => problem.fmt(f),
            Self::Unreadable(file_error) => file_error.fmt(f),
            Self::Index(note) => note.fmt(f),
            Self::Seen(note) => note.fmt(f),
            Self::TextRebuilt => {
                f.write_str("the search index was damaged or outdated and has been rebuilt")
            }
            Self::TextBusy => f.write_str(
                "another process is updating the full text; this answer may lack what is newest",
            ),
            Self::TextReadOnly => f.write_str(
                "the folder of the full text cannot be written; this answer may lack what is newest",
            ),
            Self::TextFailed(reason) => {
                write!(f, "the full text could not be brought up to date: {reason}")
            }
            Self::TextPartial(coverage) => {
                let part = coverage.covered * 100 / coverage.total.max(1);
                write!(f, "{part} % of the logs can be searched so far")
            }
            Self::QueryHint(hint) => hint.fmt(f),
            Self::CountingAllProjects => f.write_str(
                "this folder has no sessions of its own; counting those of all projects",
            ),
            Self::EntryInOthers(1) => {
                f.write_str("1 other session has this entry too; this is the one written last")
            }
            Self::EntryInOthers(others) => write!(
                f,
                "{others} other sessions have this entry too; this is the one written last"
            ),
        }
    }
}

/// Receives the progress and the notes of a request while the library works, so it must not call
/// the library itself.
pub trait Listener: Progress {
    /// Receives a note.
    fn note(&self, note: LibraryNote);
}

impl Listener for Unwatched {
    fn note(&self, _: LibraryNote) {}
}

/// Collects the notes of a request, for a surface that shows them with the answer.
#[derive(Default, Debug)]
pub struct CollectedNotes(Mutex<Vec<LibraryNote>>);

impl CollectedNotes {
    /// Removes and returns the notes.
    pub fn take(&self) -> Vec<LibraryNote> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Progress for CollectedNotes {}

impl Listener for CollectedNotes {
    fn note(&self, note: LibraryNote) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(note);
    }
}

/// Reports the notes about an update of the full text.
pub(super) fn report_text_update(report: TextReport, listener: &dyn Listener) {
    for file_error in report.file_errors {
        listener.note(LibraryNote::Unreadable(file_error));
    }
    if report.rebuilt {
        listener.note(LibraryNote::TextRebuilt);
    }
    match report.freshness {
        Freshness::Fresh | Freshness::Partial => {}
        Freshness::Busy => listener.note(LibraryNote::TextBusy),
        Freshness::ReadOnly => listener.note(LibraryNote::TextReadOnly),
        Freshness::Failed(reason) => listener.note(LibraryNote::TextFailed(reason)),
    }
    if !report.coverage.is_whole() {
        listener.note(LibraryNote::TextPartial(report.coverage));
    }
}
