//! The states of prompts: queued, sent, taken up, done.

use unspool_model::time::Time;

use super::{HostStep, RunMachine, SentRequest, Steps};
use crate::ids::PromptId;
use crate::json::QueuePlaceJson;
use crate::state::{FailureCause, PromptState, SendWhen};
use crate::store::{StoreChange, over_budget};
use crate::wire::{ClientActivity, ClientLine, ClientTurnEnd, PromptProgress};

/// A prompt without its content.
#[derive(Clone, Debug)]
pub(super) struct PromptEntry {
    pub(super) id: PromptId,
    pub(super) send: SendWhen,
    pub(super) state: PromptState,
}

impl PromptEntry {
    pub(super) fn queued(id: PromptId, send: SendWhen) -> Self {
        let state = PromptState::Queued;
        Self { id, send, state }
    }
}

impl RunMachine {
    pub(super) fn prompt(&self, id: &PromptId) -> Option<&PromptEntry> {
        self.prompts.iter().find(|prompt| prompt.id == *id)
    }

    pub(super) fn queue(&self) -> Vec<QueuePlaceJson> {
        let open = self.prompts.iter().filter(|prompt| prompt.state.is_open());
        open.map(|prompt| QueuePlaceJson { id: prompt.id.to_string(), state: prompt.state })
            .collect()
    }

    fn set_prompt(&mut self, now: Time, id: &PromptId, state: PromptState, steps: &mut Steps) {
        let Some(prompt) = self.prompts.iter_mut().find(|prompt| prompt.id == *id) else {
            return;
        };
        if prompt.state != state && prompt.state.is_open() {
            prompt.state = state;
            let change = StoreChange::Prompt(id.clone(), state, now);
            steps.push(HostStep::Store(change));
        }
    }

    /// Finds a prompt that the client reports about. The client also creates prompts of its own.
    fn known(&self, text: &str) -> Option<(PromptId, PromptState)> {
        let id = PromptId::parse(text).ok()?;
        let state = self.prompt(&id)?.state;
        Some((id, state))
    }

    pub(super) fn prompt_is(
        &mut self,
        now: Time,
        text: &str,
        progress: PromptProgress,
        steps: &mut Steps,
    ) {
        let Some((id, state)) = self.known(text) else {
            return;
        };
        match progress {
            // A prompt that was not sent cannot have been taken up.
            PromptProgress::Started if state == PromptState::Sent => {
                self.set_prompt(now, &id, PromptState::TakenUp, steps);
            }
            PromptProgress::Completed if state != PromptState::Queued => {
                self.set_prompt(now, &id, PromptState::Done, steps);
            }
            PromptProgress::Cancelled => self.cancelled(now, &id, steps),
            PromptProgress::Queued | PromptProgress::Started | PromptProgress::Completed => {}
        }
    }

    pub(super) fn prompt_done(&mut self, now: Time, text: &str, steps: &mut Steps) {
        self.prompt_is(now, text, PromptProgress::Completed, steps);
    }

    pub(super) fn cancelled(&mut self, now: Time, id: &PromptId, steps: &mut Steps) {
        let state = self.prompt(id).map(|prompt| prompt.state);
        if state == Some(PromptState::Sent) {
            self.set_prompt(now, id, PromptState::Cancelled, steps);
        }
    }

    pub(super) fn finish_taken_up(&mut self, now: Time, steps: &mut Steps) {
        let taken_up = |prompt: &&PromptEntry| prompt.state == PromptState::TakenUp;
        let ids = self.prompts.iter().filter(taken_up);
        let ids: Vec<PromptId> = ids.map(|prompt| prompt.id.clone()).collect();
        for id in ids {
            self.set_prompt(now, &id, PromptState::Done, steps);
        }
    }

    /// Withdraws a queued prompt, or asks the client to cancel a sent one.
    pub(super) fn withdraw_prompt(&mut self, now: Time, id: &PromptId, steps: &mut Steps) {
        match self.prompt(id).map(|prompt| prompt.state) {
            Some(PromptState::Queued) => {
                self.set_prompt(now, id, PromptState::Cancelled, steps);
            }
            Some(PromptState::Sent) => {
                let request = self.request(SentRequest::Cancel(id.clone()));
                let line = ClientLine::cancel_prompt(&request, id);
                steps.push(HostStep::Say(line));
            }
            _ => {}
        }
    }

