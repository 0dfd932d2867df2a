//! A session that stays open while it is written, and a watch that reports when to read it.

use std::fs;

use unspool_engine::library::{LibraryEvent, OpenSession};
use unspool_engine::ops::find::Needle;
use unspool_engine::ops::message::{BlockText, MessageText};
use unspool_engine::ops::transcript::TranscriptRequest;
use unspool_model::conversation::{CallStatus, Extension};
use unspool_model::ids::EntryId;
use unspool_model::positions::PathNumber;
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{append, session, uuid};

use crate::feed::lab::{CWD, Lab, TALK, lines};
#[cfg(target_os = "linux")]
use crate::setup::process_record;

fn refreshed(open: &OpenSession) -> Extension {
    open.refresh(None).expect("a refresh").history
}

#[test]
fn lines_are_added_to_an_open_session_as_they_are_written() {
    let lines = lines(TALK);
    let lab = Lab::new(&lines[..2].concat());
    let open = &lab.open;
    assert_eq!(open.view().history().messages.len(), 2);
    assert_eq!(refreshed(open), Extension::Nothing);
    lab.append(&lines[2]);
    assert_eq!(refreshed(open), Extension::Appended { from: 1 });
    let answer = open.view().messages(1..2).expect("messages").remove(0);
    let call = answer.blocks.iter().find_map(|block| match block {
        BlockText::Call(call) => Some(call),
        _ => None,
    });
    let call = call.expect("a call");
    assert_eq!(call.status, CallStatus::Done);
    assert_eq!(call.result.as_ref().expect("a result").text, "src");
    lab.append(&lines[3]);
    assert_eq!(refreshed(open), Extension::Appended { from: 2 });
    lab.append(&lines[4]);
    assert_eq!(refreshed(open), Extension::Appended { from: 3 });
    let view = open.view();
    let messages = view.messages(2..9).expect("messages");
    assert_eq!(
        messages.iter().map(MessageText::said).collect::<Vec<_>>(),
        ["Done.", "and now the docs"]
    );
    assert_eq!(view.counts(), view.conversation().counts());
    let transcript = view.transcript(&TranscriptRequest::default()).expect("a transcript");
    assert_eq!(transcript.turns.len(), 2);
}

#[test]
fn a_file_that_was_written_over_is_read_again() {
    let Lab { open, file, home: _home, .. } = Lab::new(&session(TALK));
    fs::write(&file, session("u1 user \"something else\"")).expect("written");
    assert_eq!(refreshed(&open), Extension::Rebuilt);
    assert_eq!(open.view().history().messages.len(), 1);
    fs::remove_file(&file).expect("removed");
    assert!(open.refresh(None).is_err());
    assert_eq!(open.view().history().messages.len(), 1);
}

#[test]
fn an_agent_that_appears_is_tied_to_its_call() {
    let notation = r#"
        u1 user "look it up"
        a1 assistant call Agent:t1 {"description":"reads","prompt":"read all","subagent_type":"x"}
        r1 result t1 "found" agent=a7
    "#;
    let lines = lines(notation);
    let lab = Lab::new(&lines[..2].concat());
    let open = &lab.open;
    assert!(open.view().agents().is_empty());
    let agent = session("%agent a7\nx1 user \"read all\"\nx2 assistant \"found\"");
    let place = AgentFilePlace::Subagents;
    let file = lab.home.add_agent(CWD, &uuid("s"), &place, "a7", agent);
    let change = open.refresh(None).expect("a refresh");
    assert_eq!(change.agents.len(), 1);
    lab.append(&lines[2]);
    refreshed(open);
    assert_eq!(open.view().session().agents[0].call.as_deref(), Some("t1"));
    append(&file, b"{\"type\":\"mode\"}\n");
    let change = open.refresh(None).expect("a refresh");
    assert_eq!((change.history, change.agents.len()), (Extension::Nothing, 1));
    assert!(open.refresh(None).expect("a refresh").is_nothing());
}

