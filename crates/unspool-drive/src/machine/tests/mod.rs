//! Tests of the machine: single cases and laws.

mod budget;
mod holding;
mod laws;
mod offers;

use serde_json::json;

use super::*;
use crate::socket::{GivenAnswer, LimitChange, LimitsChange};
use crate::state::{ApprovalKind, Decision, RunEnd};
use crate::wire::{PersonChoice, PromptContent};

impl MachineStart {
    /// Returns the start of a run without prompts, budget or bypassed permissions.
    pub(crate) fn of_session(session: &str) -> Self {
        Self {
            run: RunId::random(),
            session: session.to_owned(),
            cwd: "/work".into(),
            limits: RunLimits::default(),
            budget: None,
            cost: None,
            may_bypass: false,
            prompts: Vec::new(),
        }
    }
}

/// A machine with a clock that the test moves.
struct MachineFixture {
    machine: RunMachine,
    now: i64,
    replies: u64,
}

impl MachineFixture {
    fn new() -> Self {
        Self::with(Vec::new())
    }

    fn with(prompts: Vec<(PromptId, SendWhen)>) -> Self {
        let start = MachineStart { prompts, ..MachineStart::of_session("s1") };
        let machine = RunMachine::new(start);
        Self { machine, now: 0, replies: 0 }
    }

    /// Returns a machine whose client is idle.
    fn idle() -> Self {
        let mut at = Self::new();
        at.take(HostEvent::Started);
        at.say(&ready());
        at
    }

    fn take(&mut self, event: HostEvent) -> Vec<HostStep> {
        self.machine.step(Time::from_millis(self.now), event)
    }

    fn say(&mut self, line: &serde_json::Value) -> Vec<HostStep> {
        let frame = ClientFrame::read(line.to_string().as_bytes()).expect("a frame");
        self.take(HostEvent::Said(Box::new(frame)))
    }

    /// Sends a request; returns the reply and the other steps.
    fn ask(&mut self, request: HostRequest) -> (HostReply, Vec<HostStep>) {
        self.replies += 1;
        let event = HostEvent::Asked(ReplyTo(self.replies), Box::new(request));
        let mut steps = self.take(event);
        let place = steps.iter().position(|step| matches!(step, HostStep::Reply(..)));
        let HostStep::Reply(_, reply) = steps.remove(place.expect("a reply")) else {
            panic!("a reply")
        };
        (reply, steps)
    }

    fn put(&mut self, send: SendWhen) -> (PromptId, Vec<HostStep>) {
        let id = PromptId::random();
        let (_, steps) = self.ask(put(&id, send));
        (id, steps)
    }

    /// Sends a person's answer to a request of the client.
    fn answer(
        &mut self,
        request: &str,
        choice: PersonChoice,
        by: &str,
    ) -> (HostReply, Vec<HostStep>) {
        let approval = ApprovalId::of(&self.machine.run, request);
        self.ask(HostRequest::Answer { approval, choice, by: by.to_owned() })
    }

    /// Reports that no other process has the session open.
    fn look(&mut self, prompt: &PromptId) -> Vec<HostStep> {
        self.take(HostEvent::Looked { prompt: prompt.clone(), owner: None })
    }

    fn state(&self) -> RunState {
        self.machine.state()
    }

    fn pass(&mut self, seconds: i64) -> Vec<HostStep> {
        self.now += seconds * 1000;
        self.take(HostEvent::Tick)
    }
}

fn put(id: &PromptId, send: SendWhen) -> HostRequest {
    HostRequest::Put {
        id: id.clone(),
        content: PromptContent::text("hi"),
        send,
        by: "test".to_owned(),
    }
}

/// Returns the client's successful answer to a request of the host.
fn success(
    request: impl Into<serde_json::Value>,
    response: &serde_json::Value,
) -> serde_json::Value {
    let response =
        json!({ "subtype": "success", "request_id": request.into(), "response": response });
    json!({ "type": "control_response", "response": response })
}

