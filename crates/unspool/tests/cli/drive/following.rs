//! Following a run in a pipe.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use serde_json::Value;

use super::DriveHome;
use crate::schema::assert_fits;

/// Follows a run in another process; returns the process and its lines.
fn attach(home: &DriveHome, args: &[&str]) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut child = home
        .drive(&[&["attach"], args].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let out = BufReader::new(child.stdout.take().expect("standard output"));
    (child, out.lines().map(|line| line.expect("text")))
}

#[test]
fn a_pipe_gets_plain_lines_until_the_run_is_over() {
    let home = DriveHome::new();
    let run = home.start("[[say: let me see]] [[bash: echo out; echo more]] [[say: all good]]");
    let (mut child, mut lines) = attach(&home, &[&run]);
    let mut seen = Vec::new();
    let mut read_until = |seen: &mut Vec<String>, end: &str| {
        for line in lines.by_ref() {
            let is_end = line.contains(end);
            seen.push(line);
            if is_end {
                return;
            }
        }
    };
    read_until(&mut seen, "unspool drive approve");
    let approval = home.asked(&run);
    home.run(&["approve", &approval]).ok();
    read_until(&mut seen, "all good");
    home.wait(&run, "idle");
    home.run(&["stop", &run]).ok();
    read_until(&mut seen, "no such line");
    assert_eq!(child.wait().expect("an end").code(), Some(0));
    let text = seen.join("\n");
    assert!(!text.contains('\u{1b}'), "{text}");
    let mut rest = text.as_str();
    for part in [
        "> [[say: let me see]]",
        "let me see",
        "● Bash  echo out; echo more",
        "? Bash",
        "--always 1",
        "allow, by command line",
        "└ out",
        "    more",
        "all good",
        "ended: stopped",
    ] {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn events_are_lines_of_json() {
    let home = DriveHome::new();
    let run = home.start("[[say: hello]] [[bash: true]]");
    let (mut child, lines) = attach(&home, &[&run, "--json"]);
    let approval = home.asked(&run);
    home.run(&["deny", &approval]).ok();
    home.wait(&run, "idle");
    home.run(&["stop", &run]).ok();
    let lines: Vec<String> = lines.collect();
    assert_eq!(child.wait().expect("an end").code(), Some(0));
    assert_fits(&["drive", "attach", &run, "--json"], &lines.join("\n"));
    let events: Vec<Value> =
        lines.iter().map(|line| serde_json::from_str(line).expect("a JSON line")).collect();
    for name in ["run", "queue", "partial", "approval", "approvalResolved"] {
        assert!(events.iter().any(|event| event["event"] == name), "{name}");
    }
    let resolved = events.iter().find(|event| event["event"] == "approvalResolved");
    assert_eq!(resolved.expect("an answer")["decision"], "deny");
    let last = events.last().expect("an event");
    assert_eq!((&last["state"], &last["how"]), (&"ended".into(), &"stopped".into()));
}

#[test]
fn a_run_that_is_over_is_read_to_its_end() {
    let home = DriveHome::new();
    let run = home.start("[[say: hello]]");
    home.wait(&run, "idle");
    home.run(&["stop", &run]).ok();
    let all = home.run(&["attach", &run]);
    assert!(all.err.contains("ended: stopped"), "{}", all.err);
    assert!(all.ok().contains("hello"));
    let new = home.run(&["attach", &run, "--new"]);
    assert_eq!(new.ok(), "");
}
