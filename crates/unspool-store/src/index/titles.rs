//! Titles from other logs: the summaries of projects, and the sessions that they rename.
//!
//! [`crate::titles`] defines the rule. The catalogue stores the summaries of every session's log,
//! and each session's row says where its title is from. A session that is read gets its title while
//! its log is in memory, from the present summaries of its project. When the summaries of a project
//! change, its sessions whose titles may depend on them are checked again through their snapshots,
//! at the end of the same refresh; no log is read for that. A home without summaries pays for one
//! query of an empty table.
//!
//! # Why a kill does no harm
//!
//! A change to the summaries of a project marks the project as *stale*, in the same transaction.
//! The mark is removed in the transaction that renames the sessions, after everything else was
//! read. So in every committed state either the titles follow from the summaries or the project is
//! stale, and the next refresh renames its sessions, even if nothing else has changed and its
//! folder is not listed. Until then the old titles stay. Renaming twice is the same as renaming
//! once.
//!
//! For the same reason order does not matter: the table of summaries depends on the logs alone,
//! each title on that table and one log, and a session that was named from an older state of the
//! table belongs to a stale project.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::Arc;

use foldhash::fast::FixedState;
use rusqlite::params;
use unspool_model::log::Log;

use super::catalogue::{ByPath, Catalogue, CatalogueError, FileId, HomeId, NewFile};
use super::paths;
use super::sealed::{self, Damaged};
use crate::rows::SessionRow;
use crate::titles::{Summaries, SummaryLeaf, TitleOrigin};

/// A project of a home.
type ProjectKey = (HomeId, String);

/// A summary with the project that it counts in.
type PlacedSummary = (ProjectKey, (SummaryLeaf, String));

/// The summaries of the projects that are being read, loaded on first use.
pub(super) struct KnownSummaries {
    any: bool,
    loaded: HashMap<ProjectKey, Arc<Summaries>, FixedState>,
    none: Arc<Summaries>,
}

impl KnownSummaries {
    /// Checks whether there are any summaries. Those that are added later mark their projects.
    pub(super) fn new(catalogue: &Catalogue) -> Result<Self, CatalogueError> {
        Ok(Self {
            any: catalogue.value("SELECT EXISTS (SELECT 1 FROM summaries)")?,
            loaded: HashMap::default(),
            none: Arc::default(),
        })
    }

    /// Returns the summaries of a project.
    pub(super) fn of(
        &mut self,
        catalogue: &Catalogue,
        home: HomeId,
        project: &str,
    ) -> Result<Arc<Summaries>, CatalogueError> {
        if !self.any {
            return Ok(Arc::clone(&self.none));
        }
        let place = (home, project.to_owned());
        if let Some(known) = self.loaded.get(&place) {
            return Ok(Arc::clone(known));
        }
        let summaries = Arc::new(catalogue.summaries(&place)?);
        self.loaded.insert(place, Arc::clone(&summaries));
        Ok(summaries)
    }
}

/// Renames the sessions of all projects whose summaries have changed.
pub(super) fn rename(catalogue: &Catalogue) -> Result<(), CatalogueError> {
    for place in catalogue.stale_places()? {
        let summaries = catalogue.summaries(&place)?;
        let logs = catalogue.logs(&place)?;
        for (id, path) in catalogue.sessions(&place)? {
            let mut row: SessionRow =
                catalogue.sealed("SELECT row FROM sessions WHERE id = ?", id)?;
            if row.title_origin == TitleOrigin::Log {
                continue;
            }
            let called = match logs.get(&path) {
                Some(file) if !summaries.is_empty() => catalogue.called(*file, &summaries)?,
                _ => None,
            };
            if call(&mut row, called) {
                catalogue.put_row(id, &row)?;
            }
        }
        catalogue.settle(&place)?;
    }
    Ok(())
}

/// Sets the title of a row to the one that other logs give its session, or else to its opening;
/// returns whether the title changed.
fn call(row: &mut SessionRow, called: Option<String>) -> bool {
    let origin = match called {
        Some(_) => TitleOrigin::OtherLog,
        None => TitleOrigin::FirstTexts,
    };
    let title = called.or_else(|| row.opening().map(ToOwned::to_owned));
    let changed = (&row.title, row.title_origin) != (&title, origin);
    (row.title, row.title_origin) = (title, origin);
    changed
}

impl Catalogue {
    /// Returns whether the sessions of any project have to be renamed.
    pub(super) fn has_stale_titles(&self) -> Result<bool, CatalogueError> {
        self.value("SELECT EXISTS (SELECT 1 FROM stale_titles)")
    }

