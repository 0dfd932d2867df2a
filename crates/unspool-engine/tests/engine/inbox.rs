//! The inbox, computed from the states of running processes and from logs.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::Mutex;
use std::time::SystemTime;

use jiff::tz::TimeZone;
use unspool_engine::library::{
    CollectedNotes, InboxRequest, IndexPlace, Library, LibraryClock, LibraryNote, LibrarySettings,
    ProjectsRequest, RefreshPolicy,
};
use unspool_engine::ops::inbox::{AskKind, Inbox, InboxItem};
use unspool_engine::ops::now::{AgentState, CallAsk};
use unspool_model::ids::{EntryId, SessionId};
use unspool_model::time::Time;
use unspool_store::progress::Unwatched;
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{TestHome, append, session, uuid};

use crate::setup;

const CWD: &str = "/srv/demo";

/// A home with running processes.
struct Lived {
    home: TestHome,
    /// The processes, which end with the test.
    processes: Mutex<Vec<Child>>,
}

impl Lived {
    fn new() -> Self {
        Self { home: TestHome::new(), processes: Mutex::default() }
    }

    fn add(&self, name: &str, notation: &str) -> PathBuf {
        let notation = format!("%session {name}\n%cwd {CWD}\n{notation}");
        self.home.add_session(CWD, &uuid(name), session(&notation))
    }

    /// Starts a process that owns a session; `more` contains further fields of its file.
    fn run(&self, name: &str, more: &str) -> u32 {
        let process = Command::new("sleep").arg("10000").spawn().expect("a process");
        let pid = process.id();
        self.say(pid, name, more);
        self.processes.lock().expect("processes").push(process);
        pid
    }

