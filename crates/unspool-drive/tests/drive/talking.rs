//! Tests of prompts, approvals, sessions and trust.

use std::fs;

use serde_json::json;
use unspool_drive::json::DriveEventJson;
use unspool_drive::state::RunStage;
use unspool_drive::{
    ActionId, ClientProgram, DriveError, PersonChoice, PromptContent, PromptId, PromptState,
    RunEnd, RunId, RunNeed, RunState, SendWhen,
};

use crate::world::DriveWorld;

#[test]
fn a_prompt_is_answered_and_the_run_is_idle() {
    let world = DriveWorld::new();
    let run = world.start("[[say: hello]]");
    let view = world.until(&run, |view| view.need() == Some(RunNeed::Idle));
    assert_eq!(view.prompts[0].state, PromptState::Done);
    assert_eq!(view.run.limits.idle, Some(300));
    let json = serde_json::to_value(view.to_json()).expect("json");
    assert_eq!(json["state"], "idle");
    assert_eq!(json["deadlines"]["idle_at"], "2026-11-17T12:05:00.000Z");
    assert_eq!(json["queue"], json!([]));
    world.drive.stop(&ActionId::random(), &run).expect("asked");
    let view = world.until_over(&run);
    assert_eq!(view.run.state, RunState::Ended(RunEnd::Stopped));
    assert_eq!(view.run.end.expect("an end").code, Some(0));
}

#[test]
fn a_call_runs_when_it_is_allowed_and_not_when_it_is_refused() {
    let world = DriveWorld::new();
    let run = world.start("[[bash: touch one]] [[bash: touch two]]");
    for (name, choice) in [("one", PersonChoice::allow()), ("two", PersonChoice::deny("not that"))]
    {
        let view = world.until(&run, |view| {
            let mut open = view.approvals.iter().filter(|one| one.resolution.is_none());
            open.any(|one| one.request.input()["command"] == format!("touch {name}"))
        });
        assert_eq!(view.need(), Some(RunNeed::Answer));
        let open = world.drive.approvals().expect("approvals").pop().expect("one");
        let given = world.drive.answer(&open.id, &choice, "me").expect("an answer");
        assert_eq!((given.decision, given.by.as_str()), (choice.decision, "me"));
        // An equal answer returns the first one; a different one is a conflict with the first.
        let again = world.reopened().answer(&open.id, &choice, "you");
        assert_eq!(again.expect("the same"), given);
        let other = world.drive.answer(&open.id, &PersonChoice::deny("late"), "you");
        let first = match other {
            Err(DriveError::Conflict(first)) => first,
            other => panic!("{other:?}"),
        };
        assert_eq!(first, given);
    }
    world.until(&run, |view| view.need() == Some(RunNeed::Idle));
    assert!(world.file("one").exists());
    assert!(!world.file("two").exists());
    assert_eq!(world.ran().len(), 1);
}

