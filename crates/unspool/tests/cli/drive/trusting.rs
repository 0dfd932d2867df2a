//! A run needs a folder that a person trusts, and a session that no other process owns.

use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::DriveHome;

fn write_hook(home: &DriveHome, command: &str) {
    let settings =
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}});
    home.write(".claude/settings.json", &settings.to_string());
}

#[test]
fn a_folder_is_trusted_by_a_person_until_what_runs_code_changes() {
    let home = DriveHome::untrusted();
    write_hook(&home, "./check.sh");
    let refused = home.run(&["start", "--prompt", "[[say: x]]"]).says(1, &[]);
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
    let rules = json!({"permissions": {"allow": ["Bash(echo hi)"]}});
    home.write(".claude/settings.local.json", &rules.to_string());
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

/// Starts a process that claims to own a session.
fn other_owner(home: &DriveHome, session: &str) -> (Child, u32) {
    let other = Command::new("cat").stdin(Stdio::piped()).spawn().expect("a process");
    let pid = other.id();
    let says = json!({"cwd": home.folder, "kind": "interactive", "status": "idle"});
    home.home.add_running(session, pid, &says);
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
    home.run(&["start", "--session", session]).says(1, &["already", "--fork"]);
    home.run(&["stop", &run]).ok();
    let (mut other, pid) = other_owner(&home, session);
    home.run(&["start", "--session", session]).says(1, &[&format!("process {pid}"), "--fork"]);
    let copy = home.run(&["start", "--session", session, "--fork", "--prompt", "[[say: two]]"]);
    let copy = copy.ok().trim().to_owned();
    home.wait(&copy, "idle");
    assert!(home.log(&copy).contains("[[say: one]]"));
    drop(other.stdin.take());
    other.wait().expect("its end");
}
