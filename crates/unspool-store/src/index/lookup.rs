//! Queries of the catalogue.
//!
//! A `+` before a column keeps `SQLite` from using an index where all rows of a home are wanted:
//! reading them one after the other is faster.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use rusqlite::{Row, Rows, params};
use serde::de::DeserializeOwned;
use unspool_model::ids::{AgentId, ProjectId, SessionId};

use super::catalogue::{CACHE, Catalogue, CatalogueError, FileId};
use super::ledger::{FileLedger, SealedLedger};
use super::sealed::Damaged;
use super::{Index, OffPath, log_path, paths, sealed};
use crate::home::Home;
use crate::rows::{SessionKind, SessionRow};

/// The page cache in kibibytes while every page is read once. Chosen by judgement: a large cache
/// would allocate memory for each page, and no page is read again.
const ONCE_THROUGH: i64 = 1_000;

/// One file with its ledger.
pub struct LedgerRow {
    /// The path of the file.
    pub path: PathBuf,
    /// The session that it belongs to.
    pub session: SessionId,
    /// The agent whose log it is, if it is an agent's.
    pub agent: Option<AgentId>,
    /// The project.
    pub project: ProjectId,
    /// The root of the home.
    pub home: PathBuf,
    /// Its ledger.
    pub ledger: SealedLedger,
}

impl Index {
    /// Returns whether any run has read all logs that existed at its time.
    pub fn is_complete(&self) -> Result<bool, CatalogueError> {
        self.catalogue.value("SELECT complete FROM state")
    }

    /// Returns a number that changes whenever another connection, of this or another process,
    /// writes to the catalogue.
    pub fn data_version(&self) -> Result<i64, CatalogueError> {
        self.catalogue.value("PRAGMA data_version")
    }

    /// Returns whether all homes of the index are among these.
    pub fn contains_only(&self, homes: &[Home]) -> bool {
        let is_one = |root: &PathBuf| homes.iter().any(|home| home.root == *root);
        let known = self.catalogue.all("SELECT root FROM homes", [], |row| paths::of(row, 0));
        known.is_ok_and(|known: Vec<PathBuf>| known.iter().all(is_one))
    }

    /// Returns whether several projects have a session with this id.
    pub fn is_shared(&self, session: &SessionId) -> Result<bool, CatalogueError> {
        let sql = "SELECT count(*) FROM (SELECT DISTINCT home, project FROM files \
                   WHERE session = ? AND agent IS NULL)";
        let count = self.catalogue.one(sql, [session.as_str()], |row| row.get::<_, i64>(0))?;
        Ok(count > Some(1))
    }

    /// Returns the id of a log in a project.
    pub fn file_at(
        &self,
        home: &Path,
        project: &ProjectId,
        path: &Path,
    ) -> Result<Option<FileId>, CatalogueError> {
        let sql = "SELECT id FROM files WHERE home = (SELECT id FROM homes WHERE root = ?) \
                   AND project = ? AND path = ?";
        let key = params![paths::bytes(home), project.as_str(), paths::bytes(path)];
        self.catalogue.one(sql, key, |row| row.get(0).map(FileId))
    }

    /// Returns the ranges of a log that are not on its active path.
    pub fn off_path(&self, file: FileId) -> Result<OffPath, CatalogueError> {
        let sql = "SELECT off_path FROM files WHERE id = ?";
        let body = self.catalogue.one(sql, [file.0], |row| row.get::<_, Option<Vec<u8>>>(0))?;
        match body.flatten() {
            Some(body) => Ok(OffPath(sealed::open(&body)?)),
            None => Ok(OffPath::default()),
        }
    }

    /// Returns the project of a home that contains a session; one with the session's own log is
    /// preferred.
    pub fn project_of(
        &self,
        home: &Path,
        session: &SessionId,
    ) -> Result<Option<ProjectId>, CatalogueError> {
        let sql = "SELECT project FROM files \
                   WHERE home = (SELECT id FROM homes WHERE root = ?) AND session = ? \
                   ORDER BY agent IS NOT NULL, project LIMIT 1";
        let key = params![paths::bytes(home), session.as_str()];
        self.catalogue.one(sql, key, |row| row.get::<_, String>(0).map(ProjectId::new))
    }

