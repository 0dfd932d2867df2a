//! Ids that are mistyped, cut or missing.

use unspool_testkit::{session, uuid};

use super::DriveHome;
use crate::run::Ran;

#[test]
fn runs_are_completed_with_their_titles_and_what_they_do() {
    let home = DriveHome::new();
    let unspool = |words: &[&str]| {
        let mut command = home.home.command(env!("CARGO_BIN_EXE_unspool"));
        command.env("CLAUDE_CONFIG_DIR", home.home.path());
        Ran::from(command.args(words).output().expect("an end")).ok()
    };
    let offered = |words: &[&str]| {
        unspool(&[&["__complete", "fish", "--", "unspool", "drive"], words].concat())
    };
    assert!(!offered(&["stop", ""]).contains(" · "), "nothing ran yet");
    let over = home.start("[[say: paint the boat]]");
    home.run(&["wait", &over]).ok();
    home.run(&["stop", &over]).ok();
    let folder = home.folder.display().to_string();
    let log = session(&format!("%cwd {folder}\nu1 user \"mend the fence\"\na1 assistant \"yes\""));
    home.home.add_session(&folder, &uuid("known"), log);
    unspool(&["list"]);
    let known = uuid("known");
    let run = home.run(&["start", "--session", &known, "--prompt", "[[bash: touch x]]"]).ok();
    let run = run.trim();
    home.run(&["wait", run]).ok();
    // A session that the index knows has its title, another one its first prompt; what goes on comes first.
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
        let wrong = home.run(&[&[command, &name], text].concat());
        assert_eq!(wrong.code, Some(1), "{command}: {}", wrong.err);
        assert!(wrong.err.contains("no run is named"), "{command}: {}", wrong.err);
        assert!(wrong.err.contains(&run), "{command}: {}", wrong.err);
    }
    for command in ["approve", "deny", "answer"] {
        let text: &[&str] = if command == "answer" { &["text"] } else { &[] };
        let name = mistyped(&approval);
        let wrong = home.run(&[&[command, &name], text].concat());
        assert_eq!(wrong.code, Some(1), "{command}: {}", wrong.err);
        assert!(wrong.err.contains(&approval), "{command}: {}", wrong.err);
    }
    let short = home.run(&["stop", "a"]);
    assert_eq!(short.code, Some(2));
    assert!(short.err.contains("too short"), "{}", short.err);
    let odd = home.run(&["start", "--id", "not-a-uuid"]);
    assert_eq!(odd.code, Some(2));
    assert!(odd.err.contains("uuid"), "{}", odd.err);
    home.asked(&run);
}

#[test]
fn without_runs_every_command_says_so() {
    let home = DriveHome::new();
    for args in [&["list"][..], &["wait"], &["attach", "abcd"], &["approve", "abcd"]] {
        let ran = home.run(args);
        assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{args:?}");
        assert_ne!(ran.err, "", "{args:?}");
    }
    let demo = home.run(&["list", "--demo"]);
    assert_eq!(demo.code, Some(2), "{}", demo.err);
}
