//! What the full text does not contain yet, or no longer has rightly.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::SystemTime;

use rusqlite::Connection;

use super::extract::LogOwner;
use super::side_files::{ChangedSideFile, SideFileChanges, survey};
use super::source::LogStretch;
use unspool_store::home::layout::agent_logs;
use unspool_store::home::{Home, HomesFound, SideFileKind};
use unspool_store::index::paths;

/// A log of which something is to be read.
#[derive(Clone, Debug)]
pub(crate) struct StaleLog {
    pub(crate) file: i64,
    pub(crate) generation: i64,
    pub(crate) stretch: LogStretch,
    /// How long the last line is that has no newline.
    pub(crate) tail: u64,
    /// Whether documents of an older state are to be deleted first.
    pub(crate) replaces: bool,
    /// Whether documents of an older last line are to be deleted first.
    pub(crate) had_tail: bool,
    pub(crate) modified: i64,
}

impl StaleLog {
    pub(crate) fn bytes(&self) -> u64 {
        self.stretch.to - self.stretch.from + self.tail
    }
}

/// Everything that is to be done.
#[derive(Default, Debug)]
pub(crate) struct Stale {
    pub(crate) logs: Vec<StaleLog>,
    pub(crate) gone_logs: Vec<i64>,
    pub(crate) sides: Vec<ChangedSideFile>,
    pub(crate) gone_sides: Vec<(i64, SideFileKind)>,
    pub(crate) folders: Vec<(PathBuf, i64)>,
    pub(crate) gone_folders: Vec<PathBuf>,
    /// How many bytes of logs there are, and how many are in the full text.
    pub(crate) coverage: Coverage,
    /// How many logs are in the full text.
    known: i64,
    /// The homes whose logs were looked at, with their counts of changes; of the others the
    /// full text is known to have all.
    looked_at: Vec<(i64, i64)>,
}

/// How much of the logs must be there to answer without waiting for the rest, in percent. Chosen
/// by judgement: an answer that lacks more would mislead.
const MOST: u64 = 90;

/// How much of the logs is in the full text.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Coverage {
    /// Bytes of logs that can be searched.
    pub covered: u64,
    /// Bytes of logs that there are.
    pub total: u64,
}

impl Coverage {
    /// Tells whether so much can be searched that an answer need not wait for the rest.
    pub(crate) fn is_mostly_there(self) -> bool {
        self.covered.saturating_mul(100) >= self.total.saturating_mul(MOST)
    }

    /// Tells whether everything can be searched.
    pub fn is_whole(self) -> bool {
        self.covered >= self.total
    }
}

impl Stale {
    /// Finds out what is to be done for some homes. `found` says what a walk over them found;
    /// without it, side files are left as they are.
    pub(crate) fn new(
        db: &Connection,
        homes: &[Home],
        found: &HomesFound,
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
        stale.logs.sort_by_key(|log| std::cmp::Reverse(log.modified));
        Ok(stale)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.logs.is_empty()
            && self.gone_logs.is_empty()
            && self.sides.is_empty()
            && self.gone_sides.is_empty()
    }

    /// Tells whether nothing is to be done and nothing to be [noted](Self::note).
    pub(crate) fn is_settled(&self) -> bool {
        self.is_empty() && self.looked_at.is_empty()
    }

    /// Notes for the homes that were looked at that the full text has all of their logs, if so.
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

/// Returns the logs of a home that speak of agents whose own logs have come or gone since they
/// were read: what an agent's log contains is not taken from the progress records about it.
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

/// Returns the logs of all agents of a home.
fn agent_logs_of(db: &Connection, home: i64) -> rusqlite::Result<HashSet<PathBuf>> {
    let sql = "SELECT path FROM files WHERE home = ? AND agent IS NOT NULL";
    let mut statement = db.prepare_cached(sql)?;
    statement.query_map([home], |row| paths::of(row, 0))?.collect()
}

/// Returns the logs that the full text contains and the catalogue does not.
fn gone(db: &Connection) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT t.file FROM text_files t LEFT JOIN files f ON f.id = t.file \
               WHERE f.id IS NULL";
    let mut statement = db.prepare_cached(sql)?;
    let gone = statement.query_map([], |row| row.get(0))?;
    gone.collect()
}
