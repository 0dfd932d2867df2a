//! Errors of requests.

use std::io;
use std::path::PathBuf;

use unspool_model::query::QueryError;

use crate::ops::locate::EntryError;
use crate::ops::transcript::RequestError;
use unspool_search::scan::ScanPatternError;
use unspool_search::text::TextError;
use unspool_store::home::NameError;
use unspool_store::index::CatalogueError;
use unspool_store::seen::SeenError;
use unspool_store::session::SessionFileError;

/// An error of a request to a library.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The settings name no home, and no default home is known.
    #[error("no home folder is known")]
    NoHomes,
    /// A name matches nothing, or several things.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A name matches nothing, and some of the homes to search do not exist.
    #[error("{missing}")]
    NameAndHomes {
        /// The homes that do not exist.
        missing: MissingHomes,
        /// The error about the name.
        #[source]
        name: NameError,
    },
    /// A request about one project failed.
    #[error("in projects named `{project}`")]
    InProjects {
        /// The project as the request names it.
        project: String,
        /// The error of the request.
        #[source]
        error: Box<Self>,
    },
    /// The name of an entry matches nothing, or several entries.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The layout that was requested does not exist for this session.
    #[error(transparent)]
    Layout(#[from] RequestError),
    /// A query has a syntax error.
    #[error("{error}")]
    Query {
        /// The query as it was typed.
        text: String,
        /// The syntax error.
        error: QueryError,
    },
    /// A search has no words to search for.
    #[error("there is nothing to look for")]
    EmptyQuery,
    /// The cursor of a page is invalid.
    #[error(transparent)]
    Cursor(#[from] NotACursor),
    /// A scan pattern is invalid.
    #[error(transparent)]
    Pattern(#[from] ScanPatternError),
    /// A named log cannot go into an archive.
    #[error("{name} {reason}")]
    NotArchivable {
        /// The name of the log.
        name: String,
        /// The reason.
        reason: NotArchivable,
    },
    /// A log cannot be read.
    #[error(transparent)]
    Unreadable(#[from] SessionFileError),
    /// The data folder cannot be used.
    #[error(transparent)]
    Data(#[from] DataFolderError),
    /// The seen marks cannot be read or written.
    #[error(transparent)]
    Seen(#[from] SeenError),
    /// The catalogue cannot be read or written.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The full text cannot be read or written.
    #[error(transparent)]
    Text(#[from] TextError),
}

/// Why a log cannot go into an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotArchivable {
    /// The log belongs to an agent; agents are archived with their sessions.
    #[error("is an agent; name the session that it belongs to")]
    Agent,
    /// The log is outside every home.
    #[error("is in no home; only homes are archived")]
    OutsideHomes,
}

/// Why the data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataFolderError {
    /// The settings do not name the folder.
    #[error("no folder for data is known")]
    NoPlace,
    /// Other users can open the folder.
    #[error("{} is open to other users; make it private with chmod 700", .0.display())]
    OpenToOthers(PathBuf),
    /// The folder cannot be created or read.
    #[error("{}: {error}", path.display())]
    Unusable {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

/// Named homes that do not exist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cannot find a home at {}", self.joined())]
pub struct MissingHomes(pub Vec<PathBuf>);

impl MissingHomes {
    fn joined(&self) -> String {
        let paths: Vec<String> = self.0.iter().map(|path| path.display().to_string()).collect();
        paths.join(", ")
    }
}

/// The error for a text that is not the cursor of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this is not the cursor of a page")]
pub struct NotACursor;

/// The kind of a failure; each has its own exit code and status code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorClass {
    /// The requested thing does not exist.
    NotFound,
    /// The request is invalid or ambiguous.
    WrongUse,
    /// Something could not be read or written.
    Unreadable,
}

impl LibraryError {
    /// Returns the kind of this failure.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::NoHomes
            | Self::Query { .. }
            | Self::EmptyQuery
            | Self::Cursor(_)
            | Self::Pattern(_)
            | Self::NotArchivable { .. } => ErrorClass::WrongUse,
            Self::Name(name) => class_of_name(name),
            Self::InProjects { error, .. } => error.class(),
            Self::Layout(_) | Self::Entry(EntryError::Unknown { .. }) => ErrorClass::NotFound,
            Self::Entry(EntryError::Ambiguous { .. } | EntryError::TooShort { .. }) => {
                ErrorClass::WrongUse
            }
            Self::NameAndHomes { .. }
            | Self::Unreadable(_)
            | Self::Data(_)
            | Self::Seen(_)
            | Self::Catalogue(_)
            | Self::Text(_) => ErrorClass::Unreadable,
        }
    }

    /// Returns the error about the name of a session, if this is one.
    pub fn name_error(&self) -> Option<&NameError> {
        match self {
            Self::Name(name) | Self::NameAndHomes { name, .. } => Some(name),
            Self::InProjects { error, .. } => error.name_error(),
            _ => None,
        }
    }

    /// Returns the error about the name of an entry, if this is one.
    pub fn entry_error(&self) -> Option<&EntryError> {
        match self {
            Self::Entry(entry) => Some(entry),
            Self::InProjects { error, .. } => error.entry_error(),
            _ => None,
        }
    }

    /// Reports whether a rebuild of the index would repair this error.
    pub(super) fn is_damage(&self) -> bool {
        match self {
            Self::Catalogue(error) => error.is_damage(),
            Self::Text(error) => error.is_damage(),
            _ => false,
        }
    }
}

fn class_of_name(name: &NameError) -> ErrorClass {
    match name {
        NameError::Unknown { .. }
        | NameError::NotThatMany { .. }
        | NameError::NoSuchFile { .. } => ErrorClass::NotFound,
        NameError::Ambiguous { .. } | NameError::TooShort { .. } => ErrorClass::WrongUse,
        NameError::Unusable(_) => ErrorClass::Unreadable,
    }
}
