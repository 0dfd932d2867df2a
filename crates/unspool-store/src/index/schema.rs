//! The tables of the catalogue, and their version.
//!
//! - `files`: an id is never reused. `generation` grows when a file is rewritten, so that a reader
//!   of a part of it notices; `offset` is the end of the last whole line that was read.
//! - `projects`: a project has a row as long as its files or sessions have rows. `memory` is the
//!   content of its folder when all of them were up to date.
//! - `homes`: `changes` counts the changes to a home's rows, and `text_changes` is the count at
//!   which the full text had all of its logs.
//! - `sessions`: `kind` is that of the row, `active` the time of the last activity in milliseconds.
//! - `snapshots`: a snapshot may lack the last entries of a file; `facts.tail` has the hashes of
//!   their uuids.
//! - `summaries`: a summary counts in the project of its file. `stale_titles` has the projects with
//!   titles that do not follow from the summaries yet.
//! - `text_agents`: the agents whose progress records a log has, and whether the agent had a log of
//!   its own when the full text read them.
//!
//! Paths are stored as the bytes that the system gave, values as sealed bytes: a file's facts are
//! replaced and read as a whole, and one row for each file is what makes the first run fast.

/// The version of the tables and of everything in them. An index of another version is rebuilt.
pub const VERSION: i64 = 16;

/// Creates the tables.
pub const TABLES: &str = "
CREATE TABLE state (
    complete INTEGER NOT NULL,
    prices INTEGER NOT NULL
);
INSERT INTO state VALUES (0, 0);
CREATE TABLE homes (
    id INTEGER PRIMARY KEY,
    root BLOB NOT NULL UNIQUE,
    changes INTEGER NOT NULL DEFAULT 0,
    text_changes INTEGER
);
CREATE TABLE projects (
    id INTEGER PRIMARY KEY,
    home INTEGER NOT NULL,
    name TEXT NOT NULL,
    memory BLOB,
    UNIQUE (home, name)
);
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    home INTEGER NOT NULL,
    project TEXT NOT NULL,
    path BLOB NOT NULL,
    session TEXT NOT NULL,
    agents INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    active INTEGER NOT NULL,
    row BLOB NOT NULL
);
CREATE UNIQUE INDEX sessions_by_path ON sessions (path);
CREATE INDEX sessions_by_project ON sessions (home, project, path, agents, kind);
CREATE INDEX sessions_by_time ON sessions (active DESC, session, id, home, kind, project);
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    home INTEGER NOT NULL,
    project TEXT NOT NULL,
    session TEXT NOT NULL,
    agent TEXT,
    sidecar INTEGER NOT NULL,
    path BLOB NOT NULL,
    generation INTEGER NOT NULL,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    head_print INTEGER NOT NULL,
    tail_print INTEGER NOT NULL,
    off_path BLOB
);
CREATE INDEX files_by_project ON files (home, project);
CREATE INDEX files_by_session ON files (session, home, project);
CREATE TABLE facts (
    file INTEGER PRIMARY KEY,
    row BLOB,
    tail BLOB
);
CREATE TABLE ledgers (
    file INTEGER PRIMARY KEY,
    ledger BLOB NOT NULL
);
CREATE TABLE snapshots (
    file INTEGER PRIMARY KEY,
    snapshot BLOB NOT NULL
);
CREATE TABLE summaries (
    file INTEGER NOT NULL,
    leaf INTEGER NOT NULL,
    text TEXT NOT NULL,
    home INTEGER NOT NULL,
    project TEXT NOT NULL,
    PRIMARY KEY (file, leaf, text)
) WITHOUT ROWID;
CREATE INDEX summaries_by_project ON summaries (home, project);
CREATE TABLE stale_titles (
    home INTEGER NOT NULL,
    project TEXT NOT NULL,
    PRIMARY KEY (home, project)
) WITHOUT ROWID;
";

/// Creates the tables of the full text, also for a full text in memory.
pub const TEXT_TABLES: &str = "
CREATE TABLE text_state (
    identity INTEGER NOT NULL,
    batch INTEGER NOT NULL
);
CREATE TABLE text_files (
    file INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    tail INTEGER NOT NULL,
    batch INTEGER NOT NULL
);
CREATE TABLE text_folders (
    path BLOB PRIMARY KEY,
    modified INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE text_sides (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    home INTEGER NOT NULL,
    session TEXT NOT NULL,
    kind INTEGER NOT NULL,
    path BLOB NOT NULL UNIQUE,
    bytes INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    head_print INTEGER NOT NULL,
    tail_print INTEGER NOT NULL,
    batch INTEGER NOT NULL
);
CREATE TABLE text_past (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    side INTEGER NOT NULL,
    session TEXT NOT NULL,
    project TEXT NOT NULL,
    UNIQUE (side, session, project)
);
CREATE TABLE text_spilled (
    name TEXT NOT NULL,
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    PRIMARY KEY (name, file, offset)
) WITHOUT ROWID;
CREATE INDEX text_spilled_by_file ON text_spilled (file);
CREATE TABLE text_plans (
    slug TEXT NOT NULL,
    file INTEGER NOT NULL,
    PRIMARY KEY (slug, file)
) WITHOUT ROWID;
CREATE INDEX text_plans_by_file ON text_plans (file);
CREATE TABLE text_agents (
    file INTEGER NOT NULL,
    agent TEXT NOT NULL,
    held INTEGER NOT NULL,
    PRIMARY KEY (file, agent)
) WITHOUT ROWID;
";
