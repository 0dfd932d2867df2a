//! What is stored has a version, and a change of what is stored raises it.
//!
//! The index keeps snapshots of logs, rows of sessions, ledgers and the documents of the full
//! text. A program that reads what an older one stored must be able to trust it, so each part has
//! a version, and a part of another version is rebuilt. `tests/stored.txt` has the version of each
//! part and a hash of what it stores of some logs. If the hash is another one, the version must be too.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use unspool_engine::library::{IndexPlace, Library, LibraryClock, LibrarySettings, ListRequest};
use unspool_model::log::Log;
use unspool_search::text::documents;
use unspool_store::prices::PriceTable;
use unspool_store::progress::Unwatched;
use unspool_testkit::random::resumable;
use unspool_testkit::{TestHome, resumes, session, uuid};

const CWD: &str = "/srv/demo";

/// Returns logs of the client, and made-up ones of every shape.
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
    let real = resumes::real()
        .into_iter()
        .map(|real| real.log.into_bytes());
    let random = (0..40).map(|seed| resumable::session(seed, 5).log);
    std::iter::once(session(talk))
        .chain(real)
        .chain(random)
        .collect()
}

/// Returns the version that a source file names.
fn version(source: &str) -> u32 {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let text = fs::read_to_string(path).expect("a source file");
    let line = text.lines().find(|line| line.contains("const VERSION: "));
    let number = line.and_then(|line| line.split(" = ").nth(1));
    let number = number.and_then(|number| number.trim_end_matches(';').parse().ok());
    number.expect("a version")
}

fn hex(hash: Sha256) -> String {
    hash.finalize()
        .iter()
        .take(8)
        .fold(String::new(), |mut text, byte| {
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
        documents(file, |document| hash.update(format!("{document:?}"))).expect("documents");
    }
    hex(hash)
}

fn of_catalogue(home: &TestHome) -> String {
    let index = tempfile::tempdir().expect("a folder");
    let clock = LibraryClock::fixed(SystemTime::UNIX_EPOCH);
    let library = Library::open(LibrarySettings {
        index: IndexPlace::Folder(index.path().to_owned()),
        // Stored costs follow the prices by themselves.
        prices: PriceTable::default(),
        ..LibrarySettings::of_home(home.path(), clock)
    });
    let library = library.expect("a library");
    library
        .list(&ListRequest::default(), &Unwatched)
        .expect("a list");
    drop(library);
    let catalogue = index.path().join("catalogue.sqlite");
    let catalogue = Connection::open(catalogue).expect("a catalogue");
    let mut hash = Sha256::new();
    for blobs in [
        "SELECT row FROM sessions ORDER BY session",
        "SELECT ledger FROM facts JOIN files ON files.id = facts.file ORDER BY session",
    ] {
        let mut blobs = catalogue.prepare(blobs).expect("a query");
        let rows = blobs
            .query_map([], |row| row.get::<_, Vec<u8>>(0))
            .expect("rows");
        rows.for_each(|blob| hash.update(blob.expect("a row")));
    }
    hex(hash)
}

#[test]
fn a_change_of_what_is_stored_raises_its_version() {
    let logs = logs();
    let home = TestHome::new();
    let files = (0..)
        .zip(&logs)
        .map(|(number, log)| home.add_session(CWD, &uuid(&format!("s{number}")), log));
    let files: Vec<PathBuf> = files.collect();
    for file in &files {
        // A row has the time of its file where the log has none.
        let file = fs::File::options().append(true).open(file);
        let set = file.and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH));
        set.expect("a time");
    }
    let found = [
        (
            "snapshot",
            "../unspool-model/src/log/snapshot/mod.rs",
            of_snapshots(&logs),
        ),
        (
            "catalogue",
            "../unspool-store/src/index/schema.rs",
            of_catalogue(&home),
        ),
        (
            "text",
            "../unspool-search/src/text/store.rs",
            of_documents(&files),
        ),
    ];
    let lines = found
        .iter()
        .map(|(part, source, hash)| format!("{part} {} {hash}", version(source)));
    let lines: Vec<String> = lines.collect();
    let known: Vec<&str> = include_str!("stored.txt").lines().collect();
    assert!(
        lines == known,
        "what is stored has changed. Of each part whose hash is another one, raise VERSION in \
         the file below if it is still that of tests/stored.txt; then write these lines there:\n{}\n\
         instead of\n{}\n{found:#?}",
        lines.join("\n"),
        known.join("\n"),
    );
}
