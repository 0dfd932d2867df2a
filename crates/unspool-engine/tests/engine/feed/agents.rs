//! Streams of agents, and of the calls that started them.

use unspool_engine::library::{FeedTarget, OpenSessions};
use unspool_model::ids::ProjectId;
use unspool_model::positions::PathNumber;
use unspool_testkit::home::{AgentFilePlace, project_folder};
use unspool_testkit::{append, session, uuid};

use super::lab::{CWD, Client, Lab, lines};

const TALK: &str = r#"
    u1 user "look it up"
    a1 assistant call Agent:t1 {"description":"reads","prompt":"read all","subagent_type":"x"}
    r1 result t1 "found" agent=a7
"#;

const AGENT: &str = r#"
    %agent a7
    x1 user "read all"
    x2 assistant "Reading." call Read:t9 {"file_path":"/a"}
    x3 result t9 "content"
    x4 assistant "found"
"#;

#[test]
fn an_agent_is_streamed_from_its_own_log() {
    let mut lab = Lab::new(&lines(TALK)[..2].concat());
    let place = AgentFilePlace::Subagents;
    let lines = lines(AGENT);
    let file = lab.home.add_agent(CWD, &uuid("s"), &place, "a7", &lines[0]);
    lab.refresh();
    let target = FeedTarget::agent("agent-a7");
    let mut reader = Client::new("reader", target.clone());
    let mut away = Client::new("away", target.clone());
    reader.drain(&lab.open.view());
    away.drain(&lab.open.view());
    away.disconnect();
    let mut main = Client::new("main", FeedTarget::active());
    main.drain(&lab.open.view());
    let before = main.trace.len();
    for line in &lines[1..] {
        append(&file, &line[..line.len() / 2]);
        lab.refresh();
        assert!(reader.step(&lab.open.view(), 9));
        append(&file, &line[line.len() / 2..]);
        lab.refresh();
        reader.drain(&lab.open.view());
    }
    assert_eq!(reader.messages.len(), 3);
    assert_eq!((reader.sent.messages, reader.sent.changes), (3, 1), "{:#?}", reader.trace);
    main.drain(&lab.open.view());
    assert_eq!(main.trace.len(), before, "{:#?}", main.trace);
    lab.restart();
    away.drain(&lab.open.view());
    assert_eq!(away.messages, reader.messages);
    assert_eq!(away.sent.messages, 3);
    let info = &lab.open.view().agents()[0].clone();
    assert_eq!((info.id.as_str(), info.message_count), ("a7", 3));
}

#[test]
fn an_agent_that_appears_changes_the_message_of_its_call() {
    let lines = lines(TALK);
    let mut lab = Lab::new(&lines[..2].concat());
    let mut reader = Client::new("reader", FeedTarget::active());
    let mut away = Client::new("away", FeedTarget::active());
    reader.drain(&lab.open.view());
    away.drain(&lab.open.view());
    away.disconnect();
    let place = AgentFilePlace::Subagents;
    // The prompt links the agent to its call.
    lab.home.add_agent(CWD, &uuid("s"), &place, "a7", session(AGENT));
    lab.refresh();
    reader.drain(&lab.open.view());
    assert_eq!(reader.sent.changes, 1, "{:#?}", reader.trace);
    assert!(reader.messages[&1].contains("agent: Some(\"a7\")"));
    lab.restart();
    away.drain(&lab.open.view());
    assert_eq!(away.messages, reader.messages);
    assert_eq!(away.sent.changes, 1);
    lab.append(&lines[2]);
    lab.refresh();
    reader.disconnect();
    for client in [&mut reader, &mut away] {
        client.drain(&lab.open.view());
        assert_eq!(client.sent.changes, 2, "{:#?}", client.trace);
    }
    assert_eq!(away.messages, reader.messages);
}