    /// Replaces the summaries of a file.
    pub(super) fn put_summaries(
        &self,
        id: FileId,
        file: &NewFile,
        summaries: &[(SummaryLeaf, String)],
    ) -> Result<(), CatalogueError> {
        let place = (file.home, file.project.clone());
        let before = match file.known {
            Some(_) => self.summaries_in(id)?,
            None => Vec::new(),
        };
        let kept = before.iter().map(|(place, kept)| (place, kept));
        if kept.eq(summaries.iter().map(|summary| (&place, summary))) {
            return Ok(());
        }
        self.forget_summaries(id)?;
        for (leaf, text) in summaries {
            self.run(
                "INSERT INTO summaries (file, leaf, text, home, project) VALUES (?, ?, ?, ?, ?)",
                params![id.0, leaf.0 as i64, text, place.0.0, place.1],
            )?;
        }
        self.mark(&place)
    }

    /// Deletes the summaries of a file.
    pub(super) fn forget_summaries(&self, file: FileId) -> Result<(), CatalogueError> {
        let before = self.summaries_in(file)?;
        if let Some((place, _)) = before.first() {
            self.mark(place)?;
            self.run("DELETE FROM summaries WHERE file = ?", [file.0])?;
        }
        Ok(())
    }

    /// Returns the summaries of a file in order, each with the project that it counts in.
    fn summaries_in(&self, file: FileId) -> Result<Vec<PlacedSummary>, CatalogueError> {
        let sql = "SELECT home, project, leaf, text FROM summaries WHERE file = ?";
        let mut summaries: Vec<PlacedSummary> = self.all(sql, [file.0], |row| {
            let leaf = SummaryLeaf(row.get::<_, i64>(2)? as u64);
            Ok(((HomeId(row.get(0)?), row.get(1)?), (leaf, row.get(3)?)))
        })?;
        summaries.sort_unstable_by(|(_, a), (_, b)| a.cmp(b));
        Ok(summaries)
    }

    fn summaries(&self, (home, project): &ProjectKey) -> Result<Summaries, CatalogueError> {
        let sql = "SELECT leaf, text FROM summaries WHERE home = ? AND project = ?";
        self.all(sql, params![home.0, project], |row| {
            Ok((SummaryLeaf(row.get::<_, i64>(0)? as u64), row.get(1)?))
        })
    }

    /// Marks a project whose sessions have to be renamed.
    fn mark(&self, (home, project): &ProjectKey) -> Result<(), CatalogueError> {
        let sql = "INSERT OR IGNORE INTO stale_titles (home, project) VALUES (?, ?)";
        self.run(sql, params![home.0, project])
    }

    /// Removes the mark of a project.
    fn settle(&self, (home, project): &ProjectKey) -> Result<(), CatalogueError> {
        let sql = "DELETE FROM stale_titles WHERE home = ? AND project = ?";
        self.run(sql, params![home.0, project])
    }

    fn stale_places(&self) -> Result<Vec<ProjectKey>, CatalogueError> {
        let sql = "SELECT home, project FROM stale_titles";
        self.all(sql, [], |row| Ok((HomeId(row.get(0)?), row.get(1)?)))
    }

    /// Returns the main logs of a project, by path.
    fn logs(&self, (home, project): &ProjectKey) -> Result<ByPath<FileId>, CatalogueError> {
        let sql = "SELECT path, id FROM files WHERE home = ? AND project = ? AND agent IS NULL";
        self.all(sql, params![home.0, project], |row| {
            Ok((paths::of(row, 0)?.into_os_string(), FileId(row.get(1)?)))
        })
    }

    /// Returns the sessions of a project: the ids of their rows and the paths of their logs.
    fn sessions(
        &self,
        (home, project): &ProjectKey,
    ) -> Result<Vec<(i64, OsString)>, CatalogueError> {
        let sql = "SELECT id, path FROM sessions WHERE home = ? AND project = ?";
        self.all(sql, params![home.0, project], |row| {
            Ok((row.get(0)?, paths::of(row, 1)?.into_os_string()))
        })
    }

    /// Returns the title that the summaries give the session of a log, by its stored snapshot.
    fn called(
        &self,
        file: FileId,
        summaries: &Summaries,
    ) -> Result<Option<String>, CatalogueError> {
        let sql = "SELECT snapshot, tail FROM facts JOIN snapshots USING (file) WHERE file = ?";
        let mut statement = self.db.prepare_cached(sql)?;
        let mut rows = statement.query([file.0])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let snapshot = row.get_ref(0)?.as_blob().unwrap_or_default();
        let log = Log::from_snapshot(snapshot).map_err(|_| Damaged)?;
        let tail: Option<Vec<u8>> = row.get(1)?;
        let tail: Vec<SummaryLeaf> = match tail {
            Some(tail) => sealed::open(&tail)?,
            None => Vec::new(),
        };
        Ok(summaries.last_held(&log, &tail).map(ToOwned::to_owned))
    }

    /// Replaces a session's row.
    pub(super) fn put_row(&self, session: i64, row: &SessionRow) -> Result<(), CatalogueError> {
        self.run("UPDATE sessions SET row = ? WHERE id = ?", params![sealed::seal(row), session])
    }
}
