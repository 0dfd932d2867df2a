//! Paths, turns and original records in `show`.

use serde_json::json;
use unspool_testkit::uuid;

use crate::run::{REDOS, SESSION, home_with, run, show, strings_at};

#[test]
fn multiple_redos_give_one_path_for_each_ending() {
    let shown = show(REDOS, &[]);
    let paths = shown["paths"].as_array().expect("paths");
    let expected = [
        (1, "abandoned", "b5a", Some("a3")),
        (2, "abandoned", "b7c", Some("b6b")),
        (3, "active", "b7d", None),
    ];
    assert_eq!(paths.len(), expected.len());
    for (path, (index, status, head, fork)) in paths.iter().zip(expected) {
        assert_eq!(path["index"], index);
        assert_eq!(path["status"], status);
        assert_eq!(path["head"], uuid(head));
        assert_eq!(path["fork_point"], json!(fork.map(uuid)));
    }
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
