//! The untouched bytes of an entry.

use std::io;

use crate::session::Session;
use crate::tail::LogFile;

/// Why an entry cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum RawError {
    /// There is no such entry.
    #[error("no entry {0:?} in this session")]
    Unknown(String),
    /// Several entries begin like this.
    #[error("{asked:?} is the beginning of several entries: {}", .matches.join(", "))]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// Entries that match.
        matches: Vec<String>,
    },
    /// The file could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Returns the untouched bytes of an entry of a session or one of its agents.
///
/// An entry is named by its uuid, by a beginning of it that is unique, or as `line:N`.
/// Of several records with one uuid the last counts; `line:N` reaches the others.
pub fn raw(session: &Session, entry: &str) -> Result<Vec<u8>, RawError> {
    if let Some(line) = entry.strip_prefix("line:") {
        let line: u32 = line
            .parse()
            .map_err(|_| RawError::Unknown(entry.to_owned()))?;
        return by_line(&session.main, line)?.ok_or_else(|| RawError::Unknown(entry.to_owned()));
    }
    let files = || std::iter::once(&session.main).chain(session.agents.iter().map(|a| &a.file));
    for file in files() {
        if let Some(index) = file.log().find(entry) {
            return Ok(file
                .reader()
                .bytes(file.log().entries[index].span)?
                .to_vec());
        }
    }
    let mut matches: Vec<(&LogFile, &str)> = Vec::new();
    for file in files().filter(|_| entry.len() >= 4) {
        let log = file.log();
        let uuids = log
            .entries
            .iter()
            .filter_map(|entry| entry.uuid)
            .map(|uuid| log.text(uuid));
        for uuid in uuids.filter(|uuid| uuid.starts_with(entry)) {
            if matches.iter().all(|(_, known)| *known != uuid) {
                matches.push((file, uuid));
            }
        }
    }
    match matches.as_slice() {
        [] => Err(RawError::Unknown(entry.to_owned())),
        [(file, uuid)] => {
            let index = file
                .log()
                .find(uuid)
                .ok_or_else(|| RawError::Unknown(entry.to_owned()))?;
            Ok(file
                .reader()
                .bytes(file.log().entries[index].span)?
                .to_vec())
        }
        several => Err(RawError::Ambiguous {
            asked: entry.to_owned(),
            matches: several
                .iter()
                .take(8)
                .map(|(_, uuid)| (*uuid).to_owned())
                .collect(),
        }),
    }
}

fn by_line(file: &LogFile, line: u32) -> Result<Option<Vec<u8>>, RawError> {
    let mut found = None;
    let mut reader = file.reader();
    for entry in file.log().entries.iter().filter(|entry| entry.line == line) {
        found
            .get_or_insert_with(Vec::new)
            .extend_from_slice(reader.bytes(entry.span)?);
    }
    Ok(found)
}
