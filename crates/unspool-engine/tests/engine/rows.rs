//! The facts about sessions in their rows.

use std::sync::atomic::AtomicU64;

use unspool_testkit::TestHome;
use unspool_testkit::home::AgentFilePlace;

use unspool_engine::ops::list::{RowRequest, list};
use unspool_model::conversation::Liveness;
use unspool_store::home::{Home, LiveSessions, discover_all};
use unspool_store::prices::PriceTable;
use unspool_store::rows::{AgentRows, SessionKind, SessionRow, Status};

const SESSION: &str = "11111111-1111-4111-8111-111111111111";

fn rows(home: &TestHome, agents: AgentRows) -> Vec<SessionRow> {
    let found = discover_all(&[Home::new(home.path())]);
    let request = RowRequest { agents, ..RowRequest::default() };
    let live = [LiveSessions::default()];
    let listing = list(&found, &live, &request, &PriceTable::built_in(), &AtomicU64::new(0));
    assert!(listing.file_errors.is_empty());
    listing.rows
}

fn only(notation: &str) -> SessionRow {
    let home = TestHome::new();
    home.add_session("/srv/demo", SESSION, unspool_testkit::session(notation));
    rows(&home, AgentRows::Folded).remove(0)
}

#[test]
fn files_of_every_path_and_agent_are_touched_and_some_changed() {
    let home = TestHome::new();
    let session = r#"
u1 user "go"
a1 assistant call Edit:t1 {"file_path":"/p/done.rs"} call Read:t2 {"file_path":"/p/read.rs"}
r1 result t1 "ok"
r2 result < a1 t2 "ok"
a2 assistant call Write:t3 {"file_path":"/p/failed.rs"}
r3 result t3 "no" error
u2 user "left out"
a3 assistant call Write:t4 {"file_path":"/p/abandoned.rs"}
r4 result t4 "ok"
u3 user < r3 "again"
a4 assistant call Write:t5 {"file_path":"/p/read.rs"}
"#;
    let agent = r#"
x1 user < - sidechain "look"
x2 assistant sidechain call Edit:y1 {"file_path":"/p/agent.rs"}
x3 result y1 "ok" sidechain
"#;
    home.add_session("/srv/demo", SESSION, unspool_testkit::session(session));
    let agent = unspool_testkit::session(agent);
    home.add_agent("/srv/demo", SESSION, &AgentFilePlace::Subagents, "aa11", &agent);
    let rows = rows(&home, AgentRows::Listed);
    let of = |id: &str| rows.iter().find(|row| row.id.as_str() == id).expect(id);
    let files: Vec<&str> = of(SESSION).files.iter().collect();
    let named = ["abandoned.rs", "agent.rs", "done.rs", "failed.rs", "read.rs"];
    assert_eq!(files, named.map(|name| format!("/p/{name}")));
    assert_eq!(of(SESSION).files_changed, 1);
    assert_eq!(of(SESSION).failed_calls, 1);
    assert_eq!(of("agent-aa11").files.iter().count(), 1);
    assert_eq!(of("agent-aa11").short_id(), "aa11");
    assert_eq!(of(SESSION).short_id(), "11111111");
}

#[test]
fn an_unfinished_session_is_open_while_a_process_owns_it() {
    let mut row = only("u1 user \"go\"\na1 assistant call Bash:t1 {}\n");
    assert!(row.unfinished);
    assert_eq!(row.status, Status::Interrupted);
    row.set_live(Liveness::Live);
    assert_eq!((row.status, row.live), (Status::Open, true));
    row.set_live(Liveness::Idle);
    assert_eq!((row.status, row.live), (Status::Interrupted, false));
    let mut done = only("u1 user \"go\"\na1 assistant \"done\"\n");
    done.set_live(Liveness::Live);
    assert_eq!((done.status, done.live), (Status::Complete, true));
}

#[test]
fn working_time_is_that_of_the_turns() {
    let row = only(
        "u1 user \"a\" @0\na1 assistant \"b\" @10\nu2 user \"c\" @100\na2 assistant \"d\" @105\n",
    );
    assert_eq!(row.active_ms, 15_000);
    assert_eq!(row.duration_ms(), Some(105_000));
}

