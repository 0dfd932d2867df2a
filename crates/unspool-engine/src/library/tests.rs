//! Tests of a library that is opened once and kept.
//!
//! Its clock is at the epoch. So every file is newer than the clock, and is read again however
//! little time has passed since it was last read.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::SystemTime;

use unspool_testkit::{TestHome, files_below, session, uuid};

use super::*;
use unspool_store::progress::{Progress, Unwatched};

fn settings(home: &TestHome) -> LibrarySettings {
    LibrarySettings::of_home(home.path(), LibraryClock::fixed(SystemTime::UNIX_EPOCH))
}

/// Opens a library that is refreshed on demand, with an index in the user's home.
fn on_demand(home: &TestHome) -> Library {
    let library = Library::open(LibrarySettings {
        index: IndexPlace::Folder(home.user_home().join("index")),
        refresh: RefreshPolicy::OnDemand,
        ..settings(home)
    });
    library.expect("a library")
}

fn add(home: &TestHome, name: &str, words: &str) {
    let log = session(&format!("u1 user \"{words}\"\na1 assistant \"here it is\""));
    home.add_session("/srv/demo", &uuid(name), log);
}

fn found(library: &Library, words: &str) -> usize {
    let answer = library.search(&SearchRequest::ranked(words), &Unwatched);
    answer.expect("an answer").hits.len()
}

fn listed(library: &Library) -> usize {
    let answer = library.list(&ListRequest::default(), &Unwatched);
    answer.expect("a list").rows.len()
}

#[test]
fn a_library_and_what_it_gives_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Library>();
    shared::<LibrarySettings>();
    shared::<LibrarySession>();
    shared::<OpenSession>();
    shared::<ExportSources>();
    shared::<CollectedNotes>();
}

#[test]
fn the_library_asks_neither_clock_nor_environment() {
    let files = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/library"));
    assert!(files.len() > 15);
    for path in files.iter().filter(|path| !path.ends_with("library/tests.rs")) {
        let source = fs::read_to_string(path).expect("a file");
        for banned in ["::now()", "std::env", "env::"] {
            assert!(!source.contains(banned), "{banned} in {path:?}");
        }
    }
}

#[test]
fn a_library_without_homes_is_wrong_use() {
    let settings = LibrarySettings { homes: Vec::new(), ..settings(&TestHome::new()) };
    let error = Library::open(settings).err().expect("an error");
    assert_eq!(error.class(), ErrorClass::WrongUse);
}

#[test]
fn a_kept_library_sees_what_comes() {
    let home = TestHome::new();
    let cache = tempfile::tempdir().expect("a folder");
    for index in [IndexPlace::Memory, IndexPlace::Folder(cache.path().to_owned())] {
        add(&home, "first", "find the needle");
        let library = Library::open(LibrarySettings { index, ..settings(&home) });
        let library = library.expect("a library");
        assert_eq!((listed(&library), found(&library, "needle")), (1, 1));
        assert_eq!(found(&library, "thread"), 0);
        add(&home, "second", "find the thread");
        assert_eq!((listed(&library), found(&library, "thread")), (2, 1));
        fs::remove_dir_all(home.project_dir("/srv/demo")).expect("a folder to remove");
        assert_eq!((listed(&library), found(&library, "thread")), (0, 0));
    }
}

#[test]
fn on_demand_a_library_sees_what_came_when_it_is_told_to_look() {
    let home = TestHome::new();
    let library = on_demand(&home);
    add(&home, "first", "find the needle");
    assert_eq!((listed(&library), found(&library, "needle")), (0, 0));
    let report = library.refresh(&Unwatched).expect("a report");
    assert_eq!((report.sessions, report.reading), (1, Completeness::Whole));
    assert_eq!((listed(&library), found(&library, "needle")), (1, 0));
    library.refresh_text(&Unwatched).expect("a full text");
    assert_eq!(found(&library, "needle"), 1);
}

/// Lists sessions from another thread during an update.
struct Meanwhile<'a> {
    library: &'a Library,
    listed: AtomicUsize,
}

impl Progress for Meanwhile<'_> {
    fn watch(&self, _: u64, work: &mut dyn FnMut(&AtomicU64)) {
        thread::scope(|threads| {
            let other = threads.spawn(|| listed(self.library));
            let listed = other.join().expect("a list");
            self.listed.store(listed, Ordering::Relaxed);
        });
        work(&AtomicU64::new(0));
    }
}

impl Listener for Meanwhile<'_> {
    fn note(&self, _: LibraryNote) {}
}

#[test]
fn requests_are_answered_while_the_index_is_brought_up_to_date() {
    let home = TestHome::new();
    let library = on_demand(&home);
    add(&home, "first", "find the needle");
    library.refresh(&Unwatched).expect("a report");
    add(&home, "second", "find the thread");
    let meanwhile = Meanwhile { library: &library, listed: AtomicUsize::new(0) };
    library.refresh(&meanwhile).expect("a report");
    assert_eq!(meanwhile.listed.into_inner(), 1);
    assert_eq!(listed(&library), 2);
}

#[test]
fn an_index_that_cannot_be_kept_is_asked_through_its_only_connection() {
    let home = TestHome::new();
    let file = home.user_home().join("no-folder");
    fs::write(&file, "").expect("a file");
    let library = Library::open(LibrarySettings {
        index: IndexPlace::Folder(file),
        refresh: RefreshPolicy::OnDemand,
        ..settings(&home)
    });
    let library = library.expect("a library");
    add(&home, "first", "find the needle");
    assert_eq!(listed(&library), 0);
    library.refresh(&Unwatched).expect("a report");
    assert_eq!(listed(&library), 1);
}

