//! The catalogue: one `SQLite` file with facts about every log.
//!
//! This module knows tables and sealed values, not their origin: [`super::plan`] decides what to
//! read, [`super::refresh`] reads it. A writer takes the folder's lock, so there is one writer; any
//! number of processes may read meanwhile. A catalogue that is damaged or of another version is
//! deleted and rebuilt.

#![expect(clippy::disallowed_methods, reason = "the index is files")]

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use foldhash::fast::FixedState;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Params, Row, params};
use unspool_model::time::Time;

use super::paths;
use super::schema::{TABLES, TEXT_TABLES, VERSION};
use super::sealed::Damaged;
use crate::files::{FileIdentity, FileStamp, from_nanos, to_nanos};
use crate::home::Home;
use crate::rows::SessionKind;
use crate::tail::{Prints, ReadPosition};
use crate::titles::SummaryLeaf;

/// The file name of the catalogue.
const FILE: &str = "catalogue.sqlite";

/// The size of the page cache in kibibytes. Chosen by judgement: the pages that a session is
/// written to stay in memory until the commit.
pub(super) const CACHE: i64 = 16_000;

/// How long to wait for another process that writes. Chosen by judgement: a commit takes
/// milliseconds, and a process that takes five seconds hangs.
pub const BUSY: Duration = Duration::from_secs(5);

/// An error of the catalogue.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// The database reported an error.
    #[error("the index cannot be used: {0}")]
    Database(#[from] rusqlite::Error),
    /// The folder cannot be used.
    #[error("{}: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// A value in it cannot be decoded.
    #[error("the index is damaged")]
    Damaged(#[from] Damaged),
}

impl CatalogueError {
    /// Returns whether rebuilding the catalogue would help.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Database(error) => is_damaged(error),
            Self::Damaged(_) => true,
            Self::Folder { .. } => false,
        }
    }
}

/// Returns whether a database error is caused by the content of its file.
pub fn is_damaged(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{InvalidColumnType, SqlInputError, SqliteFailure};
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, SchemaChanged, TypeMismatch};
    match error {
        SqliteFailure(error, _) => {
            matches!(error.code, DatabaseCorrupt | NotADatabase | SchemaChanged | TypeMismatch)
        }
        // A column is missing, or contains another type of value.
        SqlInputError { .. } | InvalidColumnType(..) => true,
        _ => false,
    }
}

/// The id of a file in the catalogue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub i64);

/// The id of a home in the catalogue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct HomeId(pub(super) i64);

/// A file as the catalogue has it before a refresh.
#[derive(Clone, Debug)]
pub(super) struct CatalogueFile {
    pub(super) id: FileId,
    pub(super) generation: i64,
    pub(super) session: String,
    pub(super) is_agent: bool,
    pub(super) has_sidecar: bool,
    pub(super) mark: ReadPosition,
}

/// A session as the catalogue has it before a refresh.
#[derive(Clone, Copy, Debug)]
pub(super) struct CatalogueSession {
    pub(super) id: i64,
    pub(super) agents: usize,
}

/// A map by the bytes of paths: a path is split into components each time it is hashed.
pub(super) type ByPath<T> = HashMap<OsString, T, FixedState>;

/// The files and sessions that the catalogue has of some projects of a home.
#[derive(Default)]
pub(super) struct KnownProjects {
    pub(super) files: ByPath<CatalogueFile>,
    pub(super) sessions: ByPath<CatalogueSession>,
}

/// Facts that were read from one file.
pub(super) struct FileFacts {
    pub(super) file: NewFile,
    pub(super) row: Option<Vec<u8>>,
    pub(super) off_path: Option<Vec<u8>>,
    pub(super) ledger: Vec<u8>,
    /// `None` if the stored snapshot is still usable.
    pub(super) snapshot: Option<Vec<u8>>,
    pub(super) tail: Option<Vec<u8>>,
    pub(super) summaries: Vec<(SummaryLeaf, String)>,
}

/// The place of a file, its owner, and how far it was read.
pub(super) struct NewFile {
    pub(super) known: Option<(FileId, i64)>,
    pub(super) home: HomeId,
    pub(super) project: String,
    pub(super) session: String,
    pub(super) agent: Option<String>,
    pub(super) has_sidecar: bool,
    pub(super) path: PathBuf,
    pub(super) mark: ReadPosition,
}

