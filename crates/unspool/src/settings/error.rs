//! What can be wrong with a file of settings.

use std::io;

/// Why settings could not be read. Paths are written as a person would.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    /// The system does not let the file be read.
    #[error("cannot read the settings in {path}: {reason}")]
    Unreadable { path: String, reason: io::ErrorKind },
    /// A file was named that is not there.
    #[error("there is no {path}, which UNSPOOL_CONFIG names")]
    Missing { path: String },
    /// The file says what cannot be: each line names a place and what is wrong there.
    #[error("{}", .0.join("\n"))]
    Wrong(Vec<String>),
}
