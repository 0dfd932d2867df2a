//! The server or the host dies, and nothing is lost or done twice.

use std::process::Command;

use serde_json::{Value, json};

use super::{Driven, new_id};

#[test]
fn an_approval_outlives_the_server_and_is_answered_once() {
    let mut driven = Driven::start();
    let run = driven.run("go [[bash: touch made]]");
    let before = driven.approval();
    let id = run["run"].as_str().expect("an id").to_owned();
    let queued = new_id();
    let body = json!({ "id": queued, "text": "and then" });
    let (status, _) = driven.ask("POST", &format!("/api/runs/{id}/prompts"), Some(body));
    assert_eq!(status, 202);
    for _ in 0..3 {
        driven.kill_server();
        driven.serve();
        let after = driven.approval();
        assert_eq!(after["id"], before["id"]);
    }
    let way = format!("/api/approvals/{}", before["id"].as_str().expect("an id"));
    driven.ask("POST", &way, Some(json!({ "decision": "allow" })));
    // The turn and the queue go on while no server runs.
    driven.kill_server();
    let log = driven.home.project_dir(&driven.folder.display().to_string());
    let log = log.join(format!("{}.jsonl", run["session"].as_str().expect("an id")));
    wait_for_log(&log, &queued);
    driven.serve();
    driven.wait_state(&run, "idle");
    assert_eq!(driven.calls_run(), 1);
    let text = std::fs::read_to_string(&log).expect("a log");
    assert_eq!(text.matches(&format!("\"uuid\":\"{queued}\"")).count(), 1);
}

#[test]
fn a_server_that_starts_asks_the_clients_again() {
    let mut driven = Driven::start();
    let run = driven.run("first");
    driven.wait_state(&run, "idle");
    driven.kill_server();
    // The client has a command more, which it says when it is asked.
    let folder = driven.folder.join(".claude/commands");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("fix.md"), "fix it").expect("a file");
    driven.serve();
    let way = format!("/api/runs/{}/menu", run["run"].as_str().expect("an id"));
    driven.wait("the command", |driven| {
        let menu = driven.get(&way);
        let mut commands = menu["commands"].as_array()?.iter();
        commands.find(|one| one["name"] == "fix").cloned()
    });
}

/// Waits until a prompt is in a log; no server can be asked.
fn wait_for_log(log: &std::path::Path, prompt: &str) {
    for _ in 0..super::TRIES {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        if text.contains(prompt) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("the queued prompt was not sent");
}

#[test]
fn what_a_host_that_died_had_pending_is_shown_and_not_run_again() {
    let driven = Driven::start();
    let run = driven.run("go [[bash: touch made]]");
    driven.approval();
    let id = run["run"].as_str().expect("an id");
    let body = json!({ "id": new_id(), "text": "and then" });
    driven.ask("POST", &format!("/api/runs/{id}/prompts"), Some(body));
    let pid = host_of(&driven, id);
    let killed = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
    assert!(killed.expect("kill").success());
    let lost = driven.wait_state(&run, "lost");
    assert_eq!(driven.get("/api/approvals")["approvals"], json!([]));
    assert_eq!(lost["approvals"][0]["resolved"], "interrupted");
    let states: Vec<&Value> = lost["queue"].as_array().expect("a list").iter().collect();
    assert!(states.iter().all(|prompt| prompt["state"] == "lost"), "{lost}");
    assert_eq!(driven.calls_run(), 0);
    // A person says to run the last prompt again.
    let stop = driven.ask("POST", &format!("/api/runs/{id}/stop"), Some(json!({})));
    assert_eq!(stop.0, 200, "{}", stop.1);
    let again = driven.wait("the client is gone", |driven| {
        let body = json!({ "id": new_id() });
        let (code, run) = driven.ask("POST", &format!("/api/runs/{id}/again"), Some(body));
        (code == 201).then_some(run)
    });
    let approval = driven.approval();
    assert_eq!(approval["run"], again["run"]);
    let way = format!("/api/approvals/{}", approval["id"].as_str().expect("an id"));
    driven.ask("POST", &way, Some(json!({ "decision": "allow" })));
    driven.wait_state(&again, "idle");
    assert_eq!(driven.calls_run(), 1);
}

/// Finds the process of a run's host: the parent of the client.
fn host_of(driven: &Driven, run: &str) -> u32 {
    let client = driven.get(&format!("/api/runs/{run}"))["pid"].clone();
    let client = client.as_u64().expect("a process");
    let stat = std::fs::read_to_string(format!("/proc/{client}/stat")).expect("a process");
    let after = stat.rsplit(')').next().expect("facts");
    let parent = after.split_whitespace().nth(1).expect("a parent");
    parent.parse().expect("a number")
}
