//! Tests of the queue after a failed turn.

use serde_json::json;

use super::*;

const LIMIT: &str = "API Error: 429 rate limited";

/// Runs the turn of a prompt, which fails with the given message.
fn turn(at: &mut MachineFixture, prompt: &PromptId, failure: Option<&str>) -> Vec<HostStep> {
    assert_eq!(sent(&at.look(prompt)), [prompt]);
    at.say(&state("running"));
    at.say(&lifecycle(prompt, "started"));
    at.say(&json!({
        "type": "result", "is_error": failure.is_some(), "result": failure,
        "user_message_uuids": [prompt.as_str()],
    }));
    at.say(&state("idle"))
}

/// Adds three prompts and lets the first fail; returns the others.
fn failed(at: &mut MachineFixture, failure: &str) -> [PromptId; 2] {
    let (one, _) = at.put(SendWhen::Idle);
    let (two, _) = at.put(SendWhen::Idle);
    let (three, _) = at.put(SendWhen::Idle);
    let steps = turn(at, &one, Some(failure));
    assert_eq!(looks_for(&steps), None, "{failure}");
    [two, three]
}

fn told(at: &MachineFixture) -> Option<String> {
    let shown = at.machine.shown.as_ref().expect("a status");
    match run_note(shown) {
        DriveEventJson::Run { queue_held, .. } => queue_held,
        other => panic!("{other:?}"),
    }
}

#[test]
fn prompts_that_would_fail_too_stay_queued() {
    for (failure, words) in [
        (LIMIT, "A limit of the account is reached: queued"),
        ("Not logged in · Please run /login", "not logged in: queued"),
        ("Credit balance is too low", "no credit left: queued"),
        ("API Error: 529 overloaded", "too much to do: queued"),
    ] {
        let mut at = MachineFixture::idle();
        let [two, three] = failed(&mut at, failure);
        assert_eq!(at.state(), RunState::Idle);
        assert!(told(&at).is_some_and(|told| told.contains(words)), "{failure}");
        for event in [HostEvent::Tick, HostEvent::Looked { prompt: two.clone(), owner: None }] {
            let steps = at.take(event);
            assert_eq!((looks_for(&steps), sent(&steps)), (None, Vec::new()));
        }
        at.pass(100_000);
        assert_eq!(at.state(), RunState::Idle, "a queue that waits keeps it");
        let (four, steps) = at.put(SendWhen::Idle);
        assert_eq!(looks_for(&steps), None, "it waits with the others");
        let (_, steps) = at.ask(HostRequest::Release { action: action() });
        assert_eq!(looks_for(&steps), Some(&two));
        assert_eq!(told(&at), None);
        assert_eq!(looks_for(&turn(&mut at, &two, None)), Some(&three));
        assert_eq!(looks_for(&turn(&mut at, &three, None)), Some(&four));
    }
}

#[test]
fn a_failure_that_says_nothing_about_the_next_prompt_blocks_nothing() {
    for failure in ["the model gave up", "x: No such file or directory (os error 2)"] {
        let mut at = MachineFixture::idle();
        let (one, _) = at.put(SendWhen::Idle);
        let (two, _) = at.put(SendWhen::Idle);
        let steps = turn(&mut at, &one, Some(failure));
        assert_eq!(looks_for(&steps), Some(&two), "{failure}");
    }
}

#[test]
fn a_prompt_for_now_shows_whether_the_reason_is_gone() {
    let mut at = MachineFixture::idle();
    let [two, _] = failed(&mut at, LIMIT);
    for failure in [LIMIT, "the model gave up"] {
        let (now, steps) = at.put(SendWhen::Now);
        assert_eq!(looks_for(&steps), Some(&now));
        assert_eq!(looks_for(&turn(&mut at, &now, Some(failure))), None);
        assert!(told(&at).is_some(), "{failure}");
    }
    let (cut, _) = at.put(SendWhen::Now);
    at.look(&cut);
    at.say(&state("running"));
    at.say(&json!({ "type": "result", "is_error": true, "terminal_reason": "aborted_streaming" }));
    at.say(&lifecycle(&cut, "completed"));
    assert_eq!(looks_for(&at.say(&state("idle"))), None, "it was interrupted");
    let (now, _) = at.put(SendWhen::Now);
    assert_eq!(looks_for(&turn(&mut at, &now, None)), Some(&two));
}

#[test]
fn a_prompt_after_the_failure_is_tried_if_nothing_else_waits() {
    let mut at = MachineFixture::idle();
    let (one, _) = at.put(SendWhen::Idle);
    turn(&mut at, &one, Some(LIMIT));
    assert_eq!(told(&at), None, "nothing is held");
    let (two, steps) = at.put(SendWhen::Idle);
    assert_eq!(looks_for(&steps), Some(&two));
    let (three, _) = at.put(SendWhen::Idle);
    turn(&mut at, &two, Some(LIMIT));
    assert!(told(&at).is_some());
    at.ask(HostRequest::Drop { id: three });
    assert_eq!(told(&at), None);
    let (four, steps) = at.put(SendWhen::Idle);
    assert_eq!(looks_for(&steps), Some(&four));
}
