//! Tests of clients that misbehave, and of many hosts at once.

use unspool_drive::launch::ClientProgram;
use unspool_drive::{
    ActionId, DriveError, PromptContent, PromptId, PromptState, RunEnd, RunId, RunNeed, RunState,
    SendWhen,
};
use unspool_testkit::process::{kernel_bytes, ticks_of};

use crate::world::{DriveWorld, harness};

/// Returns a size in bytes of a process, by its name in `/proc/<pid>/status`.
fn bytes_of(pid: u32, name: &str) -> u64 {
    kernel_bytes(&format!("/proc/{pid}/status"), name).expect("a process")
}

#[test]
fn torn_and_wrong_lines_are_taken_as_they_come() {
    let world = DriveWorld::new();
    let run = world.start("[[torn]] [[wrong]] [[bash: touch x]]");
    let view = world.answer_all(&run);
    assert_eq!(view.need(), Some(RunNeed::Idle));
    assert!(world.file("x").exists());
    world.put(&run, "[[half-line]]");
    let view = world.until_over(&run);
    assert_eq!(view.run.state, RunState::Ended(RunEnd::Died));
    assert_eq!(view.prompts[1].state, PromptState::Lost);
}

#[test]
fn a_flood_stays_within_limits_and_loses_nothing_that_was_acknowledged() {
    let world = DriveWorld::new();
    let run = world.start("[[flood: 100]]");
    // Prompts are accepted during the flood.
    let after = world.put(&run, "[[bash: touch after]]");
    let view = world.answer_all(&run);
    assert_eq!(view.need(), Some(RunNeed::Idle));
    assert!(world.file("after").exists());
    assert!(
        view.prompts.iter().any(|prompt| prompt.id == after && prompt.state == PromptState::Done)
    );
    let length = world.drive.spool_length(&run);
    assert!(length <= 257 << 20, "{length}");
    let host = view.run.host.expect("a host").pid;
    let most = bytes_of(host, "VmHWM");
    assert!(most < 600 << 20, "{most} bytes");
    let events = world.drive.follow(&run, 0).expect("a follower");
    let stop = events.stopper();
    let mut has_marker = false;
    for event in events {
        has_marker |= event.event.name() == "leftOut";
        if event.cursor >= length {
            stop.stop();
        }
    }
    assert!(has_marker);
    println!("flood of 100 MB: spool {length} bytes, host at most {most} bytes");
}

#[test]
fn a_client_that_does_not_read_keeps_no_caller_waiting() {
    let mut world = DriveWorld::new();
    world.place.client =
        ClientProgram { path: harness().into(), arguments: vec!["deaf".to_owned()] };
    world.drive = world.reopened();
    let run = world.start("");
    world.until(&run, |view| view.run.state == RunState::Idle);
    let content = PromptContent::text("x".repeat(8 << 20));
    let mut outcomes = Vec::new();
    for _ in 0..12 {
        let id = PromptId::random();
        outcomes.push(world.drive.put_prompt(&run, &id, &content, SendWhen::Now, "test"));
    }
    let refused = outcomes.iter().filter(|one| matches!(one, Err(DriveError::Refused(_)))).count();
    let taken = outcomes.iter().filter(|one| one.is_ok()).count();
    assert!(refused >= 2 && taken >= 8, "{outcomes:?}");
    let status = world.drive.host_status(&run).expect("a status");
    assert!(status.unread > 60 << 20, "{status:?}");
    world.drive.stop(&ActionId::random(), &run).expect("asked");
    world.clock.pass(5);
    world.tick(&run);
    let view = world.until_over(&run);
    assert_eq!(view.run.state, RunState::Ended(RunEnd::Stopped));
    assert_eq!(view.run.end.expect("an end").signal, Some(15));
    let lost = view.prompts.iter().filter(|prompt| prompt.state == PromptState::Lost);
    assert_eq!(lost.count(), taken);
}

#[test]
fn twenty_idle_hosts_take_little_memory_and_no_processor() {
    let world = DriveWorld::new();
    let runs: Vec<RunId> = (0..20).map(|_| world.start("[[say: x]]")).collect();
    let hosts: Vec<u32> = runs
        .iter()
        .map(|run| {
            let view = world.until(run, |view| view.need() == Some(RunNeed::Idle));
            view.run.host.expect("a host").pid
        })
        .collect();
    let memory: Vec<u64> = hosts.iter().map(|pid| bytes_of(*pid, "RssAnon")).collect();
    let whole: Vec<u64> = hosts.iter().map(|pid| bytes_of(*pid, "VmRSS")).collect();
    let before: Vec<u64> = hosts.iter().map(|pid| ticks_of(*pid).expect("a process")).collect();
    // These queries read only the store and use no host.
    for _ in 0..50 {
        assert_eq!(world.drive.runs().expect("runs").len(), 20);
    }
    let after: Vec<u64> = hosts.iter().map(|pid| ticks_of(*pid).expect("a process")).collect();
    assert_eq!(before, after);
    let (most, most_whole) = (memory.iter().max(), whole.iter().max());
    println!("20 idle hosts: at most {most:?} bytes of their own, {most_whole:?} with the program");
    assert!(most.is_some_and(|most| *most < 10 << 20), "{memory:?}");
}