/// A session's row to be stored.
pub(super) struct NewSession {
    pub(super) known: Option<i64>,
    pub(super) home: HomeId,
    pub(super) project: String,
    pub(super) path: PathBuf,
    pub(super) session: String,
    pub(super) agents: usize,
    pub(super) kind: SessionKind,
    /// The time of its last activity.
    pub(super) active: Time,
    pub(super) row: Vec<u8>,
}

/// An opened catalogue.
pub(super) enum Opened {
    /// It has its tables.
    Ready(Catalogue),
    /// It is new and has no tables.
    Blank(Catalogue),
}

/// The connection to the catalogue.
pub(super) struct Catalogue {
    pub(super) db: Connection,
}

impl Catalogue {
    /// Opens the catalogue in a folder, creating a [blank](Opened::Blank) one if it is missing;
    /// fails if it is damaged or of another version. The folder must be locked: if two connections
    /// create a catalogue at once, one is refused without waiting.
    pub(super) fn open(folder: &Path) -> Result<Opened, CatalogueError> {
        let catalogue = Self::connect(folder, OpenFlags::default())?;
        // This takes effect in a new catalogue only: most values are longer than a smaller page.
        let db = &catalogue.db;
        db.pragma_update(None, "page_size", 16_384)?;
        db.pragma_update(None, "journal_mode", "WAL")?;
        match catalogue.version()? {
            VERSION => Ok(Opened::Ready(catalogue)),
            0 if catalogue.is_blank()? => Ok(Opened::Blank(catalogue)),
            _ => Err(Damaged.into()),
        }
    }

    /// Opens the catalogue in a folder, which must exist; `None` if it is of another version.
    pub(super) fn open_existing(folder: &Path) -> Result<Option<Self>, CatalogueError> {
        let flags = OpenFlags::default() & !OpenFlags::SQLITE_OPEN_CREATE;
        let catalogue = Self::connect(folder, flags)?;
        Ok((catalogue.version()? == VERSION).then_some(catalogue))
    }

