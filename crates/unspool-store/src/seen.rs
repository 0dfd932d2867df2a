//! What a person has seen: the inbox, and each session up to an entry.
//!
//! The marks are in a small `SQLite` file in the state folder. It cannot be rebuilt from logs, and
//! losing it costs little: something is shown as new that is not. So a file that is damaged or of
//! another version is recreated, and one that cannot be used is replaced by marks in memory; both
//! are reported ([`SeenNote`]). Several processes may have the file open at once; the mark with the
//! latest time wins. The caller passes the time.

#![expect(clippy::disallowed_methods, reason = "the marks are a file")]

#[cfg(test)]
mod tests;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};
use unspool_model::ids::{EntryId, SessionId};
use unspool_model::time::Time;

use crate::files::lock::Lock;
use crate::files::private::make_private;
use crate::index::{BUSY, is_damaged};

/// The folder of the marks in the state folder, which contains nothing else.
const FOLDER: &str = "seen";
/// The file name of the marks.
const FILE: &str = "seen.sqlite";
/// The version of the tables. Marks of another version are discarded.
const VERSION: i64 = 1;
/// How many sessions can have a mark; the oldest marks are removed. Chosen by judgement: years of
/// reading, in less than a megabyte.
pub const MOST_SESSIONS: usize = 5_000;
/// How many more there may be before the oldest are removed, so that not every mark removes one.
const SLACK: usize = 200;

/// Creates the tables. The inbox is one row.
const TABLES: &str = "
CREATE TABLE inbox (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL
);
CREATE TABLE read (
    session TEXT PRIMARY KEY,
    entry TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX read_by_time ON read (at);
";

/// Something about the marks that the user should know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeenNote {
    /// They were damaged or of another version, and were recreated.
    Restarted,
    /// They cannot be stored, so they are in memory.
    InMemory {
        /// The reason.
        reason: String,
    },
}

impl fmt::Display for SeenNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Restarted => f.write_str(
                "the marks of what you have seen were damaged or of another version; they begin again",
            ),
            Self::InMemory { reason } => write!(
                f,
                "the marks of what you have seen are kept in memory for this run: {reason}"
            ),
        }
    }
}

