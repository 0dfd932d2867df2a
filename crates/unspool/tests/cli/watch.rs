//! `unspool watch` follows sessions while a test writes them.
//!
//! A test waits for a line, never for a duration.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{TestHome, added, append, session};

use crate::run::{OTHER, SESSION, home_with, run, unspool};
use crate::schema::assert_fits;

const TALK: &str = r#"
u1 user "first question"
a1 assistant "first answer"
"#;

/// A watching program, killed when dropped.
struct Watched {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Watched {
    fn start(home: &TestHome, args: &[&str]) -> Self {
        let mut child = unspool(home)
            .arg("watch")
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let lines = BufReader::new(child.stdout.take().expect("standard output"));
        Self { child, lines }
    }

    /// Starts the program with `--json`.
    fn json(home: &TestHome, args: &[&str]) -> Self {
        Self::start(home, &[args, &["--json"]].concat())
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a line");
        assert!(!line.is_empty(), "it has ended");
        line.trim_end().to_owned()
    }

    /// Waits for a line that contains a text, and returns it.
    fn until(&mut self, words: &str) -> String {
        loop {
            let line = self.line();
            if line.contains(words) {
                return line;
            }
        }
    }

    /// Waits for an event, and returns all events up to it.
    fn events_until(&mut self, event: &str) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            let line = self.line();
            assert_fits(&["watch", "@", "--json"], &line);
            let value: Value = serde_json::from_str(&line).expect("JSON");
            let is_it = value["event"] == event;
            events.push(value);
            if is_it {
                return events;
            }
        }
    }

    /// Waits for an event, and returns it.
    fn event(&mut self, event: &str) -> Value {
        let events = self.events_until(event);
        events.into_iter().next_back().unwrap_or_default()
    }

    fn stderr_line(&mut self) -> String {
        let stderr = self.child.stderr.take().expect("standard error");
        let mut line = String::new();
        let mut lines = BufReader::new(stderr);
        lines.read_line(&mut line).expect("a line");
        line
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn log_of(home: &TestHome, id: &str) -> PathBuf {
    home.project_dir("/srv/demo").join(format!("{id}.jsonl"))
}

/// A process that owns a session until it is dropped.
struct Owner {
    sleeper: Child,
    file: PathBuf,
}

impl Owner {
    fn new(home: &TestHome, id: &str, status: &str) -> Self {
        let sleeper = Command::new("sleep").arg("1000").spawn().expect("sleep");
        let file = home.path().join(format!("sessions/{}.json", sleeper.id()));
        let owner = Self { sleeper, file };
        owner.say(home, id, status, 1);
        owner
    }

    /// Writes the state of the process as the client does: into a new file, which is renamed.
    fn say(&self, home: &TestHome, id: &str, status: &str, at: u32) {
        let says = json!({"cwd": "/srv/demo", "status": status, "statusUpdatedAt": at});
        home.add_running(id, self.sleeper.id(), &says);
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.sleeper.kill();
        let _ = self.sleeper.wait();
        let _ = fs::remove_file(&self.file);
    }
}

#[test]
fn what_is_written_is_told_once_and_in_order() {
    let home = home_with(TALK);
    let mut watched = Watched::json(&home, &[SESSION]);
    let head = watched.event("session");
    assert_eq!((&head["cwd"], &head["pid"]), (&"/srv/demo".into(), &Value::Null));
    let more = r#"
u2 user "second question"
c1 assistant call Bash:toolu_1 {"command":"cargo test"}
"#;
    append(log_of(&home, SESSION), added(TALK, more));
    let events = watched.events_until("call_started");
    let message = &events[0];
    assert_eq!((&message["event"], &message["kind"]), (&"message".into(), &"prompt".into()));
    assert_eq!(message["text"], "second question");
    assert_eq!(events.last().expect("one")["summary"], "cargo test");
    let so_far = format!("{TALK}{more}");
    let result = "r1 result toolu_1 \"12 passed\"\na2 assistant \"done\"";
    append(log_of(&home, SESSION), added(&so_far, result));
    let events = watched.events_until("message");
    assert_eq!(events.len(), 2, "{events:?}");
    assert_eq!(events[0]["event"], "call_ended");
    assert_eq!((&events[0]["call"], &events[0]["status"]), (&"toolu_1".into(), &"done".into()));
    assert!(events[0]["duration_ms"].is_u64(), "{events:?}");
    assert_eq!(events[1]["text"], "done");
}

#[test]
fn lines_are_plain_and_name_what_happens() {
    let home = home_with(TALK);
    let mut watched = Watched::start(&home, &[SESSION, "-n", "1"]);
    assert!(watched.line().contains("first question  /srv/demo  not running"));
    assert!(watched.line().ends_with("● first answer"));
    let more = r#"
u2 user "an \u001b[31mescape"
c1 assistant call Bash:toolu_1 {"command":"cargo test"}
r1 result toolu_1 "bad" error
"#;
    append(log_of(&home, SESSION), added(TALK, more));
    let line = watched.until("❯");
    assert!(line.ends_with("❯ an escape"), "{line:?}");
    let line = watched.until("✗ Bash");
    assert!(line.contains("cargo test") && line.contains("failed"), "{line}");
    assert!(!line.contains('\u{1b}'), "{line}");
}

#[test]
fn a_log_that_is_cut_off_or_replaced_is_said_and_nothing_is_told_twice() {
    let home = home_with(TALK);
    let log = log_of(&home, SESSION);
    let mut watched = Watched::json(&home, &[SESSION]);
    watched.event("session");
    let more = "u2 user \"second question\"";
    append(&log, added(TALK, more));
    assert_eq!(watched.event("message")["text"], "second question");
    // The client removes its last line after an error, and continues.
    fs::write(&log, session(TALK)).expect("the log is writable");
    let other = "u3 user \"third question\"";
    append(&log, added(TALK, other));
    let mut events = watched.events_until("message");
    assert_eq!(events.pop().expect("one")["text"], "third question");
    // Another file with the same name.
    let new = home.path().join("new");
    fs::write(&new, session("x1 user \"another talk\"\ny1 assistant \"indeed\"")).expect("a file");
    fs::rename(&new, &log).expect("renamed");
    let events = watched.events_until("rewritten");
    assert!(!events.iter().any(|event| event["text"] == "first answer"), "{events:?}");
    assert_eq!(watched.event("message")["text"], "another talk");
    assert_eq!(watched.event("message")["text"], "indeed");
    // A log that is deleted and created again.
    fs::remove_file(&log).expect("removed");
    watched.event("gone");
    home.add_session("/srv/demo", SESSION, session("z1 user \"back again\""));
    assert_eq!(watched.event("message")["text"], "back again");
}

#[test]
fn agents_are_told_as_they_begin_and_end_with_their_calls() {
    let home = home_with(TALK);
    let mut watched = Watched::json(&home, &[SESSION]);
    watched.event("session");
    let call = r#"
u2 user "look around"
c1 assistant call Agent:toolu_1 {"description":"Look","prompt":"look at all","subagent_type":"Explore"}
"#;
    append(log_of(&home, SESSION), added(TALK, call));
    watched.event("call_started");
    let place = AgentFilePlace::Subagents;
    home.add_agent_meta(
        "/srv/demo",
        SESSION,
        &place,
        "a77",
        r#"{"agentType":"Explore","description":"Look","toolUseId":"toolu_1"}"#,
    );
    let talk = "s1 user \"look at all\"\ns2 assistant call Bash:toolu_9 {\"command\":\"ls\"}";
    let log = home.add_agent("/srv/demo", SESSION, &place, "a77", session(talk));
    let started = watched.event("agent_started");
    assert_eq!((&started["agent"], &started["description"]), (&"a77".into(), &"Look".into()));
    let inner = watched.event("call_started");
    assert_eq!((&inner["agent"], &inner["summary"]), (&"a77".into(), &"ls".into()));
    let end = "s3 result toolu_9 \"two files\"\ns4 assistant \"all seen\"";
    append(&log, added(talk, end));
    assert_eq!(watched.event("call_ended")["agent"], "a77");
    let ended = watched.event("agent_ended");
    assert_eq!((&ended["agent"], &ended["type"]), (&"a77".into(), &"Explore".into()));
}

#[test]
fn all_that_run_are_followed_from_their_first_line_to_their_end() {
    let home = home_with(TALK);
    let mut watched = Watched::json(&home, &[]);
    let said = watched.stderr_line();
    assert!(said.contains("no session runs now; waiting for one"), "{said}");
    // A session that starts: first the process, then its log.
    let owner = Owner::new(&home, OTHER, "busy");
    home.add_session("/srv/demo", OTHER, session("n1 user \"a new talk\""));
    let head = watched.event("session");
    assert_eq!(head["session"], OTHER);
    assert_eq!(head["pid"], owner.sleeper.id());
    assert_eq!(watched.event("message")["text"], "a new talk");
    watched.event("working");
    let asks = r#"
c1 assistant call AskUserQuestion:toolu_1 {"questions":[{"question":"Which one?","header":"W","options":[],"multiSelect":false}]}
"#;
    append(log_of(&home, OTHER), added("n1 user \"a new talk\"", asks));
    watched.event("call_started");
    owner.say(&home, OTHER, "waiting", 2);
    let waiting = watched.event("waiting");
    assert_eq!(waiting["asks"]["questions"][0]["question"], "Which one?");
    owner.say(&home, OTHER, "idle", 3);
    watched.event("idle");
    drop(owner);
    assert_eq!(watched.event("ended")["session"], OTHER);
    // A session without a process, as of clients that do not register themselves: its log grows.
    append(log_of(&home, SESSION), added(TALK, "u2 user \"second question\""));
    let events = watched.events_until("message");
    assert_eq!(events[0]["session"], SESSION);
    assert_eq!(events.last().expect("one")["text"], "second question");
}

#[test]
fn a_list_of_what_runs_says_what_each_waits_for() {
    let home =
        home_with("u1 user \"go\"\na1 assistant call Bash:toolu_1 {\"command\":\"touch made\"}");
    run(&home, &["list", "--live"]).says(1, &["is running"]);
    let owner = Owner::new(&home, SESSION, "waiting");
    let out = run(&home, &["list", "--live"]).ok();
    assert!(out.contains("◆ 11111111  asks to run Bash touch made"), "{out}");
    owner.say(&home, SESSION, "busy", 1);
    let out = run(&home, &["list", "--live"]).ok();
    assert!(out.contains("● 11111111  Bash touch made"), "{out}");
    let lines = run(&home, &["list", "--live", "--json"]).lines();
    assert_eq!(lines.len(), 1);
}

#[test]
fn a_log_outside_every_home_is_followed() {
    let home = TestHome::new();
    let log = home.user_home().join("kept.jsonl");
    fs::write(&log, session(TALK)).expect("a log");
    let mut watched = Watched::json(&home, &[&log.display().to_string(), "-n", "1"]);
    assert_eq!(watched.event("message")["text"], "first answer");
    append(&log, added(TALK, "u2 user \"second question\""));
    assert_eq!(watched.event("message")["text"], "second question");
}

#[test]
fn a_reader_that_goes_away_is_not_an_error() {
    let home = home_with(TALK);
    let mut watched = Watched::start(&home, &[SESSION]);
    watched.line();
    let Watched { child, lines } = &mut watched;
    drop(std::mem::replace(lines, BufReader::new(nothing())));
    // The first line may still find the pipe open.
    let mut talk = TALK.to_owned();
    for number in 2.. {
        let more = format!("q{number} user \"question {number}\"\n");
        append(log_of(&home, SESSION), added(&talk, &more));
        talk.push_str(&more);
        if let Some(status) = child.try_wait().expect("a state") {
            assert_eq!(status.code(), Some(0));
            return;
        }
        std::thread::yield_now();
    }
}

/// Returns the standard output of a program that prints nothing.
fn nothing() -> ChildStdout {
    let mut child = Command::new("true").stdout(Stdio::piped()).spawn().expect("true");
    let out = child.stdout.take().expect("an output");
    child.wait().expect("it ends");
    out
}
