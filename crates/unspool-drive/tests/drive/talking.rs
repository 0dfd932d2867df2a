//! Prompts, approvals, questions, plans, queues: what people do.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::json;
use unspool_drive::json::DriveEventJson;
use unspool_drive::state::{AwaitedAnswer, PermissionMode, RunStage};
use unspool_drive::{
    ActionId, ClientProgram, Decision, DriveError, PersonChoice, PromptContent, PromptId,
    PromptState, Resolution, RunEnd, RunId, RunNeed, RunState, RunView, SendWhen,
};

use unspool_store::home::{Processes as _, SystemProcesses};

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
        // The same again is the same, and another one is told of the first.
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
fn questions_and_plans_are_answered() {
    let world = DriveWorld::new();
    let run = world.start("[[ask: Which colour? | Blue | Red]] [[plan: Do it]]");
    let view = world.until(&run, |view| view.need() == Some(RunNeed::Answer));
    assert_eq!(view.to_json().waiting_for, Some(AwaitedAnswer::Question));
    let answers = json!({ "Which colour?": "Blue" }).as_object().cloned();
    let choice = PersonChoice { answers, ..PersonChoice::allow() };
    world.drive.answer(&view.approvals[0].id, &choice, "me").expect("an answer");
    let view = world.until(&run, |view| view.approvals.len() == 2);
    assert_eq!(view.to_json().waiting_for, Some(AwaitedAnswer::Plan));
    let choice = PersonChoice { mode: Some(PermissionMode::AcceptEdits), ..PersonChoice::allow() };
    world.drive.answer(&view.approvals[1].id, &choice, "me").expect("an answer");
    let view = world.until(&run, |view| view.need() == Some(RunNeed::Idle));
    assert!(view.approvals.iter().all(|one| one.resolution == Some(Resolution::Answered)));
    let decisions = view.approvals.iter().filter_map(|one| one.decided.as_ref());
    assert!(decisions.map(|one| one.decision).all(|decision| decision == Decision::Allow));
    assert_eq!(view.run.mode.as_deref(), Some("acceptEdits"));
}

#[test]
fn the_queue_is_sent_one_by_one_in_the_order_that_was_last_said() {
    let world = DriveWorld::new();
    let go = world.file("go");
    let run = world.start(&format!("[[wait-file: {}]]", go.display()));
    let ids = ["one", "two", "three"]
        .map(|name| world.put(&run, &format!("[[bash: echo {name} >> order]]")));
    let cancelled = world.drive.cancel_prompt(&run, &ids[1]).expect("cancelled");
    assert_eq!(cancelled, PromptState::Cancelled);
    let order = [ids[2].clone(), ids[0].clone()];
    let action = ActionId::random();
    for _ in 0..2 {
        world.drive.reorder(&action, &run, &order).expect("an order");
    }
    // Putting a prompt again does nothing, whatever it says.
    let content = PromptContent::text("[[bash: echo again >> order]]");
    for id in &ids {
        let put = world.drive.put_prompt(&run, id, &content, SendWhen::Now, "test");
        assert!(put.is_ok());
    }
    fs::write(go, "").expect("a file");
    let view = world.answer_all(&run);
    assert_eq!(view.need(), Some(RunNeed::Idle));
    let said = fs::read_to_string(world.file("order")).expect("a file");
    assert_eq!(said, "three\none\n");
}

