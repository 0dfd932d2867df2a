//! Errors of the settings file.

use std::io;

/// Why the settings could not be read. Paths have `~` for the home folder.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    /// The file cannot be read.
    #[error("cannot read the settings in {path}: {reason}")]
    Unreadable { path: String, reason: io::ErrorKind },
    /// The file that `UNSPOOL_CONFIG` names does not exist.
    #[error("there is no {path}, which UNSPOOL_CONFIG names")]
    Missing { path: String },
    /// The content is wrong: each line has a position and the error.
    #[error("{}", .0.join("\n"))]
    Wrong(Vec<String>),
}
