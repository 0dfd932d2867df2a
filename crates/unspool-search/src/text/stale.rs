//! The differences between the full text and the catalogue.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::SystemTime;

use rusqlite::Connection;

use super::extract::LogOwner;
use super::side_files::{ChangedSideFile, SideFileChanges, survey};
use super::source::LogStretch;
use unspool_store::home::layout::agent_logs;
use unspool_store::home::{Home, SideFileKind, WalkedHomes};
use unspool_store::index::paths;

/// A log with bytes to read.
#[derive(Clone, Debug)]
pub(crate) struct StaleLog {
    pub(crate) file: i64,
    pub(crate) generation: i64,
    pub(crate) stretch: LogStretch,
    /// The length of the last line if it has no newline, otherwise 0.
    pub(crate) tail: u64,
    /// Whether the log was rewritten, so that its documents must be deleted first.
    pub(crate) replaces: bool,
    /// Whether documents of an unfinished last line must be deleted first.
    pub(crate) had_tail: bool,
    pub(crate) modified: i64,
}

impl StaleLog {
    pub(crate) fn bytes(&self) -> u64 {
        self.stretch.to - self.stretch.from + self.tail
    }
}

/// Everything that an update must do.
#[derive(Default, Debug)]
pub(crate) struct Stale {
    pub(crate) logs: Vec<StaleLog>,
    pub(crate) gone_logs: Vec<i64>,
    pub(crate) sides: Vec<ChangedSideFile>,
    pub(crate) gone_sides: Vec<(i64, SideFileKind)>,
    pub(crate) folders: Vec<(PathBuf, i64)>,
    pub(crate) gone_folders: Vec<PathBuf>,
    /// How many bytes of logs there are, and how many the full text covers.
    pub(crate) coverage: Coverage,
    /// How many logs of the compared homes the full text covers.
    known: i64,
    /// The ids of homes whose logs were compared, with their counts of changes. The full text is
    /// known to cover the other homes.
    looked_at: Vec<(i64, i64)>,
}

/// The percentage of the logs that suffices for an answer without waiting for the rest. Chosen
/// by judgement: with less, the answer would mislead.
const MOST: u64 = 90;

/// How many bytes of the logs the full text covers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Coverage {
    /// Bytes of logs in the full text.
    pub covered: u64,
    /// Bytes of all logs.
    pub total: u64,
}

impl Coverage {
    /// Tells whether enough is covered to answer without waiting for the rest.
    pub(crate) fn is_mostly_there(self) -> bool {
        self.covered.saturating_mul(100) >= self.total.saturating_mul(MOST)
    }

    /// Tells whether everything is covered.
    pub fn is_whole(self) -> bool {
        self.covered >= self.total
    }
}

impl Stale {
    /// Compares the full text with the catalogue for some homes. `found` is the result of a walk
    /// over them; side files of a home that it does not contain are not compared.
    pub(crate) fn new(
        db: &Connection,
        homes: &[Home],
        found: &WalkedHomes,
        now: SystemTime,
    ) -> rusqlite::Result<Self> {
        let mut stale = Self::default();
        for home in homes {
            let root = paths::bytes(&home.root);
            let sql = "SELECT id, changes, text_changes FROM homes WHERE root = ?";
            let mut statement = db.prepare_cached(sql)?;
            let mut rows = statement.query([root])?;
            if let Some(row) = rows.next()? {
                let (id, changes) = (row.get(0)?, row.get(1)?);
                // Equal counts mean that nothing has changed since the full text had all logs.
                if row.get::<_, Option<i64>>(2)? != Some(changes) {
                    stale.add_logs(db, id)?;
                    stale.looked_at.push((id, changes));
                }
                if let Some(found) = found.home(home) {
                    stale.add_sides(survey(db, id, found, now)?);
                }
            }
        }
        let sql = "SELECT count(*) FROM text_files";
        let read: i64 = db.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        if read != stale.known && !stale.looked_at.is_empty() {
            stale.gone_logs = gone(db)?;
        }
        // Newest first: the sessions that are searched most can be searched soonest.
        stale.logs.sort_by_key(|log| std::cmp::Reverse(log.modified));
        Ok(stale)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.logs.is_empty()
            && self.gone_logs.is_empty()
            && self.sides.is_empty()
            && self.gone_sides.is_empty()
    }

    /// Tells whether there is nothing to do and nothing to [note](Self::note).
    pub(crate) fn is_settled(&self) -> bool {
        self.is_empty() && self.looked_at.is_empty()
    }

