//! Asks the catalogue for what is kept in it.
//!
//! A `+` before a column keeps the database from going through an index where all rows of a
//! home are wanted: one after the other is faster.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rusqlite::{OptionalExtension as _, params};
use serde::de::DeserializeOwned;
use unspool_model::ids::{AgentId, ProjectId, SessionId};

use super::catalogue::{CACHE, Catalogue, CatalogueError, FileId, HomeId};
use super::ledger::{FileLedger, SealedLedger};
use super::sealed::Damaged;
use super::{paths, sealed};
use crate::home::Home;
use crate::rows::{SessionKind, SessionRow};

/// Kibibytes of the cache while every page is read once. Chosen by judgement: a large cache would
/// take new memory for each page, and none of them is asked for again.
const ONCE_THROUGH: i64 = 1_000;

/// One file with what totals are made of.
pub struct LedgerRow {
    /// The file.
    pub path: PathBuf,
    /// The session that it belongs to.
    pub session: SessionId,
    /// The agent that wrote it.
    pub agent: Option<AgentId>,
    /// The project's folder.
    pub project: ProjectId,
    /// The home.
    pub home: PathBuf,
    /// What counts in it.
    pub ledger: SealedLedger,
}

impl Catalogue {
    /// Tells whether several projects have a session of this id.
    pub(super) fn is_shared(&self, session: &SessionId) -> Result<bool, CatalogueError> {
        let mut projects = self.db.prepare_cached(
            "SELECT count(*) FROM (SELECT DISTINCT home, project FROM files \
             WHERE session = ? AND agent IS NULL)",
        )?;
        let count: i64 = projects.query_row([session.as_str()], |row| row.get(0))?;
        Ok(count > 1)
    }

    /// Lets `change` look at every row together with what counts in its files, and keeps what
    /// becomes of the row.
    pub(super) fn change_rows(
        &self,
        mut change: impl FnMut(&mut SessionRow, &[FileLedger]),
    ) -> Result<(), CatalogueError> {
        let mut of_session: HashMap<(i64, String, String), Vec<FileId>> = HashMap::new();
        let mut agents = Vec::new();
        let mut files = self.db.prepare(
            "SELECT id, home, project, session, agent IS NOT NULL FROM files \
             ORDER BY agent IS NOT NULL, path",
        )?;
        let mut rows = files.query([])?;
        while let Some(row) = rows.next()? {
            let id = FileId(row.get(0)?);
            let key = (row.get(1)?, row.get(2)?, row.get(3)?);
            of_session.entry(key).or_default().push(id);
            if row.get(4)? {
                agents.push(id);
            }
        }
        let change = &mut change;
        for (id, home) in self.session_ids()? {
            let mut row: SessionRow = self.sealed("SELECT row FROM sessions WHERE id = ?", id)?;
            let project = row.project.as_ref().map(ToString::to_string);
            let key = (home, project.unwrap_or_default(), row.id.to_string());
            let files = of_session.get(&key).map_or(&[][..], Vec::as_slice);
            let ledgers = files.iter().map(|id| self.ledger(*id));
            let ledgers: Vec<_> = ledgers.collect::<Result<_, _>>()?;
            change(&mut row, &ledgers.into_iter().flatten().collect::<Vec<_>>());
            self.db
                .prepare_cached("UPDATE sessions SET row = ? WHERE id = ?")?
                .execute(params![sealed::seal(&row), id])?;
        }
        for FileId(id) in agents {
            let mut row: SessionRow = self.sealed("SELECT row FROM facts WHERE file = ?", id)?;
            let ledger: Vec<_> = self.ledger(FileId(id))?.into_iter().collect();
            change(&mut row, &ledger);
            self.db
                .prepare_cached("UPDATE facts SET row = ? WHERE file = ?")?
                .execute(params![sealed::seal(&row), id])?;
        }
        Ok(())
    }

