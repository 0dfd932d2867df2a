//! Kills hosts: everything pending becomes interrupted, and nothing runs again.

use std::collections::BTreeMap;
use std::env;
use std::fs;

use unspool_drive::store::PromptRecord;
use unspool_drive::{
    ActionId, DriveError, PersonChoice, PromptState, Resolution, RunId, RunNeed, RunState, RunView,
};
use unspool_testkit::reaper::Reaper;
use unspool_testkit::rng::Rng;

use crate::conversation::answer_all;
use crate::world::{DriveWorld, harness, is_running, until_gone};

/// The variable that sets the number of kills in a test.
const MOMENTS: &str = "UNSPOOL_MOMENTS";

/// Returns the number of kills and the generator of their moments, and prints the seed.
pub(crate) fn moments(default: usize, name: &str) -> (usize, Rng) {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("UNSPOOL_SOAK_SEED").unwrap_or(16);
    let count = number(MOMENTS).map_or(default, |count| count as usize);
    println!("{name}: {count} moments, seed {seed}");
    (count, Rng::new(seed))
}

/// Returns the prompts of a conversation with approvals, a queue and an agent.
pub(crate) fn script() -> Vec<&'static str> {
    vec![
        "[[say: begin]] [[bash: echo 1 >> ran]]",
        "[[parallel: ((bash: echo 2 >> ran)) ((bash: echo 3 >> ran))]]",
        "[[agent: ((bash: echo 4 >> ran)) ((say: told))]] [[bash: echo 5 >> ran]]",
        "[[bash: echo 6 >> ran]] [[say: end]]",
    ]
}

#[test]
fn a_host_that_dies_while_a_person_is_asked_leaves_an_interrupted_approval() {
    let world = DriveWorld::new();
    let run = world.start("[[bash: touch never]]");
    let view = world.until(&run, |view| view.need() == Some(RunNeed::Answer));
    let queued = world.put(&run, "[[bash: touch queued]]");
    let approval = view.approvals[0].id.clone();
    let followed = world.drive.follow(&run, 0).expect("a follower");
    world.kill_host(&run);
    let view = world.reopened().run(&run).expect("the run");
    assert_eq!(view.run.state, RunState::Lost);
    assert_eq!(view.approvals[0].resolution, Some(Resolution::Interrupted));
    let was: Vec<_> = view.prompts.iter().map(|prompt| prompt.was).collect();
    assert_eq!(was, [Some(PromptState::TakenUp), Some(PromptState::Queued)]);
    let json = view.to_json();
    assert_eq!((json.state.name(), json.approvals.len(), json.queue.len()), ("lost", 1, 2));
    let last = followed.last().expect("an end").event;
    assert_eq!(serde_json::to_value(last).expect("json")["state"], "lost");
    let late = world.drive.answer(&approval, &PersonChoice::allow(), "me");
    assert!(matches!(late, Err(DriveError::ApprovalOver(Resolution::Interrupted))), "{late:?}");
    let dropped = world.drive.cancel_prompt(&run, &queued).expect("an answer");
    assert_eq!(dropped, PromptState::Lost);
    // The client has lost its input and exits; no call was allowed, so none ran.
    until_gone(view.run.client.as_ref().expect("a client"));
    assert_eq!(world.ran(), Vec::<String>::new());
    let next = RunId::random();
    world.drive.run_again(&next, &run, "me").expect("a run");
    world.answer_all(&next);
    assert!(world.file("never").exists(), "a person wanted it run again");
    assert!(!world.file("queued").exists());
}

#[test]
fn a_client_that_outlives_its_host_is_named_and_can_be_stopped() {
    let world = DriveWorld::new();
    let run = world.start("[[silence]]");
    let view = world.until(&run, |view| view.prompts[0].state == PromptState::TakenUp);
    let client = view.run.client.expect("a client");
    world.kill_host(&run);
    let lost = world.drive.run(&run).expect("the run");
    assert_eq!(lost.run.state, RunState::Lost);
    if is_running(&client) {
        let refused = world.drive.go_on(&RunId::random(), &run, "me");
        let is_refused =
            matches!(refused, Err(DriveError::StillRunning(_))) || !is_running(&client);
        assert!(is_refused, "{refused:?}");
    }
    world.drive.stop(&ActionId::random(), &run).expect("stopped");
    until_gone(&client);
    world.drive.go_on(&RunId::random(), &run, "me").expect("a run");
}

/// Runs a conversation whose host may be killed before one of its writes; returns the run after its end.
fn converse_until(world: &DriveWorld) -> RunView {
    let conversation = world.conversation(&script());
    let run = conversation.run.clone();
    // The host may die at any time, so each of these calls may fail.
    let begun = world.drive.start(&world.place.request(&run));
    if begun.is_ok() {
        for (id, text) in &conversation.prompts {
            let content = unspool_drive::PromptContent::text(text.as_str());
            let send = unspool_drive::SendWhen::Idle;
            let _ = world.drive.put_prompt(&run, id, &content, send, "test");
        }
        let _ = answer_all(&world.drive, &run);
        let _ = world.drive.stop(&ActionId::random(), &run);
    }
    // The lock of a dead host is released a moment later, even if the host did not start.
    let over = world.drive.wait(std::slice::from_ref(&run), |view| view.run.state.is_over());
    over.expect("an end");
    world.drive.run(&run).expect("the run")
}

