//! Waiting for runs, and notifications about them.

use std::fs;

use serde_json::Value;

use super::{DriveHome, until};

#[test]
fn the_run_that_needs_a_person_ends_the_waiting() {
    let home = DriveHome::new();
    let busy = home.start("[[silence]]");
    let asks = home.start("[[bash: true]]");
    let found = home.run(&["wait", "--json"]).json();
    assert_eq!(found["run"], asks.as_str());
    assert_eq!(found["need"], "answer");
    assert_eq!(found["approvals"][0]["tool"], "Bash");
    home.run(&["stop", &asks]).ok();
    home.run(&["stop", &busy]).ok();
    home.run(&["wait", &busy, &asks]).only_says(1, &[]);
}

#[test]
fn a_missing_login_and_a_limit_are_said_in_words() {
    let home = DriveHome::new();
    let run = home.start("[[not-logged-in]]");
    let found = home.wait(&run, "idle");
    assert!(found["failed"].as_str().is_some_and(|words| words.contains("/login")));
    let shown = home.run(&["wait", &run]).ok();
    assert!(shown.contains("run `claude` in a terminal, type /login"), "{shown}");
    let listed = home.run(&["list"]).ok();
    assert!(listed.contains("the last turn failed: Not logged in"), "{listed}");
    home.run(&["send", &run, "[[rate-limit]]"]).ok();
    home.wait(&run, "idle");
    let shown = home.run(&["wait", &run]).ok();
    assert!(shown.contains("A limit of the account is reached"), "{shown}");
    let found = home.wait(&run, "idle");
    assert_eq!(found["failure_cause"], "limit");
    // The failed prompt is sent again, and fails again.
    let again = home.run(&["again", &run, "--yes", "--json"]).json();
    assert_eq!(again["run"], run.as_str());
    assert_eq!(again["queue"][0]["text"], "[[rate-limit]]");
    home.wait(&run, "idle");
    home.run(&["send", &run, "[[say: fine]]"]).ok();
    let found = home.wait(&run, "idle");
    assert_eq!(found["failure_cause"], Value::Null);
    assert_eq!(found["failed"], Value::Null);
    assert_eq!(found["last_failure"], Value::Null);
    assert!(!home.run(&["list"]).ok().contains("failed"));
}

#[test]
fn a_queue_that_would_fail_too_is_held_until_a_person_goes_on() {
    let home = DriveHome::new();
    let run = home.start("[[wait-file: go]] [[rate-limit]]");
    home.run(&["send", &run, "[[say: two]]"]).ok();
    home.write("go", "");
    let found = home.wait(&run, "held");
    let words = "A limit of the account is reached: queued prompts wait";
    assert!(found["queue_held"].as_str().is_some_and(|held| held.starts_with(words)));
    assert_eq!(
        (&found["held_by"], found["queue"].as_array().map(Vec::len)),
        (&Value::Null, Some(1))
    );
    assert!(found["failed"].as_str().is_some_and(|failed| failed.contains("429")));
    let shown = home.run(&["wait", &run]).ok();
    assert!(shown.contains("is held: its last turn failed") && shown.contains(words), "{shown}");
    let listed = home.run(&["list"]).ok();
    assert!(listed.contains("idle; its queue is held") && listed.contains(words), "{listed}");
    // The failed prompt is sent first, and fails again; the queue is unchanged.
    home.run(&["again", &run, "--yes"]).ok();
    let found = home.wait(&run, "held");
    assert_eq!(found["queue"][0]["text"], "[[say: two]]");
    home.run(&["go-on", &run]).ok();
    let found = home.wait(&run, "idle");
    assert_eq!((&found["queue_held"], &found["last_failure"]), (&Value::Null, &Value::Null));
    home.run(&["stop", &run]).ok();
    let followed = home.run(&["attach", &run]).ok();
    assert!(followed.contains(&format!("idle; {words}")), "{followed}");
}

#[test]
fn the_command_of_the_settings_is_told_and_delays_nothing() {
    let home = DriveHome::new();
    let told = home.home.user_home().join("told.json");
    let settings = home.home.user_home().join(".config/unspool/config.toml");
    fs::create_dir_all(settings.parent().expect("a folder")).expect("a folder");
    let command = format!("on_waiting = [\"cp\", \"/dev/stdin\", \"{}\"]\n", told.display());
    fs::write(&settings, command).expect("settings");
    let run = home.start("[[bash: touch made]]");
    let read = || {
        let text = fs::read_to_string(&told).unwrap_or_default();
        serde_json::from_str::<Value>(&text).unwrap_or_default()
    };
    until(|| read()["need"] == "answer");
    assert_eq!(read()["run"], run.as_str());
    assert_eq!(read()["approvals"][0]["input"]["command"], "touch made");
    home.run(&["approve", &run]).ok();
    until(|| read()["need"] == "idle");
    // A command that does not exist, or does not end, has no effect.
    let endless = format!("[\"tail\", \"--pid={}\", \"-f\", \"/dev/null\"]", std::process::id());
    for command in ["[\"/no/such/program\"]", &endless] {
        fs::write(&settings, format!("on_waiting = {command}\n")).expect("settings");
        let other = home.start("[[bash: true]]");
        let approval = home.asked(&other);
        home.run(&["approve", &approval]).ok();
        home.wait(&other, "idle");
    }
}

#[test]
fn a_prompt_that_was_written_before_messages_came_is_held() {
    let home = DriveHome::new();
    let run = home.start("[[say: one]]");
    home.wait(&run, "idle");
    let log = home.log(&run);
    let uuids = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
        let spoken = lines.filter(|line: &Value| line["type"] == "assistant");
        spoken.filter_map(|line| line["uuid"].as_str().map(str::to_owned)).collect()
    };
    let seen = uuids(&log).pop().expect("an answer");
    home.run(&["send", &run, "--seen", &seen, "[[say: two]]"]).ok();
    home.wait(&run, "idle");
    let held = home.run(&["send", &run, "--seen", &seen, "[[say: three]]"]).says(1, &[]);
    for part in ["2 messages came since", "--fork", &seen] {
        assert!(held.err.contains(part), "{part}: {}", held.err);
    }
    assert!(!home.log(&run).contains("three"));
    let session = home.look(&run)["session"].as_str().expect("an id").to_owned();
    let branch = home.run(&[
        "start",
        "--session",
        &session,
        "--at",
        &seen,
        "--fork",
        "--prompt",
        "[[say: three]]",
        "--json",
    ]);
    let branch = branch.json()["run"].as_str().expect("an id").to_owned();
    home.wait(&branch, "idle");
    let copy = home.log(&branch);
    assert!(copy.contains("three") && !copy.contains("two"), "{copy}");
}
