//! Starting runs, and sending prompts to them.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use super::DriveHome;
use crate::run::Ran;

#[test]
fn a_prompt_is_run_and_the_run_stays_for_the_next() {
    let home = DriveHome::new();
    let started = home.run(&["start", "--prompt", "[[say: hello there]]"]).says(0, &[]);
    let run = started.out.trim().to_owned();
    for shown in ["folder ", "command ", "--permission-mode default", "UNSPOOL_RUN="] {
        assert!(started.err.contains(shown), "{shown}: {}", started.err);
    }
    let found = home.wait(&run, "idle");
    assert_eq!(found["run"], run.as_str());
    assert_eq!(found["failed"], Value::Null);
    assert!(home.log(&run).contains("hello there"));
    home.run(&["send", &run, "[[bash: touch second]]"]).ok();
    let approval = home.asked(&run);
    assert_eq!(home.run(&["approve", &approval]).ok(), "allow\n");
    home.wait(&run, "idle");
    assert!(home.has("second"));
}

#[test]
fn the_same_id_is_the_same_run_and_the_same_prompt() {
    let home = DriveHome::new();
    let run = "0c7b1f0e-2d3c-4b5a-8f9e-a1b2c3d4e5f6";
    let prompt = "7d0d9ad8-8f0b-4f0e-9d5b-1c2b3a4d5e6f";
    for _ in 0..2 {
        let started = home.run(&["start", "--id", run, "--prompt", "[[say: once]]", "--json"]);
        assert_eq!(started.json()["run"], run);
    }
    for _ in 0..2 {
        let sent = home.run(&["send", run, "[[say: again]]", "--id", prompt, "--json"]);
        assert_eq!(sent.json()["prompt"], prompt);
    }
    home.wait(run, "idle");
    assert_eq!(home.run(&["list", "--json"]).lines().len(), 1);
    let log = home.log(run);
    let prompts = log.lines().filter(|line| line.contains(r#""role":"user""#));
    assert_eq!(prompts.count(), 2, "{log}");
}

#[test]
fn a_prompt_comes_from_standard_input_or_with_an_image() {
    let home = DriveHome::new();
    let mut child = home
        .drive(&["start", "--prompt", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("standard input");
    input.write_all(b"[[say: from a pipe]]").expect("a prompt");
    drop(input);
    let started = Ran::from(child.wait_with_output().expect("an end"));
    let run = started.ok().trim().to_owned();
    home.wait(&run, "idle");
    fs::write(home.folder.join("a.png"), b"\x89PNG\r\n\x1a\n").expect("an image");
    home.write("b.txt", "words");
    home.run(&["send", &run, "look", "--image", "b.txt"]).says(2, &["not an image"]);
    home.run(&["send", &run, "look", "--image", "c.png"]).says(3, &[]);
    home.run(&["send", &run]).says(2, &[]);
    home.run(&["send", &run, "look", "--image", "a.png"]).ok();
    home.wait(&run, "idle");
    assert!(home.log(&run).contains("image/png"));
}

#[test]
fn a_dry_run_only_shows() {
    let home = DriveHome::untrusted();
    let shown = home.run(&["start", "--dry-run", "--mode", "plan", "--idle", "60"]);
    let shown = shown.ok();
    for part in ["(not trusted)", "--permission-mode plan", "idle 1 min, waiting off"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let json = home.run(&["start", "--dry-run", "--json"]).json();
    assert_eq!(json["cwd"], home.cwd());
    assert_eq!(json["trust"], "untrusted");
    assert_eq!(json["command"][0], home.client.display().to_string());
    assert_eq!(json["environment"].get("CLAUDE_CONFIG_DIR"), None);
    let other = home.home.user_home().join("other");
    fs::create_dir_all(other.join("projects")).expect("a folder");
    let other = other.display().to_string();
    let json = home.run(&["start", "--dry-run", "--json", "--home", &other]);
    assert_eq!(json.json()["environment"]["CLAUDE_CONFIG_DIR"], other);
    assert_eq!(home.run(&["list", "--all"]).code, Some(1));
}

#[test]
fn the_default_home_is_never_named_to_the_client() {
    let home = DriveHome::untrusted();
    let other = home.home.user_home().join("other");
    fs::create_dir_all(other.join("projects")).expect("a folder");
    let usual = home.home.path().display().to_string();
    let plan = |more: &[&str]| {
        let mut command = home.drive(&["start", "--dry-run", "--home", &usual]);
        Ran::of(command.env("CLAUDE_CONFIG_DIR", &other).args(more))
    };
    let environment = plan(&["--json"]).json()["environment"].clone();
    let named = environment.get("CLAUDE_CONFIG_DIR");
    assert_eq!(named, Some(&Value::Null), "{environment}");
    let words = plan(&[]).ok();
    assert!(words.contains("without UNSPOOL_* and CLAUDE_CONFIG_DIR,"), "{words}");
}

#[test]
fn bypassing_permissions_needs_its_own_flag() {
    let home = DriveHome::new();
    let bypass = ["start", "--mode", "bypassPermissions", "--prompt", "[[bash: touch x]]"];
    home.run(&bypass).says(2, &["--allow-bypass"]);
    let started = home.run(&[&bypass[..], &["--allow-bypass"]].concat());
    home.wait(started.ok().trim(), "idle");
    assert!(home.has("x"));
}

#[test]
fn a_client_that_is_not_installed_is_said_in_words() {
    let mut home = DriveHome::new();
    home.0.client = "no-such-claude".into();
    home.run(&["start"]).says(1, &["cannot be found", "no-such-claude", "UNSPOOL_CLAUDE"]);
}

#[test]
fn a_client_that_ends_at_once_is_said_in_words() {
    let mut home = DriveHome::new();
    let script = "echo 'error: unknown option' >&2\nexit 3";
    home.0.client = home.home.add_script("broken-client", script);
    let ended = home.run(&["start", "--prompt", "x"]);
    let ended = ended.says(1, &["the client ended at once", "error: unknown option"]);
    let run = home.look(ended.out.trim());
    assert_eq!(run["ended"]["code"], 3, "{run}");
}

#[test]
fn a_session_is_gone_on_with_by_any_name() {
    let home = DriveHome::new();
    let run = home.start("[[say: the beginning]]");
    let session = home.wait(&run, "idle")["session"].clone();
    home.run(&["stop", &run]).ok();
    let named = home.run(&["start", "--session", "@", "--prompt", "[[say: the middle]]", "--json"]);
    let named = named.json();
    assert_eq!(named["session"], session);
    let middle = named["run"].as_str().expect("an id");
    home.wait(middle, "idle");
    home.run(&["stop", middle]).ok();
    let on = home.run(&["go-on", session.as_str().expect("an id"), "--json"]).json();
    assert_eq!(on["session"], session);
    let on = on["run"].as_str().expect("an id");
    home.run(&["send", on, "[[say: the end]]"]).ok();
    home.wait(on, "idle");
    let log = home.log(on);
    for text in ["the beginning", "the middle", "the end"] {
        assert!(log.contains(text), "{text}");
    }
    let copy = home.run(&["start", "--session", "@", "--fork", "--json"]);
    assert_ne!(copy.json()["session"], session);
    home.run(&["start", "--session", "0000aaaa"]).says(1, &[]);
}
