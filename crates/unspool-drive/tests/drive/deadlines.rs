//! Tests of deadlines, with a clock that the test moves.

use std::fs;

use unspool_drive::socket::{LimitChange, LimitsChange};
use unspool_drive::{
    ActionId, DriveError, PromptState, Resolution, RunEnd, RunId, RunNeed, RunState,
};

use crate::world::{DriveWorld, is_running, until_gone};

#[test]
fn an_idle_client_is_ended_and_its_session_gone_on_with() {
    let world = DriveWorld::new();
    let run = world.start("[[say: one]]");
    world.until(&run, |view| view.need() == Some(RunNeed::Idle));
    world.clock.pass(299);
    world.tick(&run);
    assert_eq!(world.drive.run(&run).expect("the run").run.state, RunState::Idle);
    world.clock.pass(1);
    world.tick(&run);
    let view = world.until_over(&run);
    assert_eq!(view.run.state, RunState::Ended(RunEnd::IdleDeadline));
    let next = RunId::random();
    let view = world.drive.go_on(&next, &run, "me").expect("a run");
    assert!(view.prompts.is_empty());
    world.put(&next, "[[bash: touch again]]");
    world.answer_all(&next);
    assert!(world.file("again").exists());
}

#[test]
fn what_no_person_answers_is_answered_for_them() {
    let world = DriveWorld::new();
    let run = world.start("[[bash: touch never]] [[ask: Which? | A | B]]");
    for count in 1..=2 {
        world.until(&run, |view| {
            view.need() == Some(RunNeed::Answer) && view.approvals.len() == count
        });
        world.clock.pass(1800);
        world.tick(&run);
    }
    let view = world.until(&run, |view| view.need() == Some(RunNeed::Idle));
    let resolved = |view: &unspool_drive::RunView| {
        let all = view.approvals.iter();
        all.map(|one| one.resolution).collect::<Vec<_>>()
    };
    assert_eq!(resolved(&view), [Some(Resolution::TimedOut); 2]);
    assert!(!world.file("never").exists());
    assert_eq!(view.prompts[0].state, PromptState::Done);
}

#[test]
fn tools_that_survive_their_client_are_named() {
    let world = DriveWorld::new();
    let run =
        world.start("[[bash: setsid sh -c 'exec sleep 1000' > /dev/null 2>&1 & echo started]]");
    world.answer_all(&run);
    world.drive.stop(&ActionId::random(), &run).expect("asked");
    let view = world.until_over(&run);
    let survivors = view.run.end.expect("an end").survivors;
    assert_eq!(survivors.len(), 1, "{survivors:?}");
    assert!(survivors[0].command.contains("sleep 1000"));
    let pid = rustix::process::Pid::from_raw(survivors[0].pid.cast_signed()).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("ended");
}

#[test]
fn spools_go_a_day_after_the_end() {
    let world = DriveWorld::new();
    let run = world.start("[[say: x]]");
    world.answer_all(&run);
    world.drive.stop(&ActionId::random(), &run).expect("asked");
    let view = world.until_over(&run);
    until_gone(view.run.host.as_ref().expect("a host"));
    assert!(!is_running(view.run.client.as_ref().expect("a client")));
    let day = 24 * 60 * 60;
    world.clock.pass(day - 1);
    assert_eq!(world.drive.sweep().expect("a sweep"), 0);
    assert!(world.drive.spool_length(&run) > 0);
    world.clock.pass(1);
    assert_eq!(world.drive.sweep().expect("a sweep"), 1);
    assert_eq!(world.drive.spool_length(&run), 0);
    let events = world.drive.follow(&run, 0).expect("a follower").count();
    assert_eq!(events, 1, "only how it ended");
}

#[test]
fn a_spool_with_an_answer_that_the_log_lacks_is_kept() {
    let world = DriveWorld::new();
    let run = world.start("[[say: the only copy]]");
    world.answer_all(&run);
    world.drive.stop(&ActionId::random(), &run).expect("asked");
    world.until_over(&run);
    let (projects, away) = (world.place.home.join("projects"), world.top().join("away"));
    fs::rename(&projects, &away).expect("renamed");
    let day = 24 * 60 * 60;
    world.clock.pass(2 * day);
    assert_eq!(world.drive.sweep().expect("a sweep"), 0);
    assert!(world.drive.spool_length(&run) > 0);
    fs::rename(&away, &projects).expect("renamed");
    assert_eq!(world.drive.sweep().expect("a sweep"), 1);
    assert_eq!(world.drive.spool_length(&run), 0);
}

#[test]
fn runs_are_forgotten_thirty_days_after_the_end() {
    let world = DriveWorld::new();
    let run = world.start("[[bash: true]]");
    let alive = world.start("");
    let view = world.answer_all(&run);
    let (prompt, approval) = (&view.prompts[0].id, &view.approvals[0].id);
    let forgotten = world.drive.forget(&run);
    assert!(matches!(forgotten, Err(DriveError::NotOver(_))), "{forgotten:?}");
    world.drive.stop(&ActionId::random(), &run).expect("asked");
    world.until_over(&run);
    // The other run must not end by its own deadline meanwhile.
    let off = LimitsChange { idle: LimitChange::Off, ..LimitsChange::default() };
    let limits = world.drive.set_limits(&ActionId::random(), &alive, off);
    limits.expect("a change");
    let day = 24 * 60 * 60;
    world.clock.pass(30 * day - 1);
    assert_eq!(world.drive.sweep().expect("a sweep"), 1);
    assert!(world.drive.run(&run).is_ok(), "only the spool is gone");
    world.clock.pass(1);
    assert_eq!(world.drive.sweep().expect("a sweep"), 1);
    let gone = world.drive.run(&run);
    assert!(matches!(gone, Err(DriveError::UnknownRun(_))), "{gone:?}");
    let gone = world.drive.approval(approval);
    assert!(matches!(gone, Err(DriveError::Unknown(_))), "{gone:?}");
    let gone = world.drive.cancel_prompt(&run, prompt);
    assert!(matches!(gone, Err(DriveError::Unknown(_))), "{gone:?}");
    let left = world.drive.runs().expect("the runs");
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].run.id, alive);
}
