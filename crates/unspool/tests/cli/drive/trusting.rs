//! Folders are driven when a person trusts them, and sessions when no other process has them.

use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use unspool_testkit::home::TestSideFile;

use super::{DriveHome, stat_field};

fn write_hook(home: &DriveHome, command: &str) {
    let settings =
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}});
    let folder = home.folder.join(".claude");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("settings.json"), settings.to_string()).expect("settings");
}

#[test]
fn a_folder_is_trusted_by_a_person_until_what_runs_code_changes() {
    let home = DriveHome::untrusted();
    write_hook(&home, "./check.sh");
    let refused = home.run(&["start", "--prompt", "[[say: x]]"]);
    assert_eq!(refused.code, Some(1));
    let trust = format!("unspool drive trust {}", home.folder.display());
    for words in ["not trusted", "hook", "PreToolUse: ./check.sh", &trust] {
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
    }
    assert_eq!(home.run(&["list", "--all"]).code, Some(1), "nothing was started");
    let asked = home.run(&["trust", "."]);
    assert_eq!(asked.code, Some(1), "a pipe cannot say yes");
    assert!(asked.err.contains("./check.sh") && asked.err.contains("--yes"));
    let trusted = home.run(&["trust", ".", "--yes", "--json"]).json();
    assert_eq!(trusted["trust"], "trusted");
    assert_eq!(trusted["sources"][0]["kind"], "hook");
    let run = home.start("[[say: x]]");
    home.wait(&run, "idle");
    write_hook(&home, "./other.sh");
    let listed = home.run(&["trust", "--list"]).ok();
    assert!(listed.starts_with("changed  "), "{listed}");
    assert_eq!(home.run(&["start"]).code, Some(1));
    home.run(&["trust", ".", "--yes"]).ok();
    assert_eq!(home.run(&["trust", "--list", "--json"]).lines()[0]["trust"], "trusted");
    home.run(&["trust", ".", "--forget"]).ok();
    assert_eq!(home.run(&["trust", ".", "--forget"]).code, Some(1));
    assert_eq!(home.run(&["trust", "--list"]).code, Some(1));
}

#[test]
fn rules_of_always_are_shown_and_do_not_end_trust() {
    let home = DriveHome::new();
    let folder = home.folder.join(".claude");
    fs::create_dir(&folder).expect("a folder");
    let rules = json!({"permissions": {"allow": ["Bash(echo hi)"]}});
    fs::write(folder.join("settings.local.json"), rules.to_string()).expect("settings");
    let listed = home.run(&["trust", "--list"]).ok();
    assert!(listed.starts_with("trusted  "), "{listed}");
    home.run(&["trust", ".", "--forget"]).ok();
    let asked = home.run(&["trust", "."]);
    assert!(asked.err.contains("Bash(echo hi)"), "{}", asked.err);
}

#[test]
fn what_a_folder_says_is_on_one_line() {
    let home = DriveHome::untrusted();
    write_hook(&home, "true\n\nnothing in it runs code now");
    let asked = home.run(&["trust", "."]);
    let forged = asked.err.lines().any(|line| line.starts_with("nothing in it"));
    assert!(!forged, "{}", asked.err);
}

/// Starts another process that says that it has a session.
fn other_owner(home: &DriveHome, session: &str) -> (Child, u32) {
    let other = Command::new("cat").stdin(Stdio::piped()).spawn().expect("a process");
    let pid = other.id();
    let marker = json!({
        "pid": pid, "procStart": stat_field(pid.into(), 22), "sessionId": session,
        "cwd": home.folder, "kind": "interactive", "status": "idle",
    });
    let place = TestSideFile::Running(pid);
    home.home.add_side_file(session, &place, marker.to_string());
    (other, pid)
}

#[test]
fn a_run_is_held_while_another_process_has_its_session() {
    let home = DriveHome::new();
    let run = home.start("[[say: one]]");
    let session = home.wait(&run, "idle")["session"].clone();
    let (mut other, pid) = other_owner(&home, session.as_str().expect("an id"));
    home.run(&["send", &run, "[[say: two]]"]).ok();
    assert_eq!(home.wait(&run, "held")["held_by"], pid);
    assert!(home.run(&["list"]).ok().contains("held: process"));
    home.run(&["go-on", &run, "--json"]).json();
    home.wait(&run, "idle");
    assert!(home.log(&run).contains("[[say: two]]"));
    drop(other.stdin.take());
    other.wait().expect("its end");
}

#[test]
fn a_session_that_another_process_has_is_refused_and_a_copy_offered() {
    let home = DriveHome::new();
    let run = home.start("[[say: one]]");
    let session = home.wait(&run, "idle")["session"].clone();
    let session = session.as_str().expect("an id");
    let driven = home.run(&["start", "--session", session]);
    assert_eq!(driven.code, Some(1));
    assert!(driven.err.contains("already") && driven.err.contains("--fork"), "{}", driven.err);
    home.run(&["stop", &run]).ok();
    let (mut other, pid) = other_owner(&home, session);
    let owned = home.run(&["start", "--session", session]);
    assert_eq!(owned.code, Some(1));
    assert!(owned.err.contains(&format!("process {pid}")), "{}", owned.err);
    assert!(owned.err.contains("--fork"), "{}", owned.err);
    let copy = home.run(&["start", "--session", session, "--fork", "--prompt", "[[say: two]]"]);
    let copy = copy.ok().trim().to_owned();
    home.wait(&copy, "idle");
    assert!(home.log(&copy).contains("[[say: one]]"));
    drop(other.stdin.take());
    other.wait().expect("its end");
}