    /// Returns the kind of a session, by its home, its project and the name of its log.
    ///
    /// The index that is named contains the kind, so no row is read.
    pub fn session_kind(
        &self,
        home: &Path,
        project: &ProjectId,
        session: &SessionId,
    ) -> Result<Option<SessionKind>, CatalogueError> {
        let sql = "SELECT kind FROM sessions INDEXED BY sessions_by_project \
                   WHERE home = (SELECT id FROM homes WHERE root = ?) AND project = ? AND path = ?";
        let path = log_path(home, project, session);
        let key = params![paths::bytes(home), project.as_str(), paths::bytes(&path)];
        let number = self.catalogue.one(sql, key, |row| row.get(0))?;
        let kind = number.map(|number| SessionKind::of_number(number).ok_or(Damaged));
        Ok(kind.transpose()?)
    }

    /// Returns the ledgers of all files of homes, in no particular order.
    pub fn ledgers(&self, homes: &[Home]) -> Result<Vec<LedgerRow>, CatalogueError> {
        let mut all = Vec::new();
        for (id, home) in self.catalogue.known_homes(homes)? {
            self.catalogue.cache(ONCE_THROUGH)?;
            let rows: Vec<LedgerRow> = self.catalogue.all(
                "SELECT files.path, files.session, files.agent, files.project, ledgers.ledger \
                 FROM files JOIN ledgers ON ledgers.file = files.id WHERE +files.home = ?",
                [id.0],
                |row| {
                    Ok(LedgerRow {
                        path: paths::of(row, 0)?,
                        session: SessionId::new(row.get::<_, String>(1)?),
                        agent: row.get::<_, Option<String>>(2)?.map(AgentId::new),
                        project: ProjectId::new(row.get::<_, String>(3)?),
                        home: home.root.clone(),
                        ledger: SealedLedger::from_bytes(row.get(4)?),
                    })
                },
            )?;
            all.extend(rows);
            self.catalogue.cache(CACHE)?;
        }
        Ok(all)
    }
}

/// The number of rows that one task decodes. Chosen by judgement: a list of thousands keeps every
/// core busy, and a list of a hundred only its own.
const TOGETHER: usize = 128;

/// Stored rows in one buffer.
#[derive(Default)]
struct StoredRows {
    bytes: Vec<u8>,
    /// The end offsets of the path and the row of each.
    ends: Vec<(usize, usize)>,
}

impl StoredRows {
    /// Takes the next [`TOGETHER`] rows of a query for paths and rows.
    fn take(rows: &mut Rows<'_>) -> Result<Self, CatalogueError> {
        let mut stored = Self::default();
        while stored.ends.len() < TOGETHER
            && let Some(row) = rows.next()?
        {
            let mut append = |column| -> Result<usize, CatalogueError> {
                let value = row.get_ref(column)?;
                stored.bytes.extend_from_slice(value.as_blob().map_err(|_| Damaged)?);
                Ok(stored.bytes.len())
            };
            let ends = (append(0)?, append(1)?);
            stored.ends.push(ends);
        }
        Ok(stored)
    }

    fn open(&self, home: &Home) -> Result<Vec<SessionRow>, Damaged> {
        let mut opened = Vec::with_capacity(self.ends.len());
        let mut from = 0;
        for &(middle, to) in &self.ends {
            let row: SessionRow = sealed::open(&self.bytes[middle..to])?;
            let file = paths::path(&self.bytes[from..middle]);
            opened.push(SessionRow { home: Some(home.root.clone()), file, ..row });
            from = to;
        }
        Ok(opened)
    }
}

