//! Tests of budgets.

use serde_json::json;

use super::*;
use crate::socket::LimitChange;

/// Runs the turn of a prompt; `cost` is the cost of the session at its end.
fn turn(at: &mut MachineFixture, prompt: &PromptId, cost: f64) -> Vec<HostStep> {
    at.look(prompt);
    at.say(&state("running"));
    at.say(&lifecycle(prompt, "started"));
    at.say(&json!({
        "type": "result", "total_cost_usd": cost, "user_message_uuids": [prompt.as_str()],
    }));
    at.say(&state("idle"))
}

fn set_budget(at: &mut MachineFixture, budget: LimitChange<UsdAmount>) -> Vec<HostStep> {
    let limits = LimitsChange { budget, ..LimitsChange::default() };
    let request = HostRequest::Limits { action: action(), limits };
    at.ask(request).1
}

fn dollars(text: &str) -> LimitChange<UsdAmount> {
    LimitChange::To(UsdAmount::parse(text).expect("an amount"))
}

/// Returns the text about the budget in the last note.
fn told(steps: &[HostStep]) -> Option<String> {
    let notes = steps.iter().rev();
    let mut told = notes.filter_map(|step| match step {
        HostStep::Note(DriveEventJson::Run { over_budget, .. }) => Some(over_budget.clone()),
        _ => None,
    });
    told.next().flatten()
}

#[test]
fn a_spent_budget_stops_the_queue_until_it_is_raised() {
    let mut at = MachineFixture::idle();
    set_budget(&mut at, dollars("1"));
    let (one, steps) = at.put(SendWhen::Idle);
    assert_eq!(looks_for(&steps), Some(&one));
    let (two, _) = at.put(SendWhen::Idle);
    let steps = turn(&mut at, &one, 0.99);
    assert_eq!(looks_for(&steps), Some(&two), "something is left");
    let (three, _) = at.put(SendWhen::Idle);
    let steps = turn(&mut at, &two, 1.25);
    assert_eq!(looks_for(&steps), None);
    assert_eq!(at.state(), RunState::Idle);
    let (now, steps) = at.put(SendWhen::Now);
    assert_eq!(looks_for(&steps), None, "a prompt for now costs, too");
    at.pass(100_000);
    assert_eq!(at.state(), RunState::Idle, "a queue that waits keeps it");
    let steps = set_budget(&mut at, dollars("1.25"));
    assert_eq!(looks_for(&steps), None, "it is spent all the same");
    assert!(told(&steps).is_some_and(|words| words.contains("$1.25 is spent")));
    let steps = set_budget(&mut at, dollars("1.26"));
    assert_eq!(looks_for(&steps), Some(&three));
    assert_eq!(told(&steps), None);
    let steps = turn(&mut at, &three, 2.0);
    assert_eq!(looks_for(&steps), None);
    let steps = set_budget(&mut at, LimitChange::Off);
    assert_eq!(looks_for(&steps), Some(&now));
}

#[test]
fn what_runs_is_not_interrupted_when_the_budget_is_spent() {
    let mut at = MachineFixture::idle();
    let (one, _) = at.put(SendWhen::Idle);
    at.look(&one);
    at.say(&state("running"));
    at.say(&lifecycle(&one, "started"));
    at.say(&json!({ "type": "result", "total_cost_usd": 3 }));
    let steps = set_budget(&mut at, dollars("1"));
    assert_eq!(said(&steps), Vec::<serde_json::Value>::new());
    assert_eq!(at.state(), RunState::Running);
    at.say(&bash("r1"));
    let (reply, steps) = at.answer("r1", PersonChoice::allow(), "x");
    assert!(matches!(reply, HostReply::Decided(_)), "{reply:?}");
    assert_eq!(said(&steps).len(), 1);
}
