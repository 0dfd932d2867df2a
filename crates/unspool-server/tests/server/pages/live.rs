//! Running sessions: their questions and their calls, on the home page and on the wall.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::json;
use unspool_engine::library::{Library, LibraryClock, LibrarySettings};
use unspool_testkit::{TestHome, session, uuid};

use super::{open, page};
use crate::harness::TestServer;

/// Writes the status of the process that owns a session. The process is this test.
fn say(home: &TestHome, session: &str, status: &str) {
    let says = json!({
        "cwd": "/srv/tidepool", "status": status, "statusUpdatedAt": 1_794_300_000_000_u64,
        "startedAt": 1_794_290_000_000_u64,
    });
    home.add_running(session, std::process::id(), &says);
}

/// Makes a session wait for a person.
pub(super) fn wait(home: &TestHome, session: &str) {
    say(home, session, "waiting");
}

/// Returns a home with a session that asks a question, and the session's id.
fn asking() -> (TestHome, String) {
    let home = TestHome::new();
    let id = uuid("asks");
    let input = r#"{"questions":[{"question":"Shall I migrate <b>the old</b> files?","header":"Migrate","multiSelect":false,"options":[{"label":"Yes, all"},{"label":"Only this year"}]}]}"#;
    let talk = format!("u1 user \"Import the rest\"\na1 assistant call AskUserQuestion:t1 {input}");
    home.add_session("/srv/tidepool", &id, session(&talk));
    (home, id)
}

#[cfg(target_os = "linux")]
#[test]
fn what_needs_input_is_asked_on_every_page() {
    let (home, id) = asking();
    wait(&home, &id);
    let server = TestServer::of(home);
    let html = page(&server, "/");
    assert!(html.contains("Needs input"), "{html}");
    assert!(html.contains("Shall I migrate &lt;b&gt;the old&lt;/b&gt; files?"), "{html}");
    assert!(html.contains("Yes, all") && html.contains("Only this year"));
    for way in ["/", "/stats", "/search", "/nowhere"] {
        let html = open(&server, way).body;
        assert!(html.contains(&format!("data-key=\"{id}@1794300000000\"")), "{way}");
    }
    let wall = page(&server, "/live");
    assert!(wall.contains("1 needs input") && wall.contains("Shall I migrate"), "{wall}");
}

#[cfg(target_os = "linux")]
#[test]
fn links_name_the_project_where_two_have_a_session_of_one_id() {
    let (home, id) = asking();
    let talk = "u1 user \"Draw a whale\"\na1 assistant \"A small whale.\"";
    let damaged = [&session(talk)[..], b"{ half a line\n"].concat();
    home.add_session("/srv/lanterna", &id, damaged);
    let other = uuid("other");
    home.add_session("/srv/lanterna", &other, session("u1 user \"Draw a small cat\""));
    wait(&home, &id);
    let server = TestServer::of(home);
    let (asks, whale) =
        (format!("/s/{id}?project=-srv-tidepool"), format!("/s/{id}?project=-srv-lanterna"));
    // Lists, live cards, the bar and hits.
    for (way, ways) in [
        ("/", vec![&asks]),
        ("/live", vec![&asks]),
        ("/search", vec![&asks]),
        ("/sessions", vec![&asks, &whale]),
        ("/p/-srv-lanterna", vec![&whale]),
        ("/search?q=whale", vec![&whale]),
        ("/search?q=import", vec![&asks]),
    ] {
        let html = page(&server, way);
        for wanted in ways {
            let beginning = format!("href=\"{wanted}");
            assert!(html.contains(&beginning), "{way}: {beginning}\n{html}");
        }
        assert!(unnamed(&html, &id).is_empty(), "{way}");
    }
    let list = page(&server, "/sessions");
    assert!(list.contains(&format!("href=\"/s/{other}\"")), "{list}");
    // The links lead to the right session, and so do the links on its pages.
    assert!(page(&server, &whale).contains("A small whale."));
    for part in ["", "/tree", "/time", "/context", "/files", "/raw", "/raw/line:1"] {
        let html = page(&server, &format!("/s/{id}{part}?project=-srv-lanterna"));
        assert!(html.contains(&format!("/s/{id}")), "{part}: {html}");
        assert_eq!(unnamed(&html, &id), [""; 0], "{part}");
    }
    // The check links a damaged line to the log that contains it.
    let check = page(&server, "/check?full=1");
    let line = format!("href=\"/s/{id}/raw/line:3?project=-srv-lanterna\"");
    assert!(check.contains(&line), "{check}");
    assert_eq!(unnamed(&check, &id), [""; 0]);
    assert_eq!(open(&server, &format!("/s/{id}")).status, 409);
}

/// Returns the links to a session that do not name its project.
#[cfg(target_os = "linux")]
fn unnamed<'h>(html: &'h str, id: &str) -> Vec<&'h str> {
    let start = format!("href=\"/s/{id}");
    let links = html.split(&start).skip(1);
    let links = links.map(|rest| rest.split('"').next().unwrap_or_default());
    links.filter(|link| !link.contains("project=")).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn what_works_shows_its_call() {
    let home = TestHome::new();
    let id = uuid("works");
    let talk =
        "u1 user \"Test it\"\na1 assistant call Bash:t1 {\"command\":\"cargo test --release\"}";
    home.add_session("/srv/tidepool", &id, session(talk));
    say(&home, &id, "busy");
    let server = TestServer::of(home);
    for way in ["/", "/live"] {
        let html = page(&server, way);
        assert!(html.contains("Bash") && html.contains("cargo test --release"), "{html}");
    }
    say(&server.home, &id, "idle");
    let html = page(&server, "/");
    assert!(html.contains("Idle"), "{html}");
}

/// The time of a server whose clock does not advance: 2026-11-10, noon.
const NOON: Duration = Duration::from_hours(498_420);

#[test]
fn what_has_ended_is_new_until_it_is_marked() {
    let home = TestHome::new();
    let line = r#"{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","timestamp":"2026-11-10T11:00:00.000Z","cwd":"/srv/x","message":{"role":"user","content":"Freshly ended"}}"#;
    home.add_session("/srv/x", &uuid("fresh"), format!("{line}\n"));
    let clock = LibraryClock::fixed(SystemTime::UNIX_EPOCH + NOON);
    let library = Library::open(LibrarySettings::of_home(home.path(), clock));
    let library = Arc::new(library.expect("a library"));
    let server = TestServer::with(home, |settings| settings.library = library);
    let before = page(&server, "/");
    assert!(before.contains("Done since you looked"), "{before}");
    let marked = server.ask_as_owner("POST", "/inbox/seen", &[]);
    assert_eq!((marked.status, marked.header("location")), (303, Some("/")));
    let foreign = [("origin", "http://evil.example")];
    assert_eq!(server.ask_as_owner("POST", "/inbox/seen", &foreign).status, 403);
    assert_eq!(server.ask("POST", "/inbox/seen", &[]).status, 401);
    let after = page(&server, "/");
    assert!(!after.contains("Done since you looked"), "{after}");
    assert!(after.contains("Freshly ended"));
}
