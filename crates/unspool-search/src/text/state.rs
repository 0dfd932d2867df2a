//! The records of the full text in the catalogue: how far each file was read.
//!
//! Documents are committed first and recorded here afterwards, batch by batch. So everything
//! that is recorded is in the index, and a batch that was committed and not recorded is known by
//! its number and taken back.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::extract::SideFileRefs;
use super::store::CommitStamp;
use unspool_store::index::schema::TEXT_TABLES;
use unspool_store::tail::Prints;

/// How far a log was read.
#[derive(Clone, Debug)]
pub(crate) struct ReadFile {
    pub(crate) file: i64,
    pub(crate) generation: i64,
    pub(crate) offset: u64,
    /// The length of the last line if it has no newline, otherwise 0.
    pub(crate) tail: u64,
    /// What its lines say about side files.
    pub(crate) notes: SideFileRefs,
    /// Whether the file was read from its start.
    pub(crate) from_start: bool,
}

/// The state of a side file when it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadSide {
    pub(crate) id: i64,
    pub(crate) bytes: u64,
    pub(crate) modified: i64,
    /// The prints of the bytes that were read, for a file that grows.
    pub(crate) prints: Prints,
}

/// The changes of one batch.
#[derive(Default, Debug)]
pub(crate) struct BatchRecord {
    pub(crate) files: Vec<ReadFile>,
    pub(crate) sides: Vec<ReadSide>,
    pub(crate) gone_files: Vec<i64>,
    pub(crate) gone_sides: Vec<i64>,
    /// Folders of side files, with their modification times.
    pub(crate) folders: Vec<(std::path::PathBuf, i64)>,
    pub(crate) gone_folders: Vec<std::path::PathBuf>,
}

/// Reads the stamp of the last commit that was recorded.
pub(crate) fn read(db: &Connection) -> rusqlite::Result<Option<CommitStamp>> {
    let mut statement = db.prepare_cached("SELECT identity, batch FROM text_state")?;
    statement
        .query_row([], |row| {
            Ok(CommitStamp { identity: row.get(0)?, batch: row.get::<_, i64>(1)? as u64 })
        })
        .optional()
}

/// Deletes all records and starts those of a new index.
pub(crate) fn begin(db: &Connection, identity: i64) -> rusqlite::Result<()> {
    let transaction = db.unchecked_transaction()?;
    transaction.execute_batch(
        "DELETE FROM text_state; DELETE FROM text_files; DELETE FROM text_folders; \
         DELETE FROM text_sides; DELETE FROM text_past; DELETE FROM text_spilled; \
         DELETE FROM text_plans; DELETE FROM text_agents; UPDATE homes SET text_changes = NULL;",
    )?;
    transaction.execute("INSERT INTO text_state VALUES (?, 0)", [identity])?;
    transaction.commit()
}

/// Records a batch that was committed.
pub(crate) fn record(db: &Connection, batch: u64, record: &BatchRecord) -> rusqlite::Result<()> {
    let transaction = db.unchecked_transaction()?;
    for file in &record.gone_files {
        forget_file(&transaction, *file)?;
    }
    for side in &record.gone_sides {
        transaction.execute("DELETE FROM text_sides WHERE id = ?", [side])?;
        transaction.execute("DELETE FROM text_past WHERE side = ?", [side])?;
    }
    for folder in &record.gone_folders {
        let path = unspool_store::index::paths::bytes(folder);
        transaction.execute("DELETE FROM text_folders WHERE path = ?", [path])?;
    }
    for file in &record.files {
        put_file(&transaction, batch, file)?;
    }
    let sql = "UPDATE text_sides SET bytes = ?, modified = ?, head_print = ?, tail_print = ?, \
               batch = ? WHERE id = ?";
    for side in &record.sides {
        transaction.prepare_cached(sql)?.execute(params![
            side.bytes as i64,
            side.modified,
            side.prints.head as i64,
            side.prints.tail as i64,
            batch as i64,
            side.id
        ])?;
    }
    for (folder, modified) in &record.folders {
        transaction
            .prepare_cached("INSERT OR REPLACE INTO text_folders VALUES (?, ?)")?
            .execute(params![unspool_store::index::paths::bytes(folder), modified])?;
    }
    transaction.execute("UPDATE text_state SET batch = ?", [batch as i64])?;
    transaction.commit()
}

