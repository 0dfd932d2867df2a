//! Laws that the machine keeps for all events in any order.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::socket::LimitChange;

/// A random event; numbers select one of a few prompts and requests.
#[derive(Clone, Debug)]
enum RandomEvent {
    State(u8),
    Lifecycle(usize, u8),
    Ask(usize),
    Withdraw(usize),
    Result(usize, bool),
    Put(usize, bool),
    Drop(usize),
    Answer(usize, bool),
    Order(Vec<usize>),
    Background(usize),
    Interrupt,
    Release,
    Limits(Option<u64>),
    Pass(u32),
    End,
    Gone,
}

fn random_event() -> impl Strategy<Value = RandomEvent> {
    let few = 0..4_usize;
    prop_oneof![
        6 => (0..3_u8).prop_map(RandomEvent::State),
        8 => (few.clone(), 0..4_u8).prop_map(|(id, state)| RandomEvent::Lifecycle(id, state)),
        4 => few.clone().prop_map(RandomEvent::Ask),
        2 => few.clone().prop_map(RandomEvent::Withdraw),
        3 => (few.clone(), any::<bool>()).prop_map(|(id, fails)| RandomEvent::Result(id, fails)),
        8 => (few.clone(), any::<bool>()).prop_map(|(id, now)| RandomEvent::Put(id, now)),
        3 => few.clone().prop_map(RandomEvent::Drop),
        6 => (few.clone(), any::<bool>()).prop_map(|(id, allow)| RandomEvent::Answer(id, allow)),
        1 => prop::collection::vec(few, 0..4).prop_map(RandomEvent::Order),
        1 => (0..2_usize).prop_map(RandomEvent::Background),
        1 => Just(RandomEvent::Interrupt),
        1 => Just(RandomEvent::Release),
        1 => prop::option::of(1..100_u64).prop_map(RandomEvent::Limits),
        3 => (0..2000_u32).prop_map(RandomEvent::Pass),
        1 => Just(RandomEvent::End),
        1 => Just(RandomEvent::Gone),
    ]
}

/// The prompts and answers that were sent and recorded during a run.
#[derive(Default)]
struct RunTally {
    prompts: BTreeMap<String, usize>,
    answers: BTreeMap<String, usize>,
    stored: BTreeSet<String>,
    decided: BTreeMap<String, usize>,
    is_ending: bool,
}

impl RunTally {
    /// Checks the steps of one event against all earlier steps.
    fn check(&mut self, steps: &[HostStep], was_over: bool) -> Result<(), TestCaseError> {
        for step in steps {
            match step {
                HostStep::Store(StoreChange::Prompt(id, PromptState::Sent, _)) => {
                    self.stored.insert(id.to_string());
                }
                HostStep::Store(StoreChange::Decided { id, .. }) => {
                    *self.decided.entry(id.to_string()).or_default() += 1;
                }
                _ => {}
            }
        }
        for step in steps {
            match step {
                HostStep::SendPrompt(id) => {
                    prop_assert!(self.stored.contains(id.as_str()), "sent and not written down");
                    prop_assert!(!self.is_ending, "sent while ending");
                    *self.prompts.entry(id.to_string()).or_default() += 1;
                }
                HostStep::Say(line) => {
                    let value: serde_json::Value =
                        serde_json::from_str(line.as_str()).expect("valid JSON");
                    if let Some(id) = value["response"]["request_id"].as_str() {
                        *self.answers.entry(id.to_owned()).or_default() += 1;
                    }
                }
                HostStep::Note(_) | HostStep::Reply(..) => {}
                _ => prop_assert!(!was_over || matches!(step, HostStep::Reply(..)), "{step:?}"),
            }
        }
        for count in self.prompts.values().chain(self.decided.values()) {
            prop_assert_eq!(*count, 1);
        }
        Ok(())
    }
}