    fn session_ids(&self) -> Result<Vec<(i64, i64)>, CatalogueError> {
        let mut statement = self.db.prepare("SELECT id, home FROM sessions")?;
        let ids = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// Opens the sealed bytes that a query finds by a number.
    pub(super) fn sealed<T: DeserializeOwned>(
        &self,
        sql: &str,
        id: i64,
    ) -> Result<T, CatalogueError> {
        let mut statement = self.db.prepare_cached(sql)?;
        let bytes: Vec<u8> = statement.query_row([id], |row| row.get(0))?;
        Ok(sealed::open(&bytes)?)
    }

    /// Returns the number of a log of a project.
    pub(super) fn file_at(
        &self,
        home: &Path,
        project: &ProjectId,
        path: &Path,
    ) -> Result<Option<FileId>, CatalogueError> {
        let mut statement = self.db.prepare_cached(
            "SELECT id FROM files WHERE home = (SELECT id FROM homes WHERE root = ?) \
             AND project = ? AND path = ?",
        )?;
        let key = params![paths::bytes(home), project.as_str(), paths::bytes(path)];
        let id = statement.query_row(key, |row| row.get(0)).optional()?;
        Ok(id.map(FileId))
    }

    /// Returns the bytes of a log that are not on its active path, as ranges in order.
    pub(super) fn off_path(&self, file: FileId) -> Result<Vec<(u64, u64)>, CatalogueError> {
        let mut statement = self.db.prepare_cached("SELECT off_path FROM files WHERE id = ?")?;
        let body: Option<Option<Vec<u8>>> =
            statement.query_row([file.0], |row| row.get(0)).optional()?;
        match body.flatten() {
            Some(body) => Ok(sealed::open(&body)?),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the project that a session is in: one with its own log, if there is one.
    pub(super) fn project_of(
        &self,
        home: &Path,
        session: &SessionId,
    ) -> Result<Option<ProjectId>, CatalogueError> {
        let mut statement = self.db.prepare_cached(
            "SELECT project FROM files \
             WHERE home = (SELECT id FROM homes WHERE root = ?) AND session = ? \
             ORDER BY agent IS NOT NULL, project LIMIT 1",
        )?;
        let found = statement
            .query_row(params![paths::bytes(home), session.as_str()], |row| row.get::<_, String>(0))
            .optional()?;
        Ok(found.map(ProjectId::new))
    }

    /// Returns the row of the session whose log is at `path`.
    pub(super) fn session_row(&self, path: &Path) -> Result<Option<SessionRow>, CatalogueError> {
        let mut statement = self.db.prepare_cached("SELECT row FROM sessions WHERE path = ?")?;
        let body: Option<Vec<u8>> =
            statement.query_row([paths::bytes(path)], |row| row.get(0)).optional()?;
        Ok(body.map(|body| sealed::open(&body)).transpose()?)
    }

    /// Returns what kind of session has its log at `path`.
    ///
    /// The index that is named contains the answer, so that no row need be read.
    pub(super) fn session_kind(
        &self,
        home: &Path,
        project: &ProjectId,
        path: &Path,
    ) -> Result<Option<SessionKind>, CatalogueError> {
        let mut statement = self.db.prepare_cached(
            "SELECT kind FROM sessions INDEXED BY sessions_by_project \
             WHERE home = (SELECT id FROM homes WHERE root = ?) AND project = ? AND path = ?",
        )?;
        let of_session = params![paths::bytes(home), project.as_str(), paths::bytes(path)];
        let number: Option<i64> = statement.query_row(of_session, |row| row.get(0)).optional()?;
        let kind = number.map(|number| SessionKind::of_number(number).ok_or(Damaged));
        Ok(kind.transpose()?)
    }

    /// Returns the row of every session of a home, each with the path of its log.
    pub(super) fn session_rows(
        &self,
        home: HomeId,
    ) -> Result<Vec<(PathBuf, SessionRow)>, CatalogueError> {
        self.rows_by("SELECT path, row FROM sessions WHERE +home = ?", home)
    }

    /// Returns the row of every agent of a home, each with the path of its log.
    pub(super) fn agent_rows(
        &self,
        home: HomeId,
    ) -> Result<Vec<(PathBuf, SessionRow)>, CatalogueError> {
        let sql = "SELECT files.path, facts.row FROM files JOIN facts ON facts.file = files.id \
                   WHERE +files.home = ? AND files.agent IS NOT NULL";
        self.rows_by(sql, home)
    }

    /// Reads rows one after the other, and opens them on every core: opening takes longer.
    fn rows_by(
        &self,
        sql: &str,
        home: HomeId,
    ) -> Result<Vec<(PathBuf, SessionRow)>, CatalogueError> {
        let mut statement = self.db.prepare_cached(sql)?;
        let stored: Vec<(Vec<u8>, Vec<u8>)> = statement
            .query_map([home.0], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        let opened =
            stored.par_iter().map(|(path, row)| Ok((paths::path(path), sealed::open(row)?)));
        opened.collect()
    }

    /// Adds what counts in every file of a home.
    pub(super) fn ledgers(
        &self,
        home: &Home,
        all: &mut Vec<LedgerRow>,
    ) -> Result<(), CatalogueError> {
        let Some(id) = self.find_home(home)? else {
            return Ok(());
        };
        let mut statement = self.db.prepare_cached(
            "SELECT files.path, files.session, files.agent, files.project, facts.ledger \
             FROM files JOIN facts ON facts.file = files.id WHERE +files.home = ?",
        )?;
        self.cache(ONCE_THROUGH)?;
        let mut rows = statement.query([id.0])?;
        while let Some(row) = rows.next()? {
            all.push(LedgerRow {
                path: paths::path(row.get_ref(0)?.as_blob().unwrap_or_default()),
                session: SessionId::new(row.get::<_, String>(1)?),
                agent: row.get::<_, Option<String>>(2)?.map(AgentId::new),
                project: ProjectId::new(row.get::<_, String>(3)?),
                home: home.root.clone(),
                ledger: SealedLedger::from_bytes(row.get(4)?),
            });
        }
        self.cache(CACHE)
    }

    /// Returns what counts in a file.
    pub(super) fn ledger(&self, file: FileId) -> Result<Option<FileLedger>, CatalogueError> {
        let mut statement = self.db.prepare_cached("SELECT ledger FROM facts WHERE file = ?")?;
        let body: Option<Vec<u8>> = statement.query_row([file.0], |row| row.get(0)).optional()?;
        let ledger = body.map(|body| SealedLedger::from_bytes(body).open());
        Ok(ledger.transpose()?)
    }

    /// Returns the snapshot of a file's log.
    pub(super) fn snapshot(&self, file: FileId) -> Result<Option<Vec<u8>>, CatalogueError> {
        let mut statement = self.db.prepare_cached("SELECT snapshot FROM facts WHERE file = ?")?;
        Ok(statement.query_row([file.0], |row| row.get(0)).optional()?)
    }
}
