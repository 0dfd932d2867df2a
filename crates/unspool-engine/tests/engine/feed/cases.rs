//! The events that a reader receives, one case at a time.

use std::fs;

use unspool_engine::library::{
    FeedBacklog, FeedEvent, FeedPosition, FeedReader, FeedStart, FeedTarget, OpenState,
};
use unspool_model::conversation::Liveness;
use unspool_model::ids::SessionId;
use unspool_model::positions::PathNumber;
use unspool_store::home::{LiveSession, LiveSessions};
use unspool_testkit::{session, uuid};

use super::lab::{Client, Lab, TALK, lines};

/// Returns the names of a step's events; `#` marks those with an id.
fn told(reader: &mut FeedReader, session: &OpenState) -> Vec<String> {
    let step = reader.step(session, 100).expect("a step");
    assert!(step.is_last);
    let name = |event: &FeedEvent| match event {
        FeedEvent::Hello(hello) => format!("hello {}", hello.messages),
        FeedEvent::Message { ordinal } => format!("message {ordinal}"),
        FeedEvent::Change { ordinal } => format!("change {ordinal}"),
        FeedEvent::Path { path, keeps, .. } => {
            format!("path {} keeps {keeps}", path.map_or(0, PathNumber::get))
        }
        FeedEvent::Status(status) => format!("status {:?}", status.live),
        FeedEvent::Reset { .. } => "reset".to_owned(),
        FeedEvent::Gone => "gone".to_owned(),
    };
    let items = step.items.iter();
    let named = items.map(|item| match item.id {
        Some(_) => format!("{} #", name(&item.event)),
        None => name(&item.event),
    });
    named.collect()
}

fn reader(start: FeedStart) -> FeedReader {
    FeedReader::new(FeedTarget::active(), start)
}

fn all() -> FeedStart {
    FeedStart::After(FeedPosition::start())
}

#[test]
fn a_line_is_told_when_it_is_written() {
    let lines = lines(TALK);
    let lab = Lab::new(&lines[..2].concat());
    let mut now = reader(FeedStart::Now);
    let mut whole = reader(all());
    assert_eq!(told(&mut now, &lab.open.view()), ["hello 2", "status Idle"]);
    assert_eq!(
        told(&mut whole, &lab.open.view()),
        ["hello 2", "status Idle", "message 0 #", "message 1 #"]
    );
    for (line, expected) in lines[2..].iter().zip(["change 1 #", "message 2 #", "message 3 #"]) {
        lab.append(line);
        lab.refresh();
        assert_eq!(told(&mut now, &lab.open.view()), [expected]);
        assert_eq!(told(&mut whole, &lab.open.view()), [expected]);
    }
    assert_eq!(told(&mut now, &lab.open.view()), [""; 0]);
}

#[test]
fn half_of_a_line_is_not_told() {
    let lines = lines(TALK);
    let lab = Lab::new(&lines[..1].concat());
    let mut reader = reader(all());
    told(&mut reader, &lab.open.view());
    let line = &lines[1];
    let position = |lab: &Lab| {
        let view = lab.open.view();
        view.feed_position(&FeedTarget::active()).expect("a position")
    };
    let before = position(&lab);
    for cut in [1, line.len() / 2, line.len() - 1] {
        let written = fs::metadata(&lab.file).expect("a log").len() - lines[0].len() as u64;
        lab.append(&line[written as usize..cut]);
        lab.refresh();
        assert_eq!(told(&mut reader, &lab.open.view()), [""; 0]);
        assert_eq!(position(&lab), before);
    }
    let view = lab.open.view();
    let transcript = view.feed_transcript(&FeedTarget::active());
    assert_eq!(transcript.expect("a transcript").messages().count(), 1);
    drop(view);
    // The history includes the incomplete line.
    assert_eq!(lab.open.view().history().messages.len(), 2);
    assert_eq!(lab.open.view().counts(), lab.open.view().conversation().counts());
    lab.append(b"\n");
    lab.refresh();
    assert_eq!(told(&mut reader, &lab.open.view()), ["message 1 #"]);
}

