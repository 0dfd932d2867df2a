//! Stored data has a version, and a change of the data increases it.
//!
//! The index stores snapshots of logs, rows of sessions, ledgers and the documents of the full
//! text. A program must be able to trust the data of an older one, so each part has a version, and
//! a part of another version is rebuilt. `tests/stored.txt` has a line for each version of each
//! part, with a hash of the data stored for some logs, and lines are only added. If the hash
//! changes, the version must change too.
//!
//! The remembered content of a project's folder (`projects.memory`) has no hash: it has times and
//! inode numbers of the file system.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::Connection;
use rusqlite::types::Value;
use sha2::{Digest as _, Sha256};
use unspool_engine::library::{IndexPlace, Library, LibrarySettings, ListRequest};
use unspool_model::log::Log;
use unspool_search::text::{documents, words_of};
use unspool_store::prices::PriceTable;
use unspool_store::progress::Unwatched;
use unspool_testkit::home::{AgentFilePlace, TestSideFile};
use unspool_testkit::random::resumable;
use unspool_testkit::{TestHome, resumes, session, uuid};

use crate::setup::settings;

const CWD: &str = "/srv/demo";

/// Returns logs of the client, and synthetic ones of every shape.
fn logs() -> Vec<Vec<u8>> {
    let talk = r#"
        u1 user "fix the bug"
        a1 assistant thinking "hm" call Bash:t1 {"command":"ls"} out=120 cr=1000
        r1 result t1 "src"
        -- custom-title "A title"
        a2 assistant "Done." call Edit:t2 {"file_path":"/srv/demo/a.rs","old_string":"a","new_string":"b"}
        r2 result t2 error "no such file"
        s1 system turn_duration ms=1200
        q1 attachment queued_command {"prompt":"and then"}
        -- last-prompt a2
        -- torn {"type":"user"
    "#;
    let titled = session("-- summary \"The beginning\" ?u1\no1 user \"something else\"\n");
    let unfinished = session("n1 user \"a\"\nn2 assistant \"b\"\n");
    let unfinished = unfinished.trim_ascii_end().to_vec();
    let real = resumes::real().into_iter().map(|real| real.log.into_bytes());
    let random = (0..40).map(|seed| resumable::session(seed, 5).log);
    [session(talk), titled, unfinished].into_iter().chain(real).chain(random).collect()
}

/// Writes logs, an agent's log, a spilled output and a history, all of them old, and returns their files.
fn sample(home: &TestHome, logs: &[Vec<u8>]) -> Vec<PathBuf> {
    let logs = (0..)
        .zip(logs)
        .map(|(number, log)| home.add_session(CWD, &uuid(&format!("s{number}")), log));
    let mut files: Vec<PathBuf> = logs.collect();
    let agent = session("g1 user < - sidechain \"look\"\ng2 assistant sidechain \"seen\" out=7\n");
    let place = AgentFilePlace::Subagents;
    files.push(home.add_agent(CWD, &uuid("s0"), &place, "aa11", agent));
    let spilled = TestSideFile::ToolResult { cwd: CWD.to_owned(), name: "t1.txt".to_owned() };
    let output = "error: cannot find functions in parsers\n";
    files.push(home.add_side_file(&uuid("s0"), &spilled, output));
    files.push(home.add_history(CWD, &uuid("gone"), 5, "an old prompt"));
    for file in &files {
        // A row has the time of its file if the log has none.
        let file = fs::File::options().append(true).open(file);
        let set = file.and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH));
        set.expect("a time");
    }
    files
}

/// Returns the version in a source file.
fn version(source: &str) -> u32 {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let text = fs::read_to_string(path).expect("a source file");
    let line = text.lines().find(|line| line.contains("const VERSION: "));
    let number = line.and_then(|line| line.split(" = ").nth(1));
    let number = number.and_then(|number| number.trim_end_matches(';').parse().ok());
    number.expect("a version")
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn of_snapshots(logs: &[Vec<u8>]) -> String {
    let mut hash = Sha256::new();
    for log in logs {
        hash.update(Log::read(log).snapshot());
    }
    hex(hash)
}

fn of_documents(files: &[PathBuf]) -> String {
    let mut hash = Sha256::new();
    for file in files {
        let each = |document| {
            hash.update(format!("{document:?}"));
            words_of(&document, |word, at| hash.update(format!("{word} {at}\n")));
        };
        documents(file, each).expect("documents");
    }
    hex(hash)
}

/// Queries for the data of the catalogue; each column has a value in some row.
const KEPT: [&str; 4] = [
    "SELECT row FROM sessions ORDER BY session",
    "SELECT off_path FROM files ORDER BY session, agent",
    "SELECT facts.row, ledger, tail FROM files JOIN facts ON files.id = facts.file \
     JOIN ledgers ON files.id = ledgers.file ORDER BY session, agent",
    "SELECT leaf, text FROM summaries ORDER BY leaf, text",
];

fn of_catalogue(home: &TestHome) -> String {
    let index = tempfile::tempdir().expect("a folder");
    let library = Library::open(LibrarySettings {
        index: IndexPlace::Folder(index.path().to_owned()),
        // A change of prices updates stored costs without a new version.
        prices: PriceTable::default(),
        ..settings(home)
    });
    let library = library.expect("a library");
    library.list(&ListRequest::default(), &Unwatched).expect("a list");
    drop(library);
    let catalogue = index.path().join("catalogue.sqlite");
    let catalogue = Connection::open(catalogue).expect("a catalogue");
    let mut hash = Sha256::new();
    for query in KEPT {
        let mut query = catalogue.prepare(query).expect("a query");
        let mut are_seen = vec![false; query.column_count()];
        let mut rows = query.query([]).expect("rows");
        while let Some(row) = rows.next().expect("a row") {
            for (column, is_seen) in are_seen.iter_mut().enumerate() {
                let value: Value = row.get(column).expect("a value");
                *is_seen |= value != Value::Null;
                hash.update(format!("{value:?}"));
            }
        }
        assert!(are_seen.iter().all(|is_seen| *is_seen), "{are_seen:?}");
    }
    hex(hash)
}

#[test]
fn a_change_of_what_is_stored_raises_its_version() {
    let logs = logs();
    let home = TestHome::new();
    let files = sample(&home, &logs);
    let found = [
        ("snapshot", "../unspool-model/src/log/snapshot/mod.rs", of_snapshots(&logs)),
        ("catalogue", "../unspool-store/src/index/schema.rs", of_catalogue(&home)),
        ("text", "../unspool-search/src/text/store.rs", of_documents(&files)),
    ];
    let mut missing = Vec::new();
    for (part, source, hash) in found {
        let of_part = |line: &&str| line.split(' ').next() == Some(part);
        let known: Vec<&str> = include_str!("stored.txt").lines().filter(of_part).collect();
        let rises = |pair: &[&str]| number(pair[0]) < number(pair[1]);
        assert!(known.windows(2).all(rises), "{known:#?}");
        let line = format!("{part} {} {hash}", version(source));
        if known.last() != Some(&line.as_str()) {
            missing.push(format!("{line}    {source}"));
        }
    }
    assert!(
        missing.is_empty(),
        "what is stored has changed. Raise VERSION in these files, unless it is above that of the last line for the \
         part in tests/stored.txt, and add the lines there; those that it has stay:\n{}",
        missing.join("\n")
    );
}

/// Returns the version in a line.
fn number(line: &str) -> Option<u32> {
    line.split(' ').nth(1)?.parse().ok()
}
