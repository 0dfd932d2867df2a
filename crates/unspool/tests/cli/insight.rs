//! Views of `show` other than the conversation: timelines, contexts, comparisons, changes.

use serde_json::{Value, json};
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::uuid;

use crate::run::{REDOS, SESSION, demo_wide, home_with, run, strings_at};

#[test]
fn pages_of_the_demo() {
    for (session, columns, option) in [
        ("5f42", 80, &["--timeline"] as &[&str]),
        ("418c", 120, &["--timeline"]),
        ("46e1", 80, &["--context-series"]),
        ("418c", 120, &["--context-series"]),
        ("4ba6", 80, &["--compare", "1,3"]),
        ("4ba6", 120, &["--compare", "3,2"]),
        ("4ba6", 80, &["--changes"]),
        ("5f42", 120, &["--changes"]),
        ("7b59", 40, &["--timeline"]),
    ] {
        let args = [&["show", session], option].concat();
        let out = demo_wide(columns, &args).ok();
        let name = option[0].trim_start_matches('-');
        insta::assert_snapshot!(format!("{name}_{session}_{columns}"), out);
        for line in out.lines() {
            let width = line.chars().count();
            assert!(width <= columns as usize, "{width} columns: {line}");
        }
    }
}

const WORK: &str = r#"
u1 user "go" @0
a1 assistant call Bash:t1 {"command":"make"} @10 in=100 out=5
r1 result t1 "ok" @40
a2 assistant call Write:t2 {"file_path":"/srv/demo/a.rs","content":"x\n"} @50 in=150 out=5
r2 result t2 "ok" @51
a3 assistant call Agent:t3 {"description":"look","prompt":"look"} @60 in=160 out=5
r3 result t3 "found" agent=aa11 @80
a4 assistant "done" @90 in=170 out=5
"#;

const AGENT: &str = r#"
%agent aa11
x1 user < - sidechain=aa11 "look" @61
x2 assistant sidechain=aa11 call Edit:y1 {"file_path":"/srv/demo/a.rs","old_string":"x","new_string":"y"} @65
x3 result y1 "ok" sidechain=aa11 @66
"#;

fn work(option: &str) -> Value {
    let home = home_with(WORK);
    let agent = unspool_testkit::session(AGENT);
    let place = AgentFilePlace::Subagents;
    home.add_agent("/srv/demo", SESSION, &place, "aa11", &agent);
    run(&home, &["show", SESSION, option, "--json"]).json()
}

#[test]
fn a_timeline_has_spans_sums_and_the_slowest_calls() {
    let found = work("--timeline");
    let sums = json!({"model_ms": 39_000, "tools_ms": 31_000, "agents_ms": 20_000, "compaction_ms": 0, "you_ms": 0, "other_ms": 0, "away_ms": 0});
    assert_eq!((&found["sums"], &found["total_ms"]), (&sums, &json!(90_000)));
    let shares =
        json!({"model": 43, "tools": 35, "agents": 22, "compaction": 0, "you": 0, "other": 0});
    assert_eq!(found["shares"], shares);
    let spans = found["spans"].as_array().expect("spans");
    let expected = ["model", "tool", "model", "tool", "model", "agent", "model", "tool", "model"];
    assert_eq!(strings_at(&found["spans"], "kind"), expected);
    let call = &spans[1];
    assert_eq!((&call["name"], &call["label"]), (&json!("Bash"), &json!("make")));
    assert_eq!((&call["call"], &call["entry"]), (&json!("t1"), &json!(uuid("a1"))));
    assert_eq!((&call["tokens"], &call["cost_usd"]), (&Value::Null, &Value::Null));
    let inside = &spans[7];
    assert_eq!((&inside["parent"], &inside["depth"]), (&json!(5), &json!(1)));
    assert_eq!(found["slowest"][0], 1);
}

#[test]
fn a_context_series_has_a_point_for_each_answer() {
    let found = work("--context-series");
    let points = found["points"].as_array().expect("points");
    let contexts: Vec<u64> = points.iter().filter_map(|point| point["context"].as_u64()).collect();
    assert_eq!(contexts, [100, 150, 160, 170]);
    assert_eq!((&found["peak"], &found["compactions"]), (&json!(3), &json!([])));
    assert_eq!(points[0]["tokens"]["output"], 5);
    assert_eq!(found["models"].as_array().map(Vec::len), Some(1));
}

#[test]
fn changes_have_the_edits_of_agents_too() {
    let found = work("--changes");
    let totals = json!({"edits": 2, "failed": 0, "lines_added": 2, "lines_removed": 1});
    assert_eq!((&found["totals"], &found["path_index"]), (&totals, &json!(1)));
    let [file] = &found["files"].as_array().expect("files")[..] else { panic!("one file") };
    assert_eq!(file["path"], "/srv/demo/a.rs");
    let agents: Vec<&Value> = (0..2).map(|at| &file["edits"][at]["agent"]).collect();
    assert_eq!(agents, [&Value::Null, &json!("aa11")]);
    assert_eq!(file["edits"][1]["diff"][0]["lines"], json!(["-x", "+y"]));
}

#[test]
fn two_paths_are_compared_by_their_numbers() {
    let home = home_with(REDOS);
    let found = run(&home, &["show", SESSION, "--compare", "1,3", "--json"]).json();
    assert_eq!(found["fork"]["entry"], json!(uuid("a3")));
    let prompts = |side: &str| strings_at(&found[side]["turns"], "prompt");
    assert_eq!(prompts("a"), ["turn 4, original", "turn 5, original"]);
    assert_eq!(prompts("b").last(), Some(&"turn 7, redo 2"));
    assert_eq!(
        (&found["a"]["status"], &found["b"]["status"]),
        (&json!("abandoned"), &json!("active"))
    );
    assert_eq!(found["a"]["last_answer"]["text"], "five");
    for (pair, code) in [("1,9", 1), ("1", 2), ("1,1", 2), ("0,1", 2), ("a,b", 2)] {
        run(&home, &["show", SESSION, "--compare", pair]).says(code, &[]);
    }
}

#[test]
fn a_page_is_about_the_path_or_the_agent_that_is_asked_for() {
    let home = home_with(REDOS);
    let args = ["show", SESSION, "--timeline", "--json", "--path", "1"];
    let found = run(&home, &args).json();
    assert_eq!((&found["path"], found["turns"].as_array().map(Vec::len)), (&json!(1), Some(5)));
    let args = ["show", "5f42", "--context-series", "--agent", "ae6f", "--json"];
    let agent = demo_wide(100, &args).json();
    assert_eq!(agent["agent"], "ae6fbb74d797d3dec");
    assert_eq!(agent["points"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_file_without_a_conversation_has_empty_pages() {
    let home = home_with("-- ai-title \"nothing yet\"\n");
    for option in ["--timeline", "--context-series", "--changes"] {
        run(&home, &["show", SESSION, option]).says(0, &[]);
        let found = run(&home, &["show", SESSION, option, "--json"]).json();
        assert_eq!(found["schema"], 1);
    }
    run(&home, &["show", SESSION, "--compare", "1,2"]).says(1, &[]);
}