#[test]
fn what_has_an_agent_is_not_empty() {
    let side = "x1 user < - sidechain \"Warmup\"\nx2 assistant sidechain \"ok\"\n";
    let row = only(side);
    assert_eq!((row.kind, row.agents, row.messages), (SessionKind::Main, 1, 0));
    assert_eq!(row.status, Status::Empty);
    let headless = only(&format!("%entrypoint sdk-cli\n{side}"));
    assert_eq!(headless.kind, SessionKind::Headless);
    let titled = only("-- custom-title \"x\"\n");
    assert_eq!((titled.kind, titled.agents), (SessionKind::Empty, 0));

    let home = TestHome::new();
    let agent = unspool_testkit::session(side);
    home.add_agent("/srv/demo", SESSION, &AgentFilePlace::Subagents, "aa11", &agent);
    let kinds = |home: &TestHome| {
        let rows = rows(home, AgentRows::Folded);
        let kinds = rows.iter().map(|row| (row.kind, row.agents));
        kinds.collect::<Vec<_>>()
    };
    assert_eq!(kinds(&home), [(SessionKind::Main, 1)], "no main log");
    home.add_session("/srv/demo", SESSION, "");
    assert_eq!(kinds(&home), [(SessionKind::Main, 1)], "an empty one");
}

/// Adds an agent that begins after `start` seconds.
fn add_agent(home: &TestHome, id: &str, task: &str, start: u32) {
    let notation = format!(
        "%cwd /srv/demo\nx1 user < - sidechain \"{task}\" @{start}\n\
         x2 assistant sidechain \"ok\" @{}\n",
        start + 5
    );
    let log = unspool_testkit::session(&notation);
    home.add_agent("/srv/demo", SESSION, &AgentFilePlace::Subagents, id, log);
}

#[test]
fn what_only_has_agents_is_dated_and_named_by_them() {
    let home = TestHome::new();
    add_agent(&home, "aa11", "look at the second", 100);
    add_agent(&home, "bb22", "look at the first", 40);
    let row = rows(&home, AgentRows::Folded).remove(0);
    assert!(row.has_only_agents());
    assert_eq!(row.title.as_deref(), Some("look at the first"));
    assert_eq!(row.project_name(), "demo");
    assert_eq!(row.duration_ms(), Some(65_000));
    let meta = r#"{"description":"The first task"}"#;
    home.add_agent_meta("/srv/demo", SESSION, &AgentFilePlace::Subagents, "bb22", meta);
    let row = rows(&home, AgentRows::Folded).remove(0);
    assert_eq!(row.title.as_deref(), Some("The first task"));
    let talk = unspool_testkit::session("u1 user \"go\" @0\n");
    home.add_session("/srv/demo", SESSION, talk);
    let row = rows(&home, AgentRows::Folded).remove(0);
    assert!(!row.has_only_agents());
    assert_eq!((row.title.as_deref(), row.agents), (Some("go"), 2));
    assert_eq!(row.duration_ms(), Some(0));
}

#[test]
fn a_name_is_what_a_person_gave_or_agents_know() {
    let row = only("u1 user \"go\"\n-- ai-title \"Going\"\n");
    assert_eq!(row.name, None);
    let row = only("u1 user \"go\"\n-- custom-title \"spike\"\n");
    assert_eq!(row.name.as_deref(), Some("spike"));
    let row = only("u1 user \"go\"\n-- agent-name \"in the background\"\n");
    assert_eq!(row.name.as_deref(), Some("in the background"));
    assert_eq!(row.title.as_deref(), Some("go"));
}

#[test]
fn a_project_is_called_by_the_last_part_of_its_folder() {
    for (cwd, expected) in [
        (Some("/srv/demo"), "demo"),
        (Some("/srv/demo/"), "demo"),
        (Some(r"C:\Users\me\code"), "code"),
        (Some("/"), "-srv-demo"),
        (None, "-srv-demo"),
    ] {
        let mut row = only("u1 user \"a\"\n");
        row.cwd = cwd.map(str::to_owned);
        assert_eq!(row.project_name(), expected, "{cwd:?}");
    }
}
