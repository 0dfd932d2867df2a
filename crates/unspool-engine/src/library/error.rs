//! What can go wrong with a request.

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

/// What went wrong with a request to a library.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// Not even a default home is known.
    #[error("no home folder is known")]
    NoHomes,
    /// A name leads to nothing, or to too much.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A name leads to nothing, and homes that it may be in do not exist.
    #[error("{missing}")]
    NameAndHomes {
        /// The homes.
        missing: MissingHomes,
        /// What is wrong with the name.
        #[source]
        name: NameError,
    },
    /// A request about one project failed.
    #[error("in projects named `{project}`")]
    InProjects {
        /// The project as it was asked for.
        project: String,
        /// What went wrong.
        #[source]
        error: Box<Self>,
    },
    /// The name of an entry leads to nothing, or to too much.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// A session cannot be laid out as asked.
    #[error(transparent)]
    Layout(#[from] RequestError),
    /// A query cannot be read.
    #[error("{error}")]
    Query {
        /// The query as it was typed.
        text: String,
        /// What is wrong with it.
        error: QueryError,
    },
    /// A search was asked for nothing.
    #[error("there is nothing to look for")]
    EmptyQuery,
    /// The cursor of a page cannot be used.
    #[error(transparent)]
    Cursor(#[from] NotACursor),
    /// A pattern cannot be read.
    #[error(transparent)]
    Pattern(#[from] ScanPatternError),
    /// A log that was named cannot go into an archive.
    #[error("{name} {reason}")]
    NotArchivable {
        /// Its name.
        name: String,
        /// Why.
        reason: NotArchivable,
    },
    /// A log cannot be read.
    #[error(transparent)]
    Unreadable(#[from] SessionFileError),
    /// The folder for state cannot be used.
    #[error(transparent)]
    Data(#[from] DataFolderError),
    /// The marks of what was seen cannot be used.
    #[error(transparent)]
    Seen(#[from] SeenError),
    /// The catalogue cannot be used.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The full text cannot be used.
    #[error(transparent)]
    Text(#[from] TextError),
}

/// Why a log cannot go into an archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotArchivable {
    /// It is an agent's; agents go with their sessions.
    #[error("is an agent; name the session that it belongs to")]
    Agent,
    /// It is outside every home.
    #[error("is in no home; only homes are archived")]
    OutsideHomes,
}

/// Why the folder for state cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataFolderError {
    /// No place for it is known.
    #[error("no folder for data is known")]
    NoPlace,
    /// Other users may look into it.
    #[error("{} is open to other users; make it private with chmod 700", .0.display())]
    OpenToOthers(PathBuf),
    /// It cannot be made or looked at.
    #[error("{}: {error}", path.display())]
    Unusable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

/// Homes that were named and do not exist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cannot find a home at {}", self.joined())]
pub struct MissingHomes(pub Vec<PathBuf>);

impl MissingHomes {
    fn joined(&self) -> String {
        let paths: Vec<String> = self.0.iter().map(|path| path.display().to_string()).collect();
        paths.join(", ")
    }
}

/// A text is not the cursor of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this is not the cursor of a page")]
pub struct NotACursor;

/// What kind of failure an error is, as exit codes and status codes tell them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorClass {
    /// What was asked for does not exist.
    NotFound,
    /// The request makes no sense, or could mean several things.
    WrongUse,
    /// Something could not be read or written.
    Unreadable,
}

impl LibraryError {
    /// Returns what kind of failure it is.
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

    /// Returns what is wrong with the name of a session, if that is what went wrong.
    pub fn name_error(&self) -> Option<&NameError> {
        match self {
            Self::Name(name) | Self::NameAndHomes { name, .. } => Some(name),
            Self::InProjects { error, .. } => error.name_error(),
            _ => None,
        }
    }

    /// Returns what is wrong with the name of an entry, if that is what went wrong.
    pub fn entry_error(&self) -> Option<&EntryError> {
        match self {
            Self::Entry(entry) => Some(entry),
            Self::InProjects { error, .. } => error.entry_error(),
            _ => None,
        }
    }

    /// Tells whether a new index would do better.
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
