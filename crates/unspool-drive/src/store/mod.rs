//! The state that must survive any crash: runs, prompts, approvals with their answers, trust.
//!
//! One `SQLite` file, `drive.db`, with a write-ahead log that is synced with every transaction (`synchronous
//! = FULL`), so an acknowledged change is on the disk. Hosts and supervisors of several processes have the
//! file open at once. A list of [`StoreChange`]s is written in one transaction; queries return rows. The
//! state cannot be rebuilt from logs, so a damaged file or one of a newer version is refused and never
//! replaced.
//!
//! An older file is migrated when it is opened. Migrations only add columns and tables, so running hosts of
//! the older release can still use the file. Programs of the older release that are started later refuse it
//! with an error.

mod change;
mod rows;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use unspool_store::files::private::{is_open_to_others, make_private};

pub use change::{NewRun, PutPrompt, RunStatus, StoreChange};
pub(crate) use rows::over_budget;
pub use rows::{
    ApprovalRecord, DecidedRecord, EndRecord, ProcessIdentity, PromptRecord, RunRecord, Survivor,
    TrustRecord, WholeRun,
};

/// The name of the database file.
pub const FILE: &str = "drive.db";
/// The version of the tables.
const VERSION: i64 = STEPS.len() as i64;
/// The timeout for the lock of the database. Transactions take milliseconds.
const BUSY: Duration = Duration::from_secs(10);

/// The migrations: from no tables to version 1, and from each version to the next.
const STEPS: [&str; 4] = [TABLES, SECOND, THIRD, FOURTH];

/// The errors that the client reports about settings files.
const FOURTH: &str = "ALTER TABLE runs ADD COLUMN broken_settings TEXT;";

/// Why queued prompts wait after a failed turn.
const THIRD: &str = "ALTER TABLE runs ADD COLUMN held_for TEXT;";

/// The error of the last turn, the budget and the cost of a run, and the menus of clients.
const SECOND: &str = "
ALTER TABLE runs ADD COLUMN last_failure TEXT;
ALTER TABLE runs ADD COLUMN budget INTEGER;
ALTER TABLE runs ADD COLUMN cost INTEGER;
CREATE TABLE menus (
    run TEXT PRIMARY KEY,
    menu TEXT NOT NULL
) WITHOUT ROWID;
";

