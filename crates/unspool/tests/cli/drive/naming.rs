//! Ids that are mistyped, shortened or missing.

use unspool_testkit::{session, uuid};

use super::DriveHome;
use crate::run::Ran;

#[test]
fn runs_are_completed_with_their_titles_and_what_they_do() {
    let home = DriveHome::new();
    let unspool = |words: &[&str]| Ran::of(&mut home.command(words)).ok();
    let offered = |words: &[&str]| {
        unspool(&[&["__complete", "fish", "--", "unspool", "drive"], words].concat())
    };
    assert!(!offered(&["stop", ""]).contains(" · "), "nothing ran yet");
    let over = home.start("[[say: paint the boat]]");
    home.run(&["wait", &over]).ok();
    home.run(&["stop", &over]).ok();
    let folder = home.cwd();
    let log = session(&format!("%cwd {folder}\nu1 user \"mend the fence\"\na1 assistant \"yes\""));
    home.home.add_session(&folder, &uuid("known"), log);
    unspool(&["list"]);
    let known = uuid("known");
    let run = home.run(&["start", "--session", &known, "--prompt", "[[bash: touch x]]"]).ok();
    let run = run.trim();
    home.run(&["wait", run]).ok();
    // A session in the index has its title, another one its first prompt; active runs come first.
    for command in ["stop", "attach", "again", "wait", "send"] {
        let found = offered(&[command, ""]);
        let lines: Vec<&str> = found.lines().take(2).collect();
        let expected = [
            format!("{run}\tmend the fence · waits: approval"),
            format!("{over}\t[[say: paint the boat]] · ended: stopped"),
        ];
        assert_eq!(lines, expected, "{command}");
    }
    assert!(offered(&["stop", &over[..6]]).starts_with(&over));
    assert_eq!(offered(&["stop", "zzz"]), "");
}

#[test]
fn a_run_is_named_by_a_beginning_or_by_its_session() {
    let home = DriveHome::new();
    let run = home.start("[[say: x]]");
    let session = home.wait(&run, "idle")["session"].clone();
    let session = session.as_str().expect("an id");
    for name in [&run[..], &run[..4], session, &session[..8], &run.to_uppercase()] {
        let found = home.run(&["wait", name, "--json"]).json();
        assert_eq!(found["run"], run.as_str(), "{name}");
    }
}

#[test]
fn a_name_that_means_nothing_gets_an_error_with_what_may_be_meant() {
    let home = DriveHome::new();
    let run = home.start("[[bash: touch x]]");
    let approval = home.asked(&run);
    let mistyped = |id: &str| {
        let mut id = id.to_owned();
        let last = id.pop().expect("a character");
        id.push(if last == '0' { '1' } else { '0' });
        id
    };
    for command in ["send", "attach", "interrupt", "stop", "wait", "go-on", "again"] {
        let text: &[&str] = if command == "send" { &["text"] } else { &[] };
        let name = mistyped(&run);
        home.run(&[&[command, &name], text].concat()).says(1, &["no run is named", &run]);
    }
    for command in ["approve", "deny", "answer"] {
        let text: &[&str] = if command == "answer" { &["text"] } else { &[] };
        let name = mistyped(&approval);
        home.run(&[&[command, &name], text].concat()).says(1, &[&approval]);
    }
    home.run(&["stop", "a"]).says(2, &["too short"]);
    home.run(&["start", "--id", "not-a-uuid"]).says(2, &["uuid"]);
    home.asked(&run);
}

#[test]
fn without_runs_every_command_says_so() {
    let home = DriveHome::new();
    for args in [&["list"][..], &["wait"], &["attach", "abcd"], &["approve", "abcd"]] {
        let ran = home.run(args).says(1, &[]);
        assert_eq!(ran.out, "", "{args:?}");
        assert_ne!(ran.err, "", "{args:?}");
    }
    home.run(&["list", "--demo"]).says(2, &[]);
}