#[test]
fn the_id_comes_with_the_last_event_of_a_line() {
    let refused = concat!(
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it ",
        "was a file edit, the new_string was NOT written to the file). To tell you how to proceed, ",
        r"the user said:\nuse the other one"
    );
    let notation = format!(
        r#"
        u1 user "do it"
        a1 assistant call Bash:t1 {{"command":"ls"}}
        r1 result t1 "{refused}" error
    "#
    );
    let lines = lines(&notation);
    let lab = Lab::new(&lines[..2].concat());
    let mut reader = reader(FeedStart::Now);
    told(&mut reader, &lab.open.view());
    lab.append(&lines[2]);
    lab.refresh();
    assert_eq!(told(&mut reader, &lab.open.view()), ["change 1", "message 2 #"]);
}

#[test]
fn a_command_that_is_answered_is_a_change() {
    let notation = r#"
        u1 user "<command-message>flow</command-message>\n<command-name>/flow</command-name>\n<command-args>x</command-args>"
        m1 user meta "Do the flow."
        a1 assistant "Done."
    "#;
    let lines = lines(notation);
    let lab = Lab::new(&lines[..2].concat());
    let mut reader = reader(FeedStart::Now);
    told(&mut reader, &lab.open.view());
    lab.append(&lines[2]);
    lab.refresh();
    assert_eq!(told(&mut reader, &lab.open.view()), ["change 0", "message 2 #"]);
}

#[test]
fn a_rewind_is_another_path_that_keeps_what_was_said_before() {
    let turn = |turn: u32| format!("u{turn} user \"ask\"\na{turn} assistant \"say {turn}\"\n");
    let mut notation: String = (0..20).map(turn).collect();
    notation.push_str("v user < a17 \"ask otherwise\"\nw assistant \"yes\"\n");
    let lines = lines(&notation);
    let lab = Lab::new(&lines[..40].concat());
    let mut live = reader(FeedStart::Now);
    assert_eq!(told(&mut live, &lab.open.view()), ["hello 40", "status Idle"]);
    let position = lab.open.view().feed_position(&FeedTarget::active());
    lab.append(&lines[40]);
    lab.refresh();
    let mut expected = vec!["path 2 keeps 32".to_owned()];
    expected.extend((32..37).map(|ordinal| format!("message {ordinal} #")));
    assert_eq!(told(&mut live, &lab.open.view()), expected);
    // A reader that was away receives the same.
    let mut late = reader(FeedStart::After(position.expect("a position")));
    assert_eq!(told(&mut late, &lab.open.view())[2..], expected);
    lab.append(&lines[41]);
    lab.refresh();
    assert_eq!(told(&mut live, &lab.open.view()), ["message 37 #"]);
    // The old path still exists, under its number.
    let mut old = FeedReader::new(FeedTarget::path(PathNumber::at(0)), FeedStart::Now);
    assert_eq!(told(&mut old, &lab.open.view()), ["hello 40", "status Idle"]);
    let mut none = FeedReader::new(FeedTarget::path(PathNumber::at(2)), FeedStart::Now);
    assert!(none.step(&lab.open.view(), 1).is_err());
}

#[test]
fn a_log_that_was_cut_off_or_replaced_is_told_from_the_start() {
    let lines = lines(TALK);
    let lab = Lab::new(&lines.concat());
    let mut reader = reader(FeedStart::Now);
    told(&mut reader, &lab.open.view());

    // Truncated, and longer than before when the server reads it.
    lab.truncate(lines[0].len() as u64);
    for line in 0..9 {
        lab.append(&session(&format!("y{line} user \"another {line}\"")));
    }
    lab.refresh();
    assert_eq!(told(&mut reader, &lab.open.view())[0], "reset");

    lab.replace(&session("z user \"something else\""));
    lab.refresh();
    assert_eq!(told(&mut reader, &lab.open.view()), ["reset", "path 1 keeps 1", "message 0 #"]);

    // The same bytes in another file are the same log.
    let bytes = fs::read(&lab.file).expect("a log");
    lab.replace(&bytes);
    lab.refresh();
    assert_eq!(told(&mut reader, &lab.open.view()), [""; 0]);
}

#[test]
fn a_log_that_is_gone_is_told_once() {
    let lines = lines(TALK);
    let lab = Lab::new(&lines.concat());
    let mut reader = reader(FeedStart::Now);
    told(&mut reader, &lab.open.view());
    let bytes = fs::read(&lab.file).expect("a log");
    fs::remove_file(&lab.file).expect("removed");
    assert!(lab.open.refresh(None).is_err());
    assert_eq!(told(&mut reader, &lab.open.view()), ["gone"]);
    assert_eq!(told(&mut reader, &lab.open.view()), [""; 0]);
    fs::write(&lab.file, &bytes).expect("written");
    lab.append(&session("z user \"back again\" < -"));
    lab.refresh();
    let mut client = Client::new("after", FeedTarget::active());
    client.drain(&lab.open.view());
    client.check(&lab.expected(&FeedTarget::active()).expect("messages"));
    assert!(!told(&mut reader, &lab.open.view()).contains(&"gone".to_owned()));
}

