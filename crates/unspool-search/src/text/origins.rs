//! Finds the tool result that a spilled output belongs to, and thereby its time.
//!
//! The files of a copied home have new times, but the entries in its logs keep theirs. Looks in
//! the logs of the current batch and in those that the catalogue has recorded.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension as _};
use unspool_model::log::Log;
use unspool_model::time::Time;

use super::error::TextError;
use super::side_files::ChangedSideFile;
use super::source::read_line;
use super::state::ReadFile;
use unspool_store::home::SideFileKind;
use unspool_store::index::paths;

/// Knows the entries of results that were spilled into files.
pub(super) struct ResultOrigins<'o> {
    db: &'o Connection,
    /// For each name of a spilled file, the logs of this batch and the offsets that mention it.
    fresh: HashMap<String, Vec<(i64, u64)>>,
    /// Logs that were read from their start, which invalidates what is recorded of them.
    from_start: HashSet<i64>,
}

impl<'o> ResultOrigins<'o> {
    /// Collects the spilled names that the logs of a batch mention.
    pub(super) fn new(db: &'o Connection, read: &[ReadFile]) -> Self {
        let mut fresh: HashMap<String, Vec<(i64, u64)>> = HashMap::new();
        for file in read {
            for (offset, name) in &file.notes.spilled {
                let places = fresh.entry(name.clone()).or_default();
                places.push((file.file, *offset));
            }
        }
        let from_start = read.iter().filter(|file| file.from_start).map(|file| file.file);
        Self { db, fresh, from_start: from_start.collect() }
    }

    /// Returns the time of the result that was spilled into a file; none if no log mentions the file.
    pub(super) fn time(&self, side: &ChangedSideFile) -> Result<Option<Time>, TextError> {
        if side.kind != SideFileKind::Output {
            return Ok(None);
        }
        let name = side.path.file_name().unwrap_or_default().to_string_lossy();
        let mut places = self.recorded(&name)?;
        places.extend(self.fresh.get(&*name).into_iter().flatten());
        places.sort_unstable();
        for (file, offset) in places {
            if let Some(log) = self.log(file, &side.session)? {
                // If the log has changed since, the next update reads it again.
                let line = read_line(&log, offset).unwrap_or_default();
                let log = Log::read(&line);
                return Ok(log.entries.first().and_then(|entry| entry.time));
            }
        }
        Ok(None)
    }

    fn recorded(&self, name: &str) -> rusqlite::Result<Vec<(i64, u64)>> {
        let sql = "SELECT file, offset FROM text_spilled WHERE name = ?";
        let mut statement = self.db.prepare_cached(sql)?;
        let rows = statement
            .query_map([name], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)? as u64)))?;
        let known = |place: &rusqlite::Result<(i64, u64)>| {
            let file = place.as_ref().map(|(file, _)| file);
            !file.is_ok_and(|file| self.from_start.contains(file))
        };
        rows.filter(known).collect()
    }

    /// Returns the path of a log if it belongs to a session.
    fn log(&self, file: i64, session: &str) -> rusqlite::Result<Option<PathBuf>> {
        let sql = "SELECT path FROM files WHERE id = ? AND session = ?";
        let mut statement = self.db.prepare_cached(sql)?;
        let path = statement.query_row(rusqlite::params![file, session], |row| paths::of(row, 0));
        path.optional()
    }
}
