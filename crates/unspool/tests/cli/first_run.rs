//! The note of the first run about deleted sessions: once, and only for a person.

use std::path::Path;

use unspool_testkit::{TestHome, session, uuid};

use crate::run::run;

/// A program that runs a command on a terminal; part of `util-linux`.
const TERMINAL: &str = "/usr/bin/script";

const WORDS: &str = "Claude Code deletes sessions";

fn home() -> TestHome {
    let home = TestHome::new();
    let log = session("u1 user \"hello\"\na1 assistant \"hi\"");
    home.add_session("/srv/demo", &uuid("s"), log);
    home.add_file("settings.json", "{\"cleanupPeriodDays\": 36500}");
    home
}

/// Runs the program on a terminal, and returns its output.
fn on_terminal(home: &TestHome, args: &str) -> String {
    let program = env!("CARGO_BIN_EXE_unspool");
    let line = format!("{program} --home {} {args}", home.path().display());
    let mut terminal = home.command(TERMINAL);
    let output = terminal.args(["-qec", &line, "/dev/null"]).output();
    String::from_utf8_lossy(&output.expect("a terminal").stdout).into_owned()
}

#[test]
fn a_pipe_is_not_told() {
    let home = home();
    let ran = run(&home, &["list"]);
    assert!(!ran.err.contains(WORDS), "{}", ran.err);
}

#[test]
fn a_person_is_told_once() {
    if !Path::new(TERMINAL).exists() {
        return;
    }
    let home = home();
    let said = on_terminal(&home, "--no-pager list");
    assert!(said.contains(WORDS) && said.contains("36500 days"), "{said}");
    assert!(said.contains("the next session goes on"), "{said}");
    let again = on_terminal(&home, "--no-pager list");
    assert!(!again.contains(WORDS), "{again}");
}

#[test]
fn a_script_on_a_terminal_is_not_told() {
    if !Path::new(TERMINAL).exists() {
        return;
    }
    let home = home();
    let said = on_terminal(&home, "list --json");
    assert!(!said.contains(WORDS), "{said}");
}