#[test]
fn a_turn_is_interrupted_and_the_queue_goes_on() {
    let world = DriveWorld::new();
    let run = world.start("[[silence]]");
    world.until(&run, |view| view.prompts[0].state == PromptState::TakenUp);
    world.put(&run, "[[bash: touch after]]");
    let action = ActionId::random();
    world.drive.interrupt(&action, &run).expect("interrupted");
    world.drive.interrupt(&action, &run).expect("the same");
    world.answer_all(&run);
    assert!(world.file("after").exists());
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
    // Whatever the cursor, everything after it comes, and what comes again is the same.
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
fn the_mode_can_be_changed_and_not_switched_off() {
    let world = DriveWorld::new();
    let run = world.start("");
    world.until(&run, |view| view.run.state == RunState::Idle);
    let action = ActionId::random;
    let plan = Some(PermissionMode::Plan);
    world.drive.set_mode(&action(), &run, plan, None).expect("a mode");
    world.until(&run, |view| view.run.mode.as_deref() == Some("plan"));
    let bypass = Some(PermissionMode::BypassPermissions);
    let refused = world.drive.set_mode(&action(), &run, bypass, None);
    assert!(matches!(refused, Err(DriveError::Refused(_))));
    let put = PromptId::random();
    let unknown = world.drive.cancel_prompt(&run, &put);
    assert!(matches!(unknown, Err(DriveError::Unknown(_))));
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
    // Going on sends nothing; the orphaned call is not run.
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
fn a_second_owner_of_the_session_stops_the_queue_and_a_person_is_asked() {
    let world = DriveWorld::new();
    let run = world.start("[[say: one]]");
    let view = world.until(&run, |view| view.need() == Some(RunNeed::Idle));
    let mut other = Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("another process");
    let marker = json!({
        "pid": other.id(), "sessionId": view.run.session,
        "procStart": SystemProcesses.start_time(other.id()),
    });
    let sessions = world.place.home.join("sessions");
    fs::write(sessions.join("other.json"), marker.to_string()).expect("a marker");
    world.put(&run, "[[bash: touch held]]");
    let view = world.until(&run, |view| view.need() == Some(RunNeed::Held));
    assert_eq!(view.to_json().held_by, Some(other.id()));
    assert_eq!(view.prompts[1].state, PromptState::Queued);
    world.drive.release_queue(&ActionId::random(), &run).expect("released");
    world.until(&run, |view| view.need() == Some(RunNeed::Answer));
    world.answer_all(&run);
    assert!(world.file("held").exists());
    // A session that another process has is not begun with.
    world.drive.stop(&ActionId::random(), &run).expect("asked");
    world.until_over(&run);
    let refused = world.drive.go_on(&RunId::random(), &run, "me");
    let is_refused = matches!(refused, Err(DriveError::Owned { pid, .. }) if pid == other.id());
    assert!(is_refused, "{refused:?}");
    drop(other.stdin.take());
    other.wait().expect("its end");
    world.drive.go_on(&RunId::random(), &run, "me").expect("a run");
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
    /// Puts a prompt into a run that may be over by now.
    fn put_or_over(&self, run: &RunId, text: &str) -> Option<PromptId> {
        let id = PromptId::random();
        let content = PromptContent::text(text);
        let put = self.drive.put_prompt(run, &id, &content, SendWhen::Idle, "test");
        put.is_ok().then_some(id)
    }
}

#[test]
fn commands_models_and_files_of_the_client_can_be_asked_for() {
    let world = DriveWorld::new();
    fs::write(world.file("notes.txt"), "").expect("a file");
    fs::write(world.file("other.md"), "").expect("a file");
    let run = world.start("[[say: hi]]");
    world.until(&run, |view| view.need() == Some(RunNeed::Idle));
    let menu = world.drive.menu(&run).expect("a menu");
    let names: Vec<&str> = menu.commands.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["clear", "compact", "context"]);
    assert_eq!(menu.models.len(), 1);
    let files = world.drive.suggest_files(&run, "ote").expect("files");
    assert_eq!(files, ["notes.txt"]);
    // A command that came since is known after the client was asked again.
    let folder = world.file(".claude/commands");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("fix.md"), "fix it").expect("a file");
    let asked = world.drive.resync(&ActionId::random(), &run);
    asked.expect("asked");
    // The client answers in order, so its answer to this comes later.
    assert_eq!(world.drive.suggest_files(&run, "other").expect("files"), ["other.md"]);
    let menu = world.reopened().menu(&run).expect("a menu");
    let last = menu.commands.last().expect("a command");
    assert_eq!((last.name.as_str(), last.argument_hint.as_str()), ("fix", "[arguments]"));
    world.drive.stop(&ActionId::random(), &run).expect("asked");
    world.until_over(&run);
    assert_eq!(world.drive.menu(&run).expect("a menu"), menu);
    let over = world.drive.suggest_files(&run, "x");
    assert!(matches!(over, Err(DriveError::Over(_))), "{over:?}");
    let unknown = world.drive.menu(&RunId::random());
    assert!(matches!(unknown, Err(DriveError::UnknownRun(_))));
}

#[test]
fn why_the_last_turn_failed_is_known_until_one_succeeds() {
    let world = DriveWorld::new();
    let run = world.start("[[rate-limit]]");
    let idle = |view: &RunView| view.need() == Some(RunNeed::Idle);
    let view = world.until(&run, idle);
    let failure = view.run.last_failure.clone().expect("a failure");
    assert!(failure.contains("429"), "{failure}");
    assert_eq!(view.to_json().last_failure, Some(failure.clone()));
    // It is among the events, and another process sees it.
    let other = world.reopened().run(&run).expect("the run");
    assert_eq!(other.run.last_failure, Some(failure.clone()));
    for (prompt, is_failure) in [("[[not-logged-in]]", true), ("[[say: fine]]", false)] {
        world.put(&run, prompt);
        let view = world.until(&run, idle);
        assert_eq!(view.run.last_failure.is_some(), is_failure, "{view:?}");
        assert_ne!(view.run.last_failure, Some(failure.clone()));
    }
    let id = world.put(&run, "[[silence]]");
    let is_taken_up = |view: &RunView| {
        let mut prompts = view.prompts.iter();
        prompts.any(|prompt| prompt.id == id && prompt.state == PromptState::TakenUp)
    };
    world.until(&run, is_taken_up);
    let interrupted = world.drive.interrupt(&ActionId::random(), &run);
    interrupted.expect("asked");
    assert_eq!(world.until(&run, idle).run.last_failure, None);
    world.drive.stop(&ActionId::random(), &run).expect("asked");
    let mut events = world.drive.follow(&run, 0).expect("a follower");
    let is_told = |event: unspool_drive::RunEvent| match event.event {
        DriveEventJson::Run { last_failure, .. } => last_failure == Some(failure.clone()),
        _ => false,
    };
    assert!(events.any(is_told));
}