    /// Records for the compared homes that the full text covers all their logs, if it does.
    pub(crate) fn note(&self, db: &Connection) -> rusqlite::Result<()> {
        if self.logs.is_empty() && self.gone_logs.is_empty() {
            for (home, changes) in &self.looked_at {
                let sql = "UPDATE homes SET text_changes = ? WHERE id = ?";
                db.prepare_cached(sql)?.execute([changes, home])?;
            }
        }
        Ok(())
    }

    pub(crate) fn bytes(&self) -> u64 {
        let logs: u64 = self.logs.iter().map(StaleLog::bytes).sum();
        let sides: u64 = self.sides.iter().map(|side| side.bytes).sum();
        logs + sides
    }

    fn add_sides(&mut self, survey: SideFileChanges) {
        self.sides.extend(survey.changed);
        self.gone_sides.extend(survey.gone);
        self.folders.extend(survey.folders);
        self.gone_folders.extend(survey.gone_folders);
    }

    fn add_logs(&mut self, db: &Connection, home: i64) -> rusqlite::Result<()> {
        let mut statement = db.prepare_cached(
            "SELECT f.id, f.generation, f.offset, f.bytes, t.generation, t.offset, t.tail \
             FROM files f LEFT JOIN text_files t ON t.file = f.id WHERE +f.home = ?",
        )?;
        let mut rows = statement.query([home])?;
        let mut stale = Vec::new();
        let recopied = recopied(db, home)?;
        while let Some(row) = rows.next()? {
            let number = |column| row.get::<_, i64>(column).map(|number| number as u64);
            let (file, generation): (i64, i64) = (row.get(0)?, row.get(1)?);
            let (offset, bytes) = (number(2)?, number(3)?);
            let tail = bytes.saturating_sub(offset);
            let known: Option<i64> = row.get(4)?;
            let read = match known {
                Some(_) => (number(5)?, number(6)?),
                None => (0, 0),
            };
            self.known += i64::from(known.is_some());
            self.coverage.total += offset;
            let same = known == Some(generation) && read.0 <= offset && !recopied.contains(&file);
            self.coverage.covered += if same { read.0 } else { 0 };
            if !same || read != (offset, tail) {
                let from = if same { read.0 } else { 0 };
                stale.push((
                    file,
                    generation,
                    from..offset,
                    tail,
                    known.is_some() && !same,
                    read.1,
                ));
            }
        }
        for (file, generation, range, tail, replaces, had_tail) in stale {
            let sql = "SELECT path, agent IS NOT NULL, modified FROM files WHERE id = ?";
            let log = db.prepare_cached(sql)?.query_row([file], |row| {
                let whose = if row.get(1)? { LogOwner::Agent } else { LogOwner::Session };
                Ok(StaleLog {
                    file,
                    generation,
                    stretch: LogStretch {
                        path: paths::of(row, 0)?,
                        whose,
                        from: range.start,
                        to: range.end,
                    },
                    tail,
                    replaces,
                    had_tail: had_tail > 0,
                    modified: row.get(2)?,
                })
            })?;
            self.logs.push(log);
        }
        Ok(())
    }
}

/// Returns the logs of a home with progress records of agents whose own logs have appeared or
/// disappeared since the full text read them: what an agent's own log contains is not indexed
/// from the progress records.
fn recopied(db: &Connection, home: i64) -> rusqlite::Result<HashSet<i64>> {
    let mut changed = HashSet::new();
    let mut statement = db.prepare_cached(
        "SELECT a.file, a.agent, a.held, f.path FROM text_agents a JOIN files f ON f.id = a.file \
         WHERE f.home = ?",
    )?;
    let mut rows = statement.query([home])?;
    let mut logs: Option<HashSet<PathBuf>> = None;
    while let Some(row) = rows.next()? {
        let (file, agent, held): (i64, String, bool) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let log = paths::of(row, 3)?;
        let known = match &logs {
            Some(known) => known,
            None => logs.insert(agent_logs_of(db, home)?),
        };
        if agent_logs(&log, &agent).iter().any(|path| known.contains(path)) != held {
            changed.insert(file);
        }
    }
    Ok(changed)
}

/// Returns the paths of all agents' logs of a home.
fn agent_logs_of(db: &Connection, home: i64) -> rusqlite::Result<HashSet<PathBuf>> {
    let sql = "SELECT path FROM files WHERE home = ? AND agent IS NOT NULL";
    let mut statement = db.prepare_cached(sql)?;
    statement.query_map([home], |row| paths::of(row, 0))?.collect()
}

/// Returns the logs that are in the full text but not in the catalogue.
fn gone(db: &Connection) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT t.file FROM text_files t LEFT JOIN files f ON f.id = t.file \
               WHERE f.id IS NULL";
    let mut statement = db.prepare_cached(sql)?;
    let gone = statement.query_map([], |row| row.get(0))?;
    gone.collect()
}
