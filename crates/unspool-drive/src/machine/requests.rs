//! Requests of callers, each carried out once.

use unspool_model::time::Time;

use super::prompts::PromptEntry;
use super::{HostStep, ReplyTo, RunMachine, SentRequest, Steps, put_prompt};
use crate::ids::{ActionId, PromptId};
use crate::launch::is_model_name;
use crate::socket::{HostReply, HostRequest, LimitChange, LimitsChange};
use crate::state::{PermissionMode, RunEnd};
use crate::store::StoreChange;
use crate::wire::{AnswerError, AnsweredFields, ClientLine};

/// The maximum number of file requests that the client has not answered; further ones are refused.
const MOST_QUESTIONS: usize = 8;
/// The maximum length of a typed path that is passed to the client.
const LONGEST_QUERY: usize = 4_096;

impl RunMachine {
    pub(super) fn take_request(
        &mut self,
        now: Time,
        to: ReplyTo,
        request: HostRequest,
        steps: &mut Steps,
    ) {
        let reply = match request {
            HostRequest::SuggestFiles { query } => {
                // The client's answer becomes the reply.
                match self.suggest_files(to, &query, steps) {
                    Ok(()) => return,
                    Err(reason) => HostReply::Refused { reason },
                }
            }
            HostRequest::Put { ref id, .. } => {
                let id = id.clone();
                self.put(now, &id, request, steps)
            }
            HostRequest::Drop { id } => {
                self.withdraw_prompt(now, &id, steps);
                let state = self.prompt(&id).map(|prompt| prompt.state);
                state.map_or(HostReply::Unknown, |state| HostReply::Prompt { state })
            }
            HostRequest::Answer { approval, choice, by } => {
                self.answer(now, &approval, choice, by, steps)
            }
            HostRequest::Status => HostReply::Status(self.status()),
            HostRequest::Mode { action, mode, model } => {
                self.set_mode(now, action, mode, model.as_deref(), steps)
            }
            action => self.take_action(now, action, steps),
        };
        steps.push(HostStep::Reply(to, reply));
    }

    /// Carries out a request that has an action id.
    fn take_action(&mut self, now: Time, request: HostRequest, steps: &mut Steps) -> HostReply {
        match request {
            HostRequest::Order { action, order } => {
                self.once(now, action, "order", steps, |machine, steps| {
                    machine.order(&order, steps);
                })
            }
            HostRequest::Limits { action, limits } => {
                self.once(now, action, "limits", steps, |machine, steps| {
                    machine.set_limits(now, limits, steps);
                })
            }
            HostRequest::Interrupt { action } => {
                self.once(now, action, "interrupt", steps, |machine, steps| {
                    let id = machine.request(SentRequest::Other);
                    steps.push(HostStep::Say(ClientLine::interrupt(&id)));
                })
            }
            HostRequest::Release { action } => {
                self.once(now, action, "release", steps, |machine, _| {
                    machine.released = machine.held_by.take();
                    machine.held_for = None;
                })
            }
            HostRequest::Resync { action } => {
                self.once(now, action, "resync", steps, |machine, steps| {
                    let id = machine.request(SentRequest::Initialize);
                    steps.push(HostStep::Say(ClientLine::initialize(&id)));
                })
            }
            HostRequest::End { action } => {
                self.once(now, action, "end", steps, |machine, steps| {
                    machine.begin_ending(now, RunEnd::Stopped, steps);
                })
            }
            // `take_request` handles all other requests.
            _ => HostReply::Done,
        }
    }

    /// Carries out a request once: a repetition with the same id changes nothing.
    fn once(
        &mut self,
        now: Time,
        action: ActionId,
        what: &'static str,
        steps: &mut Steps,
        carry_out: impl FnOnce(&mut Self, &mut Steps),
    ) -> HostReply {
        match self.actions.get(&action) {
            Some(known) if *known == what => {}
            Some(known) => {
                let reason = format!("the id {action} was used for another request ({known})");
                return HostReply::Refused { reason };
            }
            None => {
                self.actions.insert(action.clone(), what);
                let change = StoreChange::Action(action, self.run.clone(), what, now);
                steps.push(HostStep::Store(change));
                carry_out(self, steps);
            }
        }
        HostReply::Done
    }

