//! The tables of the catalogue, and the version that they are of.
//!
//! A file has a number that is never given twice. Its `generation` grows when it was
//! written anew, so that whoever has read a part of it sees that this part is gone; `offset`
//! is the end of its last whole line that was read. Paths are kept as the bytes that the
//! system gave.

/// The version of the tables and of everything that is kept in them. An index of another
/// version is built anew.
pub const VERSION: i64 = 1;

/// Makes the tables.
pub const TABLES: &str = "
CREATE TABLE homes (
    id INTEGER PRIMARY KEY,
    root BLOB NOT NULL UNIQUE
);
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    home INTEGER NOT NULL,
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    path BLOB NOT NULL UNIQUE,
    row BLOB NOT NULL
);
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER,
    agent TEXT,
    path BLOB NOT NULL UNIQUE,
    generation INTEGER NOT NULL,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    head_print INTEGER NOT NULL,
    tail_print INTEGER NOT NULL
);
CREATE TABLE ledgers (
    file INTEGER PRIMARY KEY,
    body BLOB NOT NULL
);
CREATE TABLE snapshots (
    file INTEGER PRIMARY KEY,
    body BLOB NOT NULL
);
CREATE TABLE text_files (
    file INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    batch INTEGER NOT NULL
);
";
