//! What a library has to say besides its answers, as data.

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

/// Something that the user should know besides the answer. `Display` gives the words.
#[derive(Debug)]
pub enum LibraryNote {
    /// Homes that were named do not exist.
    MissingHomes(MissingHomes),
    /// A file or folder of a home that could not be used.
    Problem(Problem),
    /// A file that could not be read.
    Unreadable(SessionFileError),
    /// Something about the index.
    Index(IndexNote),
    /// Something about the marks of what was seen.
    Seen(SeenNote),
    /// The full text was damaged or of another version, and was rebuilt.
    TextRebuilt,
    /// The full text may lack what is newest: another process is writing into it.
    TextBusy,
    /// The full text may lack what is newest: its folder cannot be written.
    TextReadOnly,
    /// The full text could not be brought up to date, for this reason.
    TextFailed(String),
    /// A part of the logs cannot be searched yet.
    TextPartial(Coverage),
    /// A part of a query that may not mean what was meant.
    QueryHint(Hint),
    /// The folder that the user is in has no sessions, so those of all projects are counted.
    CountingAllProjects,
    /// An entry was found in this many other sessions too; the one that was written last is opened.
    EntryInOthers(usize),
}

/// How much a note matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NoteLevel {
    /// It may help.
    Note,
    /// Something is odd.
    Warning,
    /// Something that was asked for is missing.
    Error,
}

impl LibraryNote {
    /// Returns how much it matters.
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

    /// Returns the file or folder that it is about.
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

/// Is told how a request goes: how far long work is, and what the user should know. It is told
/// while the library works, so it must not ask the library itself.
pub trait Listener: Progress {
    /// Takes a note.
    fn note(&self, note: LibraryNote);
}

impl Listener for Unwatched {
    fn note(&self, _: LibraryNote) {}
}

/// Keeps the notes of a request, for a surface that shows them with the answer.
#[derive(Default, Debug)]
pub struct CollectedNotes(Mutex<Vec<LibraryNote>>);

impl CollectedNotes {
    /// Returns the notes, and forgets them.
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

/// Tells what the user should know of the full text.
pub(super) fn tell_report(report: TextReport, listener: &dyn Listener) {
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
