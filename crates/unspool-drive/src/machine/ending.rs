//! The end of a client: requested first, then by signals, then recorded.

use unspool_model::time::Time;

use super::{ClientGone, HostStep, RunMachine, SentRequest, Steps, after};
use crate::state::{PromptState, RunEnd, RunState};
use crate::store::{EndRecord, StoreChange};
use crate::wire::ClientLine;

/// Seconds between two steps of ending a client. By judgement: an idle client ends within a tenth of a
/// second, and a busy one ends its tools first.
const GRACE: u64 = 5;
/// The maximum number of characters of an end's message that are kept.
const LONGEST_MESSAGE: usize = 2_000;

/// The progress of ending a client.
#[derive(Clone, Debug)]
pub(super) struct EndingStage {
    why: RunEnd,
    pressure: EndStep,
    /// When the next step is taken.
    pub(super) next: Option<Time>,
}

/// The steps of ending a client, in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum EndStep {
    Asked,
    Terminated,
    Killed,
}

impl RunMachine {
    pub(super) fn begin_ending(&mut self, now: Time, why: RunEnd, steps: &mut Steps) {
        if self.ending.is_some() {
            return;
        }
        let id = self.request(SentRequest::End);
        steps.push(HostStep::Say(ClientLine::end_session(&id)));
        self.ending =
            Some(EndingStage { why, pressure: EndStep::Asked, next: Some(after(now, GRACE)) });
    }

    /// Takes the next step of ending the client when its time has come.
    pub(super) fn next_end_step(&mut self, now: Time, steps: &mut Steps) {
        let Some(ending) = &mut self.ending else {
            return;
        };
        if ending.next.is_none_or(|next| next > now) {
            return;
        }
        ending.next = Some(after(now, GRACE));
        match ending.pressure {
            EndStep::Asked => {
                ending.pressure = EndStep::Terminated;
                steps.push(HostStep::CloseInput);
                steps.push(HostStep::Terminate);
            }
            EndStep::Terminated => {
                ending.pressure = EndStep::Killed;
                ending.next = None;
                steps.push(HostStep::KillGroup);
            }
            EndStep::Killed => ending.next = None,
        }
    }

    pub(super) fn client_gone(&mut self, now: Time, gone: ClientGone, steps: &mut Steps) {
        let is_open = |state: PromptState| state.is_open();
        let has_open = self.prompts.iter().any(|prompt| is_open(prompt.state));
        let is_in_order = gone.code == Some(0) && !has_open && self.open.is_empty();
        let why = match &self.ending {
            Some(ending) => ending.why,
            None if is_in_order => RunEnd::Finished,
            None if self.client.is_none() => RunEnd::NotStarted,
            None => RunEnd::Died,
        };
        self.interrupt_approvals(now, steps);
        self.refuse_questions(steps);
        for prompt in &mut self.prompts {
            if is_open(prompt.state) {
                prompt.state = PromptState::Lost;
            }
        }
        let state = RunState::Ended(why);
        let message = self.last_error.take();
        let has_failed = matches!(why, RunEnd::Died | RunEnd::NotStarted);
        let message = message.or_else(|| self.last_complaint.take().filter(|_| has_failed));
        let end = EndRecord {
            at: now,
            code: gone.code,
            signal: gone.signal,
            message: message.map(|text| text.chars().take(LONGEST_MESSAGE).collect()),
            survivors: gone.survivors,
        };
        let run = self.run.clone();
        steps.push(HostStep::Store(StoreChange::LosePrompts(run.clone(), now)));
        steps.push(HostStep::Store(StoreChange::Ended(run, state, Box::new(end))));
        steps.push(HostStep::Stop);
        self.held_by = None;
        self.held_for = None;
        self.over = Some(state);
    }
}