/// Converts a random event to an event of the machine.
fn event(at: &MachineFixture, ids: &[PromptId], random: RandomEvent) -> HostEvent {
    let frame = |line: serde_json::Value| {
        let frame = ClientFrame::read(line.to_string().as_bytes()).expect("a frame");
        HostEvent::Said(Box::new(frame))
    };
    let request = |request| HostEvent::Asked(ReplyTo(1), Box::new(request));
    match random {
        RandomEvent::State(which) => {
            let name = ["idle", "running", "requires_action"][usize::from(which)];
            frame(state(name))
        }
        RandomEvent::Lifecycle(id, which) => {
            let name = ["queued", "started", "completed", "cancelled"][usize::from(which)];
            frame(lifecycle(&ids[id], name))
        }
        RandomEvent::Ask(id) => frame(bash(&format!("r{id}"))),
        RandomEvent::Withdraw(id) => {
            frame(json!({ "type": "control_cancel_request", "request_id": format!("r{id}") }))
        }
        RandomEvent::Result(id, fails) => frame(json!({
            "type": "result", "is_error": fails, "result": "API Error: 429 rate limited",
            "user_message_uuids": [ids[id].as_str()],
        })),
        RandomEvent::Put(id, now) => {
            let send = if now { SendWhen::Now } else { SendWhen::Idle };
            request(put(&ids[id], send))
        }
        RandomEvent::Drop(id) => request(HostRequest::Drop { id: ids[id].clone() }),
        RandomEvent::Answer(id, allow) => {
            let choice = if allow { PersonChoice::allow() } else { PersonChoice::deny("no") };
            request(HostRequest::Answer {
                approval: ApprovalId::of(&at.machine.run, &format!("r{id}")),
                choice,
                by: "x".to_owned(),
            })
        }
        RandomEvent::Background(count) => frame(json!({
            "type": "system", "subtype": "background_tasks_changed", "tasks": vec![0; count],
        })),
        RandomEvent::Pass(_) => HostEvent::Tick,
        RandomEvent::Gone => {
            HostEvent::Gone(ClientGone { code: Some(0), signal: None, survivors: Vec::new() })
        }
        other => request(action_of(ids, other)),
    }
}

/// Converts a random event to a request with an action id.
fn action_of(ids: &[PromptId], random: RandomEvent) -> HostRequest {
    let action = action();
    match random {
        RandomEvent::Order(order) => {
            let order = order.into_iter().map(|id| ids[id].clone()).collect();
            HostRequest::Order { action, order }
        }
        RandomEvent::Interrupt => HostRequest::Interrupt { action },
        RandomEvent::Release => HostRequest::Release { action },
        RandomEvent::Limits(idle) => {
            let idle = idle.into();
            let waiting = LimitChange::Keep;
            let limits = LimitsChange { idle, waiting, budget: LimitChange::Keep };
            HostRequest::Limits { action, limits }
        }
        _ => HostRequest::End { action },
    }
}

proptest! {
    /// For all events in any order: a prompt is sent at most once, and only after that was recorded; while
    /// the queue is held, only a prompt for now is sent; an approval is decided at most once; a run that is
    /// ending gets no prompts; every request gets one reply; and the last note agrees with the state of the
    /// machine.
    #[test]
    fn nothing_is_sent_or_answered_twice(
        events in prop::collection::vec((random_event(), prop::option::of(0..3_u32)), 1..80),
    ) {
        let ids: Vec<PromptId> = (0..4).map(|_| PromptId::random()).collect();
        let mut at = MachineFixture::idle();
        let mut tally = RunTally::default();
        for (random, owner) in events {
            if let RandomEvent::Pass(seconds) = random {
                at.now += i64::from(seconds) * 1000;
            }
            let event = event(&at, &ids, random);
            let is_request = matches!(event, HostEvent::Asked(..));
            let was_over = at.state().is_over();
            let mut steps = at.take(event);
            let replies = steps.iter().filter(|step| matches!(step, HostStep::Reply(..)));
            prop_assert_eq!(replies.count(), usize::from(is_request));
            tally.check(&steps, was_over)?;
            tally.is_ending = at.machine.ending.is_some();
            while let Some(prompt) = looks_for(&steps).cloned() {
                let owner = owner.filter(|owner| *owner > 1);
                let is_for_now = at.machine.prompt(&prompt).is_some_and(|one| one.send == SendWhen::Now);
                prop_assert!(is_for_now || at.machine.held_for.is_none());
                steps = at.take(HostEvent::Looked { prompt, owner });
                tally.check(&steps, was_over)?;
            }
            let shown = at.machine.shown.as_ref().map(|shown| shown.state);
            prop_assert!(shown.is_none_or(|shown| shown == at.state()));
            if at.state().is_over() {
                prop_assert!(at.machine.open.is_empty());
                prop_assert!(at.machine.prompts.iter().all(|prompt| !prompt.state.is_open()));
            }
        }
    }
}
