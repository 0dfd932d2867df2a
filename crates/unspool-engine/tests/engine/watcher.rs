//! The watcher with hints of the real system. Checks without hints run once a day here, so that
//! these tests only wait for hints.

#![cfg(target_os = "linux")]

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, SystemTime};

use unspool_engine::library::{
    Library, LibraryClock, LibraryEvent, LibrarySettings, LibraryWatcher, SessionRequest,
    SystemHints, WatchMode, WatchNews, WatchPace, WatchSettings, WatchSubscription, WatchedSession,
};
use unspool_model::ids::{ProjectId, SessionId};
use unspool_store::progress::Unwatched;
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{TestHome, append, uuid};

use crate::setup::process_record;

const CWD: &str = "/srv/a";
const DAY: Duration = Duration::from_hours(24);

/// The news that a subscription received.
#[derive(PartialEq, Debug)]
enum Told {
    Began,
    Changed(Vec<LibraryEvent>),
    Report,
}

fn library(home: &Path) -> Library {
    let clock = LibraryClock::new(SystemTime::now);
    Library::open(LibrarySettings::of_home(home, clock)).expect("a library")
}

fn only_hints(watches: usize) -> WatchSettings {
    WatchSettings {
        pace: WatchPace { poll: DAY, recent: DAY, everything: DAY, ..WatchPace::default() },
        watches,
        ..WatchSettings::default()
    }
}

fn watcher(home: &TestHome, watches: usize) -> LibraryWatcher {
    library(home.path()).watcher_with(only_hints(watches), Arc::new(SystemHints))
}

fn subscribe(watcher: &LibraryWatcher) -> (WatchSubscription, Receiver<Told>) {
    let (sender, told) = mpsc::channel();
    let subscription = watcher.subscribe(move |news| {
        let news = match news {
            WatchNews::Began => Told::Began,
            WatchNews::Changed(events) => Told::Changed(events.to_vec()),
            WatchNews::Report(_) => Told::Report,
        };
        // The test may be over.
        let _ = sender.send(news);
    });
    assert_eq!(told.recv(), Ok(Told::Began));
    (subscription, told)
}

/// Waits for the next changes.
fn changes(told: &Receiver<Told>) -> Vec<LibraryEvent> {
    loop {
        match told.recv().expect("a watcher") {
            Told::Changed(events) => return events,
            Told::Began => panic!("it began twice"),
            Told::Report => {}
        }
    }
}

/// Waits for an event. A file that is created and then written may be reported in two steps.
fn wait_for(told: &Receiver<Told>, is_it: impl Fn(&LibraryEvent) -> bool) {
    while !changes(told).iter().any(&is_it) {}
}

/// Counts the folders that this process watches, according to the system.
fn watches() -> usize {
    let files = fs::read_dir("/proc/self/fdinfo").expect("descriptors");
    let infos = files.filter_map(|file| fs::read_to_string(file.ok()?.path()).ok());
    infos
        .map(|info| {
            let lines = info.lines();
            lines.filter(|line| line.starts_with("inotify wd:")).count()
        })
        .sum()
}

/// Reports whether this process has a watching thread.
fn has_thread() -> bool {
    let threads = fs::read_dir("/proc/self/task").expect("threads");
    let names = threads.filter_map(|it| fs::read_to_string(it.ok()?.path().join("comm")).ok());
    names.into_iter().any(|name| name.starts_with("unspool-watch") || name.starts_with("notify-rs"))
}

fn session(home: &TestHome, name: &str) -> WatchedSession {
    let id = uuid(name);
    let opened = library(home.path()).session(&SessionRequest::named(&id), &Unwatched);
    WatchedSession::of(&opened.expect("a session").found).expect("a session of a home")
}

