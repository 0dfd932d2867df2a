//! Errors of the full text.

use std::io;

use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

use super::directory::is_denied;
use unspool_store::index::is_damaged;

/// An error of the full text.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The catalogue returned an error.
    #[error("the index cannot be used: {0}")]
    Database(#[from] rusqlite::Error),
    /// The full text cannot be read or written.
    #[error("the full text cannot be used: {0}")]
    Text(#[from] TantivyError),
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Another process was still building the first full text when the wait for it ended.
    #[error(
        "another process is still building the index; nothing can be searched before it is done"
    )]
    Unbuilt,
}

/// The kind of a failure, as far as the next step depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailureKind {
    /// Another process is writing.
    Busy,
    /// The folder may not be written.
    Denied,
    /// Anything else, such as a full disk.
    Other,
}

impl TextError {
    /// Tells whether the catalogue is damaged and must be recreated.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Database(error) if is_damaged(error))
    }

    pub(crate) fn failure(&self) -> FailureKind {
        match self {
            Self::Unbuilt | Self::Text(TantivyError::LockFailure(LockError::LockBusy, _)) => {
                FailureKind::Busy
            }
            other if other.io().is_some_and(is_denied) => FailureKind::Denied,
            _ => FailureKind::Other,
        }
    }

    fn io(&self) -> Option<&io::Error> {
        match self {
            Self::Database(_) | Self::Unbuilt => None,
            Self::Io(error) => Some(error),
            Self::Text(error) => match error {
                TantivyError::LockFailure(LockError::IoError(error), _)
                | TantivyError::IoError(error)
                | TantivyError::OpenReadError(OpenReadError::IoError { io_error: error, .. })
                | TantivyError::OpenWriteError(OpenWriteError::IoError {
                    io_error: error, ..
                })
                | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError {
                    io_error: error,
                    ..
                }) => Some(error),
                _ => None,
            },
        }
    }
}
