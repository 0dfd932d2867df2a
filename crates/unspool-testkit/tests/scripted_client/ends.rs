//! How a client ends, and goes on.

use super::*;

#[test]
fn what_a_dead_client_left_open_is_mended_at_the_next_prompt() {
    let place = Place::new();
    let mut client = place.start(&new_session());
    client.prompt("[[die-after-call: touch made]]");
    let end = client.end();
    assert!(end.status.code().is_none(), "{}", end.status);
    assert_eq!(place.running().len(), 1, "a killed client leaves its marker");
    let mut client = place.start(&resumed());
    client.prompt("[[say: again]]");
    client.result();
    client.close();
    assert_eq!(
        place.sent(),
        [
            "[[die-after-call: touch made]]",
            "call Bash",
            &format!("result {INTERRUPTED_CALL}"),
            NO_RESPONSE,
            "[[say: again]]",
        ]
    );
    assert_eq!(place.ran(), 0);
}

#[test]
fn deaths_leave_what_they_should() {
    for (directive, is_torn, has_log) in [
        ("[[say: a]] [[die]]", false, true),
        ("[[half-line]]", false, true),
        ("[[half-log]]", true, true),
        ("[[die-unwritten: true]]", false, true),
    ] {
        let place = Place::new();
        let mut client = place.start(&new_session());
        client.prompt(directive);
        let end = client.end();
        assert!(end.status.code().is_none(), "{directive}: {}", end.status);
        let log = fs::read_to_string(place.log_path(&uuid(SESSION)));
        assert_eq!(log.is_ok(), has_log, "{directive}");
        let log = log.unwrap_or_default();
        assert_eq!(!log.ends_with('\n'), is_torn, "{directive}");
        assert_eq!(log.contains("\"type\":\"user\""), !directive.contains("unwritten"));
        let mut client = place.start(&resumed());
        client.prompt("[[say: again]]");
        client.result();
        client.close();
        let after = fs::read_to_string(place.log_path(&uuid(SESSION))).expect("a log");
        assert!(after.starts_with(&log));
        assert_eq!(after[log.len()..].starts_with('\n'), is_torn, "{directive}");
    }
}

#[test]
fn clearing_begins_a_new_session_in_the_process() {
    let place = Place::new();
    let mut client = place.start(&new_session());
    client.prompt("one");
    client.result();
    client.prompt("/clear");
    assert_eq!(client.frame("conversation_reset")["session_id"], *uuid(SESSION));
    let session = client.result()["session_id"].clone();
    assert_ne!(session, *uuid(SESSION));
    client.prompt("two");
    assert_eq!(client.result()["session_id"], session);
    client.close();
    assert_eq!(place.sent(), ["two"]);
    assert!(place.log_path(session.as_str().expect("an id")).exists());
}

#[test]
fn a_fork_is_a_new_log_with_the_same_entries() {
    let place = Place::new();
    let mut client = place.start(&new_session());
    let one = client.prompt("one");
    client.result();
    client.prompt("two");
    client.result();
    client.close();
    let before = fs::read(place.log_path(&uuid(SESSION))).expect("a log");
    let mut log = place.log(&uuid(SESSION)).into_iter();
    let answer = log.rfind(|line| line["parentUuid"] == *one).expect("an answer");
    let at = answer["uuid"].as_str().expect("an id");
    let args = format!("{} --fork-session --session-id {}", resumed(), uuid("fork"));
    let mut client = place.start(&format!("{args} --resume-session-at {at}"));
    client.prompt("three");
    client.result();
    client.close();
    assert_eq!(fs::read(place.log_path(&uuid(SESSION))).expect("a log"), before);
    let fork = place.log(&uuid("fork"));
    let first = fork.iter().find(|line| line["uuid"].is_string()).expect("an entry");
    assert_eq!(first["uuid"], *one);
    assert_eq!(first["sessionId"], *uuid("fork"));
    assert_eq!(place.sent(), ["one", "Done.", "three"]);
}

#[test]
fn it_ends_as_the_real_one_does() {
    let place = Place::new();
    let mut client = place.start("");
    client.write(b"\n{\"type\":\"no_such\"}\n{\"type\":\"us\n");
    let end = client.end();
    assert_eq!(end.status.code(), Some(1), "a line that is not JSON");
    assert!(end.errors.contains("Error parsing"), "{}", end.errors);
    let mut client = place.start("");
    assert_eq!(client.request(&json!({"subtype": "end_session"}))["subtype"], "success");
    assert_eq!(client.end().status.code(), Some(0));
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("INT", 0)] {
        let mut client = place.start("");
        client.prompt("[[bash: touch made]]");
        client.permission();
        assert_eq!(client.signal(signal).status.code(), Some(code), "{signal}");
    }
    let mut client = place.start("");
    client.prompt("[[bash: touch made]] [[say: end]]");
    client.permission();
    let end = client.close();
    assert_eq!(end.status.code(), Some(0), "input that ends denies what is open");
    assert!(end.frames.iter().any(|frame| frame["result"] == "end"));
    assert_eq!(place.running(), [] as [Value; 0]);
    assert_eq!(place.ran(), 0);
}

#[test]
fn what_cannot_start_says_why() {
    let place = Place::new();
    let end = place.start(&resumed()).end();
    assert_eq!(end.status.code(), Some(1));
    assert!(end.errors.contains("No conversation found"), "{}", end.errors);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let options = DriverOptions::new(&client::scripted_client(), &place.cwd);
    let config = elsewhere.path().display().to_string();
    let end = options.env("CLAUDE_CONFIG_DIR", config).start().end();
    assert_eq!(end.status.code(), Some(1));
    assert!(end.errors.contains(client::MARKER), "{}", end.errors);
}
