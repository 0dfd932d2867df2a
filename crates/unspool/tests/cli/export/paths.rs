//! Which paths become files, and their names.

use serde_json::Value;
use unspool_testkit::{TestHome, session};

use super::{export, name};
use crate::run::{OTHER, REDOS, SESSION, home_with, run};

/// Returns the prompts of a Markdown transcript.
fn prompts(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("> ")).collect()
}

#[test]
fn several_redos_give_exactly_one_transcript_for_each_ending() {
    let exported = export(&home_with(REDOS), &[SESSION]);
    let names = [name("_path1_abandoned.md"), name("_path2_abandoned.md"), name("_path3.md")];
    assert_eq!(exported.names(), names);
    let start = ["turn 1", "turn 2", "turn 3"];
    let redo = ["turn 4, redo 1", "turn 5, after redo", "turn 6"];
    let expected: [Vec<&str>; 3] = [
        [&start[..], &["turn 4, original", "turn 5, original"]].concat(),
        [&start[..], &redo, &["turn 7, path 1"]].concat(),
        [&start[..], &redo, &["turn 7, redo 2"]].concat(),
    ];
    for (name, expected) in names.iter().zip(expected) {
        assert_eq!(prompts(exported.text(name)), expected, "{name}");
    }
}

#[test]
fn the_active_path_alone_keeps_its_number() {
    let exported = export(&home_with(REDOS), &[SESSION, "--paths", "active"]);
    assert_eq!(exported.names(), [name("_path3.md")]);
}

/// A home with a session and a longer copy of it, as older versions resumed.
fn resumed() -> TestHome {
    let first = "u1 user \"one\"\na1 assistant \"1\"\n";
    let home = home_with(first);
    let second = format!("{first}u2 user \"two\"\na2 assistant \"2\"\n");
    home.add_session("/srv/demo", OTHER, session(&second));
    home
}

#[test]
fn a_session_that_another_contains_is_exported_once_inside_it() {
    let exported = export(&resumed(), &["--all"]);
    assert_eq!(exported.names(), [format!("transcript_{OTHER}.md")]);
    let said = format!(
        "left out: session {SESSION}, path 1: all of it is in session {OTHER}, path 1 \
         (transcript_{OTHER}.md)"
    );
    assert!(exported.ran.err.contains(&said), "{}", exported.ran.err);
    let held = format!("- **Contains all of:** session {SESSION}, path 1");
    assert!(exported.only().contains(&held), "{}", exported.only());
    // Exported alone, it is contained in no other.
    let alone = export(&resumed(), &[SESSION]);
    assert_eq!(alone.names(), [name(".md")]);
}

#[test]
fn an_abandoned_path_that_a_copy_contains_is_left_out_and_the_active_one_is_not() {
    let home = home_with(
        "u1 user \"one\"\na1 assistant \"1\"\nu2 user \"two\"\na2 assistant \"2\"\nu3 user < a1 \"three\"\na3 assistant \"3\"\n",
    );
    let copy = "u1 user \"one\"\na1 assistant \"1\"\nu2 user \"two\"\na2 assistant \"2\"\nu4 user \"four\"\n";
    home.add_session("/srv/demo", OTHER, session(copy));
    let exported = export(&home, &["--all", "--json"]);
    let names = [name("_path2.md"), format!("transcript_{OTHER}.md")];
    assert_eq!(exported.names(), names);
    let lines = exported.ran.lines();
    let left: Vec<&Value> = lines.iter().filter(|line| line["kind"] == "left_out").collect();
    assert_eq!(left.len(), 1);
    assert_eq!((&left[0]["session"], &left[0]["path"]), (&SESSION.into(), &1.into()));
    assert_eq!(left[0]["held_by"]["session"], OTHER);
    assert_eq!(left[0]["held_by"]["file"], format!("transcript_{OTHER}.md"));
}

#[test]
fn one_id_in_two_homes_gives_two_files() {
    let home = home_with("u1 user \"one\"\na1 assistant \"1\"\n");
    let second = home_with("x1 user \"another\"\ny1 assistant \"2\"\n");
    let homes = [&home, &second].map(|home| home.path().display().to_string());
    let args = ["--all", "--home", &homes[0], "--home", &homes[1]];
    let exported = export(&home, &args);
    assert_eq!(exported.names(), [name(".md"), name("_2.md")]);
    assert!(exported.text(&name("_2.md")).contains("> another"));
}

#[test]
fn json_is_that_of_show_and_jsonl_the_lines_of_the_path() {
    let home = home_with(REDOS);
    let exported = export(&home, &[SESSION, "--format", "json"]);
    for (number, ending) in [(1, "_path1_abandoned"), (2, "_path2_abandoned"), (3, "_path3")] {
        let path = number.to_string();
        let shown = run(&home, &["show", SESSION, "--json", "--path", &path]).ok();
        assert_eq!(exported.text(&name(&format!("{ending}.json"))), shown);
    }
    let exported = export(&home, &[SESSION, "--format", "jsonl"]);
    let bytes = String::from_utf8(session(REDOS)).expect("UTF-8");
    let lines: Vec<&str> = bytes.split_inclusive('\n').collect();
    let path = |wanted: &dyn Fn(usize) -> bool| -> String {
        let kept = lines.iter().enumerate().filter(|(at, _)| wanted(*at));
        kept.map(|(_, line)| *line).collect()
    };
    for (ending, expected) in [
        ("_path1_abandoned.jsonl", path(&|at| at < 10)),
        ("_path2_abandoned.jsonl", path(&|at| at < 6 || (10..18).contains(&at))),
        ("_path3.jsonl", path(&|at| at < 6 || (10..16).contains(&at) || at >= 18)),
    ] {
        assert_eq!(exported.text(&name(ending)), expected, "{ending}");
    }
}

#[test]
fn the_same_log_gives_the_same_bytes() {
    let home = home_with(REDOS);
    for format in ["md", "html", "text", "json", "jsonl"] {
        let once = export(&home, &["--all", "--format", format]);
        let again = export(&home, &["--all", "--format", format]);
        assert_eq!(once.files, again.files, "{format}");
        assert_eq!(once.files.len(), 3, "{format}");
    }
}