#[test]
fn what_happens_is_followed_from_any_cursor() {
    let world = DriveWorld::new();
    let run = world.start("[[say: hello there]] [[bash: touch x]]");
    world.answer_all(&run);
    world.drive.stop(&ActionId::random(), &run).expect("asked");
    let all: Vec<_> = world.drive.follow(&run, 0).expect("a follower").collect();
    let names: Vec<&str> = all.iter().map(|event| event.event.name()).collect();
    for name in ["run", "queue", "partial", "approval", "approvalResolved"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let partial = all.iter().find_map(|event| match &event.event {
        DriveEventJson::Partial { text, .. } => Some(text.clone()),
        _ => None,
    });
    assert!(partial.is_some_and(|text| text.contains("hello there")));
    let last = &all.last().expect("an end").event;
    assert!(
        matches!(last, DriveEventJson::Run { state, .. } if *state == RunStage::Ended),
        "{last:?}"
    );
    // From every cursor, all later events are returned, and repeated events are equal.
    for (place, event) in all.iter().enumerate() {
        let rest: Vec<_> = world.drive.follow(&run, event.cursor).expect("a follower").collect();
        let notes = |events: &[unspool_drive::RunEvent]| {
            let notes = events.iter().filter(|event| event.event.name() != "partial");
            notes.map(|event| event.event.clone()).collect::<Vec<_>>()
        };
        let expected = notes(&all[place + 1..]);
        assert!(notes(&rest).ends_with(&expected), "{place}");
    }
    let stopper = world.start("[[silence]]");
    let follower = world.drive.follow(&stopper, 0).expect("a follower");
    let stop = follower.stopper();
    let thread = std::thread::spawn(move || follower.count());
    world.until(&stopper, |view| view.prompts[0].state == PromptState::TakenUp);
    stop.stop();
    thread.join().expect("an end");
}

#[test]
fn a_follower_of_the_turn_tells_what_is_being_written() {
    let world = DriveWorld::new();
    let run = world.start("[[say: an earlier turn]]");
    world.answer_all(&run);
    let between = world.drive.turn_cursor(&run);
    world.put(&run, "[[say: the turn that goes on]] [[bash: touch x]]");
    world.until(&run, |view| view.run.state.stage() == RunStage::Waiting);
    let within = world.drive.turn_cursor(&run);
    assert_eq!(between, within, "the turn goes on");
    world.drive.stop(&ActionId::random(), &run).expect("asked");
    let told = world.drive.follow(&run, within).expect("a follower");
    let told: Vec<String> = told
        .filter_map(|event| match event.event {
            DriveEventJson::Partial { text, .. } => Some(text),
            _ => None,
        })
        .collect();
    let is_told = |words: &str| told.iter().any(|text| text.contains(words));
    assert!(is_told("the turn that goes on"), "{told:?}");
    assert!(!is_told("an earlier turn"), "{told:?}");
}

#[test]
fn the_same_id_is_the_same_run_and_a_session_has_one() {
    let world = DriveWorld::new();
    let run = RunId::random();
    let mut request = world.place.request(&run);
    request.prompt = Some(PromptContent::text("[[bash: echo x >> once]]"));
    let first = world.drive.start(&request).expect("a run");
    let second = world.reopened().start(&request).expect("the same");
    assert_eq!(first.run.host, second.run.host);
    world.answer_all(&run);
    assert_eq!(fs::read_to_string(world.file("once")).expect("a file"), "x\n");
    let mut other = world.place.request(&RunId::random());
    other.session = Some(first.run.session.clone());
    let refused = world.drive.start(&other);
    assert!(matches!(refused, Err(DriveError::Driven { .. })), "{refused:?}");
    other.fork = true;
    let fork = world.drive.start(&other).expect("a fork");
    assert_ne!(fork.run.session, first.run.session);
}

#[test]
fn a_folder_is_driven_only_after_a_person_trusted_it_as_it_is() {
    let world = DriveWorld::new();
    fs::create_dir(world.file(".claude")).expect("a folder");
    let hooks = r#"{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]}}"#;
    fs::write(world.file(".claude/settings.json"), hooks).expect("settings");
    let request = world.place.request(&RunId::random());
    let report = match world.drive.start(&request) {
        Err(DriveError::Untrusted(report)) => report,
        other => panic!("{other:?}"),
    };
    assert_eq!(report.sources[0].what, "Stop: x");
    assert!(world.drive.trust(&world.place.cwd, "another print", "me").is_err());
    world.drive.trust(&world.place.cwd, &report.print, "me").expect("trust");
    world.drive.start(&request).expect("a run");
    world.drive.untrust(&world.place.cwd).expect("no trust");
    let again = world.drive.start(&world.place.request(&RunId::random()));
    assert!(matches!(again, Err(DriveError::Untrusted(_))));
}

#[test]
fn a_client_that_cannot_be_started_is_said() {
    let mut world = DriveWorld::new();
    world.place.client = ClientProgram::new(world.top().join("no-client"));
    let drive = world.reopened();
    let run = RunId::random();
    let mut request = world.place.request(&run);
    request.prompt = Some(PromptContent::text("hi"));
    let started = drive.start(&request);
    assert!(matches!(started, Err(DriveError::NotStarted(_))), "{started:?}");
    let view = drive.run(&run).expect("the run");
    assert_eq!(view.run.state, RunState::Ended(RunEnd::NotStarted));
    assert_eq!(view.prompts[0].state, PromptState::Lost);
    assert_eq!(view.prompts[0].was, Some(PromptState::Queued));
}

#[test]
fn a_client_that_dies_leaves_what_was_pending_and_is_gone_on_with() {
    let world = DriveWorld::new();
    let run = world.start("[[die-after-call: touch never]]");
    let queued = world.put_or_over(&run, "[[bash: touch queued]]");
    let view = world.until_over(&run);
    assert_eq!(view.run.state, RunState::Ended(RunEnd::Died));
    assert_eq!(view.run.end.as_ref().expect("an end").signal, Some(9));
    assert!(view.prompts.iter().all(|prompt| prompt.state == PromptState::Lost));
    assert_eq!(world.ran(), Vec::<String>::new());
    // Continuing the run sends no prompt, and does not run the orphaned call.
    let next = RunId::random();
    let view = world.drive.go_on(&next, &run, "me").expect("a run");
    assert_eq!(view.run.session, world.drive.run(&run).expect("the old").run.session);
    world.until(&next, |view| view.run.state == RunState::Idle);
    world.put(&next, "[[bash: touch next]]");
    world.answer_all(&next);
    assert!(world.file("next").exists());
    assert!(!world.file("never").exists());
    assert!(!world.file("queued").exists() || queued.is_none());
}

#[test]
fn a_session_that_changes_inside_the_client_is_followed() {
    let world = DriveWorld::new();
    let run = world.start("[[say: one]]");
    let view = world.until(&run, |view| view.need() == Some(RunNeed::Idle));
    let before = view.run.session;
    world.put(&run, "/clear");
    world.put(&run, "[[say: two]]");
    let view =
        world.until(&run, |view| view.need() == Some(RunNeed::Idle) && view.run.session != before);
    let mut other = world.place.request(&RunId::random());
    other.session = Some(view.run.session.clone());
    let refused = world.drive.start(&other);
    assert!(matches!(refused, Err(DriveError::Driven { .. })), "{refused:?}");
}

impl DriveWorld {
    /// Adds a prompt to a run that may be over already.
    fn put_or_over(&self, run: &RunId, text: &str) -> Option<PromptId> {
        let id = PromptId::random();
        let content = PromptContent::text(text);
        let put = self.drive.put_prompt(run, &id, &content, SendWhen::Idle, "test");
        put.is_ok().then_some(id)
    }
}