#[test]
fn a_call_waits_while_a_process_owns_the_session() {
    let lines = lines(TALK);
    let mut lab = Lab::new(&lines[..2].concat());
    let live = LiveSessions { sessions: vec![live_session()], problems: Vec::new() };
    lab.open.refresh(Some(&live)).expect("a refresh");
    let mut client = Client::new("reader", FeedTarget::active());
    client.drain(&lab.open.view());
    assert!(client.messages[&1].contains("Pending"), "{:?}", client.messages);
    let mut reader = reader(FeedStart::Now);
    assert_eq!(told(&mut reader, &lab.open.view()), ["hello 2", "status Live"]);
    let none = LiveSessions::default();
    lab.open.refresh(Some(&none)).expect("a refresh");
    assert_eq!(told(&mut reader, &lab.open.view()), ["status Idle", "change 1 #"]);
    // A reader that was away, and another server.
    client.disconnect();
    lab.restart();
    client.drain(&lab.open.view());
    client.check(&lab.expected(&FeedTarget::active()).expect("messages"));
    assert_eq!(client.sent.changes, 1);
}

fn live_session() -> LiveSession {
    LiveSession {
        session: SessionId::new(uuid("s")),
        pid: 7,
        cwd: None,
        started_at: None,
        status: Some("waiting".to_owned()),
        status_at: None,
        waiting_for: Some("approve Bash".to_owned()),
        name: None,
        kind: None,
        entrypoint: None,
        version: None,
        file: "7.json".into(),
    }
}

#[test]
fn what_a_process_waits_for_is_told() {
    let lab = Lab::new(&lines(TALK).concat());
    let mut live = LiveSessions { sessions: vec![live_session()], problems: Vec::new() };
    lab.open.refresh(Some(&live)).expect("a refresh");
    let mut reader = reader(FeedStart::Now);
    told(&mut reader, &lab.open.view());
    live.sessions[0].status = Some("busy".to_owned());
    live.sessions[0].waiting_for = None;
    lab.open.refresh(Some(&live)).expect("a refresh");
    let step = reader.step(&lab.open.view(), 9).expect("a step");
    let [item] = step.items.as_slice() else {
        panic!("{step:?}");
    };
    let FeedEvent::Status(status) = &item.event else {
        panic!("{item:?}");
    };
    assert_eq!(status.live, Liveness::Live);
    let process = status.process.as_ref().expect("a process");
    assert_eq!((process.status.as_deref(), &process.waiting_for), (Some("busy"), &None));
}

#[test]
fn a_reader_that_is_far_away_can_be_reset() {
    let lines = lines(TALK);
    let lab = Lab::new(&lines[..4].concat());
    let mut reader = reader(all());
    let bytes = fs::metadata(&lab.file).expect("a log").len();
    let backlog = reader.backlog(&lab.open.view()).expect("a backlog");
    assert_eq!(backlog, FeedBacklog { messages: 3, bytes });
    reader.reset_to_now(&lab.open.view()).expect("a reset");
    assert_eq!(told(&mut reader, &lab.open.view()), ["hello 3", "status Idle", "reset"]);
    let backlog = reader.backlog(&lab.open.view()).expect("a backlog");
    assert_eq!(backlog, FeedBacklog::default());
    lab.append(&lines[4]);
    lab.refresh();
    let bytes = lines[4].len() as u64;
    let backlog = reader.backlog(&lab.open.view()).expect("a backlog");
    assert_eq!(backlog, FeedBacklog { messages: 1, bytes });
    assert_eq!(told(&mut reader, &lab.open.view()), ["message 3 #"]);
}

#[test]
fn a_step_is_as_long_as_it_was_asked_for() {
    let lab = Lab::new(&lines(TALK).concat());
    let mut reader = reader(all());
    let mut lengths = Vec::new();
    loop {
        let step = reader.step(&lab.open.view(), 4).expect("a step");
        lengths.push(step.items.len());
        if step.is_last {
            break;
        }
    }
    assert_eq!(lengths, [4, 2]);
}
