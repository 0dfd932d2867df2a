//! Tests of runs with a budget.

use unspool_drive::socket::{LimitChange, LimitsChange};
use unspool_drive::{
    ActionId, PromptContent, PromptState, RunId, RunNeed, RunState, RunView, UsdAmount,
};

use crate::world::DriveWorld;

fn dollars(text: &str) -> UsdAmount {
    UsdAmount::parse(text).expect("an amount")
}

/// Starts a run with a budget and a prompt.
fn start(world: &DriveWorld, budget: &str, prompt: &str) -> RunId {
    let run = RunId::random();
    let mut request = world.place.request(&run);
    request.budget = Some(dollars(budget));
    request.prompt = Some(PromptContent::text(prompt));
    world.drive.start(&request).expect("a run");
    run
}

fn states(view: &RunView) -> Vec<PromptState> {
    view.prompts.iter().map(|prompt| prompt.state).collect()
}

#[test]
fn a_queue_stops_when_the_budget_is_spent_and_goes_on_when_it_is_raised() {
    let world = DriveWorld::new();
    let run = start(&world, "1", "[[cost: 60]] [[wait-file: go]]");
    for _ in 0..2 {
        world.put(&run, "[[cost: 60]]");
    }
    std::fs::write(world.file("go"), "").expect("a file");
    let view = world.until(&run, |view| view.need() == Some(RunNeed::Budget));
    assert_eq!(view.run.state, RunState::Idle);
    assert_eq!(states(&view), [PromptState::Done, PromptState::Done, PromptState::Queued]);
    assert_eq!(view.run.cost, Some(dollars("1.2")));
    let json = view.to_json();
    assert_eq!((json.budget, json.cost_usd), (Some(1.0), Some(1.2)));
    let words = json.over_budget.expect("words");
    assert!(words.contains("$1.00 is spent ($1.20"), "{words}");
    // A later supervisor can raise the budget, and repeating the request has no further effect.
    let limits =
        LimitsChange { budget: LimitChange::To(dollars("1.5")), ..LimitsChange::default() };
    let action = ActionId::random();
    for _ in 0..2 {
        let raised = world.reopened().set_limits(&action, &run, limits);
        raised.expect("a change");
    }
    let view = world.until(&run, |view| view.need() == Some(RunNeed::Idle));
    assert_eq!(view.run.budget, Some(dollars("1.5")));
    assert_eq!(view.run.cost, Some(dollars("1.8")));
    assert!(view.prompts.iter().all(|one| one.state == PromptState::Done));
}

#[test]
fn a_spent_budget_stays_spent_when_a_session_is_gone_on_with() {
    let world = DriveWorld::new();
    let run = start(&world, "0.5", "[[cost: 50]] [[say: x]]");
    world.until(&run, |view| view.need() == Some(RunNeed::Idle));
    world.drive.stop(&ActionId::random(), &run).expect("asked");
    world.until_over(&run);
    let next = RunId::random();
    world.drive.go_on(&next, &run, "test").expect("a run");
    world.put(&next, "[[say: more]]");
    let view = world.until(&next, |view| view.need() == Some(RunNeed::Budget));
    assert_eq!(states(&view), [PromptState::Queued]);
    let limits = LimitsChange { budget: LimitChange::Off, ..LimitsChange::default() };
    let freed = world.drive.set_limits(&ActionId::random(), &next, limits);
    freed.expect("a change");
    world.until(&next, |view| view.need() == Some(RunNeed::Idle));
}
