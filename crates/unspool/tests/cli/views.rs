//! Paths, views and what is on them.

use serde_json::Value;
use unspool_testkit::uuid;

use crate::run::{REDOS, SESSION, home_with, run, show, strings, strings_at};

fn paths(shown: &Value) -> Vec<(u64, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    shown["paths"]
        .as_array()
        .expect("paths")
        .iter()
        .map(|path| {
            (path["index"].as_u64().expect("a number"), text(&path["status"]), text(&path["head"]))
        })
        .collect()
}

#[test]
fn multiple_redos_give_one_path_for_each_ending() {
    let shown = show(REDOS, &[]);
    let expected = [(1, "abandoned", "b5a"), (2, "abandoned", "b7c"), (3, "active", "b7d")];
    let expected: Vec<_> =
        expected.map(|(n, status, head)| (n, status.to_owned(), uuid(head))).into();
    assert_eq!(paths(&shown), expected);
    let forks: Vec<_> = shown["paths"]
        .as_array()
        .expect("paths")
        .iter()
        .map(|p| p["fork_point"].as_str())
        .collect();
    let (first, second) = (uuid("a3"), uuid("b6b"));
    assert_eq!(forks, [Some(first.as_str()), Some(second.as_str()), None]);
    assert_eq!(shown["counts"]["entries"], 20);
    assert_eq!(shown["counts"]["active"], 14);
    assert_eq!(shown["counts"]["other_paths"], 6);
}

#[test]
fn another_path_is_shown_by_its_number() {
    let shown = show(REDOS, &["--path", "1"]);
    let last = shown["messages"].as_array().expect("messages").last().expect("one");
    assert_eq!(last["blocks"][0]["text"], "five");
    assert_eq!(shown["path"], 1);
}

#[test]
fn numbers_stay_when_the_file_grows() {
    let lines: Vec<&str> = REDOS.trim().lines().collect();
    let whole = paths(&show(REDOS, &[]));
    for end in 1..lines.len() {
        let shown = show(&lines[..end].join("\n"), &[]);
        for path in shown["paths"].as_array().expect("paths") {
            let index = path["index"].as_u64().expect("a number") as usize;
            let later = show(REDOS, &["--path", &index.to_string()]);
            let later = &later["paths"][index - 1]["entries"];
            assert!(index <= whole.len());
            let head = path["head"].as_str().expect("a head");
            assert!(strings(later).contains(&head), "path {index} of {end} lines");
        }
    }
}

#[test]
fn a_note_of_the_client_may_end_the_active_path_before_a_leaf() {
    let shown = show(
        r#"
u1 user "one"
a1 assistant "1"
u2 user "two"
a2 assistant "2"
u3 user "three"
a3 assistant "3"
-- last-prompt explicit a2
"#,
        &[],
    );
    assert_eq!(
        paths(&shown),
        [(1, "abandoned".to_owned(), uuid("a3")), (2, "active".to_owned(), uuid("a2"))]
    );
    assert_eq!(shown["counts"]["active"], 4);
    assert_eq!(shown["counts"]["other_paths"], 2);
}

#[test]
fn parallel_calls_are_no_fork_and_every_result_is_attached() {
    let shown = show(
        r#"
u1 user "go"
c0 assistant msg=m1 "all three"
c1 assistant msg=m1 call Bash:t1 {"command":"a"}
c2 assistant msg=m1 call Bash:t2 {"command":"b"}
c3 assistant msg=m1 call Bash:t3 {"command":"c"}
h1 attachment hook_success < c1
r2 result < c2 t2 "second"
r3 result < c3 t3 "third" error
r1 result < c1 t1 "first"
a2 assistant "done"
"#,
        &[],
    );
    assert_eq!(shown["paths"].as_array().expect("paths").len(), 1);
    assert_eq!(shown["counts"]["active"], 10);
    let blocks = shown["messages"][1]["blocks"].as_array().expect("blocks");
    let calls: Vec<_> = blocks
        .iter()
        .filter(|b| b["type"] == "call")
        .map(|b| (&b["status"], &b["result"]["text"]))
        .collect();
    assert_eq!(
        format!("{calls:?}"),
        r#"[(String("done"), String("first")), (String("done"), String("second")), (String("failed"), String("third"))]"#
    );
}

#[test]
fn a_turn_or_a_range_of_turns_can_be_shown() {
    for (turns, expected) in
        [("2", &["turn 2"][..]), ("6..", &["turn 6", "turn 7, redo 2"]), ("..1", &["turn 1"])]
    {
        let shown = show(REDOS, &["--turn", turns]);
        assert_eq!(strings_at(&shown["turns"], "prompt"), expected);
    }
    let home = home_with(REDOS);
    assert_eq!(run(&home, &["show", SESSION, "--turn", "99"]).code, Some(1));
    assert_eq!(run(&home, &["show", SESSION, "--turn", "5..2"]).code, Some(2));
    assert_eq!(run(&home, &["show", SESSION, "--turn", "0"]).code, Some(2));
}

#[test]
fn the_untouched_line_of_an_entry_is_printed() {
    let home = home_with(REDOS);
    let line = String::from_utf8(unspool_testkit::session(REDOS)).expect("UTF-8");
    let second = format!("{}\n", line.lines().nth(1).expect("a line"));
    assert_eq!(run(&home, &["show", SESSION, "--raw", &uuid("a1")]).ok(), second);
    assert_eq!(run(&home, &["show", SESSION, "--raw", &uuid("a1")[..12]]).ok(), second);
    assert_eq!(run(&home, &["show", SESSION, "--raw", "line:2"]).ok(), second);
    assert_eq!(run(&home, &["show", SESSION, "--raw", "nothing"]).code, Some(1));
}
