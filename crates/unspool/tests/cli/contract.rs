//! The JSON that scripts rely on: its words and counts.
//!
//! Keys and types are covered by the schemas: see `schema.rs`.

use serde_json::{Value, json};
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::process::start_of;
use unspool_testkit::uuid;

use crate::run::{SESSION, home_with, run, show, strings_at};

#[test]
fn every_kind_of_message_has_its_name() {
    let shown = show(
        r#"
m0 user meta "<local-command-caveat>x</local-command-caveat>"
c0 user "<command-name>/clear</command-name>"
u1 user "a prompt"
a1 assistant "an answer"
n1 system turn_duration
q1 attachment queued_command "one more"
a2 assistant "ok"
i1 user "[Request interrupted by user]"
t1 user "<task-notification><summary>done</summary></task-notification>"
e1 assistant synthetic "No response requested."
b1 system compact_boundary
s1 user summary "This session is being continued"
"#,
        &[],
    );
    assert_eq!(
        strings_at(&shown["messages"], "kind"),
        [
            "meta",
            "command",
            "prompt",
            "answer",
            "notice",
            "queued",
            "answer",
            "interruption",
            "agent_report",
            "error",
            "boundary",
            "summary"
        ]
    );
}

#[test]
fn calls_end_in_every_way_there_is() {
    let notation = r#"
u1 user "go"
a1 assistant call Bash:t1 {}
r1 result t1 "fine"
a2 assistant call Bash:t2 {}
r2 result t2 "Exit code 1" error
a3 assistant call Bash:t3 {}
r3 result t3 "no" error denied=user-rejected
a4 assistant call Bash:t4 {}
r4 result t4 "[Request interrupted by user for tool use]" error
a5 assistant call Bash:t5 {}
"#;
    let statuses = |shown: &Value| {
        let blocks = shown["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .flat_map(|m| m["blocks"].as_array().expect("blocks"));
        let calls = blocks.filter(|b| b["type"] == "call");
        calls.map(|b| b["status"].as_str().expect("a status").to_owned()).collect::<Vec<_>>()
    };
    let resting = ["done", "failed", "denied", "interrupted", "interrupted"];
    assert_eq!(statuses(&show(notation, &[])), resting);

    let home = home_with(notation);
    let pid = std::process::id();
    if start_of(pid).is_none() {
        return;
    }
    home.add_running(SESSION, pid, &json!({"procStart": "1"}));
    assert_eq!(
        statuses(&run(&home, &["show", SESSION, "--json"]).json()),
        resting,
        "a stale file is not live"
    );
    home.add_running(SESSION, pid, &json!({}));
    let shown = run(&home, &["show", SESSION, "--json"]).json();
    assert_eq!(statuses(&shown)[4], "pending");
    assert_eq!(shown["session"]["live"], true);
    assert_eq!(shown["turns"][0]["outcome"], "open");
}

#[test]
fn tokens_of_an_answer_count_once() {
    let shown = show(
        r#"
u1 user "go"
a1 assistant msg=m1 "a" in=4 out=10 cr=100 cw1=7
a2 assistant msg=m1 "b" in=4 out=120 cr=100 cw1=7
a3 assistant synthetic msg=m2 "x" out=999
"#,
        &[],
    );
    let tokens = &shown["tokens"];
    let counts = ["input", "output", "cache_write_5m", "cache_write_1h", "cache_read"]
        .map(|key| tokens[key].as_u64());
    assert_eq!(counts, [4, 120, 0, 7, 100].map(Some));
}

#[test]
fn agents_are_linked_to_their_calls() {
    let home = home_with(
        r#"
u1 user "delegate"
a1 assistant call Agent:t1 {"description":"one","prompt":"look here","subagent_type":"Explore"}
r1 result t1 "ok" agent=aa11
a2 assistant call Agent:t2 {"description":"two","prompt":"inside"}
s1 user < - sidechain "inside"
s2 assistant sidechain "done inside"
r2 result < a2 t2 "ok"
"#,
    );
    let lost = "x user < - sidechain \"nobody\"\ny assistant sidechain \"ok\"\n";
    for (id, log) in [("aa11", lost.replace("nobody", "look here")), ("cc33", lost.to_owned())] {
        let log = unspool_testkit::session(&log);
        home.add_agent("/srv/demo", SESSION, &AgentFilePlace::Subagents, id, log);
    }
    let shown = run(&home, &["show", SESSION, "--json"]).json();
    let agents = shown["agents"].as_array().expect("agents");
    for (id, call) in [("aa11", json!("t1")), (&*uuid("s1"), json!("t2")), ("cc33", Value::Null)] {
        let agent = agents.iter().find(|agent| agent["id"] == id);
        let agent = agent.unwrap_or_else(|| panic!("{id}: {agents:?}"));
        assert_eq!((&agent["call"], &agent["message_count"]), (&call, &json!(2)), "{id}");
    }
    assert_eq!(shown["counts"]["agents"], 2);
}