    fn say(&self, pid: u32, name: &str, more: &str) {
        let text = setup::process_record(pid, name, &format!(r#","cwd":"{CWD}"{more}"#));
        self.home.add_file(format!("sessions/{pid}.json"), text);
    }

    fn settings(&self) -> LibrarySettings {
        setup::settings(&self.home)
    }

    fn library(&self) -> Library {
        Library::open(self.settings()).expect("a library")
    }

    fn inbox(&self) -> Inbox {
        inbox(&self.library())
    }
}

impl Drop for Lived {
    fn drop(&mut self) {
        for process in self.processes.lock().expect("processes").iter_mut() {
            process.kill().expect("killed");
            process.wait().expect("ended");
        }
    }
}

fn inbox(library: &Library) -> Inbox {
    let request = InboxRequest { since: Some(Time::from_millis(0)), ..InboxRequest::default() };
    library.inbox(&request, &Unwatched).expect("an inbox")
}

/// Returns the titles of a group.
fn titles(items: &[InboxItem]) -> Vec<&str> {
    let titles = items.iter().map(|item| item.row.title.as_deref());
    titles.map(|title| title.unwrap_or("-")).collect()
}

const WORKS: &str = r#"
    u1  user "first"
    a1  assistant "I looked. All is well."
    u2  user "second"
    a2  assistant "On it." call Bash:t1 {"command":"cargo test --release"} in=100 cr=2000 cw5=300 out=40
"#;

const ASKS: &str = r#"
    u1  user "which one"
    a1  assistant call AskUserQuestion:t1 {"questions":[{"question":"Shall I migrate?","header":"Old files","multiSelect":false,"options":[{"label":"Yes","description":"all of them"},{"label":"No"}]}]}
"#;

#[test]
fn sessions_are_grouped_by_what_their_processes_say() {
    let at = Lived::new();
    at.add("asks", ASKS);
    at.add("waits", WORKS);
    at.add("works", "u1 user \"works\"\na1 assistant call Bash:t1 {\"command\":\"ls\"}");
    at.add("rests", "u1 user \"rests\"\na1 assistant \"Done.\"");
    at.add("ended", "u1 user \"ended\"\na1 assistant \"Done.\"");
    at.run("asks", r#","status":"waiting","waitingFor":"input needed","statusUpdatedAt":2000"#);
    at.run(
        "waits",
        r#","status":"waiting","waitingFor":"permission prompt","statusUpdatedAt":1000"#,
    );
    at.run("works", r#","status":"busy""#);
    at.run("rests", r#","status":"idle","statusUpdatedAt":7000"#);
    let inbox = at.inbox();
    assert_eq!(titles(&inbox.needs_input), ["first", "which one"], "the longest waits first");
    assert_eq!(titles(&inbox.working), ["works"]);
    assert_eq!(titles(&inbox.idle), ["rests"]);
    assert_eq!(titles(&inbox.done), ["ended"]);

    let waits = &inbox.needs_input[0];
    assert!(waits.row.live);
    assert_eq!(waits.since, Some(Time::from_millis(1000)));
    let asks = waits.asks.as_ref().expect("a question");
    assert_eq!(asks.kind, AskKind::Permission);
    let call = asks.call.as_ref().expect("a call");
    assert_eq!((call.tool.as_str(), call.summary.as_str()), ("Bash", "cargo test --release"));
    assert!(call.since.is_some());
    assert_eq!(waits.now.context_tokens, Some(2400), "without the output");
    assert_eq!(waits.now.last_said.as_deref(), Some("On it."));
    assert!(waits.row.cost_usd.is_some());

    let asks = inbox.needs_input[1].asks.as_ref().expect("a question");
    assert_eq!(asks.kind, AskKind::Question);
    let call = asks.call.as_ref().expect("a call");
    let CallAsk::Questions(questions) = &call.asks else {
        panic!("{call:?}");
    };
    assert_eq!(questions[0].question, "Shall I migrate?");
    assert_eq!(questions[0].header.as_deref(), Some("Old files"));
    let labels: Vec<&str> = questions[0].options.iter().map(|it| &*it.label).collect();
    assert_eq!(labels, ["Yes", "No"]);

    let works = &inbox.working[0];
    assert_eq!(works.doing().expect("a call").summary, "ls");
    assert_eq!(works.since, works.now.turn_started);
    assert!(inbox.idle[0].doing().is_none());
    assert_eq!(inbox.idle[0].since, Some(Time::from_millis(7000)));
    assert_eq!(inbox.idle[0].now.last_said.as_deref(), Some("Done."));
    assert!(inbox.done[0].process.is_none());
    assert_eq!(inbox.done[0].now.last_said.as_deref(), Some("Done."));
}

#[test]
fn without_a_state_the_logs_decide() {
    let at = Lived::new();
    at.add("asks", ASKS);
    at.add("works", WORKS);
    at.add("rests", "u1 user \"rests\"\na1 assistant \"Done.\"");
    for name in ["asks", "works", "rests"] {
        at.run(name, r#","status":"pondering""#);
    }
    let inbox = at.inbox();
    assert_eq!(titles(&inbox.needs_input), ["which one"]);
    assert_eq!(titles(&inbox.working), ["first"]);
    assert_eq!(titles(&inbox.idle), ["rests"]);
}

#[test]
fn a_session_whose_process_died_is_not_live() {
    let at = Lived::new();
    at.add("works", WORKS);
    at.run("works", r#","status":"busy""#);
    assert_eq!(titles(&at.inbox().working), ["first"]);
    let mut process = at.processes.lock().expect("processes").pop().expect("a process");
    process.kill().expect("killed");
    process.wait().expect("ended");
    let inbox = at.inbox();
    assert!(inbox.working.is_empty());
    assert_eq!(titles(&inbox.done), ["first"]);
    assert_eq!(inbox.done[0].row.status.name(), "interrupted");
}

#[test]
fn a_session_without_a_log_is_there() {
    let at = Lived::new();
    at.run("new", r#","status":"idle","startedAt":5000,"version":"9.9.9""#);
    let inbox = at.inbox();
    let [new] = inbox.idle.as_slice() else {
        panic!("{inbox:?}");
    };
    assert_eq!(new.row.id.as_str(), uuid("new"));
    assert_eq!(new.row.cwd.as_deref(), Some(CWD));
    assert_eq!(new.row.kind.name(), "empty");
    assert!(new.row.live);
    assert_eq!(new.since, Some(Time::from_millis(5000)));
    assert!(new.row.file.starts_with(at.home.project_dir(CWD)));
    // The log is created, and the catalogue does not have it yet.
    let library = Library::open(LibrarySettings {
        index: IndexPlace::Folder(at.home.user_home().join("index")),
        refresh: RefreshPolicy::OnDemand,
        ..at.settings()
    });
    at.add("new", "u1 user \"hello\"\na1 assistant \"Good day.\"");
    let found = self::inbox(&library.expect("a library"));
    assert_eq!(titles(&found.idle), ["hello"]);
    assert_eq!(found.idle[0].now.last_said.as_deref(), Some("Good day."));
}

#[test]
fn an_inbox_that_is_asked_again_sees_what_was_written_since() {
    let at = Lived::new();
    let lines = session(&format!(
        "%session s\n%cwd {CWD}\n{WORKS}\nr1 result t1 \"ok\"\na3 assistant \"All tests pass.\" out=5"
    ));
    let lines: Vec<&[u8]> = lines.split_inclusive(|&byte| byte == b'\n').collect();
    let log = at.home.add_session(CWD, &uuid("s"), lines[..4].concat());
    let library = Library::open(LibrarySettings {
        index: IndexPlace::Folder(at.home.user_home().join("index")),
        refresh: RefreshPolicy::OnDemand,
        ..at.settings()
    });
    let library = library.expect("a library");
    library.refresh(&Unwatched).expect("refreshed");
    let pid = at.run("s", r#","status":"busy""#);
    let first = inbox(&library);
    assert_eq!(first.working[0].doing().expect("a call").tool, "Bash");
    append(&log, lines[4..].concat());
    at.say(pid, "s", r#","status":"idle""#);
    let second = inbox(&library);
    let item = &second.idle[0];
    assert!(item.doing().is_none());
    assert_eq!(item.now.last_said.as_deref(), Some("All tests pass."));
    // The catalogue was not updated, but the row matches the log.
    assert_eq!(item.row.messages, first.working[0].row.messages + 1);
    assert_eq!(item.row.bytes, fs::metadata(&log).expect("a log").len());
}

#[test]
fn agents_run_or_are_done() {
    let at = Lived::new();
    at.add(
        "s",
        r#"
        u1 user "look around"
        a1 assistant call Agent:t1 {"description":"reads docs","prompt":"read","subagent_type":"x"} call Agent:t2 {"description":"runs tests","prompt":"test","subagent_type":"x"} call Agent:t3 {"description":"watches","prompt":"watch","subagent_type":"x","run_in_background":true}
        r3 result t3 "started" agent=a3 launched
        r1 result t1 "read" agent=a1
        "#,
    );
    let agent = |id: &str, call: &str, rest: &str| {
        let notation = format!("%session s\n%agent {id}\n{rest}");
        let place = AgentFilePlace::Subagents;
        let log = session(&notation);
        at.home.add_agent(CWD, &uuid("s"), &place, id, log);
        let meta = format!(r#"{{"agentType":"x","toolUseId":"{call}"}}"#);
        at.home.add_agent_meta(CWD, &uuid("s"), &place, id, meta);
    };
    agent("a1", "t1", "x1 user @1 \"read\"\nx2 assistant @2 \"I have read it.\"");
    agent(
        "a2",
        "t2",
        "y1 user @1 \"test\"\ny2 assistant @2 call Bash:b1 {\"command\":\"./soak 10m\"}",
    );
    agent(
        "a3",
        "t3",
        "z1 user @1 \"watch\"\nz2 assistant @900 call Monitor:b2 {\"description\":\"the log\"}",
    );
    at.run("s", r#","status":"waiting","startedAt":0"#);
    let inbox = at.inbox();
    let item = &inbox.needs_input[0];
    let states: Vec<(&str, AgentState, Option<&str>)> = item
        .now
        .agents
        .iter()
        .map(|it| (it.id.as_str(), it.state, it.call.as_ref().map(|call| call.summary.as_str())))
        .collect();
    let expected = [
        ("a1", AgentState::Done, None),
        ("a2", AgentState::Running, Some("./soak 10m")),
        ("a3", AgentState::Running, Some("the log")),
    ];
    assert_eq!(states, expected);
    assert_eq!(item.now.agents_in(AgentState::Running), 2);
    // The session waits for an agent, so the agent's call is the one that needs permission.
    let asks = item.asks.as_ref().expect("a question");
    assert_eq!(asks.kind, AskKind::Permission);
    assert_eq!(asks.agent.as_deref(), Some("a2"));
}

#[test]
fn agents_that_a_killed_process_left_do_not_run() {
    let at = Lived::new();
    at.add("s", "u1 user \"go\"\na1 assistant \"Done.\"");
    let place = AgentFilePlace::Subagents;
    let log = session(
        "%session s\n%agent a1\nx1 user \"read\"\nx2 assistant call Bash:b1 {\"command\":\"ls\"}",
    );
    at.home.add_agent(CWD, &uuid("s"), &place, "a1", log);
    let long_after = Time::parse("2090-01-01T00:00:00Z").expect("a time").as_millis();
    at.run("s", &format!(r#","status":"idle","startedAt":{long_after}"#));
    assert!(at.inbox().idle[0].now.agents.is_empty());
}

#[test]
fn a_plan_is_found_in_its_file() {
    let at = Lived::new();
    let plan = "u1 user \"plan it\" +slug=\"calm-plan\"\na1 assistant call ExitPlanMode:t1 {}";
    at.add("s", plan);
    at.home.add_file("plans/calm-plan.md", "# The plan\n\nFirst this.");
    at.run("s", r#","status":"waiting""#);
    let inbox = at.inbox();
    let asks = inbox.needs_input[0].asks.as_ref().expect("a question");
    assert_eq!(asks.kind, AskKind::Plan);
    let call = asks.call.as_ref().expect("a call");
    let expected = CallAsk::Plan(Some("# The plan\n\nFirst this.".to_owned()));
    assert_eq!(call.asks, expected);
}

/// Returns a clock, and a function that sets its time.
fn settable() -> (LibraryClock, impl Fn(Time)) {
    let says = std::sync::Arc::new(Mutex::new(SystemTime::UNIX_EPOCH));
    let told = std::sync::Arc::clone(&says);
    let clock = LibraryClock::new(move || *told.lock().expect("a time"));
    let set = move |time: Time| {
        let since = std::time::Duration::from_millis(time.as_millis() as u64);
        *says.lock().expect("a time") = SystemTime::UNIX_EPOCH + since;
    };
    (clock, set)
}

#[test]
fn what_was_seen_is_not_done_since() {
    let at = Lived::new();
    at.add("one", "u1 user @0 \"one\"\na1 assistant \"Done.\"");
    at.add("two", "u1 user @100 \"two\"\na1 assistant \"Done.\"");
    at.add("three", "u1 user @200 \"three\"\na1 assistant \"Done.\"");
    let all = at.inbox();
    assert_eq!(titles(&all.done), ["three", "two", "one"]);
    let ended = |number: usize| all.done[number].row.last_active();
    let (clock, set) = settable();
    let data = at.home.user_home().join("data");
    let open = |data: Option<PathBuf>| {
        let settings = LibrarySettings { data, clock: clock.clone(), ..at.settings() };
        Library::open(settings).expect("a library")
    };
    let done = |library: &Library, most: usize| {
        let request = InboxRequest { since: None, done: most };
        let inbox = library.inbox(&request, &Unwatched).expect("an inbox");
        let titles: Vec<String> = titles(&inbox.done).into_iter().map(str::to_owned).collect();
        (titles.join(" "), inbox.done_left)
    };
    for data in [None, Some(data)] {
        let library = open(data.clone());
        set(ended(0));
        assert_eq!(done(&library, 50).0, "three two one", "a day before the first look");
        assert_eq!(done(&library, 2), ("three two".to_owned(), 1));
        set(ended(2));
        library.mark_inbox_seen(&Unwatched).expect("marked");
        assert_eq!(done(&library, 50).0, "three two");
        // A session that was read before it ended is still new.
        let id = |name: &str| SessionId::new(uuid(name));
        let entry = EntryId::new(uuid("a1"));
        library.mark_read(&id("three"), &entry, 1, &Unwatched).expect("marked");
        set(ended(1));
        library.mark_read(&id("two"), &entry, 1, &Unwatched).expect("marked");
        assert_eq!(done(&library, 50).0, "three");
        let again = open(data.clone());
        let kept = if data.is_some() { "three" } else { "three two one" };
        assert_eq!(done(&again, 50).0, kept);
        let read = again.last_read(&id("two"), &Unwatched).expect("an answer");
        assert_eq!(read.map(|mark| mark.entry), data.map(|_| entry));
    }
}

#[cfg(unix)]
#[test]
fn marks_that_cannot_be_kept_are_said_to_be_in_memory() {
    use std::os::unix::fs::PermissionsExt as _;
    let at = Lived::new();
    let data = at.home.user_home().join("data");
    fs::create_dir(&data).expect("a folder");
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).expect("permissions");
    let library = Library::open(LibrarySettings { data: Some(data), ..at.settings() });
    let notes = CollectedNotes::default();
    let library = library.expect("a library");
    library.mark_inbox_seen(&notes).expect("marked");
    let notes = notes.take();
    assert!(matches!(notes.as_slice(), [LibraryNote::Seen(_)]), "{notes:?}");
    assert!(library.inbox_seen(&Unwatched).expect("an answer").is_some());
}

#[test]
fn projects_say_where_they_are_and_how_much_happened() {
    let at = Lived::new();
    for (cwd, count) in [("/srv/a", 3), ("/srv/b", 1), ("/srv/c", 2)] {
        for number in 0..count {
            let name = format!("{cwd} {number}");
            let log = session(&format!("%cwd {cwd}\nu1 user @{} \"hello\"", number * 60));
            at.home.add_session(cwd, &uuid(&name), log);
        }
    }
    at.run("/srv/b 0", "");
    let (clock, set) = settable();
    let library = Library::open(LibrarySettings { clock, ..at.settings() });
    let library = library.expect("a library");
    let newest = inbox(&library).done[0].row.last_active();
    set(newest);
    let mut request = ProjectsRequest::newest(2, TimeZone::UTC);
    let first = library.projects(&request, &Unwatched).expect("projects");
    let told: Vec<(&str, Option<&str>, usize, bool)> = first
        .projects
        .iter()
        .map(|it| (it.name.as_str(), it.cwd.as_deref(), it.sessions, it.live))
        .collect();
    assert_eq!(told, [("a", Some("/srv/a"), 3, false), ("c", Some("/srv/c"), 2, false)]);
    assert_eq!(first.projects[0].activity.days.last(), Some(&3));
    assert_eq!(first.projects[0].last_active, newest);
    let next = first.next.expect("more").to_string();
    request.after = Some(next.parse().expect("a cursor"));
    let second = library.projects(&request, &Unwatched).expect("projects");
    assert!(second.next.is_none());
    let [last] = second.projects.as_slice() else {
        panic!("{second:?}");
    };
    assert_eq!((last.id.as_str(), last.live), ("-srv-b", true));
    for wrong in ["", "1", "1.2", "x.0.p", "1.y.p"] {
        assert!(wrong.parse::<unspool_engine::library::ProjectCursor>().is_err(), "{wrong}");
    }
}