    fn put(
        &mut self,
        now: Time,
        id: &PromptId,
        request: HostRequest,
        steps: &mut Steps,
    ) -> HostReply {
        if let Some(known) = self.prompt(id) {
            return HostReply::Prompt { state: known.state };
        }
        if self.ending.is_some() {
            let reason = "the run is ending".to_owned();
            return HostReply::Refused { reason };
        }
        let Some(prompt) = put_prompt(&self.run, now, request) else {
            return HostReply::Unknown;
        };
        let entry = PromptEntry::queued(prompt.id.clone(), prompt.send);
        let state = entry.state;
        self.prompts.push(entry);
        steps.push(HostStep::Store(StoreChange::Put(Box::new(prompt))));
        HostReply::Prompt { state }
    }

    fn set_mode(
        &mut self,
        now: Time,
        action: ActionId,
        mode: Option<PermissionMode>,
        model: Option<&str>,
        steps: &mut Steps,
    ) -> HostReply {
        if mode == Some(PermissionMode::BypassPermissions) && !self.may_bypass {
            let reason = AnswerError::Bypass.to_string();
            return HostReply::Refused { reason };
        }
        if let Some(name) = model.filter(|name| !is_model_name(name)) {
            let reason = crate::launch::PlanFault::Model(name.to_owned()).to_string();
            return HostReply::Refused { reason };
        }
        self.once(now, action, "mode", steps, |machine, steps| {
            if let Some(mode) = mode {
                let id = machine.request(SentRequest::Setting);
                steps.push(HostStep::Say(ClientLine::set_mode(&id, mode)));
            }
            if let Some(model) = model {
                let id = machine.request(SentRequest::Setting);
                let line = ClientLine::set_model(&id, Some(model));
                steps.push(HostStep::Say(line));
            }
        })
    }

    /// Asks the client for files that match a typed path.
    fn suggest_files(&mut self, to: ReplyTo, query: &str, steps: &mut Steps) -> Result<(), String> {
        let is_question = |sent: &&SentRequest| matches!(sent, SentRequest::Files(_));
        let refused = if self.client.is_none() {
            Some("the client is not ready yet")
        } else if self.ending.is_some() {
            Some("the run is ending")
        } else if self.sent.values().filter(is_question).count() >= MOST_QUESTIONS {
            Some("the client does not answer")
        } else if query.len() > LONGEST_QUERY {
            Some("the beginning of the path is too long")
        } else {
            None
        };
        if let Some(reason) = refused {
            return Err(reason.to_owned());
        }
        let id = self.request(SentRequest::Files(to));
        steps.push(HostStep::Say(ClientLine::suggest_files(&id, query)));
        Ok(())
    }

    /// Returns the client's answer to the caller that asked.
    pub(super) fn files_named(
        to: ReplyTo,
        outcome: Result<AnsweredFields, String>,
        steps: &mut Steps,
    ) {
        let reply = match outcome {
            Ok(fields) => HostReply::Files { files: fields.files.unwrap_or_default() },
            Err(reason) => HostReply::Refused { reason },
        };
        steps.push(HostStep::Reply(to, reply));
    }

    /// Refuses the file requests that the client did not answer.
    pub(super) fn refuse_questions(&mut self, steps: &mut Steps) {
        for sent in std::mem::take(&mut self.sent).into_values() {
            if let SentRequest::Files(to) = sent {
                Self::files_named(to, Err("the run is over".to_owned()), steps);
            }
        }
    }

    /// Changes deadlines and budget. Changed deadlines start at this moment.
    fn set_limits(&mut self, now: Time, change: LimitsChange, steps: &mut Steps) {
        self.limits.idle = change.idle.apply(self.limits.idle);
        self.limits.waiting = change.waiting.apply(self.limits.waiting);
        self.budget = change.budget.apply(self.budget);
        if change.idle != LimitChange::Keep {
            self.idle_since = None;
        }
        if change.waiting != LimitChange::Keep {
            self.restart_deadlines(now, steps);
        }
    }
}
