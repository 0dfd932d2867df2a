//! Streams of one session and of all sessions.

use std::path::PathBuf;

use unspool_testkit::{TestHome, added, append, session, uuid};

use crate::harness::TestServer;

const TALK: &str = "u1 user \"hello\"\na1 assistant \"hi\"";

/// Returns a server with one session, its id, and its log.
fn server() -> (TestServer, String, PathBuf) {
    let home = TestHome::new();
    let id = uuid("one");
    let log = home.add_session("/srv/demo", &id, session(TALK));
    (TestServer::of(home), id, log)
}

#[test]
fn a_stream_says_hello_and_then_what_comes() {
    let (server, id, log) = server();
    let way = format!("/api/sessions/{id}/stream");
    let mut client = server.events(&way).expect("a stream");
    let hello = client.next().expect("an event");
    assert_eq!(hello.name, "hello");
    assert_eq!(hello.data["session"], id.as_str());
    assert_eq!(hello.data["counts"]["entries"], 2);
    assert_eq!(hello.data["path"], 1);
    assert!(hello.data["position"].is_string());
    append(&log, added(TALK, "u2 user \"more\""));
    let message = client.wait_for("message");
    assert_eq!(message.data["ordinal"], 2);
    assert_eq!(message.data["message"]["blocks"][0]["text"], "more");
    let position = message.id.expect("an id");
    // There is nothing after that position; from the start, there is everything.
    let all = server.events(&format!("{way}?since=start"));
    let mut all = all.expect("a stream");
    let ordinals: Vec<_> =
        (0..3).map(|_| all.wait_for("message").data["ordinal"].clone()).collect();
    assert_eq!(ordinals, [0, 1, 2]);
    let rest = server.events(&format!("{way}?since={position}"));
    let mut rest = rest.expect("a stream");
    assert_eq!(rest.next().expect("an event").name, "hello");
    assert_eq!(rest.next().expect("an event").name, "status");
}

#[test]
fn half_a_line_is_not_told_until_it_is_whole() {
    let (server, id, log) = server();
    let more = added(TALK, "u2 user \"more\"\na2 assistant \"done\"");
    let way = format!("/api/sessions/{id}/stream");
    let mut client = server.events(&way).expect("a stream");
    assert_eq!(client.next().expect("an event").name, "hello");
    let (half, rest) = more.split_at(more.len() / 4);
    append(&log, half);
    append(&log, rest);
    let first = client.wait_for("message");
    assert_eq!(first.data["message"]["blocks"][0]["text"], "more");
    let second = client.wait_for("message");
    assert_eq!(second.data["message"]["blocks"][0]["text"], "done");
}

#[test]
fn a_log_that_is_replaced_resets_its_readers() {
    let (server, id, log) = server();
    let way = format!("/api/sessions/{id}/stream?since=start");
    let mut client = server.events(&way).expect("a stream");
    client.wait_for("message");
    let other = session("x1 user \"another\"\ny1 assistant \"one\"\nx2 user \"entirely\"");
    std::fs::write(&log, other).expect("a write");
    client.wait_for("reset");
    let message = client.wait_for("message");
    assert_eq!(message.data["ordinal"], 0);
    assert_eq!(message.data["message"]["blocks"][0]["text"], "another");
    std::fs::remove_file(&log).expect("a removal");
    client.wait_for("gone");
}

#[test]
fn what_is_wrong_is_said_before_the_stream_begins() {
    let (server, id, _) = server();
    for (way, status) in [
        (format!("/api/sessions/{id}/stream?since=nonsense"), 400),
        (format!("/api/sessions/{id}/stream?path=9"), 404),
        (format!("/api/sessions/{id}/stream?path=x"), 400),
        ("/api/sessions/nowhere/stream".to_owned(), 404),
    ] {
        assert_eq!(server.get(&way).status, status, "{way}");
    }
}

#[test]
fn all_sessions_are_followed_by_one_stream() {
    let (server, id, log) = server();
    let mut client = server.events("/api/events").expect("a stream");
    // The watch has begun.
    client.wait_for("inboxChanged");
    append(&log, "{}\n");
    let changed = client.wait_for("sessionChanged");
    assert_eq!(changed.data["sessionId"], id.as_str());
    assert_eq!(changed.data["projectId"], "-srv-demo");
    let other = uuid("two");
    server.home.add_session("/srv/demo", &other, session(TALK));
    client.wait_for("sessionListChanged");
    let agents = log.with_extension("").join("subagents");
    std::fs::create_dir_all(&agents).expect("a folder");
    std::fs::write(agents.join("agent-a1b2.jsonl"), "{}\n").expect("a write");
    let changed = client.wait_for("agentSessionChanged");
    assert_eq!(changed.data["sessionId"], id.as_str());
    assert_eq!(changed.data["agentSessionId"], "a1b2");
}
