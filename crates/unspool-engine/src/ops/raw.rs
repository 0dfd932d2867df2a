//! The original bytes of an entry.

use std::io;

use unspool_model::log::LONGEST_LINE;

use super::locate::{self, EntryError};
use unspool_store::session::Session;
use unspool_store::tail::LogFile;

/// Why an entry cannot be returned.
#[derive(Debug, thiserror::Error)]
pub enum RawError {
    /// The entry cannot be found.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The session has no such line.
    #[error("no record on `{0}` of this session")]
    NoLine(String),
    /// The line is longer than the limit for memory.
    #[error("line {line} is too long to be read: {bytes} bytes")]
    TooLong {
        /// The number of the line.
        line: u32,
        /// The length of the line.
        bytes: u64,
    },
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Returns the original bytes of an entry of a session or one of its agents.
///
/// The entry is named as in [`locate::find`], or as `line:N`. Of several records with one uuid the
/// last counts; `line:N` selects the others.
pub fn raw(session: &Session, entry: &str) -> Result<Vec<u8>, RawError> {
    if let Some(line) = entry.strip_prefix("line:") {
        let none = || RawError::NoLine(entry.to_owned());
        let line: u32 = line.parse().map_err(|_| none())?;
        return by_line(&session.main, line)?.ok_or_else(none);
    }
    Ok(locate::find(session, entry)?.bytes(session)?)
}

fn by_line(file: &LogFile, line: u32) -> Result<Option<Vec<u8>>, RawError> {
    let mut found = None;
    let mut reader = file.reader();
    for entry in file.log().entries.iter().filter(|entry| entry.line == line) {
        let bytes = entry.span.len;
        if bytes > LONGEST_LINE {
            return Err(RawError::TooLong { line, bytes });
        }
        found.get_or_insert_with(Vec::new).extend_from_slice(reader.bytes(entry.span)?);
    }
    Ok(found)
}
