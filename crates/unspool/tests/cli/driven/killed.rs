//! The server dies, and nothing is lost or done twice.

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