pub(crate) fn ready() -> serde_json::Value {
    success("unspool-1", &json!({ "session_state": "idle" }))
}

fn state(state: &str) -> serde_json::Value {
    json!({ "type": "system", "subtype": "session_state_changed", "state": state })
}

fn lifecycle(id: &PromptId, state: &str) -> serde_json::Value {
    json!({ "type": "command_lifecycle", "command_uuid": id.as_str(), "state": state })
}

fn bash(request: &str) -> serde_json::Value {
    json!({ "type": "control_request", "request_id": request, "request": {
        "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": "ls" },
    } })
}

fn sent(steps: &[HostStep]) -> Vec<&PromptId> {
    fn sent_in(step: &HostStep) -> Option<&PromptId> {
        match step {
            HostStep::SendPrompt(id) => Some(id),
            _ => None,
        }
    }
    steps.iter().filter_map(sent_in).collect()
}

fn looks_for(steps: &[HostStep]) -> Option<&PromptId> {
    steps.iter().find_map(|step| match step {
        HostStep::FindOwner(id) => Some(id),
        _ => None,
    })
}

fn said(steps: &[HostStep]) -> Vec<serde_json::Value> {
    let said = |step: &HostStep| match step {
        HostStep::Say(line) => serde_json::from_str(line.as_str()).ok(),
        _ => None,
    };
    steps.iter().filter_map(said).collect()
}

fn action() -> ActionId {
    ActionId::random()
}

#[test]
fn the_first_prompt_is_sent_when_the_client_is_ready_and_not_before() {
    let id = PromptId::random();
    let mut at = MachineFixture::with(vec![(id.clone(), SendWhen::Idle)]);
    let steps = at.take(HostEvent::Started);
    assert_eq!(said(&steps)[0]["request"]["subtype"], "initialize");
    assert_eq!(at.state(), RunState::Starting);
    let steps = at.say(&ready());
    assert_eq!(looks_for(&steps), Some(&id));
    let steps = at.look(&id);
    assert_eq!(sent(&steps), [&id]);
    let change = StoreChange::Prompt(id, PromptState::Sent, Time::from_millis(0));
    assert!(steps.contains(&HostStep::Store(change)));
    assert_eq!(at.state(), RunState::Running);
}

#[test]
fn one_queued_prompt_is_sent_when_the_client_is_idle() {
    let mut at = MachineFixture::idle();
    let (one, steps) = at.put(SendWhen::Idle);
    assert_eq!(looks_for(&steps), Some(&one));
    at.look(&one);
    let (two, steps) = at.put(SendWhen::Idle);
    assert_eq!(looks_for(&steps), None);
    // The client may still report the state that it had before it received the prompt.
    assert_eq!(looks_for(&at.say(&state("idle"))), None);
    at.say(&state("running"));
    at.say(&lifecycle(&one, "started"));
    at.say(&lifecycle(&one, "completed"));
    assert_eq!(looks_for(&at.say(&json!({ "type": "result" }))), None);
    let steps = at.say(&state("idle"));
    assert_eq!(looks_for(&steps), Some(&two));
}

#[test]
fn a_prompt_for_now_does_not_wait_for_the_turn() {
    let mut at = MachineFixture::idle();
    at.say(&state("running"));
    let (_, steps) = at.put(SendWhen::Idle);
    assert_eq!(looks_for(&steps), None);
    let (now, steps) = at.put(SendWhen::Now);
    assert_eq!(looks_for(&steps), Some(&now));
    assert_eq!(sent(&at.look(&now)), [&now]);
}

#[test]
fn an_id_is_one_prompt_however_often_it_is_put() {
    let mut at = MachineFixture::idle();
    let (id, _) = at.put(SendWhen::Idle);
    at.look(&id);
    for expected in [PromptState::Sent, PromptState::TakenUp, PromptState::Done] {
        let (reply, steps) = at.ask(put(&id, SendWhen::Idle));
        assert_eq!(reply, HostReply::Prompt { state: expected });
        assert_eq!(looks_for(&steps), None);
        let next = if expected == PromptState::Sent { "started" } else { "completed" };
        at.say(&lifecycle(&id, next));
    }
}

