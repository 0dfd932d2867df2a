//! Kills supervisors: no prompt is lost or sent twice, no approval is lost or answered twice, and the turn
//! continues.

use std::fs;
use std::process::Command;

use unspool_drive::{ActionId, PromptState, Resolution};
use unspool_testkit::reaper::Reaper;

use crate::conversation::TestConversation;
use crate::killed_host::{moments, script};
use crate::world::{DriveWorld, harness};

/// Returns a world whose hosts do not inherit the variables of the library that counts writes.
fn world() -> DriveWorld {
    let words = ["/usr/bin/env", "-u", "LD_PRELOAD", "-u", "REAPER_LAST", "-u", "REAPER_TALLY"];
    let mut host: Vec<String> = words.map(str::to_owned).to_vec();
    host.extend([harness(), "host".to_owned()]);
    DriveWorld::with_host(host)
}

fn converse(world: &DriveWorld, conversation: &TestConversation) -> Command {
    let path = world.top().join("conversation");
    let text = serde_json::to_vec(conversation).expect("json");
    fs::write(&path, text).expect("a file");
    let mut command = Command::new(harness());
    command.arg("converse").arg(path);
    command
}

fn check(world: &DriveWorld, conversation: &TestConversation, nth: u64) {
    let view = world.drive.run(&conversation.run).expect("the run");
    let texts: Vec<&str> = view.prompts.iter().map(|one| one.content.text.as_str()).collect();
    assert_eq!(texts, script(), "{nth}");
    for prompt in &view.prompts {
        assert_eq!(prompt.state, PromptState::Done, "{nth}: {prompt:?}");
    }
    assert_eq!(
        view.approvals.iter().filter(|one| one.resolution != Some(Resolution::Answered)).count(),
        0
    );
    let ran = fs::read_to_string(world.file("ran")).expect("a file");
    let mut ran: Vec<&str> = ran.lines().collect();
    ran.sort_unstable();
    assert_eq!(ran, ["1", "2", "3", "4", "5", "6"], "{nth}");
    let action = ActionId::random();
    world.drive.stop(&action, &conversation.run).expect("asked");
    world.until_over(&conversation.run);
}

#[test]
fn a_supervisor_killed_at_any_moment_loses_nothing_and_repeats_nothing() {
    kill_supervisors(10);
}

#[test]
#[ignore = "`cargo xtask soak` runs it"]
fn a_supervisor_killed_at_a_hundred_moments_loses_nothing_and_repeats_nothing() {
    kill_supervisors(100);
}

/// Kills the supervisors of `count` conversations, each at other moments.
fn kill_supervisors(count: usize) {
    let Some(reaper) = Reaper::new() else { return };
    let (count, mut rng) = moments(count, "supervisors killed");
    let whole = world();
    let conversation = whole.conversation(&script());
    let writes = reaper.writes_of(&mut converse(&whole, &conversation));
    check(&whole, &conversation, 0);
    println!("a conversation has {writes} writes of the supervisor");
    for _ in 0..count {
        let world = world();
        let conversation = world.conversation(&script());
        // The supervisor is killed twice, before different writes, and then runs to the end.
        let nth = rng.between(1, writes);
        reaper.end_before(nth, &mut converse(&world, &conversation));
        let again = rng.between(1, writes);
        reaper.end_before(again, &mut converse(&world, &conversation));
        let status = converse(&world, &conversation).status().expect("a program");
        assert!(status.success(), "{nth}, {again}");
        check(&world, &conversation, nth);
    }
}
