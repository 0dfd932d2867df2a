//! Sessions that a server keeps open: which stay, which are closed, and which thread opens them.

use std::sync::{Arc, Barrier};
use std::thread::{self, ScopedJoinHandle};

use unspool_engine::library::{Library, OpenLimits, OpenSession, OpenSessions, SessionPlace};
use unspool_model::ids::{ProjectId, SessionId};
use unspool_testkit::{TestHome, session, uuid};

use crate::setup::library;

const CWD: &str = "/srv/demo";

/// A home with a number of sessions, and its library.
fn world(sessions: usize) -> (TestHome, Library) {
    let home = TestHome::new();
    for number in 0..sessions {
        let log = session("u1 user \"hello\"\na1 assistant \"hi\"");
        home.add_session(CWD, &uuid(&number.to_string()), log);
    }
    let library = library(&home);
    (home, library)
}

fn place(number: usize) -> SessionPlace {
    SessionPlace::of(SessionId::new(uuid(&number.to_string())))
}

fn kept(sessions: &OpenSessions) -> Vec<String> {
    let all = sessions.all();
    let mut ids: Vec<String> = all.iter().map(|open| id(open)).collect();
    ids.sort();
    ids
}

fn id(open: &OpenSession) -> String {
    open.view().session().id.as_str().to_owned()
}

fn ids(numbers: &[usize]) -> Vec<String> {
    let mut ids: Vec<String> = numbers.iter().map(|it| uuid(&it.to_string())).collect();
    ids.sort();
    ids
}

#[test]
fn a_session_is_opened_once() {
    let (_home, library) = world(1);
    let sessions = OpenSessions::default();
    let first = sessions.open(&library, &place(0)).expect("a session");
    let second = sessions.open(&library, &place(0)).expect("a session");
    assert!(Arc::ptr_eq(&first, &second));
    assert!(sessions.open(&library, &place(7)).is_err());
    assert_eq!(kept(&sessions), ids(&[0]));
}

#[test]
fn the_session_that_was_asked_for_longest_ago_is_closed() {
    let (_home, library) = world(4);
    let sessions = OpenSessions::new(OpenLimits { sessions: 2, bytes: u64::MAX });
    let open = |number| sessions.open(&library, &place(number)).expect("a session");
    drop(open(0));
    drop(open(1));
    drop(open(0));
    drop(open(2));
    assert_eq!(kept(&sessions), ids(&[0, 2]));
    // A session that a caller has stays, and so does one more.
    let held = open(0);
    drop(open(1));
    drop(open(3));
    assert_eq!(kept(&sessions), ids(&[0, 3]));
    let others = [open(1), open(2)];
    assert_eq!(kept(&sessions), ids(&[0, 1, 2]));
    assert!(Arc::ptr_eq(&held, &open(0)));
    drop((held, others));
    drop(open(3));
    assert_eq!(kept(&sessions).len(), 2);
}

#[test]
fn large_logs_are_closed_sooner() {
    let (_home, library) = world(3);
    let bytes = {
        let sessions = OpenSessions::default();
        let open = sessions.open(&library, &place(0)).expect("a session");
        open.log_bytes()
    };
    assert!(bytes > 100);
    let limit = |bytes| OpenLimits { sessions: 9, bytes };
    for (limits, expected) in
        [(limit(2 * bytes), ids(&[1, 2])), (limit(2 * bytes - 1), ids(&[2])), (limit(0), ids(&[2]))]
    {
        let sessions = OpenSessions::new(limits);
        for number in 0..3 {
            drop(sessions.open(&library, &place(number)).expect("a session"));
        }
        assert_eq!(kept(&sessions), expected);
    }
}

#[test]
fn threads_that_ask_for_one_session_share_it() {
    let (_home, library) = world(2);
    let sessions = OpenSessions::default();
    let barrier = Barrier::new(8);
    let opened: Vec<Arc<OpenSession>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let (sessions, library, barrier) = (&sessions, &library, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    sessions.open(library, &place(number % 2)).expect("a session")
                })
            })
            .collect();
        let joined = threads.into_iter().map(ScopedJoinHandle::join);
        joined.map(|open| open.expect("a thread")).collect()
    });
    for (number, open) in opened.iter().enumerate() {
        assert!(Arc::ptr_eq(open, &opened[number % 2]));
    }
    assert_eq!(sessions.all().len(), 2);
}

#[test]
fn a_session_that_was_forgotten_is_opened_again() {
    let (_home, library) = world(1);
    let sessions = OpenSessions::default();
    let before = sessions.open(&library, &place(0)).expect("a session");
    sessions.forget(before.found().target.path());
    let after = sessions.open(&library, &place(0)).expect("a session");
    assert!(!Arc::ptr_eq(&before, &after));
}

#[test]
fn ids_are_compared_and_never_paths() {
    let (home, library) = world(2);
    home.add_session("/srv/other", &uuid("0"), session("u1 user \"a copy\""));
    let sessions = OpenSessions::default();
    let open = |place: &SessionPlace| sessions.open(&library, place);
    assert!(open(&place(0)).is_err(), "two projects have it");
    let project = |id: &str| SessionPlace { project: Some(ProjectId::new(id)), ..place(0) };
    assert!(open(&project("-srv-demo")).is_ok());
    assert!(open(&project("-srv-other")).is_ok());
    assert!(open(&project("-srv")).is_err());
    let elsewhere = SessionPlace { home: Some("/srv".into()), ..place(1) };
    assert!(open(&elsewhere).is_err());
    let path = home.project_dir(CWD).join(format!("{}.jsonl", uuid("1")));
    let part = &uuid("1")[..8];
    for name in ["@", "", "..", part, &path.display().to_string()] {
        let place = SessionPlace::of(SessionId::new(name));
        assert!(open(&place).is_err(), "{name}");
    }
}