const TABLES: &str = "
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    made INTEGER NOT NULL,
    by TEXT NOT NULL,
    plan TEXT NOT NULL,
    session TEXT NOT NULL,
    stage TEXT NOT NULL,
    detail TEXT,
    idle INTEGER,
    waiting INTEGER,
    idle_deadline INTEGER,
    mode TEXT,
    model TEXT,
    held_by INTEGER,
    host_pid INTEGER,
    host_start TEXT,
    client_pid INTEGER,
    client_start TEXT,
    ended INTEGER,
    exit_code INTEGER,
    exit_signal INTEGER,
    message TEXT,
    survivors TEXT
);
CREATE INDEX runs_by_session ON runs (session);
CREATE TABLE prompts (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    place INTEGER NOT NULL,
    send TEXT NOT NULL,
    content TEXT NOT NULL,
    by TEXT NOT NULL,
    state TEXT NOT NULL,
    was TEXT,
    put INTEGER NOT NULL,
    changed INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX prompts_by_run ON prompts (run, place);
CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    session TEXT NOT NULL,
    request_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    request TEXT NOT NULL,
    asked INTEGER NOT NULL,
    deadline INTEGER,
    resolution TEXT,
    decision TEXT,
    choice TEXT,
    answer TEXT,
    by TEXT,
    at INTEGER
);
CREATE INDEX approvals_by_run ON approvals (run);
CREATE INDEX approvals_open ON approvals (run) WHERE resolution IS NULL;
CREATE TABLE actions (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    what TEXT NOT NULL,
    at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE trust (
    folder TEXT PRIMARY KEY,
    print TEXT NOT NULL,
    by TEXT NOT NULL,
    at INTEGER NOT NULL
) WITHOUT ROWID;
";

/// Errors of the store.
#[derive(Debug, thiserror::Error)]
pub enum DriveStoreError {
    /// The database returned an error.
    #[error("the state of driven sessions cannot be read or written: {0}")]
    Database(#[from] rusqlite::Error),
    /// A folder or file cannot be created.
    #[error("{}: {error}", path.display())]
    File {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// Other users can read the folder.
    #[error(
        "{}: other users can read this folder, which would let them see and answer approvals; make it private with `chmod 700`",
        .0.display()
    )]
    OpenToOthers(PathBuf),
    /// A newer release has written the file.
    #[error("{}: written by a newer release (version {version}); update to use it", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of the file.
        version: i64,
    },
    /// A value of a row is unknown to this release.
    #[error("the state of driven sessions has an unknown {what}: {value}")]
    Unknown {
        /// The column.
        what: &'static str,
        /// The value.
        value: String,
    },
    /// Another change of the same row came first.
    #[error("{0} has changed in the meantime")]
    Conflict(&'static str),
}

/// The result of functions of the store.
type StoreResult<T = ()> = Result<T, DriveStoreError>;

impl DriveStoreError {
    fn file(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        Self::File { path, error }
    }
}

/// The store.
#[derive(Debug)]
pub struct DriveStore {
    db: Mutex<Connection>,
}

impl DriveStore {
    /// Opens the store in a folder, which is created for its owner alone if it does not exist.
    pub fn open(folder: &Path) -> Result<Self, DriveStoreError> {
        private_folder(folder)?;
        let path = folder.join(FILE);
        make_file(&path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(&path, flags)?;
        db.busy_timeout(BUSY)?;
        // A small page cache is enough: one run has few rows.
        db.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -256;",
        )?;
        bring_up_to_date(&db, &path)?;
        Ok(Self { db: Mutex::new(db) })
    }

    /// Makes changes, all or none. They are on the disk when this returns.
    pub fn write(&self, changes: &[StoreChange]) -> Result<(), DriveStoreError> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut db = self.db();
        let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for change in changes {
            change.make(&transaction)?;
        }
        transaction.commit()?;
        Ok(())
    }

    fn db(&self) -> MutexGuard<'_, Connection> {
        // The transaction of a thread that panicked was rolled back.
        self.db.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates a folder for its owner alone, and refuses one that other users can read.
pub(crate) fn private_folder(folder: &Path) -> Result<(), DriveStoreError> {
    make_private(folder).map_err(|error| DriveStoreError::file(folder, error))?;
    match is_open_to_others(folder) {
        Ok(false) => Ok(()),
        Ok(true) => Err(DriveStoreError::OpenToOthers(folder.to_owned())),
        Err(error) => Err(DriveStoreError::file(folder, error)),
    }
}

/// Creates the file for its owner alone. `SQLite` creates its other files with the same mode.
#[expect(clippy::disallowed_methods, reason = "the store is a file of its own")]
fn make_file(path: &Path) -> Result<(), DriveStoreError> {
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let opened = options.open(path);
    opened.map_err(|error| DriveStoreError::file(path, error))?;
    Ok(())
}

/// Creates the tables or runs missing migrations; two processes may do so at once.
fn bring_up_to_date(db: &Connection, path: &Path) -> Result<(), DriveStoreError> {
    let version = || db.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    if version()? < VERSION {
        db.execute_batch("BEGIN IMMEDIATE")?;
        // Another process may have migrated the file meanwhile.
        let done = usize::try_from(version()?).unwrap_or_default();
        for step in STEPS.iter().skip(done) {
            db.execute_batch(step)?;
        }
        db.pragma_update(None, "user_version", version()?.max(VERSION))?;
        db.execute_batch("COMMIT")?;
    }
    let version = version()?;
    if version > VERSION {
        let path = path.to_owned();
        return Err(DriveStoreError::Newer { path, version });
    }
    Ok(())
}
