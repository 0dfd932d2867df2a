//! `show --summary`: one session at a glance.

use serde_json::{Value, json};
use unspool_testkit::home::AgentFilePlace;

use crate::run::{SESSION, demo_wide, home_with, run, strings_at};

#[test]
fn summaries_of_the_demo() {
    for (session, columns) in [("418c", 100), ("5f42", 120), ("4ba6", 40), ("46e1", 80)] {
        let out = demo_wide(columns, &["show", session, "--summary"]).ok();
        insta::assert_snapshot!(format!("summary_{session}_{columns}"), out);
    }
}

const WORK: &str = r#"
u1 user "first line\nsecond line"
a1 assistant call Write:t1 {"file_path":"/p/new.rs","content":"a\nb\n"}
r1 result t1 "ok"
a2 assistant call Edit:t2 {"file_path":"/p/new.rs","old_string":"a","new_string":"x\ny"} call Bash:t3 {"command":"false"}
r2 result t2 "ok"
r3 result < a2 t3 "Exit code 1" error
a3 assistant call Agent:t4 {"prompt":"look"}
r4 result t4 "done" agent=aa11
a4 assistant "done" in=1 out=100
u2 user "left behind"
a5 assistant "no"
u3 user < a4 "again" @+60
a6 assistant call Edit:t5 {"file_path":"/p/denied.rs","old_string":"a","new_string":"b"} model=other
r5 result t5 "no" error denied=user-rejected
b1 system compact_boundary logical=r5 before=1000 after=10
s1 user < b1 summary "This session is being continued"
-- ai-title "The work"
-- summary "All of it" a6
-- summary "Something else" ?nowhere
"#;

fn work() -> Value {
    let home = home_with(WORK);
    let agent = unspool_testkit::session(
        r#"
x1 user < - sidechain "look"
x2 assistant sidechain call Edit:y1 {"file_path":"/p/lib.rs","old_string":"a\nb","new_string":"a"}
x3 result y1 "ok" sidechain
"#,
    );
    home.add_agent("/srv/demo", SESSION, &AgentFilePlace::Subagents, "aa11", &agent);
    run(&home, &["show", SESSION, "--summary", "--json"]).json()
}

#[test]
fn a_summary_adds_up_what_was_done() {
    let summary = work();
    assert_eq!(summary["schema"], 1);
    assert_eq!(summary["session"]["id"], SESSION);
    assert_eq!(summary["session"]["title"], "The work");
    assert_eq!(summary["first_message"]["text"], "first line\nsecond line");
    assert_eq!((&summary["path"], &summary["agent"]), (&json!(2), &Value::Null));
    let titles = json!([
        {"source": "ai", "text": "The work"},
        {"source": "summary", "text": "All of it"},
        {"source": "prompt", "text": "first line second line"},
        {"source": "foreign", "text": "Something else"},
    ]);
    assert_eq!(summary["titles"], titles);
    let turn = |index: usize, key: &str| summary["turns"][index][key].clone();
    assert_eq!(summary["turns"].as_array().expect("turns").len(), 2);
    assert_eq!((turn(0, "calls"), turn(0, "failed_calls")), (json!(4), json!(1)));
    assert_eq!((turn(0, "files_changed"), turn(1, "files_changed")), (json!(1), json!(0)));
    assert_eq!(turn(0, "outcome"), "done");
    let files = json!([
        {"path": "/p/lib.rs", "edits": 1, "lines_added": 0, "lines_removed": 1, "created": false, "author": "agent"},
        {"path": "/p/new.rs", "edits": 2, "lines_added": 4, "lines_removed": 1, "created": false, "author": "session"},
    ]);
    assert_eq!(summary["files"], files);
    assert_eq!(strings_at(&summary["paths"], "status"), ["abandoned", "active"]);
    assert_eq!(summary["compactions"][0]["tokens_before"], 1000);
    assert_eq!(summary["agents"][0]["calls"], 1);
    assert_eq!(summary["agents"][0]["id"], "aa11");
}

#[test]
fn tools_are_counted_by_what_became_of_their_calls() {
    let summary = work();
    let tools = summary["tools"].as_array().expect("tools");
    let told: Vec<String> = tools
        .iter()
        .map(|tool| {
            let count = |key: &str| tool[key].as_u64().expect("a count");
            assert_eq!(
                count("calls"),
                ["done", "failed", "denied", "interrupted", "pending"]
                    .map(count)
                    .iter()
                    .sum::<u64>()
            );
            let name = tool["name"].as_str().expect("a name");
            format!("{name} {} {} {}", count("calls"), count("failed"), count("denied"))
        })
        .collect();
    assert_eq!(told, ["Edit 2 0 1", "Agent 1 0 0", "Bash 1 1 0", "Write 1 0 0"]);
}

#[test]
fn tokens_of_models_add_up_to_those_of_the_session() {
    for session in ["5f425fae", "418c61d3", "378ba99a"] {
        let ran = demo_wide(100, &["show", session, "--summary", "--json"]);
        let summary = ran.json();
        let models = summary["models"].as_array().expect("models");
        for kind in ["input", "output", "cache_write_5m", "cache_write_1h", "cache_read"] {
            let sum: u64 =
                models.iter().map(|model| model["tokens"][kind].as_u64().expect("a count")).sum();
            assert_eq!(summary["session"]["tokens"][kind], sum, "{session} {kind}");
        }
    }
}

#[test]
fn another_path_or_an_agent_can_be_summed_up() {
    let home = home_with(WORK);
    let one = run(&home, &["show", SESSION, "--summary", "--path", "1"]).ok();
    assert!(one.contains("path 1, abandoned") && one.contains("left behind"), "{one}");
    let args = ["--demo", "show", "5f42", "--summary", "--agent", "ae6f", "--json"];
    let agent = demo_wide(100, &args[1..]).json();
    assert_eq!(agent["agent"], "ae6fbb74d797d3dec");
    assert_eq!(agent["agents"], json!([]));
}

#[test]
fn a_file_without_a_conversation_has_a_short_summary() {
    let home = home_with("-- ai-title \"nothing yet\"\n");
    let ran = run(&home, &["show", SESSION, "--summary"]).says(0, &[]);
    assert!(ran.out.contains("Status: ○ Empty (no conversation)"), "{}", ran.out);
    let json = run(&home, &["show", SESSION, "--summary", "--json"]).json();
    assert_eq!((&json["path"], &json["first_message"]), (&Value::Null, &Value::Null));
}
