//! Requests of the client that wait for a person, until the first answer.

use serde_json::Value;
use unspool_model::time::Time;

use super::{HostStep, RunMachine, Steps, after};
use crate::ids::ApprovalId;
use crate::json::{ApprovalJson, DriveEventJson};
use crate::socket::{GivenAnswer, HostReply};
use crate::state::{ApprovalKind, Decision, Resolution};
use crate::store::{ApprovalRecord, StoreChange};
use crate::wire::{AskedRequest, ClientLine, PersonChoice, unanswered};

/// The name recorded as the sender of an answer that the waiting deadline gave.
const DEADLINE: &str = "deadline";

/// A request that waits for a person.
#[derive(Clone, Debug)]
pub(super) struct OpenApproval {
    pub(super) id: ApprovalId,
    request_id: String,
    request: AskedRequest,
    pub(super) kind: ApprovalKind,
    pub(super) deadline: Option<Time>,
}

/// A request that no longer waits.
#[derive(Clone, Debug)]
pub(super) struct SettledApproval {
    resolution: Resolution,
    given: Option<GivenAnswer>,
    choice: Option<PersonChoice>,
    /// The answer that was sent to the client.
    answer: Option<Value>,
}

impl RunMachine {
    /// Takes a request of the client. The client may repeat it in its list of pending requests.
    pub(super) fn asked(
        &mut self,
        now: Time,
        request_id: String,
        request: AskedRequest,
        steps: &mut Steps,
    ) {
        let Some(kind) = request.kind() else {
            let line = ClientLine::refuse(&request_id, &request.subtype);
            steps.push(HostStep::Say(line));
            return;
        };
        let id = ApprovalId::of(&self.run, &request_id);
        if self.open.iter().any(|open| open.id == id) {
            return;
        }
        if let Some(settled) = self.settled.get(&id) {
            // The client has not received the answer, or reuses the id; the first answer is sent again.
            if let Some(answer) = &settled.answer {
                steps.push(HostStep::Say(ClientLine::answer(&request_id, answer)));
            }
            return;
        }
        let deadline = self.limits.waiting.map(|seconds| after(now, seconds));
        let asked = ApprovalRecord {
            id: id.clone(),
            run: self.run.clone(),
            session: self.session.clone(),
            cwd: self.cwd.clone(),
            request_id: request_id.clone(),
            kind,
            request: request.clone(),
            asked: now,
            deadline,
            resolution: None,
            decided: None,
            at: None,
        };
        let note = DriveEventJson::Approval(Box::new(ApprovalJson::from(&asked)));
        steps.push(HostStep::Note(note));
        steps.push(HostStep::Store(StoreChange::Asked(Box::new(asked))));
        self.open.push(OpenApproval { id, request_id, request, kind, deadline });
    }

    /// Resolves a request that the client withdraws.
    pub(super) fn withdrawn(&mut self, now: Time, request_id: &str, steps: &mut Steps) {
        let id = ApprovalId::of(&self.run, request_id);
        self.settle_without_answer(now, &id, Resolution::Cancelled, steps);
    }

    fn take_open(&mut self, id: &ApprovalId) -> Option<OpenApproval> {
        let place = self.open.iter().position(|open| open.id == *id)?;
        Some(self.open.remove(place))
    }

    fn settle_without_answer(
        &mut self,
        now: Time,
        id: &ApprovalId,
        resolution: Resolution,
        steps: &mut Steps,
    ) {
        let Some(open) = self.take_open(id) else {
            return;
        };
        let change = StoreChange::Resolved(open.id.clone(), resolution, now);
        steps.push(HostStep::Store(change));
        let settled = SettledApproval { resolution, given: None, choice: None, answer: None };
        self.settle(open.id, settled, steps);
    }