#[test]
fn a_title_from_another_log_is_known_with_and_without_the_catalogue() {
    let home = TestHome::new();
    add(&home, "first", "find the needle");
    let other = session("-- summary \"The needle\" a1\nu9 user \"something else\"");
    home.add_session("/srv/demo", &uuid("other"), other);
    let by_catalogue = on_demand(&home);
    by_catalogue.refresh(&Unwatched).expect("a report");
    let by_logs = Library::open(settings(&home)).expect("a library");
    for library in [by_catalogue, by_logs] {
        let name = uuid("first");
        let opened = library.session(&SessionRequest::named(&name), &Unwatched);
        let mut opened = opened.expect("a session");
        library.add_title(&mut opened);
        assert_eq!(opened.session.called.as_deref(), Some("The needle"));
    }
}

#[test]
fn threads_ask_one_library_at_once() {
    let home = TestHome::new();
    add(&home, "first", "find the needle");
    let library = Library::open(settings(&home)).expect("a library");
    thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                assert_eq!(found(&library, "needle"), 1);
                assert_eq!(listed(&library), 1);
            });
        }
    });
}

#[test]
fn pages_go_on_at_the_cursor_that_was_handed_out_as_text() {
    let home = TestHome::new();
    for number in 0..5 {
        add(&home, &format!("s{number}"), "hello");
    }
    let library = Library::open(settings(&home)).expect("a library");
    let mut request = RowsRequest::newest(2);
    let mut ids = Vec::new();
    loop {
        let page = library.rows(&request, &Unwatched).expect("a page");
        ids.extend(page.rows.into_iter().map(|row| row.id));
        let Some(next) = page.next else { break };
        request.after = Some(next.to_string().parse().expect("a cursor"));
    }
    let all = library.list(&ListRequest::default(), &Unwatched);
    let all = all.expect("a list").rows;
    assert_eq!(ids, all.into_iter().map(|row| row.id).collect::<Vec<_>>());
    for wrong in ["", "1", "1.2", "x.2.s", "1.y.s"] {
        assert_eq!(wrong.parse::<RowCursor>(), Err(NotACursor), "{wrong}");
    }
}

#[test]
fn what_the_user_should_know_is_data() {
    let home = TestHome::new();
    add(&home, "first", "find the needle");
    let missing = home.user_home().join("nowhere");
    let mut settings = settings(&home);
    settings.homes.push(Home::new(&missing));
    let library = Library::open(settings).expect("a library");
    let notes = CollectedNotes::default();
    let answer = library.list(&ListRequest::default(), &notes);
    assert_eq!(answer.expect("a list").reading, Completeness::Partial);
    let notes = notes.take();
    let [LibraryNote::MissingHomes(MissingHomes(paths))] = notes.as_slice() else {
        panic!("{notes:?}");
    };
    assert_eq!(paths, &[missing]);
    assert_eq!(notes[0].level(), NoteLevel::Error);
}

#[test]
fn errors_say_of_what_kind_they_are() {
    let home = TestHome::new();
    add(&home, "first", "find the needle");
    let library = Library::open(settings(&home)).expect("a library");
    let class = |name: &str| {
        let opened = library.session(&SessionRequest::named(name), &Unwatched);
        opened.err().map(|error| error.class())
    };
    assert_eq!(class(&uuid("first")), None);
    assert_eq!(class("no such name"), Some(ErrorClass::NotFound));
    assert_eq!(class("@7"), Some(ErrorClass::NotFound));
    assert_eq!(class(&uuid("first")[..2]), Some(ErrorClass::WrongUse));
    let query = library.search(&SearchRequest::ranked("role:wizard x"), &Unwatched);
    let error = query.expect_err("an error");
    assert!(matches!(error, LibraryError::Query { .. }), "{error}");
    assert_eq!(error.class(), ErrorClass::WrongUse);
}

#[test]
fn an_entry_leads_to_its_session_if_that_is_asked_for() {
    let home = TestHome::new();
    add(&home, "first", "find the needle");
    let library = Library::open(settings(&home)).expect("a library");
    let entry = uuid("a1");
    let request = SessionRequest::named(&entry);
    let named = |entries| {
        let reach = NameReach { entries, past: false };
        library.named(&request, reach, &Unwatched)
    };
    assert!(named(false).is_err());
    let Ok(NameMatch::Session(opened)) = named(true) else {
        panic!("a session");
    };
    assert_eq!(opened.session.id.as_str(), uuid("first"));
    assert_eq!(opened.entry.map(|id| id.to_string()), Some(entry));
}

#[test]
fn standing_rows_are_what_the_catalogue_has() {
    let home = TestHome::new();
    let library = on_demand(&home);
    let rows = |library: &Library| {
        let page = library.stored_rows(&RowsRequest::newest(10), &Unwatched);
        page.expect("a page").rows
    };
    add(&home, "one", "first");
    assert_eq!(rows(&library), []);
    library.refresh(&Unwatched).expect("a refresh");
    add(&home, "two", "second");
    let stored = rows(&library);
    assert_eq!(stored.len(), 1);
    let place = SessionPlace {
        home: stored[0].home.clone(),
        project: stored[0].project.clone(),
        session: stored[0].id.clone(),
    };
    let row = library.stored_row(&place).expect("an answer");
    assert_eq!(row.as_ref(), stored.first());
    let other = SessionPlace { session: unspool_model::ids::SessionId::new(uuid("two")), ..place };
    assert_eq!(library.stored_row(&other).expect("an answer"), None);
    library.refresh(&Unwatched).expect("a refresh");
    assert_eq!(rows(&library).len(), 2);
}