#[test]
fn a_sidecar_that_is_written_late_ties_an_agent_to_its_call() {
    let lab = Lab::new(&lines(TALK)[..2].concat());
    let place = AgentFilePlace::Subagents;
    let other = AGENT.replace("read all", "another prompt");
    lab.home.add_agent(CWD, &uuid("s"), &place, "a7", session(&other));
    lab.refresh();
    let mut reader = Client::new("reader", FeedTarget::active());
    reader.drain(&lab.open.view());
    assert!(reader.messages[&1].contains("agent: None"));
    let meta = r#"{"agentType":"x","toolUseId":"toolu_t1"}"#;
    lab.home.add_agent_meta(CWD, &uuid("s"), &place, "a7", meta.replace("toolu_t1", "t1"));
    lab.refresh();
    reader.drain(&lab.open.view());
    assert!(reader.messages[&1].contains("agent: Some(\"a7\")"), "{:#?}", reader.messages);
}

#[test]
fn an_agent_inside_the_file_is_streamed() {
    let notation = r#"
        u1 user "look it up"
        a1 assistant call Task:t1 {"description":"reads","prompt":"read all"}
        x1 user < - sidechain "read all"
        x2 assistant sidechain "reading"
        x3 user sidechain "and more"
        r1 result < a1 t1 "found"
    "#;
    let lines = lines(notation);
    let lab = Lab::new(&lines[..4].concat());
    let agent = lab.open.view().agents()[0].id.clone();
    let target = FeedTarget::agent(&agent);
    let mut reader = Client::new("reader", target.clone());
    reader.drain(&lab.open.view());
    assert_eq!(reader.messages.len(), 2);
    for line in &lines[4..] {
        lab.append(line);
        lab.refresh();
        reader.drain(&lab.open.view());
    }
    assert_eq!((reader.sent.messages, reader.sent.paths), (3, 0));
    reader.check(&lab.expected(&target).expect("messages"));
    let missing = FeedTarget { path: PathNumber::new(2), ..target };
    let error = lab.open.view().feed_position(&missing).expect_err("no path");
    assert_eq!(error.to_string(), "path 2 does not exist; the session has one");
}

#[test]
fn an_agent_is_found_by_its_project_and_its_id() {
    let lab = Lab::new(&lines(TALK).concat());
    let add = |place: &AgentFilePlace, session: &str, id: &str| {
        let log = AGENT.replace("a7", id);
        let log = format!("%session {session}\n{log}");
        lab.home.add_agent(CWD, &uuid("s"), place, id, unspool_testkit::session(&log));
    };
    add(&AgentFilePlace::Subagents, "s", "a7");
    let run = "run1".to_owned();
    add(&AgentFilePlace::Workflow { run }, "s", "b8");
    add(&AgentFilePlace::Sibling, "elsewhere", "c9");
    let sessions = OpenSessions::default();
    let project = ProjectId::new(project_folder(CWD));
    for (asked, id) in [("a7", "a7"), ("agent-b8", "b8")] {
        let found = sessions.open_agent(&lab.library, &project, asked);
        let (open, target) = found.expect("an agent");
        assert_eq!(target, FeedTarget::agent(id));
        let mut reader = Client::new(id, target);
        reader.drain(&open.view());
        assert_eq!(reader.messages.len(), 3);
    }
    let (open, target) = sessions.open_agent(&lab.library, &project, "c9").expect("an agent");
    assert_eq!(target, FeedTarget::active());
    let mut reader = Client::new("c9", target);
    reader.drain(&open.view());
    assert_eq!(reader.messages.len(), 3);
    assert_eq!(sessions.all().len(), 2);
    for (project, id) in [(CWD, "a7"), ("/srv/other", "a7"), (CWD, "../agent-a7"), (CWD, "")] {
        let project = ProjectId::new(project_folder(project));
        let found = sessions.open_agent(&lab.library, &project, id);
        assert_eq!(found.is_ok(), (id, &project) == ("a7", &ProjectId::new("-srv-demo")));
    }
}