#[test]
fn hints_of_the_system_tell_of_every_kind_of_change() {
    let home = TestHome::new();
    let log = home.add_session(CWD, &uuid("s"), "{}\n");
    home.add_file("sessions/none.key", "");
    let watcher = watcher(&home, 512);
    let (_subscription, told) = subscribe(&watcher);
    append(&log, "{}\n");
    let events = changes(&told);
    let [LibraryEvent::SessionGrew { session, from: 3, to: 6 }] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(session.file, log);
    let other = home.add_session("/srv/new", &uuid("t"), "{}\n");
    wait_for(&told, |event| matches!(event, LibraryEvent::SessionAdded(_)));
    append(&other, "{}\n");
    wait_for(&told, |event| matches!(event, LibraryEvent::SessionGrew { .. }));
    fs::remove_file(&other).expect("removed");
    wait_for(&told, |event| matches!(event, LibraryEvent::SessionGone(_)));
    let pid = std::process::id();
    let record = process_record(pid, "s", r#","status":"busy""#);
    // The file appears with its whole content, as the client writes it.
    let new = home.add_file("other/new.json", record);
    fs::rename(new, home.path().join(format!("sessions/{pid}.json"))).expect("renamed");
    wait_for(&told, |event| matches!(event, LibraryEvent::LiveBegan(_)));
    assert_eq!(watcher.report().homes[0].mode, WatchMode::Events);
}

#[test]
fn agents_of_every_layout_are_told_of_while_their_session_is_looked_at() {
    let home = TestHome::new();
    home.add_session(CWD, &uuid("s"), "{}\n");
    let watcher = watcher(&home, 512);
    let (_subscription, told) = subscribe(&watcher);
    let _guard = watcher.start_viewing(&session(&home, "s"));
    let text = format!("{{\"sessionId\":\"{}\"}}\n", uuid("s"));
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    for (name, place) in [
        ("a1", AgentFilePlace::Sibling),
        ("a2", AgentFilePlace::Subagents),
        ("a3", AgentFilePlace::Workflow { run: "r1".into() }),
        ("a4", AgentFilePlace::Workflow { run: "r2".into() }),
    ] {
        let file = home.add_agent(CWD, &uuid("s"), &place, name, &text);
        wait_for_agent(&told, name);
        files.push((name.to_owned(), file));
    }
    for (name, file) in &files {
        append(file, "{}\n");
        wait_for_agent(&told, name);
    }
}

/// Waits for the event of an agent. The system may report one change in several steps.
fn wait_for_agent(told: &Receiver<Told>, name: &str) {
    let is_it = |event: &LibraryEvent| matches!(event, LibraryEvent::AgentChanged { agent, .. } if agent.as_str() == name);
    while !changes(told).iter().any(is_it) {}
}

#[test]
fn nothing_is_watched_while_there_is_no_subscription_and_no_guard() {
    let home = TestHome::new();
    home.add_session(CWD, &uuid("s"), "{}\n");
    // The threads that walk folders inherit the name of the first thread that needs them.
    library(home.path()).watch();
    let watcher = watcher(&home, 512);
    assert!(!has_thread() && watches() == 0);
    assert!(!watcher.report().is_watching);
    for _ in 0..3 {
        let (first, told) = subscribe(&watcher);
        let (second, _) = subscribe(&watcher);
        let guard = watcher.start_viewing(&session(&home, "s"));
        assert!(watcher.report().is_watching && has_thread());
        assert_eq!(watches(), watcher.report().watches);
        drop((first, second));
        assert!(watcher.report().is_watching);
        drop(guard);
        assert!(!watcher.report().is_watching);
        // The threads end by themselves a moment later.
        while has_thread() || watches() > 0 {
            thread::yield_now();
        }
        assert!(told.recv().is_err());
    }
}

#[test]
fn a_subscription_may_be_ended_by_its_own_function() {
    let home = TestHome::new();
    let log = home.add_session(CWD, &uuid("s"), "{}\n");
    let watcher = watcher(&home, 512);
    let kept: Arc<std::sync::Mutex<Option<WatchSubscription>>> = Arc::default();
    let (sender, ended) = mpsc::channel();
    let own = Arc::clone(&kept);
    let (began, has_begun) = mpsc::channel();
    let subscription = watcher.subscribe(move |news| match news {
        WatchNews::Changed(_) => {
            drop(own.lock().expect("a subscription").take());
            sender.send(()).expect("a test");
        }
        WatchNews::Began => began.send(()).expect("a test"),
        WatchNews::Report(_) => {}
    });
    *kept.lock().expect("a subscription") = Some(subscription);
    has_begun.recv().expect("a beginning");
    append(&log, "{}\n");
    ended.recv().expect("an end");
    assert!(!watcher.report().is_watching);
}

/// A home with very many projects, most of them empty. It is in memory if the system has such a
/// folder: a disk takes minutes for that many folders.
struct LargeHome(tempfile::TempDir);

impl LargeHome {
    fn new(projects: usize) -> Self {
        let memory = Path::new("/dev/shm");
        let folder =
            if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let home = Self(folder.expect("a folder"));
        fs::create_dir_all(home.path("sessions")).expect("a folder");
        for number in 0..projects {
            fs::create_dir_all(home.path(&format!("projects/-p{number}"))).expect("a folder");
        }
        home
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn add(&self, project: &str) -> PathBuf {
        let log = self.path(&format!("projects/{project}/{}.jsonl", uuid(project)));
        fs::create_dir_all(log.parent().expect("a folder")).expect("a folder");
        fs::write(&log, "{}\n").expect("a log");
        log
    }
}

#[test]
fn of_twenty_thousand_projects_those_that_fit_are_watched() {
    const PROJECTS: usize = 20_000;
    const LIMIT: usize = 64;
    let home = LargeHome::new(PROJECTS);
    let newest = home.add("-p777");
    // Newer than all others, whatever the resolution of the file system's clock.
    let later = SystemTime::now() + Duration::from_mins(1);
    let file = OpenOptions::new().append(true).open(&newest);
    file.and_then(|file| file.set_modified(later)).expect("a time");
    let old = home.add("-p5");
    let file = OpenOptions::new().append(true).open(&old);
    file.and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH)).expect("a time");
    let watcher = library(&home.path("")).watcher_with(only_hints(LIMIT), Arc::new(SystemHints));
    let (_subscription, told) = subscribe(&watcher);
    let report = watcher.report();
    assert_eq!((report.watches, watches()), (LIMIT, LIMIT));
    // The folders of projects and of processes are watched, and the old project needs no watch.
    assert_eq!(report.left_out, PROJECTS - 1 + 2 - LIMIT);
    assert_eq!(report.homes[0].mode, WatchMode::Events);
    append(&newest, "{}\n");
    wait_for(&told, |event| matches!(event, LibraryEvent::SessionGrew { .. }));
    home.add("-new");
    wait_for(&told, |event| matches!(event, LibraryEvent::SessionAdded(_)));
    let guard = watcher.start_viewing(&WatchedSession {
        home: home.path(""),
        project: ProjectId::new("-p5"),
        session: SessionId::new(uuid("-p5")),
        file: old.clone(),
    });
    append(&old, "{}\n");
    wait_for(&told, |event| matches!(event, LibraryEvent::SessionGrew { .. }));
    drop(guard);
    assert!(watches() <= LIMIT);
}