#[test]
fn queued_prompts_are_cancelled_here_and_sent_ones_by_the_client() {
    let mut at = MachineFixture::idle();
    let (one, _) = at.put(SendWhen::Idle);
    at.look(&one);
    let (two, _) = at.put(SendWhen::Idle);
    let drop = |id: &PromptId| HostRequest::Drop { id: id.clone() };
    let cancelled = HostReply::Prompt { state: PromptState::Cancelled };
    assert_eq!(at.ask(drop(&two)).0, cancelled);
    assert_eq!(at.ask(drop(&PromptId::random())).0, HostReply::Unknown);
    let (reply, steps) = at.ask(drop(&one));
    let still = HostReply::Prompt { state: PromptState::Sent };
    assert_eq!(reply, still);
    let request = &said(&steps)[0];
    assert_eq!(request["request"]["message_uuid"], one.as_str());
    at.say(&success(request["request_id"].clone(), &json!({ "cancelled": true })));
    assert_eq!(at.ask(drop(&one)).0, cancelled);
    assert_eq!(at.state(), RunState::Idle);
}

#[test]
fn the_order_of_the_queue_can_be_changed() {
    let mut at = MachineFixture::idle();
    at.say(&state("running"));
    let [one, two, three] = [(); 3].map(|()| at.put(SendWhen::Idle).0);
    let order = vec![three.clone(), one.clone()];
    let request = HostRequest::Order { action: action(), order };
    let (_, steps) = at.ask(request.clone());
    let expected = vec![three.clone(), one, two];
    let change = StoreChange::Order(at.machine.run.clone(), expected);
    assert!(steps.contains(&HostStep::Store(change)));
    assert_eq!(at.ask(request), (HostReply::Done, Vec::new()));
    assert_eq!(looks_for(&at.say(&state("idle"))), Some(&three));
}

#[test]
fn the_first_answer_counts() {
    let mut at = MachineFixture::idle();
    at.say(&state("running"));
    at.say(&bash("r1"));
    assert_eq!(at.state(), RunState::Waiting(ApprovalKind::Tool));
    let (reply, steps) = at.answer("r1", PersonChoice::allow(), "one");
    let given = GivenAnswer { decision: Decision::Allow, by: "one".to_owned(), at: 0 };
    assert_eq!(reply, HostReply::Decided(given.clone()));
    assert_eq!(said(&steps)[0]["response"]["request_id"], "r1");
    assert_eq!(at.state(), RunState::Running);
    let (reply, steps) = at.answer("r1", PersonChoice::allow(), "two");
    assert_eq!((reply, steps), (HostReply::Decided(given.clone()), Vec::new()));
    let (reply, steps) = at.answer("r1", PersonChoice::deny("no"), "two");
    assert_eq!((reply, steps), (HostReply::Conflict(given), Vec::new()));
}

#[test]
fn a_request_that_the_client_takes_back_cannot_be_answered() {
    let mut at = MachineFixture::idle();
    at.say(&bash("r1"));
    at.say(&json!({ "type": "control_cancel_request", "request_id": "r1" }));
    let (reply, steps) = at.answer("r1", PersonChoice::allow(), "one");
    let resolution = crate::state::Resolution::Cancelled;
    assert_eq!((reply, said(&steps).len()), (HostReply::Over { resolution }, 0));
}

#[test]
fn requests_that_are_not_for_a_person_are_refused_at_once() {
    let mut at = MachineFixture::idle();
    let line = json!({ "type": "control_request", "request_id": "h", "request": { "subtype": "hook_callback" } });
    let steps = at.say(&line);
    assert_eq!(said(&steps)[0]["response"]["subtype"], "error");
    assert_eq!(at.state(), RunState::Idle);
}