impl Catalogue {
    /// Calls `change` with every row and the ledgers of its files, and stores the changed row.
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
        let ids = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let sessions: Vec<(i64, i64)> = self.all("SELECT id, home FROM sessions", [], ids)?;
        for (id, home) in sessions {
            let mut row: SessionRow = self.sealed("SELECT row FROM sessions WHERE id = ?", id)?;
            let project = row.project.as_ref().map(ToString::to_string);
            let key = (home, project.unwrap_or_default(), row.id.to_string());
            let files = of_session.get(&key).map_or(&[][..], Vec::as_slice);
            let ledgers = files.iter().map(|id| self.ledger(*id));
            let ledgers: Vec<_> = ledgers.collect::<Result<_, _>>()?;
            change(&mut row, &ledgers.into_iter().flatten().collect::<Vec<_>>());
            self.put_row(id, &row)?;
        }
        for FileId(id) in agents {
            let mut row: SessionRow = self.sealed("SELECT row FROM facts WHERE file = ?", id)?;
            let ledger: Vec<_> = self.ledger(FileId(id))?.into_iter().collect();
            change(&mut row, &ledger);
            self.run("UPDATE facts SET row = ? WHERE file = ?", params![sealed::seal(&row), id])?;
        }
        Ok(())
    }

    /// Decodes the sealed value that a query finds by an id.
    pub(super) fn sealed<T: DeserializeOwned>(
        &self,
        sql: &str,
        id: i64,
    ) -> Result<T, CatalogueError> {
        let mut statement = self.db.prepare_cached(sql)?;
        let bytes: Vec<u8> = statement.query_row([id], |row| row.get(0))?;
        Ok(sealed::open(&bytes)?)
    }

    /// Returns the row of the session whose log is at `path`.
    pub(super) fn session_row(&self, path: &Path) -> Result<Option<SessionRow>, CatalogueError> {
        let sql = "SELECT row FROM sessions WHERE path = ?";
        let body = self.one(sql, [paths::bytes(path)], |row| row.get::<_, Vec<u8>>(0))?;
        Ok(body.map(|body| sealed::open(&body)).transpose()?)
    }

    /// Adds the rows of all sessions of a home.
    pub(super) fn session_rows(
        &self,
        home: &Home,
        rows: &mut Vec<SessionRow>,
    ) -> Result<(), CatalogueError> {
        self.rows_by("SELECT path, row FROM sessions WHERE +home = ?", home, rows)
    }

    /// Adds the rows of all agents of a home.
    pub(super) fn agent_rows(
        &self,
        home: &Home,
        rows: &mut Vec<SessionRow>,
    ) -> Result<(), CatalogueError> {
        let sql = "SELECT files.path, facts.row FROM files JOIN facts ON facts.file = files.id \
                   WHERE +files.home = ? AND files.agent IS NOT NULL";
        self.rows_by(sql, home, rows)
    }

    /// Reads rows one after the other; other cores decode them meanwhile, since decoding takes
    /// longer.
    fn rows_by(
        &self,
        sql: &str,
        home: &Home,
        opened: &mut Vec<SessionRow>,
    ) -> Result<(), CatalogueError> {
        let Some(id) = self.find_home(home)? else {
            return Ok(());
        };
        let mut statement = self.db.prepare_cached(sql)?;
        let mut rows = statement.query([id.0])?;
        let (done_in, done_out) = mpsc::channel();
        rayon::in_place_scope(|scope| -> Result<(), CatalogueError> {
            loop {
                let stored = StoredRows::take(&mut rows)?;
                if stored.ends.is_empty() {
                    return Ok(());
                }
                let done_in = done_in.clone();
                // Sending cannot fail: the receiver exists until all tasks have sent.
                scope.spawn(move |_| drop(done_in.send(stored.open(home))));
            }
        })?;
        drop(done_in);
        let parts: Vec<Vec<SessionRow>> = done_out.into_iter().collect::<Result<_, _>>()?;
        opened.reserve_exact(parts.iter().map(Vec::len).sum());
        opened.extend(parts.into_iter().flatten());
        Ok(())
    }

    /// Returns the ledger of a file.
    pub(super) fn ledger(&self, file: FileId) -> Result<Option<FileLedger>, CatalogueError> {
        let body =
            self.one("SELECT ledger FROM ledgers WHERE file = ?", [file.0], |row| row.get(0))?;
        let ledger = body.map(|body| SealedLedger::from_bytes(body).open());
        Ok(ledger.transpose()?)
    }

    /// Returns the snapshot of a file's log.
    pub(super) fn snapshot(&self, file: FileId) -> Result<Option<Vec<u8>>, CatalogueError> {
        self.one("SELECT snapshot FROM snapshots WHERE file = ?", [file.0], |row| row.get(0))
    }
}