fn forget_file(db: &Connection, file: i64) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM text_files WHERE file = ?",
        "DELETE FROM text_spilled WHERE file = ?",
        "DELETE FROM text_plans WHERE file = ?",
        "DELETE FROM text_agents WHERE file = ?",
    ] {
        db.prepare_cached(sql)?.execute([file])?;
    }
    Ok(())
}

fn put_file(db: &Connection, batch: u64, file: &ReadFile) -> rusqlite::Result<()> {
    if file.from_start {
        forget_file(db, file.file)?;
    }
    db.prepare_cached("INSERT OR REPLACE INTO text_files VALUES (?, ?, ?, ?, ?)")?.execute(
        params![file.file, file.generation, file.offset as i64, file.tail as i64, batch as i64],
    )?;
    for (offset, name) in &file.notes.spilled {
        db.prepare_cached("INSERT OR IGNORE INTO text_spilled VALUES (?, ?, ?)")?
            .execute(params![name, file.file, *offset as i64])?;
    }
    for slug in &file.notes.plans {
        db.prepare_cached("INSERT OR IGNORE INTO text_plans VALUES (?, ?)")?
            .execute(params![slug, file.file])?;
    }
    for (agent, held) in &file.notes.agents {
        db.prepare_cached("INSERT OR REPLACE INTO text_agents VALUES (?, ?, ?)")?
            .execute(params![file.file, agent, held])?;
    }
    Ok(())
}

/// Hides the records of the full text on disk with temporary tables for one in memory, for the
/// lifetime of the connection: the disk may be full, and the records describe another index.
pub(crate) fn cover(db: &Connection) -> rusqlite::Result<()> {
    const NAMES: [&str; 9] = [
        "homes",
        "text_state",
        "text_files",
        "text_folders",
        "text_sides",
        "text_past",
        "text_spilled",
        "text_plans",
        "text_agents",
    ];
    db.pragma_update(None, "temp_store", "MEMORY")?;
    for name in NAMES {
        db.execute_batch(&format!("DROP TABLE IF EXISTS temp.{name}"))?;
    }
    let tables = TEXT_TABLES.replace("CREATE TABLE", "CREATE TEMP TABLE");
    db.execute_batch(&tables)?;
    db.execute_batch(
        "CREATE TEMP TABLE homes AS SELECT id, root, changes, NULL AS text_changes FROM main.homes",
    )
}

/// Inserts a side file that has not been read yet; returns its id.
pub(crate) fn add_side(
    db: &Connection,
    home: i64,
    session: &str,
    kind: i64,
    path: &[u8],
) -> rusqlite::Result<i64> {
    db.prepare_cached(
        "INSERT INTO text_sides (home, session, kind, path, bytes, modified, head_print, \
         tail_print, batch) VALUES (?, ?, ?, ?, -1, 0, 0, 0, 0)",
    )?
    .execute(params![home, session, kind, path])?;
    Ok(db.last_insert_rowid())
}

/// Returns the id of a session that a history names, inserting it if it is new.
pub(crate) fn past(
    db: &Connection,
    side: i64,
    session: &str,
    project: &str,
) -> rusqlite::Result<i64> {
    let known = db
        .prepare_cached("SELECT id FROM text_past WHERE side = ? AND session = ? AND project = ?")?
        .query_row(params![side, session, project], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    db.prepare_cached("INSERT INTO text_past (side, session, project) VALUES (?, ?, ?)")?
        .execute(params![side, session, project])?;
    Ok(db.last_insert_rowid())
}

/// Returns the ids of the sessions that a history names.
pub(crate) fn pasts(db: &Connection, side: i64) -> rusqlite::Result<Vec<i64>> {
    let mut statement = db.prepare_cached("SELECT id FROM text_past WHERE side = ?")?;
    let rows = statement.query_map([side], |row| row.get(0))?;
    rows.collect()
}