#[test]
fn an_answer_that_does_not_fit_leaves_the_approval_open() {
    let mut at = MachineFixture::idle();
    at.say(&bash("r1"));
    let choice = PersonChoice { suggestions: vec![4], ..PersonChoice::allow() };
    assert!(matches!(at.answer("r1", choice, "one").0, HostReply::Refused { .. }));
    assert_eq!(at.state(), RunState::Waiting(ApprovalKind::Tool));
}

#[test]
fn the_idle_deadline_counts_only_while_there_is_nothing_to_do() {
    let mut at = MachineFixture::idle();
    at.pass(299);
    assert_eq!(at.state(), RunState::Idle);
    let (id, _) = at.put(SendWhen::Idle);
    at.look(&id);
    at.pass(10_000);
    assert_eq!(at.state(), RunState::Running);
    at.say(&lifecycle(&id, "started"));
    let task = json!({ "type": "system", "subtype": "background_tasks_changed", "tasks": [{}] });
    at.say(&task);
    at.say(&state("idle"));
    at.pass(10_000);
    assert_eq!(at.state(), RunState::Idle, "something runs in the background");
    at.say(&json!({ "type": "system", "subtype": "background_tasks_changed", "tasks": [] }));
    at.pass(299);
    assert_eq!(at.state(), RunState::Idle);
    let steps = at.pass(1);
    assert_eq!(at.state(), RunState::Ending);
    assert_eq!(said(&steps)[0]["request"]["subtype"], "end_session");
}

#[test]
fn the_waiting_deadline_answers_for_the_person_and_the_idle_one_waits() {
    let mut at = MachineFixture::idle();
    at.say(&bash("r1"));
    at.say(&state("requires_action"));
    at.pass(1799);
    assert_eq!(at.state(), RunState::Waiting(ApprovalKind::Tool));
    let steps = at.pass(1);
    let answer = &said(&steps)[0]["response"]["response"];
    assert_eq!(answer["behavior"], "deny");
    assert!(answer["message"].as_str().is_some_and(|text| text.contains("sum up")));
    let is_timeout = |step: &HostStep| {
        matches!(step, HostStep::Store(StoreChange::Decided { resolution, .. })
            if *resolution == crate::state::Resolution::TimedOut)
    };
    assert!(steps.iter().any(is_timeout));
    assert_eq!(at.state(), RunState::Running);
}

#[test]
fn deadlines_can_be_set_and_switched_off_and_count_from_then() {
    let mut at = MachineFixture::idle();
    at.say(&bash("r1"));
    at.pass(1000);
    let limits = LimitsChange {
        idle: LimitChange::Off,
        waiting: LimitChange::To(60),
        ..LimitsChange::default()
    };
    let request = HostRequest::Limits { action: action(), limits };
    at.ask(request);
    at.pass(59);
    assert_eq!(at.state(), RunState::Waiting(ApprovalKind::Tool));
    at.pass(1);
    at.say(&state("idle"));
    at.pass(100_000);
    assert_eq!(at.state(), RunState::Idle);
    assert_eq!(at.machine.next_deadline(), None);
}

#[test]
fn a_client_that_does_not_end_is_pressed() {
    let mut at = MachineFixture::idle();
    at.ask(HostRequest::End { action: action() });
    assert_eq!(at.state(), RunState::Ending);
    assert!(!at.pass(4).contains(&HostStep::Terminate));
    assert!(at.pass(1).contains(&HostStep::Terminate));
    assert!(at.pass(5).contains(&HostStep::KillGroup));
    assert_eq!(at.pass(500), []);
    let gone = ClientGone { code: None, signal: Some(9), survivors: Vec::new() };
    let steps = at.take(HostEvent::Gone(gone));
    assert!(steps.contains(&HostStep::Stop));
    assert_eq!(at.state(), RunState::Ended(RunEnd::Stopped));
}

