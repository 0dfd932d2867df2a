//! The full text of a home that changes.

mod failing;
mod waiting;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tantivy::Term;
use tantivy::collector::Count;
use tantivy::query::{PhraseQuery, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tempfile::TempDir;
use unspool_testkit::home::{AgentFilePlace, TestSideFile};
use unspool_testkit::{TestHome, append, session, uuid};

use super::words::{WordForm, WordScanner};
use super::*;
use crate::OpenedIndex;
use unspool_store::index::RefreshBasis;
use unspool_store::prices::PriceTable;
use unspool_store::progress::Unwatched;

const CWD: &str = "/srv/demo";

/// A home, and an index of it.
struct TextFixture {
    home: TestHome,
    cache: TempDir,
}

impl TextFixture {
    fn new() -> Self {
        Self { home: TestHome::new(), cache: tempfile::tempdir().expect("a folder") }
    }

    fn with(name: &str, notation: &str) -> Self {
        let fixture = Self::new();
        fixture.add(name, notation);
        fixture
    }

    fn add(&self, name: &str, notation: &str) -> PathBuf {
        self.home.add_session(CWD, &uuid(name), session(notation))
    }

    fn text_folder(&self) -> PathBuf {
        self.cache.path().join(FOLDER)
    }

    fn index(&self) -> (Index, WalkedHomes) {
        let mut index = Index::open(self.cache.path()).expect("an index");
        let homes = [Home::new(self.home.path())];
        let refreshed = index.refresh(
            &homes,
            &RefreshBasis { now: later(), prices: &PriceTable::built_in() },
            &Unwatched,
        );
        (index, refreshed.expect("a catalogue").found)
    }

    /// Refreshes the catalogue and the full text.
    fn text(&self) -> (TextIndex, TextReport) {
        self.text_within(Duration::from_millis(100))
    }

    /// Refreshes both, waiting for other writers for `lock_timeouts`.
    fn text_within(&self, lock_timeouts: Duration) -> (TextIndex, TextReport) {
        let (index, found) = self.index();
        self.text_of(&index, &found, lock_timeouts)
    }

    fn text_of(
        &self,
        index: &Index,
        found: &WalkedHomes,
        lock_timeouts: Duration,
    ) -> (TextIndex, TextReport) {
        let lock_timeouts = LockTimeouts { usual: lock_timeouts, first: lock_timeouts };
        let text = self.try_text(index, found, lock_timeouts, &Unwatched);
        text.expect("a full text")
    }

    /// Refreshes the full text while another process may be writing.
    fn try_text(
        &self,
        index: &Index,
        found: &WalkedHomes,
        lock_timeouts: LockTimeouts,
        progress: &dyn Progress,
    ) -> Result<(TextIndex, TextReport), TextError> {
        let homes = [Home::new(self.home.path())];
        let folder = self.text_folder();
        let request = Update {
            folder: Some(&folder),
            homes: &homes,
            found,
            now: later(),
            progress,
            lock_timeouts,
        };
        TextIndex::open_fresh(index.database(), &request)
    }
}

/// Returns a time at which no file is recent.
fn later() -> SystemTime {
    SystemTime::now() + Duration::from_mins(1)
}

/// Counts the documents that contain some words in this order.
fn count(text: &TextIndex, words: &str) -> usize {
    let mut found = Vec::new();
    let mut scanner = WordScanner::new(words);
    while scanner.step(None, &mut |word| {
        if matches!(word.form, WordForm::Word | WordForm::Last) {
            found.push(word.text.to_owned());
        }
    }) {}
    let fields = [text.fields.prose, text.fields.raw];
    let counts = fields.map(|field| {
        let terms: Vec<Term> =
            found.iter().map(|word| Term::from_field_text(field, word)).collect();
        let query: Box<dyn Query> = match &terms[..] {
            [term] => Box::new(TermQuery::new(term.clone(), IndexRecordOption::Basic)),
            _ => Box::new(PhraseQuery::new(terms)),
        };
        text.searcher.search(&query, &Count).expect("a search")
    });
    counts.iter().sum()
}

#[test]
fn texts_are_found_wherever_they_are() {
    let fixture = TextFixture::with(
        "s",
        r#"
        u1 user "promptword"
        a1 assistant thinking "thoughtword" "answerword" call Bash:t1 {"command":"inputword"}
        r1 result t1 "resultword"
        at1 attachment queued_command {"prompt":"queuedword"}
        at2 attachment hook_success "hookword"
        s1 system informational "systemword"
        x1 ?brand-new "unknownword"
        -- custom-title "titleword"
        -- queue enqueue "queueword"
        -- last-prompt a1 "lastword"
        -- torn {"type":"user","message":{"content":"tornword
        "#,
    );
    let id = uuid("s");
    let output = TestSideFile::ToolResult { cwd: CWD.to_owned(), name: "toolu_1.txt".to_owned() };
    fixture.home.add_side_file(&id, &output, "spilledword");
    fixture.home.add_side_file(&id, &TestSideFile::Task(1), r#"{"subject":"taskword"}"#);
    fixture.home.add_side_file(&id, &TestSideFile::Todos, r#"[{"content":"todoword"}]"#);
    let plan = TestSideFile::Plan("calm-fox".to_owned());
    fixture.home.add_side_file(&id, &plan, "# planword");
    fixture.home.add_history(CWD, "gone", 1, "historyword");
    let (text, report) = fixture.text();
    assert_eq!(report.freshness, Freshness::Fresh);
    assert!(report.coverage.is_whole());
    let said =
        "prompt thought answer input result queued hook system unknown title queue last torn";
    let written = "spilled task todo plan history";
    for part in said.split(' ').chain(written.split(' ')) {
        assert_eq!(count(&text, &format!("{part}word")), 1, "{part}");
    }
    assert_eq!(count(&text, "nowhereword"), 0);
}

#[test]
fn a_second_run_reads_nothing_and_an_append_only_what_is_new() {
    let fixture = TextFixture::new();
    let path = fixture.add("s", r#"u1 user "alphaword""#);
    let (_, report) = fixture.text();
    assert!(report.read > 0);
    let (_, report) = fixture.text();
    assert_eq!(report.read, 0);

    let line = r#"{"type":"user","uuid":"n","message":{"content":"betaword"}}"#;
    append(&path, format!("{line}\n").as_bytes());
    let (text, report) = fixture.text();
    assert_eq!(report.read, line.len() as u64 + 1);
    assert_eq!((count(&text, "alphaword"), count(&text, "betaword")), (1, 1));

    fixture.home.add_history(CWD, "x", 1, "gammaword");
    fixture.text();
    fixture.home.add_history(CWD, "x", 2, "deltaword");
    let (text, _) = fixture.text();
    assert_eq!((count(&text, "gammaword"), count(&text, "deltaword")), (1, 1));
}

#[test]
fn a_full_text_that_was_just_updated_is_fresh() {
    let fixture = TextFixture::new();
    let homes = [Home::new(fixture.home.path())];
    let is_fresh = || {
        let (index, found) = fixture.index();
        let (text, report) = fixture.text_of(&index, &found, Duration::ZERO);
        assert!(report.read > 0);
        text.is_fresh(&index, &homes, &found, later())
    };
    let path = fixture.add("s", r#"u1 user "alphaword""#);
    assert!(is_fresh(), "a new one");
    append(&path, b"{\"type\":\"user\",\"message\":{\"content\":\"betaword\"}}\n");
    assert!(is_fresh(), "one that goes on");
    fs::remove_dir_all(fixture.text_folder()).expect("removes");
    fs::write(fixture.text_folder(), "in the way").expect("writes");
    assert!(is_fresh(), "one in memory");
}

#[test]
fn a_last_line_without_newline_is_found_until_it_goes_on() {
    let fixture = TextFixture::new();
    let path = fixture.add("s", r#"u1 user "alphaword""#);
    append(&path, br#"{"type":"user","uuid":"n","message":{"content":"betaword"}}"#);
    let (text, _) = fixture.text();
    assert_eq!(count(&text, "betaword"), 1);
    append(&path, b"\n");
    let (text, _) = fixture.text();
    assert_eq!(count(&text, "betaword"), 1, "neither lost nor doubled");
    assert_eq!(fixture.text().1.read, 0);
}

#[test]
fn what_is_written_again_or_deleted_is_forgotten() {
    let fixture = TextFixture::new();
    let path = fixture.add("s", r#"u1 user "alphaword""#);
    let other = fixture.add("t", r#"u1 user "otherword""#);
    fixture.home.add_history(CWD, "x", 1, "historyword");
    let task =
        fixture.home.add_side_file(&uuid("s"), &TestSideFile::Task(1), r#"{"subject":"taskword"}"#);
    fixture.text();

    fs::write(&path, session(r#"u1 user "betaword""#)).expect("writes");
    fs::write(&task, r#"{"subject":"changedword"}"#).expect("writes");
    fs::remove_file(&other).expect("removes");
    fs::remove_file(fixture.home.path().join("history.jsonl")).expect("removes");
    let (text, _) = fixture.text();
    for (word, expected) in [
        ("alphaword", 0),
        ("betaword", 1),
        ("otherword", 0),
        ("taskword", 0),
        ("changedword", 1),
        ("historyword", 0),
    ] {
        assert_eq!(count(&text, word), expected, "{word}");
    }
}

#[test]
fn an_edit_of_the_history_in_place_is_read_again() {
    let fixture = TextFixture::with("s", r#"u1 user "alphaword""#);
    fixture.home.add_history(CWD, "gone", 1, "historyword");
    assert_eq!(count(&fixture.text().0, "historyword"), 1);
    let path = fixture.home.path().join("history.jsonl");
    let before = fs::metadata(&path).expect("a file");
    let text = fs::read_to_string(&path).expect("reads");
    fs::write(&path, text.replace("historyword", "blankedword")).expect("writes");
    let file = fs::File::options().write(true).open(&path).expect("a file");
    let changed = before.modified().expect("a time") + Duration::from_secs(10);
    file.set_modified(changed).expect("a time");
    assert_eq!(file.metadata().expect("a file").len(), before.len());
    let (text, _) = fixture.text();
    assert_eq!(count(&text, "historyword"), 0, "a blanked secret is forgotten");
    assert_eq!(count(&text, "blankedword"), 1);
}

#[test]
fn a_batch_that_was_committed_and_not_recorded_is_taken_back() {
    let fixture = TextFixture::new();
    let path = fixture.add("s", r#"u1 user "alphaword""#);
    fixture.text();
    let line = r#"{"type":"user","uuid":"n","message":{"content":"betaword"}}"#;
    append(&path, format!("{line}\n").as_bytes());
    let homes = [Home::new(fixture.home.path())];

    // Recording fails after the commit, as if the process had died in between.
    let (index, found) = fixture.index();
    index
        .database()
        .execute_batch(
            "CREATE TRIGGER dies BEFORE UPDATE ON text_state \
             BEGIN SELECT RAISE(ABORT, 'died'); END",
        )
        .expect("a trigger");
    let (text, report) =
        TextIndex::open(&index, &homes, &found, later(), &Unwatched).expect("a full text");
    assert!(matches!(report.freshness, Freshness::Failed(_)), "{report:?}");
    assert_eq!(count(&text, "alphaword"), 1, "what was there stays usable");

    index.database().execute_batch("DROP TRIGGER dies").expect("no trigger");
    for _ in 0..2 {
        let (text, report) =
            TextIndex::open(&index, &homes, &found, later(), &Unwatched).expect("a full text");
        assert_eq!(report.freshness, Freshness::Fresh);
        assert_eq!((count(&text, "alphaword"), count(&text, "betaword")), (1, 1));
    }
}

#[test]
fn while_another_process_writes_answers_come_from_what_is_there() {
    let fixture = TextFixture::new();
    let path = fixture.add("s", r#"u1 user "alphaword""#);
    fixture.text();
    let lock = store::lock(&fixture.text_folder()).expect("a lock");
    append(&path, b"{\"type\":\"user\",\"uuid\":\"n\",\"message\":\"betaword\"}\n");
    let (text, report) = fixture.text();
    assert_eq!(report.freshness, Freshness::Busy);
    assert!(!report.coverage.is_whole());
    assert_eq!((count(&text, "alphaword"), count(&text, "betaword")), (1, 0));
    drop(lock);
    let (text, report) = fixture.text();
    assert_eq!(report.freshness, Freshness::Fresh);
    assert_eq!(count(&text, "betaword"), 1);
}

#[test]
fn a_damaged_folder_is_built_again() {
    let fixture = TextFixture::with("s", r#"u1 user "alphaword""#);
    fixture.text();
    let names = || {
        let folder = fs::read_dir(fixture.text_folder()).expect("a folder");
        let paths = folder.map(|entry| entry.expect("a name").path());
        let mut paths: Vec<_> =
            paths.filter(|path| path.extension().is_some_and(|ending| ending != "lock")).collect();
        paths.sort();
        paths
    };
    for number in 0..names().len() {
        let path = &names()[number];
        for damage in [&b""[..], b"garbage"] {
            fs::write(path, damage).expect("writes");
            let (text, report) = fixture.text();
            assert_eq!(report.freshness, Freshness::Fresh, "{}", path.display());
            assert_eq!(count(&text, "alphaword"), 1, "{}", path.display());
        }
    }
    let meta = fixture.text_folder().join("meta.json");
    let said = fs::read_to_string(&meta).expect("a file");
    let older = said.replace("\"payload\": \"", "\"payload\": \"9");
    assert_ne!(said, older);
    fs::write(&meta, older).expect("writes");
    let (text, report) = fixture.text();
    assert!(report.rebuilt);
    assert_eq!(count(&text, "alphaword"), 1);
}

#[test]
fn a_new_catalogue_gets_a_new_full_text() {
    let fixture = TextFixture::with("s", r#"u1 user "alphaword""#);
    fixture.add("t", r#"u1 user "betaword""#);
    fixture.text();
    for name in ["catalogue.sqlite", "catalogue.sqlite-wal", "catalogue.sqlite-shm"] {
        let _ = fs::remove_file(fixture.cache.path().join(name));
    }
    let (text, report) = fixture.text();
    assert_eq!(report.freshness, Freshness::Fresh);
    assert_eq!((count(&text, "alphaword"), count(&text, "betaword")), (1, 1));
    fs::remove_dir_all(fixture.text_folder()).expect("removes");
    let (text, report) = fixture.text();
    assert!(!report.rebuilt, "there was nothing to be damaged");
    assert_eq!(count(&text, "alphaword"), 1);
}

#[test]
fn without_a_folder_it_lives_in_memory() {
    let fixture = TextFixture::with("s", r#"u1 user "alphaword""#);
    fs::write(fixture.text_folder(), "in the way").expect("writes");
    let (text, report) = fixture.text();
    assert!(report.in_memory);
    assert!(report.coverage.is_whole());
    assert_eq!(count(&text, "alphaword"), 1);
}

#[test]
fn as_it_is_nothing_is_read() {
    let fixture = TextFixture::with("s", r#"u1 user "alphaword""#);
    let homes = [Home::new(fixture.home.path())];
    let (index, _) = fixture.index();
    let (text, report) = TextIndex::open_as_it_is(&index, &homes, later()).expect("a full text");
    assert_eq!((report.coverage.covered, count(&text, "alphaword")), (0, 0));
    fixture.text();
    let (index, _) = fixture.index();
    let (text, report) = TextIndex::open_as_it_is(&index, &homes, later()).expect("a full text");
    assert!(report.coverage.is_whole());
    assert_eq!(count(&text, "alphaword"), 1);
}

#[test]
fn small_segments_are_put_together() {
    let fixture = TextFixture::new();
    for number in 0..20 {
        fixture.add(&format!("s{number}"), &format!(r#"u1 user "word{number}""#));
        fixture.text();
    }
    let (text, _) = fixture.text();
    assert!(text.searcher.segment_readers().len() < 12);
    for number in 0..20 {
        assert_eq!(count(&text, &format!("word{number}")), 1);
    }
}

#[test]
fn an_answer_of_the_index_before_a_refresh_is_right_until_something_changes() {
    let fixture = TextFixture::with("one", "u1 user \"heron\"");
    let folder = fixture.cache.path();
    let homes = [Home::new(fixture.home.path())];
    assert!(OpenedIndex::open(folder).is_none(), "there is no index");
    let agrees = |opened: &OpenedIndex| {
        let (index, found) = fixture.index();
        opened.agrees_with(&index, &homes, &found, later())
    };
    drop(fixture.index());
    assert!(OpenedIndex::open(folder).is_none(), "there is no full text");
    fixture.text();
    let opened = OpenedIndex::open(folder).expect("an index");
    assert_eq!(count(&opened.text, "heron"), 1);
    assert!(agrees(&opened), "nothing has changed");

    let log = fixture.add("two", "u1 user \"egret\"");
    assert!(!agrees(&opened), "there is a new log");
    let opened = OpenedIndex::open(folder).expect("an index");
    assert!(!agrees(&opened), "the full text lacks it");
    fixture.text();
    assert!(!agrees(&opened), "the full text has it meanwhile");
    let opened = OpenedIndex::open(folder).expect("an index");
    assert_eq!(count(&opened.text, "egret"), 1);
    assert!(agrees(&opened));

    fs::remove_file(log).expect("a log");
    assert!(!agrees(&opened), "a log is gone");
}

#[test]
fn what_an_agent_said_is_found_once_whether_its_own_log_is_there_or_not() {
    let progress = r#"{"type":"progress","uuid":"p1","data":{"type":"agent_progress","agentId":"a1","message":{"type":"assistant","uuid":"x1","message":{"content":[{"type":"text","text":"agentword"}]}}}}"#;
    let own = r#"{"type":"assistant","uuid":"x1","isSidechain":true,"agentId":"a1","message":{"content":[{"type":"text","text":"agentword"}]}}"#;
    let fixture = TextFixture::new();
    let id = uuid("s");
    fixture.home.add_session(CWD, &id, format!("{progress}\n"));
    let place = AgentFilePlace::Subagents;
    let add = || fixture.home.add_agent(CWD, &id, &place, "a1", format!("{own}\n"));
    assert_eq!(count(&fixture.text().0, "agentword"), 1, "before it comes");
    let path = add();
    assert_eq!(count(&fixture.text().0, "agentword"), 1, "after it has come");
    fs::remove_file(&path).expect("removes");
    assert_eq!(count(&fixture.text().0, "agentword"), 1, "after it has gone");
    add();
    assert_eq!(count(&fixture.text().0, "agentword"), 1, "after it is back");
    let (_, report) = fixture.text();
    assert_eq!(report.read, 0, "nothing is read again without need");
}

#[test]
fn flipped_bytes_in_columns_are_noticed() {
    let fixture = TextFixture::with("s", r#"u1 user "alphaword""#);
    fixture.text();
    let files = fs::read_dir(fixture.text_folder()).expect("a folder");
    let files = files.map(|entry| entry.expect("a file").path());
    let column = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "fast");
    for path in files.filter(column).collect::<Vec<_>>() {
        let mut bytes = fs::read(&path).expect("reads");
        bytes[4] ^= 1;
        fs::write(&path, bytes).expect("writes");
    }
    let (text, report) = fixture.text();
    assert!(report.rebuilt);
    assert_eq!(count(&text, "alphaword"), 1);
    assert!(!fixture.text().1.rebuilt);
}

#[test]
fn a_disk_that_is_full_after_the_catalogue_is_answered_from_memory() {
    let fixture = TextFixture::with("s", r#"u1 user "alphaword""#);
    let (index, found) = fixture.index();
    // The folder of the full text cannot be made, and nothing can be written to the catalogue.
    fs::write(fixture.text_folder(), "").expect("writes");
    let db = index.database();
    db.busy_timeout(Duration::ZERO).expect("a catalogue");
    let other = Connection::open(fixture.cache.path().join("catalogue.sqlite"));
    let other = other.expect("a catalogue");
    other.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let (text, report) = fixture.text_of(&index, &found, Duration::ZERO);
    assert!(report.in_memory);
    assert_eq!(count(&text, "alphaword"), 1);
    drop(text);
    // The records of the full text on disk are as they were.
    other.execute_batch("ROLLBACK").expect("no lock");
    fs::remove_file(fixture.text_folder()).expect("removes");
    let (text, report) = fixture.text();
    assert!(!report.in_memory && !report.rebuilt);
    assert_eq!(count(&text, "alphaword"), 1);
}

#[test]
fn an_edit_in_place_is_read_when_the_time_changed() {
    let fixture = TextFixture::new();
    // The prints of a log are of its beginning and its end.
    let filler = "lorem ipsum ".repeat(20_000);
    let notation = format!("u1 user \"{filler}\"\nu2 user \"secretword\"\nu3 user \"{filler}\"");
    let path = fixture.add("s", &notation);
    assert_eq!(count(&fixture.text().0, "secretword"), 1);
    let text = fs::read_to_string(&path).expect("reads");
    fs::write(&path, text.replace("secretword", "xxxxxxxxxx")).expect("writes");
    let file = fs::File::options().write(true).open(&path).expect("opens");
    let other = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    file.set_modified(other).expect("a time");
    assert_eq!(count(&fixture.text().0, "secretword"), 0);
}
