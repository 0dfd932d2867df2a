//! Interrupting and stopping runs, and processes that survive a dead host.

use unspool_testkit::process::{is_running, parent_of};

use super::{DriveHome, kill, until};
use crate::run::Ran;

#[test]
fn going_on_with_a_run_that_is_not_over_offers_the_command() {
    let home = DriveHome::new();
    let run = home.start("[[bash: true]]");
    home.asked(&run);
    for (args, next) in
        [(&["go-on", &run][..], "go-on"), (&["again", &run, "--yes"], "again --yes")]
    {
        let refused = home.run(args).says(1, &[]);
        let command = format!("unspool drive stop {run} && unspool drive {next} {run}");
        assert!(refused.err.contains(&command), "{}", refused.err);
    }
}

#[test]
fn the_id_of_a_request_is_not_taken_for_another_one() {
    let home = DriveHome::new();
    let run = home.start("[[silence]]");
    let id = "7b0f6a52-8e3f-4b43-9a3e-0c1a2b3c4d5e";
    home.run(&["interrupt", &run, "--id", id]).ok();
    home.run(&["interrupt", &run, "--id", id]).ok();
    home.run(&["stop", &run, "--id", id]).says(2, &["another request"]);
}

#[test]
fn a_run_that_was_stopped_is_over() {
    let home = DriveHome::new();
    let run = home.start("[[bash: touch made]]");
    home.asked(&run);
    let client = home.look(&run)["pid"].as_u64().expect("a process") as u32;
    let stopped = home.run(&["stop", &run, "--json"]).json();
    assert_eq!(stopped["state"], "ended");
    assert_eq!(stopped["ended"]["how"], "stopped");
    assert!(!is_running(client) && !home.has("made"));
    assert_eq!(home.run(&["stop", &run]).ok(), "ended: stopped\n");
    home.run(&["wait", &run]).says(1, &["stopped"]);
    home.run(&["send", &run, "more"]).says(1, &["drive go-on"]);
    home.run(&["list"]).says(1, &["--all"]);
    assert!(home.run(&["list", "--all"]).ok().contains("ended: stopped"));
}

#[test]
fn after_the_death_of_a_host_nothing_runs_again_unless_a_person_says_so() {
    let home = DriveHome::new();
    let run = home.start("[[bash: echo x >> made]]");
    home.asked(&run);
    let client = home.look(&run)["pid"].as_u64().expect("a process") as u32;
    kill(parent_of(client).expect("the host"));
    let lost = home.until(&run, |run| run["state"] == "lost");
    assert_eq!(lost["approvals"][0]["resolved"], "interrupted");
    assert_eq!(lost["queue"][0]["state"], "lost");
    assert_eq!(lost["queue"][0]["was"], "taken_up");
    let listed = home.run(&["list"]).ok();
    assert!(listed.contains("(interrupted)"), "{listed}");
    let waited = home.run(&["wait", &run]).says(1, &[]);
    assert_eq!(waited.err.matches("the host died").count(), 1, "{}", waited.err);
    home.run(&["stop", &run]).ok();
    until(|| !is_running(client));
    home.run(&["approve", &run]).says(1, &[]);
    let mut failing = home.drive(&["go-on", &run]);
    Ran::of(failing.env("UNSPOOL_CLAUDE", "/bin/false")).says(1, &[]);
    let listed = home.run(&["list"]).ok();
    assert!(listed.contains("(interrupted)"), "{listed}");
    home.run(&["again", &run]).says(2, &["may run twice"]);
    assert!(!home.has("made"));
    let again = home.run(&["again", &run, "--yes", "--json"]);
    assert!(again.err.contains("may run twice"), "{}", again.err);
    let again = again.json()["run"].as_str().expect("an id").to_owned();
    let approval = home.asked(&again);
    home.run(&["approve", &approval]).ok();
    home.wait(&again, "idle");
    let made = std::fs::read_to_string(home.folder.join("made"));
    assert_eq!(made.expect("the file"), "x\n");
    let newer = home.run(&["list", "--json"]).lines();
    assert_eq!(newer.len(), 1, "the lost run was gone on with");
}