    fn settle(&mut self, id: ApprovalId, settled: SettledApproval, steps: &mut Steps) {
        let given = settled.given.as_ref();
        steps.push(HostStep::Note(DriveEventJson::ApprovalResolved {
            id: id.to_string(),
            resolved: settled.resolution,
            decision: given.map(|given| given.decision),
            by: given.map(|given| given.by.clone()),
        }));
        self.settled.insert(id, settled);
    }

    /// Resolves all open requests after the client is gone.
    pub(super) fn interrupt_approvals(&mut self, now: Time, steps: &mut Steps) {
        let ids: Vec<ApprovalId> = self.open.iter().map(|open| open.id.clone()).collect();
        for id in ids {
            self.settle_without_answer(now, &id, Resolution::Interrupted, steps);
        }
    }

    /// Takes the answer of a person. The first one counts.
    pub(super) fn answer(
        &mut self,
        now: Time,
        id: &ApprovalId,
        choice: PersonChoice,
        by: String,
        steps: &mut Steps,
    ) -> HostReply {
        if let Some(settled) = self.settled.get(id) {
            return later_answer(settled, &choice);
        }
        let Some(open) = self.open.iter().find(|open| open.id == *id) else {
            return HostReply::Unknown;
        };
        let answer = match open.request.answer(&choice, self.may_bypass) {
            Ok(answer) => answer,
            Err(fault) => {
                let reason = fault.to_string();
                return HostReply::Refused { reason };
            }
        };
        let given = GivenAnswer { decision: choice.decision, by, at: now.as_millis() };
        let settled = SettledApproval {
            resolution: Resolution::Answered,
            given: Some(given.clone()),
            choice: Some(choice),
            answer: Some(answer),
        };
        self.decide(now, id, settled, steps);
        HostReply::Decided(given)
    }

    fn decide(&mut self, now: Time, id: &ApprovalId, settled: SettledApproval, steps: &mut Steps) {
        let answered = settled.given.clone().zip(settled.answer.clone());
        let Some((open, (given, answer))) = self.take_open(id).zip(answered) else {
            return;
        };
        steps.push(HostStep::Store(StoreChange::Decided {
            id: id.clone(),
            resolution: settled.resolution,
            decision: given.decision,
            choice: settled.choice.clone().map(Box::new),
            answer: Box::new(answer.clone()),
            by: given.by,
            at: now,
        }));
        let line = ClientLine::answer(&open.request_id, &answer);
        steps.push(HostStep::Say(line));
        self.settle(open.id, settled, steps);
    }

    /// Answers requests whose deadline has passed.
    pub(super) fn answer_overdue(&mut self, now: Time, steps: &mut Steps) {
        let is_overdue =
            |open: &&OpenApproval| open.deadline.is_some_and(|deadline| deadline <= now);
        let overdue: Vec<(ApprovalId, (Decision, Value))> = self
            .open
            .iter()
            .filter(is_overdue)
            .map(|open| (open.id.clone(), unanswered(&open.request)))
            .collect();
        for (id, (decision, answer)) in overdue {
            let given = GivenAnswer { decision, by: DEADLINE.to_owned(), at: now.as_millis() };
            let settled = SettledApproval {
                resolution: Resolution::TimedOut,
                given: Some(given),
                choice: None,
                answer: Some(answer),
            };
            self.decide(now, &id, settled, steps);
        }
    }

    /// Gives open requests a new deadline that starts at this moment.
    pub(super) fn restart_deadlines(&mut self, now: Time, steps: &mut Steps) {
        let deadline = self.limits.waiting.map(|seconds| after(now, seconds));
        for open in &mut self.open {
            open.deadline = deadline;
            let change = StoreChange::Deadline(open.id.clone(), deadline);
            steps.push(HostStep::Store(change));
        }
    }
}

fn later_answer(settled: &SettledApproval, choice: &PersonChoice) -> HostReply {
    match &settled.given {
        Some(given) if settled.choice.as_ref() == Some(choice) => HostReply::Decided(given.clone()),
        Some(given) => HostReply::Conflict(given.clone()),
        None => HostReply::Over { resolution: settled.resolution },
    }
}