#[test]
fn a_text_is_found_by_the_number_of_its_message() {
    let lab = Lab::new(&session(TALK));
    let view = lab.open.view();
    let found = |needle: &str, range| {
        let found = view.find(&Needle::new(needle), range).expect("an answer");
        found.iter().map(|it| (it.message, it.count)).collect::<Vec<_>>()
    };
    assert_eq!(found("the", 0..9), [(0, 1), (3, 1)]);
    assert_eq!(found("src", 0..9), [(1, 1)]);
    assert_eq!(found("the", 1..9), [(3, 1)]);
    assert_eq!(found("The", 0..9), []);
}

#[test]
fn a_watch_tells_what_changed() {
    let lines = lines(TALK);
    let lab = Lab::new(&lines[..2].concat());
    let mut watch = lab.library.watch();
    assert_eq!(watch.sweep(), []);
    let before = fs::metadata(&lab.file).expect("a file").len();
    lab.append(&lines[2]);
    let now = fs::metadata(&lab.file).expect("a file").len();
    let events = watch.sweep();
    let [LibraryEvent::SessionGrew { session: grown, from, to }] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!((grown.session.as_str(), *from, *to), (uuid("s").as_str(), before, now));
    assert_eq!(watch.sweep(), []);
    let other = lab.home.add_session(CWD, &uuid("t"), session("u1 user \"hello\""));
    assert!(matches!(watch.sweep().as_slice(), [LibraryEvent::SessionAdded(_)]));
    fs::write(&other, "").expect("written");
    assert!(matches!(watch.sweep().as_slice(), [LibraryEvent::SessionReplaced(_)]));
    fs::remove_file(&other).expect("removed");
    assert!(matches!(watch.sweep().as_slice(), [LibraryEvent::SessionGone(_)]));
    let agent = session("%agent a7\nx1 user \"read all\"");
    let place = AgentFilePlace::Subagents;
    lab.home.add_agent(CWD, &uuid("s"), &place, "a7", agent);
    assert!(matches!(watch.sweep().as_slice(), [LibraryEvent::AgentChanged { .. }]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_watch_tells_which_processes_own_sessions() {
    let lab = Lab::new(&session(TALK));
    let mut watch = lab.library.watch();
    let pid = std::process::id();
    let record = |status: &str| process_record(pid, "s", &format!(r#","status":"{status}""#));
    let file = format!("sessions/{pid}.json");
    lab.home.add_file(&file, record("busy"));
    assert!(matches!(watch.sweep_live().as_slice(), [LibraryEvent::LiveBegan(_)]));
    lab.home.add_file(&file, record("waiting"));
    let events = watch.sweep();
    let [LibraryEvent::LiveChanged(live)] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(live.status.as_deref(), Some("waiting"));
    fs::remove_file(lab.home.path().join(&file)).expect("removed");
    assert!(matches!(watch.sweep_live().as_slice(), [LibraryEvent::LiveEnded(_)]));
}

#[test]
fn an_entry_leads_to_its_message_on_the_path_that_is_read() {
    let talk = r#"
        u1  user "fix the bug"
        a1  assistant "Looking." call Bash:t1 {"command":"ls"}
        r1  result t1 "src"
        a2  assistant "Done."
        u2  user "no, undo it"
        u3  user < a2 "and now the docs"
    "#;
    let lab = Lab::new(&session(talk));
    let view = lab.open.view();
    let position = |name: &str| view.position_of(&EntryId::new(uuid(name)));
    assert_eq!(position("u1"), Some(0));
    assert_eq!(position("r1"), Some(1), "a result is where its call is");
    assert_eq!(position("u3"), Some(3));
    assert_eq!(position("u2"), None, "it is on another path");
    assert_eq!(position("nothing"), None);
    let other = TranscriptRequest { path: PathNumber::new(1), ..TranscriptRequest::default() };
    let other = view.transcript(&other).expect("a path");
    let shown = |name: &str| other.position_of(&EntryId::new(uuid(name)));
    assert_eq!((shown("u2"), shown("u3")), (Some(3), None));
    let messages = other.messages_in(2..9).expect("messages");
    assert_eq!(
        messages.iter().map(MessageText::said).collect::<Vec<_>>(),
        ["Done.", "no, undo it"]
    );
}