    /// Opens the catalogue in a folder read-only; `None` if it is of another version.
    pub(super) fn open_for_reading(folder: &Path) -> Result<Option<Self>, CatalogueError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(folder.join(FILE), flags)?;
        // If the database is locked, the connection does not wait.
        db.busy_timeout(Duration::ZERO)?;
        let catalogue = Self { db };
        Ok((catalogue.version()? == VERSION).then_some(catalogue))
    }

    fn version(&self) -> Result<i64, CatalogueError> {
        self.value("PRAGMA user_version")
    }

    /// Returns the single value of a query without parameters.
    pub(super) fn value<T: FromSql>(&self, sql: &str) -> Result<T, CatalogueError> {
        Ok(self.db.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
    }

    /// Returns the decoded row that a query finds, if it finds one.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, CatalogueError> {
        Ok(self.db.prepare_cached(sql)?.query_row(values, read).optional()?)
    }

    /// Returns all decoded rows that a query finds.
    pub(super) fn all<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C, CatalogueError> {
        let mut statement = self.db.prepare_cached(sql)?;
        let rows = statement.query_map(values, read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Runs a statement that writes.
    pub(super) fn run(&self, sql: &str, values: impl Params) -> Result<(), CatalogueError> {
        self.db.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    fn connect(folder: &Path, flags: OpenFlags) -> Result<Self, CatalogueError> {
        let db = Connection::open_with_flags(folder.join(FILE), flags)?;
        db.busy_timeout(BUSY)?;
        db.pragma_update(None, "synchronous", "NORMAL")?;
        db.pragma_update(None, "wal_autocheckpoint", 1000)?;
        let catalogue = Self { db };
        catalogue.cache(CACHE)?;
        Ok(catalogue)
    }

    /// Sets the size of the page cache in kibibytes.
    pub(super) fn cache(&self, kibibytes: i64) -> Result<(), CatalogueError> {
        Ok(self.db.pragma_update(None, "cache_size", -kibibytes)?)
    }

    /// Creates a catalogue in memory.
    pub(super) fn in_memory() -> Result<Self, CatalogueError> {
        let catalogue = Self { db: Connection::open_in_memory()? };
        catalogue.create()?;
        Ok(catalogue)
    }

    fn is_blank(&self) -> Result<bool, CatalogueError> {
        Ok(self.value::<i64>("SELECT count(*) FROM sqlite_schema")? == 0)
    }

    /// Creates the tables.
    pub(super) fn create(&self) -> Result<(), CatalogueError> {
        self.db.execute_batch(&format!(
            "BEGIN IMMEDIATE;{TABLES}{TEXT_TABLES}PRAGMA user_version = {VERSION};COMMIT;"
        ))?;
        Ok(())
    }

    /// Records that all logs have been read.
    pub(super) fn set_complete(&self) -> Result<(), CatalogueError> {
        self.run("UPDATE state SET complete = 1 WHERE complete = 0", [])
    }

    /// Returns the fingerprint of the price table that the stored costs were computed with.
    pub(super) fn prices(&self) -> Result<u64, CatalogueError> {
        Ok(self.value::<i64>("SELECT prices FROM state")? as u64)
    }

    /// Records the fingerprint of the price table that the stored costs are computed with.
    pub(super) fn set_prices(&self, fingerprint: u64) -> Result<(), CatalogueError> {
        self.run("UPDATE state SET prices = ?", [fingerprint as i64])
    }

    /// Deletes the catalogue of a folder.
    pub(super) fn remove(folder: &Path) -> Result<(), CatalogueError> {
        for ending in ["", "-wal", "-shm"] {
            let path = folder.join(format!("{FILE}{ending}"));
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(CatalogueError::Folder { path, error });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the id of a home, if the catalogue has it.
    pub(super) fn find_home(&self, home: &Home) -> Result<Option<HomeId>, CatalogueError> {
        let root = paths::bytes(&home.root);
        self.one("SELECT id FROM homes WHERE root = ?", [root], |row| row.get(0).map(HomeId))
    }

    /// Returns the id of a home, adding the home if it is new.
    pub(super) fn home(&self, home: &Home) -> Result<HomeId, CatalogueError> {
        if let Some(id) = self.find_home(home)? {
            return Ok(id);
        }
        self.run("INSERT INTO homes (root) VALUES (?)", [paths::bytes(&home.root)])?;
        Ok(HomeId(self.db.last_insert_rowid()))
    }

    /// Adds the files and sessions of a project to `known`.
    pub(super) fn known(
        &self,
        home: HomeId,
        project: &str,
        known: &mut KnownProjects,
    ) -> Result<(), CatalogueError> {
        let mut files = self.db.prepare_cached(
            "SELECT path, id, generation, session, agent IS NOT NULL, device, inode, bytes, \
             modified, offset, head_print, tail_print, sidecar FROM files \
             WHERE home = ? AND project = ?",
        )?;
        let mut rows = files.query(params![home.0, project])?;
        while let Some(row) = rows.next()? {
            let file = CatalogueFile {
                id: FileId(row.get(1)?),
                generation: row.get(2)?,
                session: row.get(3)?,
                is_agent: row.get(4)?,
                mark: read_mark(row, 5)?,
                has_sidecar: row.get(12)?,
            };
            known.files.insert(paths::of(row, 0)?.into_os_string(), file);
        }
        let mut sessions = self.db.prepare_cached(
            "SELECT path, id, agents FROM sessions WHERE home = ? AND project = ?",
        )?;
        let mut rows = sessions.query(params![home.0, project])?;
        while let Some(row) = rows.next()? {
            let session =
                CatalogueSession { id: row.get(1)?, agents: row.get::<_, i64>(2)? as usize };
            known.sessions.insert(paths::of(row, 0)?.into_os_string(), session);
        }
        Ok(())
    }

    /// Stores the facts of a file.
    pub(super) fn put_file(&self, facts: &FileFacts) -> Result<(), CatalogueError> {
        let file = &facts.file;
        let mark = &file.mark;
        let identity = mark.stamp.identity.unwrap_or(NO_IDENTITY);
        let (id, generation) = match file.known {
            Some((id, generation)) => (Some(id.0), generation),
            None => (None, 0),
        };
        // Replacing the row in one statement would make SQLite write a statement journal.
        if let Some((id, _)) = file.known {
            self.forget_rows(id)?;
        }
        self.run(
            "INSERT INTO files (id, home, project, session, agent, sidecar, path, \
             generation, device, inode, bytes, modified, offset, head_print, tail_print, \
             off_path) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                id,
                file.home.0,
                file.project,
                file.session,
                file.agent,
                file.has_sidecar,
                paths::bytes(&file.path),
                generation,
                identity.device as i64,
                identity.inode as i64,
                mark.stamp.bytes as i64,
                to_nanos(mark.stamp.modified),
                mark.offset as i64,
                mark.prints.head as i64,
                mark.prints.tail as i64,
                facts.off_path,
            ],
        )?;
        let id = id.unwrap_or_else(|| self.db.last_insert_rowid());
        self.run(
            "INSERT INTO facts (file, row, tail) VALUES (?, ?, ?)",
            params![id, facts.row, facts.tail],
        )?;
        if !self.has_ledger(file, &facts.ledger)? {
            self.forget_ledger(id)?;
            let sql = "INSERT INTO ledgers (file, ledger) VALUES (?, ?)";
            self.run(sql, params![id, facts.ledger])?;
        }
        if let Some(snapshot) = &facts.snapshot {
            self.forget_snapshot(id)?;
            let sql = "INSERT INTO snapshots (file, snapshot) VALUES (?, ?)";
            self.run(sql, params![id, snapshot])?;
        }
        self.put_summaries(FileId(id), file, &facts.summaries)
    }

    /// Updates the time of a file whose content has not changed.
    pub(super) fn touch(&self, file: FileId, stamp: &FileStamp) -> Result<(), CatalogueError> {
        let modified = to_nanos(stamp.modified);
        self.run("UPDATE files SET modified = ? WHERE id = ?", [modified, file.0])
    }

    /// Stores a session's row.
    pub(super) fn put_session(&self, session: &NewSession) -> Result<(), CatalogueError> {
        let path = paths::bytes(&session.path);
        self.run("DELETE FROM sessions WHERE path = ?", [path])?;
        if let Some(id) = session.known {
            self.forget_session(id)?;
        }
        self.run(
            "INSERT INTO sessions (id, home, project, path, session, agents, kind, active, row) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                session.known,
                session.home.0,
                session.project,
                path,
                session.session,
                session.agents as i64,
                session.kind.number(),
                session.active.as_millis(),
                session.row
            ],
        )
    }

    /// Deletes a file and all its facts.
    pub(super) fn forget_file(&self, file: FileId) -> Result<(), CatalogueError> {
        self.forget_summaries(file)?;
        self.forget_snapshot(file.0)?;
        self.forget_ledger(file.0)?;
        self.forget_rows(file)
    }

    fn forget_snapshot(&self, file: i64) -> Result<(), CatalogueError> {
        self.run("DELETE FROM snapshots WHERE file = ?", [file])
    }

    fn forget_ledger(&self, file: i64) -> Result<(), CatalogueError> {
        self.run("DELETE FROM ledgers WHERE file = ?", [file])
    }

    /// Returns whether this ledger is already stored. Many lines add nothing to it, and comparing
    /// half a megabyte takes less time than writing it.
    fn has_ledger(&self, file: &NewFile, ledger: &[u8]) -> Result<bool, CatalogueError> {
        let Some((id, _)) = file.known else {
            return Ok(false);
        };
        let sql = "SELECT 1 FROM ledgers WHERE file = ? AND ledger = ?";
        Ok(self.one(sql, params![id.0, ledger], |_| Ok(()))?.is_some())
    }

    fn forget_rows(&self, file: FileId) -> Result<(), CatalogueError> {
        self.run("DELETE FROM files WHERE id = ?", [file.0])?;
        self.run("DELETE FROM facts WHERE file = ?", [file.0])
    }

    /// Deletes a session's row.
    pub(super) fn forget_session(&self, id: i64) -> Result<(), CatalogueError> {
        self.run("DELETE FROM sessions WHERE id = ?", [id])
    }
}

/// The identity of a file on platforms without inode numbers.
const NO_IDENTITY: FileIdentity = FileIdentity { device: 0, inode: 0 };

fn read_mark(row: &Row<'_>, first: usize) -> rusqlite::Result<ReadPosition> {
    let number = |at: usize| row.get::<_, i64>(first + at).map(|number| number as u64);
    let identity = FileIdentity { device: number(0)?, inode: number(1)? };
    Ok(ReadPosition {
        stamp: FileStamp {
            bytes: number(2)?,
            modified: from_nanos(row.get(first + 3)?),
            identity: Some(identity).filter(|identity| *identity != NO_IDENTITY),
        },
        offset: number(4)?,
        prints: Prints { head: number(5)?, tail: number(6)? },
    })
}