#[test]
fn a_client_that_goes_by_itself_leaves_what_was_pending_as_lost() {
    let gone = |code| ClientGone { code: Some(code), signal: None, survivors: Vec::new() };
    let mut at = MachineFixture::idle();
    at.take(HostEvent::Gone(gone(0)));
    assert_eq!(at.state(), RunState::Ended(RunEnd::Finished));
    let mut at = MachineFixture::idle();
    let (id, _) = at.put(SendWhen::Idle);
    at.look(&id);
    at.say(&bash("r1"));
    let failure = json!({ "type": "result", "is_error": true, "result": "Invalid API key" });
    at.say(&failure);
    let steps = at.take(HostEvent::Gone(gone(0)));
    assert_eq!(at.state(), RunState::Ended(RunEnd::Died));
    let message = steps.iter().find_map(|step| match step {
        HostStep::Store(StoreChange::Ended(_, _, end)) => end.message.clone(),
        _ => None,
    });
    assert_eq!(message.as_deref(), Some("Invalid API key"));
    let (reply, _) = at.ask(put(&PromptId::random(), SendWhen::Idle));
    assert!(matches!(reply, HostReply::Refused { .. }));
}

#[test]
fn a_second_owner_stops_the_queue_until_a_person_says_to_go_on() {
    let mut at = MachineFixture::idle();
    let (id, _) = at.put(SendWhen::Idle);
    let looked = |owner| HostEvent::Looked { prompt: id.clone(), owner };
    let steps = at.take(looked(Some(7)));
    assert_eq!(sent(&steps), Vec::<&PromptId>::new());
    assert_eq!(looks_for(&at.say(&state("idle"))), None);
    at.pass(10_000);
    assert_eq!(at.state(), RunState::Idle, "a queue that waits is not idle");
    let (_, steps) = at.ask(HostRequest::Release { action: action() });
    assert_eq!(looks_for(&steps), Some(&id));
    assert_eq!(sent(&at.take(looked(Some(7)))), [&id]);
}

#[test]
fn the_session_is_followed() {
    let mut at = MachineFixture::idle();
    let steps = at.say(&json!({ "type": "assistant", "session_id": "s2" }));
    assert!(steps.contains(&HostStep::LockSession("s2".to_owned())));
    assert_eq!(at.machine.session(), "s2");
}

#[test]
fn a_client_that_tells_no_states_is_idle_after_its_turn() {
    let mut at = MachineFixture::idle();
    let (one, _) = at.put(SendWhen::Idle);
    at.look(&one);
    let echo = json!({ "type": "user", "uuid": one.as_str(), "isReplay": true });
    at.say(&echo);
    let (two, _) = at.put(SendWhen::Idle);
    let steps = at.say(&json!({ "type": "result", "user_message_uuids": [one.as_str()] }));
    assert_eq!(looks_for(&steps), Some(&two));
}

#[test]
fn what_is_open_is_found_again() {
    let mut at = MachineFixture::idle();
    let (_, steps) = at.ask(HostRequest::Resync { action: action() });
    let id = &said(&steps)[0]["request_id"];
    let mut answer = success(id.clone(), &json!({}));
    answer["response"]["pending_permission_requests"] = json!([bash("r1")]);
    at.say(&answer);
    assert_eq!(at.state(), RunState::Waiting(ApprovalKind::Tool));
    assert_eq!(said(&at.say(&answer)).len(), 0);
}

#[test]
fn permissions_are_not_bypassed_where_that_is_not_allowed() {
    let mut at = MachineFixture::idle();
    let request = |mode| HostRequest::Mode { action: action(), mode: Some(mode), model: None };
    let bypass = crate::state::PermissionMode::BypassPermissions;
    assert!(matches!(at.ask(request(bypass)).0, HostReply::Refused { .. }));
    let (reply, steps) = at.ask(request(crate::state::PermissionMode::Plan));
    assert_eq!((reply, said(&steps).len()), (HostReply::Done, 1));
}