    /// Reorders queued prompts: those of `order` first, the others after them.
    pub(super) fn order(&mut self, order: &[PromptId], steps: &mut Steps) {
        let place = |prompt: &PromptEntry| {
            let named = order.iter().position(|id| *id == prompt.id);
            named.unwrap_or(order.len())
        };
        let is_queued = |prompt: &PromptEntry| prompt.state == PromptState::Queued;
        let (mut queued, mut rest): (Vec<_>, Vec<_>) = self.prompts.drain(..).partition(is_queued);
        queued.sort_by_key(place);
        let ids = queued.iter().map(|prompt| prompt.id.clone()).collect();
        rest.append(&mut queued);
        self.prompts = rest;
        steps.push(HostStep::Store(StoreChange::Order(self.run.clone(), ids)));
    }

    /// Tells whether the budget is spent. A running turn continues, but no prompt is sent.
    fn is_spent(&self) -> bool {
        over_budget(self.budget, self.cost).is_some()
    }

    /// Holds the queue if a turn failed with a cause that the next prompts would fail with too, and releases
    /// it after a turn that was answered. A turn that was interrupted or failed with another cause changes
    /// nothing.
    pub(super) fn hold_after(&mut self, end: &ClientTurnEnd) {
        let failure = end.failure();
        let cause = failure.as_deref().and_then(FailureCause::of);
        if let Some(cause) = cause.filter(|cause| cause.blocks_queue()) {
            self.held_for = Some(cause);
        } else if failure.is_none() && !end.is_cut {
            self.held_for = None;
        }
    }

    /// Releases an empty queue: a prompt that is added later is a person's attempt to try again.
    pub(super) fn release_if_empty(&mut self) {
        let is_queued = |prompt: &PromptEntry| prompt.state == PromptState::Queued;
        if !self.prompts.iter().any(is_queued) {
            self.held_for = None;
        }
    }

    /// Tells whether a prompt waits because the last turn failed. A prompt for now does not: a person sends
    /// it to find out whether the cause is gone.
    fn is_held(&self, prompt: &PromptEntry) -> bool {
        self.held_for.is_some() && prompt.send == SendWhen::Idle
    }

    /// Starts sending the next prompt: a queued one if the client is idle, or one that is for now. The host
    /// first searches for another process that has opened the session meanwhile.
    pub(super) fn send_next(&mut self, steps: &mut Steps) {
        let is_stopped = self.held_by.is_some() || self.is_spent();
        if self.client.is_none() || self.ending.is_some() || is_stopped {
            return;
        }
        let is_looked_for = steps.iter().any(|step| matches!(step, HostStep::FindOwner(_)));
        let is_sent = |prompt: &PromptEntry| prompt.state == PromptState::Sent;
        // A sent prompt that the client has not taken up yet blocks the queue, so the client never has two.
        let is_free = self.client == Some(ClientActivity::Idle)
            && self.open.is_empty()
            && !self.prompts.iter().any(is_sent);
        let can_go = |prompt: &&PromptEntry| {
            prompt.state == PromptState::Queued
                && !self.is_held(prompt)
                && (is_free || prompt.send == SendWhen::Now)
        };
        if let Some(next) = self.prompts.iter().find(can_go).filter(|_| !is_looked_for) {
            steps.push(HostStep::FindOwner(next.id.clone()));
        }
    }

    /// Sends a prompt, unless another process has the session open.
    pub(super) fn looked(
        &mut self,
        now: Time,
        id: &PromptId,
        owner: Option<u32>,
        steps: &mut Steps,
    ) {
        if self.ending.is_some() || self.is_spent() {
            return;
        }
        if let Some(pid) = owner.filter(|pid| self.released != Some(*pid)) {
            self.held_by = Some(pid);
            return;
        }
        let can_go =
            |prompt: &PromptEntry| prompt.state == PromptState::Queued && !self.is_held(prompt);
        if self.prompt(id).is_some_and(can_go) {
            self.set_prompt(now, id, PromptState::Sent, steps);
            steps.push(HostStep::SendPrompt(id.clone()));
        }
    }
}
