//! Tests of queues that wait after a failed turn.

use std::fs;

use unspool_drive::{
    PromptContent, PromptId, PromptState, RunId, RunNeed, RunState, RunView, SendWhen,
};

use crate::world::DriveWorld;

/// Starts a run whose first turn fails while two prompts are queued, and waits until the queue is held.
fn held(world: &DriveWorld) -> RunId {
    let run = world.start("[[wait-file: go]] [[rate-limit]]");
    world.put(&run, "[[bash: echo two >> done]]");
    world.put(&run, "[[bash: echo three >> done]]");
    fs::write(world.file("go"), "").expect("a file");
    let view = world.until(&run, is_held);
    assert_eq!(view.run.state, RunState::Idle);
    let queued = PromptState::Queued;
    assert_eq!(states(&view), [PromptState::Done, queued, queued]);
    run
}

fn is_held(view: &RunView) -> bool {
    view.need() == Some(RunNeed::Held)
}

fn states(view: &RunView) -> Vec<PromptState> {
    view.prompts.iter().map(|prompt| prompt.state).collect()
}

#[test]
fn the_last_prompt_again_goes_before_the_queue() {
    let world = DriveWorld::new();
    let run = held(&world);
    // The limit is still reached: no prompt of the queue is sent and lost to it.
    let again = PromptId::random();
    for _ in 0..2 {
        world.drive.repeat_last(&again, &run, "test").expect("asked");
    }
    let view = world.until(&run, |view| is_held(view) && states(view).len() == 4);
    let queued = PromptState::Queued;
    assert_eq!(states(&view), [PromptState::Done, queued, queued, PromptState::Done]);
    // The limit is gone: a prompt that is answered releases the queue.
    let content = PromptContent::text("[[bash: echo now >> done]]");
    let put = world.drive.put_prompt(&run, &PromptId::random(), &content, SendWhen::Now, "test");
    put.expect("a prompt");
    let view = world.answer_all(&run);
    assert_eq!((view.need(), view.run.held_for), (Some(RunNeed::Idle), None));
    assert!(states(&view).iter().all(|state| *state == PromptState::Done));
    let done = fs::read_to_string(world.file("done")).expect("a file");
    assert_eq!(done, "now\ntwo\nthree\n");
}

#[test]
fn nothing_of_a_held_queue_is_sent_when_its_host_dies() {
    let world = DriveWorld::new();
    let run = held(&world);
    world.kill_host(&run);
    let view = world.drive.run(&run).expect("the run");
    assert_eq!((view.run.state, view.run.held_for), (RunState::Lost, None));
    let was: Vec<_> = view.prompts.iter().map(|prompt| prompt.was).collect();
    let queued = Some(PromptState::Queued);
    assert_eq!(was, [None, queued, queued]);
    assert!(!world.file("done").exists());
}