/// An error of the marks.
#[derive(Debug, thiserror::Error)]
pub enum SeenError {
    /// The database reported an error.
    #[error("the marks of what was seen cannot be used: {0}")]
    Database(#[from] rusqlite::Error),
    /// Their folder cannot be used.
    #[error("{}: {error}", path.display())]
    Folder {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

/// How far a session was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadMark {
    /// The last entry that was seen.
    pub entry: EntryId,
    /// The number of its message in the history, for use when the entry is gone.
    pub ordinal: u64,
    /// When it was seen.
    pub at: Time,
}

/// The marks, which threads can share.
pub struct SeenMarks {
    state: Mutex<MarksState>,
}

struct MarksState {
    db: Connection,
    /// The folder of the marks; `None` if they are in memory.
    folder: Option<PathBuf>,
    notes: Vec<SeenNote>,
}

impl SeenMarks {
    /// Opens the marks in a state folder, which must exist. If they cannot be stored there, they
    /// are in memory.
    pub fn open(state: &Path) -> Result<Self, SeenError> {
        let folder = state.join(FOLDER);
        match open_in(&folder) {
            Ok((db, notes)) => Ok(Self::of(db, Some(folder), notes)),
            Err(error) => Self::in_memory_because(error.to_string()),
        }
    }

    /// Makes marks in memory.
    pub fn in_memory() -> Result<Self, SeenError> {
        Ok(Self::of(blank_in_memory()?, None, Vec::new()))
    }

    /// Makes marks in memory, with a note of the reason.
    pub fn in_memory_because(reason: String) -> Result<Self, SeenError> {
        let notes = vec![SeenNote::InMemory { reason }];
        Ok(Self::of(blank_in_memory()?, None, notes))
    }

    fn of(db: Connection, folder: Option<PathBuf>, notes: Vec<SeenNote>) -> Self {
        Self { state: Mutex::new(MarksState { db, folder, notes }) }
    }

    /// Returns the notes for the user and clears them.
    pub fn take_notes(&self) -> Vec<SeenNote> {
        std::mem::take(&mut self.state().notes)
    }

    /// Returns when the inbox was last marked as seen.
    pub fn inbox_seen(&self) -> Result<Option<Time>, SeenError> {
        self.ask(|db| {
            let mut statement = db.prepare_cached("SELECT at FROM inbox")?;
            let at: Option<i64> = statement.query_row([], |row| row.get(0)).optional()?;
            Ok(at.map(Time::from_millis))
        })
    }

    /// Marks the inbox as seen at a time. An earlier time changes nothing.
    pub fn see_inbox(&self, at: Time) -> Result<(), SeenError> {
        self.ask(|db| {
            let mut statement = db.prepare_cached(
                "INSERT INTO inbox VALUES (1, ?1) \
                 ON CONFLICT DO UPDATE SET at = max(at, excluded.at)",
            )?;
            statement.execute([at.as_millis()])?;
            Ok(())
        })
    }

    /// Returns how far a session was read; `None` if it was not.
    pub fn last_read(&self, session: &SessionId) -> Result<Option<ReadMark>, SeenError> {
        self.ask(|db| {
            let mut statement =
                db.prepare_cached("SELECT entry, ordinal, at FROM read WHERE session = ?")?;
            let mark = statement.query_row([session.as_str()], |row| {
                Ok(ReadMark {
                    entry: EntryId::new(row.get::<_, String>(0)?),
                    ordinal: row.get::<_, i64>(1)? as u64,
                    at: Time::from_millis(row.get(2)?),
                })
            });
            mark.optional()
        })
    }

    /// Sets how far a session was read. A mark with a later time stays.
    pub fn mark_read(&self, session: &SessionId, mark: &ReadMark) -> Result<(), SeenError> {
        self.ask(|db| {
            let mut statement = db.prepare_cached(
                "INSERT INTO read VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET \
                 entry = excluded.entry, ordinal = excluded.ordinal, at = excluded.at \
                 WHERE excluded.at >= at",
            )?;
            let (entry, ordinal) = (mark.entry.as_str(), mark.ordinal as i64);
            statement.execute(params![session.as_str(), entry, ordinal, mark.at.as_millis()])?;
            forget_oldest(db)
        })
    }

    /// Queries the database. If it turns out to be damaged, recreates it and repeats the query.
    fn ask<T>(
        &self,
        question: impl Fn(&Connection) -> Result<T, rusqlite::Error>,
    ) -> Result<T, SeenError> {
        let mut state = self.state();
        match question(&state.db) {
            Err(error) if is_broken(&error) => state.restart()?,
            answer => return Ok(answer?),
        }
        Ok(question(&state.db)?)
    }

    fn state(&self) -> MutexGuard<'_, MarksState> {
        // Each statement is atomic, so a thread that panicked has left nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MarksState {
    /// Recreates the marks, after the file turned out to be damaged.
    fn restart(&mut self) -> Result<(), SeenError> {
        self.db = match &self.folder {
            Some(folder) => {
                let _lock = lock(folder)?;
                // Another process may have recreated them meanwhile.
                match connect(folder) {
                    Ok(db) if is_whole(&db) => db,
                    _ => begin(folder)?,
                }
            }
            None => blank_in_memory()?,
        };
        self.notes.push(SeenNote::Restarted);
        Ok(())
    }
}

fn blank_in_memory() -> Result<Connection, SeenError> {
    let db = Connection::open_in_memory()?;
    create(&db)?;
    Ok(db)
}

/// Opens the marks in a folder, creating them if they are missing.
fn open_in(folder: &Path) -> Result<(Connection, Vec<SeenNote>), SeenError> {
    make_private(folder).map_err(|error| at(folder, error))?;
    // If two processes create a database at once, one is refused.
    let _lock = lock(folder)?;
    match fs::symlink_metadata(folder.join(FILE)) {
        Ok(_) => match connect(folder) {
            Ok(db) if is_whole(&db) => Ok((db, Vec::new())),
            Err(SeenError::Database(error)) if !is_broken(&error) => Err(error.into()),
            Ok(_) | Err(_) => Ok((begin(folder)?, vec![SeenNote::Restarted])),
        },
        Err(_) => Ok((begin(folder)?, Vec::new())),
    }
}

/// Returns whether a database error is caused by the content of its file. The statements here are
/// correct, so an error in one means that the tables differ.
fn is_broken(error: &rusqlite::Error) -> bool {
    const SQL_ERROR: i32 = 1;
    let code = error.sqlite_error().map(|error| error.extended_code);
    is_damaged(error) || code == Some(SQL_ERROR)
}

/// Takes the lock of the folder; `None` if a process hangs with it, which must not keep others out.
fn lock(folder: &Path) -> Result<Option<Lock>, SeenError> {
    const TIMEOUT: Duration = Duration::from_secs(2);
    Lock::take(folder, TIMEOUT).map_err(|error| at(folder, error))
}

fn connect(folder: &Path) -> Result<Connection, SeenError> {
    let db = Connection::open(folder.join(FILE))?;
    db.busy_timeout(BUSY)?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    Ok(db)
}

/// Returns whether a database has the tables of this version and no damaged page. It is small, so all
/// pages are checked.
fn is_whole(db: &Connection) -> bool {
    let version: Result<i64, _> = db.query_row("PRAGMA user_version", [], |row| row.get(0));
    let check: Result<String, _> = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    let has_tables = ["SELECT at FROM inbox", "SELECT session, entry, ordinal, at FROM read"]
        .iter()
        .all(|columns| db.prepare(columns).is_ok());
    version == Ok(VERSION) && check.is_ok_and(|check| check == "ok") && has_tables
}

/// Deletes the files of the marks and creates empty tables.
fn begin(folder: &Path) -> Result<Connection, SeenError> {
    for ending in ["", "-wal", "-shm"] {
        let path = folder.join(format!("{FILE}{ending}"));
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&path, error)),
            _ => {}
        }
    }
    make_file(&folder.join(FILE))?;
    let db = connect(folder)?;
    create(&db)?;
    Ok(db)
}

/// Creates the file for its owner alone; `SQLite` gives the files next to it the same permissions.
fn make_file(path: &Path) -> Result<(), SeenError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| at(path, error))?;
    Ok(())
}

fn create(db: &Connection) -> Result<(), SeenError> {
    db.execute_batch(&format!("BEGIN IMMEDIATE;{TABLES}PRAGMA user_version = {VERSION};COMMIT;"))?;
    Ok(())
}

/// Removes the oldest marks if there are too many.
fn forget_oldest(db: &Connection) -> Result<(), rusqlite::Error> {
    let marks: usize = db
        .prepare_cached("SELECT count(*) FROM read")?
        .query_row([], |row| row.get::<_, i64>(0))? as usize;
    if marks > MOST_SESSIONS + SLACK {
        db.prepare_cached(
            "DELETE FROM read WHERE session IN \
             (SELECT session FROM read ORDER BY at DESC LIMIT -1 OFFSET ?)",
        )?
        .execute([MOST_SESSIONS as i64])?;
    }
    Ok(())
}

fn at(path: &Path, error: io::Error) -> SeenError {
    SeenError::Folder { path: path.to_owned(), error }
}