/// Returns the command of a host under the reaper.
fn watched(reaper: &Reaper, setting: &str) -> Vec<String> {
    let library = format!("LD_PRELOAD={}", reaper.library().display());
    let words =
        ["/usr/bin/env".to_owned(), library, setting.to_owned(), harness(), "host".to_owned()];
    words.to_vec()
}

#[test]
fn a_host_killed_at_any_moment_leaves_nothing_that_runs_again() {
    kill_hosts(5);
}

#[test]
#[ignore = "`cargo xtask soak` runs it"]
fn a_host_killed_at_fifty_moments_leaves_nothing_that_runs_again() {
    kill_hosts(50);
}

/// Kills the hosts of `count` conversations, each before another write.
fn kill_hosts(count: usize) {
    let Some(reaper) = Reaper::new() else { return };
    let (count, mut rng) = moments(count, "hosts killed");
    let tally = tempfile::NamedTempFile::new().expect("a file");
    let setting = format!("REAPER_TALLY={}", tally.path().display());
    let whole = DriveWorld::with_host(watched(&reaper, &setting));
    let view = converse_until(&whole);
    until_gone(view.run.host.as_ref().expect("a host"));
    assert_eq!(fs::read_to_string(whole.file("ran")).expect("a file").lines().count(), 6);
    let text = fs::read_to_string(tally.path()).expect("a tally");
    let writes: u64 = text.split_whitespace().next().expect("a number").parse().expect("a number");
    println!("a conversation has {writes} writes of the host");
    let mut states = BTreeMap::<String, usize>::new();
    for _ in 0..count {
        let nth = rng.between(1, writes);
        let world = DriveWorld::with_host(watched(&reaper, &format!("REAPER_LAST={nth}")));
        let view = converse_until(&world);
        check_interrupted(&world, &view, nth);
        let open = |prompt: &&PromptRecord| prompt.state == PromptState::Lost;
        let lost = view.prompts.iter().filter(open).count();
        let what = format!("{} with {lost} prompts lost", view.run.state.stage());
        *states.entry(what).or_default() += 1;
    }
    println!("{states:?}");
}

/// Checks that everything pending is interrupted, and that nothing runs again.
fn check_interrupted(world: &DriveWorld, view: &RunView, nth: u64) {
    assert!(view.run.state.is_over(), "{nth}: {:?}", view.run.state);
    assert!(view.prompts.iter().all(|prompt| !prompt.state.is_open()), "{nth}");
    assert!(view.approvals.iter().all(|one| one.resolution.is_some()), "{nth}");
    if let Some(client) = &view.run.client {
        until_gone(client);
    }
    // A host may die before it records the process id of its client.
    while !world.drive.left_running(view).is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let ran = world.ran();
    let mut unique = ran.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(ran.len(), unique.len(), "{nth}: a call ran twice");
    // A call runs only if its approval was answered.
    let allowed = view.approvals.iter().filter(|one| one.resolution == Some(Resolution::Answered));
    let lines = fs::read_to_string(world.file("ran")).unwrap_or_default().lines().count();
    assert!(lines <= allowed.count(), "{nth}");
    let healthy = DriveWorld::with_host(vec![harness(), "host".to_owned()]);
    let mut place = world.place.clone();
    place.host.clone_from(&healthy.place.host);
    let drive = place.open().expect("a drive");
    let next = RunId::random();
    let gone_on = drive.go_on(&next, &view.run.id, "me");
    let gone_on = gone_on.unwrap_or_else(|error| panic!("{nth}: {error}"));
    assert!(gone_on.prompts.is_empty());
    let found = drive.wait(std::slice::from_ref(&next), |view| view.need().is_some());
    let need = found.expect("an answer")[0].need();
    assert_eq!(need, Some(RunNeed::Idle), "{nth}");
    assert_eq!(world.ran(), ran, "{nth}: something ran by itself");
    let _ = drive.stop(&ActionId::random(), &next);
    drive.wait(&[next], |view| view.run.state.is_over()).expect("an end");
}

#[test]
fn rapid_calls_with_kills_in_between_run_each_call_once() {
    let world = DriveWorld::new();
    let calls = "[[bash: echo x >> ran]] ".repeat(6);
    let mut run = world.start(&calls);
    for round in 0..3 {
        let view = world.until(&run, |view| view.need() == Some(RunNeed::Answer));
        let open = view.approvals.iter().find(|one| one.resolution.is_none());
        let open = open.expect("an approval");
        world.drive.answer(&open.id, &PersonChoice::allow(), "me").expect("an answer");
        world.kill_host(&run);
        let view = world.drive.run(&run).expect("the run");
        assert_eq!(view.run.state, RunState::Lost, "{round}");
        until_gone(view.run.client.as_ref().expect("a client"));
        let ran = world.ran().len();
        let next = RunId::random();
        world.drive.go_on(&next, &run, "me").expect("a run");
        world.until(&next, |view| view.need() == Some(RunNeed::Idle));
        assert_eq!(world.ran().len(), ran, "{round}: going on runs nothing");
        world.put(&next, &calls);
        run = next;
    }
    let ran = world.ran();
    let mut unique = ran.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(ran.len(), unique.len());
}
