//! The server or the host dies, and nothing is lost or done twice.

use serde_json::{Value, json};
use unspool_testkit::driven::new_id;
use unspool_testkit::process::{parent_of, signal};

use super::Driven;

#[test]
fn an_approval_outlives_the_server_and_is_answered_once() {
    let mut driven = Driven::start();
    let run = driven.run("go [[bash: touch made]]");
    let before = driven.approval();
    let queued = driven.put(&run, "and then")["id"].clone();
    let queued = queued.as_str().expect("an id");
    for _ in 0..3 {
        driven.kill_server();
        driven.serve();
        let after = driven.approval();
        assert_eq!(after["id"], before["id"]);
    }
    driven.allow(&before);
    // The turn and the queue go on while no server runs.
    driven.kill_server();
    let log = driven.place.log_path(run["session"].as_str().expect("an id"));
    let said = || std::fs::read_to_string(&log).unwrap_or_default();
    driven.wait("the queued prompt", || said().contains(queued).then_some(()));
    driven.serve();
    driven.until_done(&run);
    assert_eq!(driven.place.calls_run().len(), 1);
    assert_eq!(said().matches(&format!("\"uuid\":\"{queued}\"")).count(), 1);
}

#[test]
fn a_server_that_starts_asks_the_clients_again() {
    let mut driven = Driven::start();
    let run = driven.run("first");
    driven.until_done(&run);
    driven.kill_server();
    // The client has a command more, which it says when it is asked.
    driven.place.write(".claude/commands/fix.md", "fix it");
    driven.serve();
    let way = format!("/api/runs/{}/menu", run["run"].as_str().expect("an id"));
    driven.wait("the command", || {
        let menu = driven.get(&way);
        let mut commands = menu["commands"].as_array()?.iter();
        commands.find(|one| one["name"] == "fix").cloned()
    });
}

#[test]
fn what_a_host_that_died_had_pending_is_shown_and_not_run_again() {
    let driven = Driven::start();
    let run = driven.run("go [[bash: touch made]]");
    driven.approval();
    driven.put(&run, "and then");
    let client = driven.run_now(&run)["pid"].as_u64().expect("a process");
    let host = parent_of(client as u32).expect("a host");
    assert!(signal("KILL", &host.to_string()));
    let lost = driven.wait_state(&run, "lost");
    assert_eq!(driven.get("/api/approvals")["approvals"], json!([]));
    assert_eq!(lost["approvals"][0]["resolved"], "interrupted");
    let states: Vec<&Value> = lost["queue"].as_array().expect("a list").iter().collect();
    assert!(states.iter().all(|prompt| prompt["state"] == "lost"), "{lost}");
    assert!(driven.place.calls_run().is_empty());
    // A person says to run the last prompt again.
    let stop = driven.act(&run, "stop", &json!({}));
    assert_eq!(stop.0, 200, "{}", stop.1);
    let again = driven.wait("the client is gone", || {
        let (code, run) = driven.act(&run, "again", &json!({ "id": new_id() }));
        (code == 201).then_some(run)
    });
    let approval = driven.approval();
    assert_eq!(approval["run"], again["run"]);
    driven.allow(&approval);
    driven.until_done(&again);
    assert_eq!(driven.place.calls_run().len(), 1);
}
