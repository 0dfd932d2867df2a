//! Requests to the host of a run.

use std::thread;
use std::time::Duration;

use super::{Drive, DriveError, leftovers};
use crate::ids::{ActionId, ApprovalId, PromptId, RunId};
use crate::processes;
use crate::socket::{GivenAnswer, HostReply, HostRequest, HostStatus, LimitsChange, SocketError};
use crate::state::{PermissionMode, PromptState, RunState, SendWhen};
use crate::store::{ApprovalRecord, RunRecord};
use crate::wire::{PersonChoice, PromptContent};

/// How often a client is checked after it was asked to end. With the pause below this takes five seconds,
/// chosen by judgement.
const LOOKS_AT_END: usize = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

impl Drive {
    /// Sends a request to the host of a run.
    pub(super) fn ask(&self, run: &RunId, request: &HostRequest) -> Result<HostReply, DriveError> {
        let reply = self.with_host(run, |mut host| host.call(request));
        let reply = reply.map_err(|error| match error {
            DriveError::Socket(long @ SocketError::TooLong(_)) => {
                DriveError::Refused(long.to_string())
            }
            error => error,
        })?;
        let Some(reply) = reply else {
            return Err(DriveError::Over(self.record(run)?.state));
        };
        match reply {
            HostReply::Refused { reason } => {
                Err(self.unless_over(run, DriveError::Refused(reason)))
            }
            HostReply::Failed { reason } => Err(self.unless_over(run, DriveError::Failed(reason))),
            reply => Ok(reply),
        }
    }

    /// Replaces an error by [`DriveError::Over`] if the run is over: a host that ends refuses everything.
    fn unless_over(&self, run: &RunId, error: DriveError) -> DriveError {
        match self.record(run) {
            Ok(run) if run.state.is_over() => DriveError::Over(run.state),
            _ => error,
        }
    }

    /// Sends a request whose reply has no value.
    fn act(&self, run: &RunId, request: &HostRequest) -> Result<(), DriveError> {
        self.ask(run, request).map(|_| ())
    }

    /// Returns the status of the host of a run; this also makes the host check its deadlines.
    pub fn host_status(&self, run: &RunId) -> Result<HostStatus, DriveError> {
        match self.ask(run, &HostRequest::Status)? {
            HostReply::Status(status) => Ok(status),
            _ => Err(SocketError::Garbled.into()),
        }
    }

    /// Adds a prompt to the queue of a run, or sends it now. The prompt is recorded when this returns.
    /// Repeating the call with the same id returns the current state of the prompt.
    pub fn put_prompt(
        &self,
        run: &RunId,
        id: &PromptId,
        content: &PromptContent,
        send: SendWhen,
        by: &str,
    ) -> Result<PromptState, DriveError> {
        // A recorded prompt keeps its id, whatever happened to its run.
        if let Some(known) = self.store.prompt(id)? {
            if known.run != *run {
                return Err(DriveError::Refused(format!("the prompt {id} belongs to another run")));
            }
            return Ok(known.state);
        }
        let request =
            HostRequest::Put { id: id.clone(), content: content.clone(), send, by: by.to_owned() };
        match self.ask(run, &request)? {
            HostReply::Prompt { state } => Ok(state),
            _ => Err(SocketError::Garbled.into()),
        }
    }

    /// Withdraws a prompt. A queued one is cancelled at once; for one that was sent the client decides, and
    /// the state is still [`PromptState::Sent`] when this returns.
    pub fn cancel_prompt(&self, run: &RunId, id: &PromptId) -> Result<PromptState, DriveError> {
        let known = self.store.prompt(id)?.filter(|prompt| prompt.run == *run);
        let known = known.ok_or_else(|| DriveError::Unknown(id.to_string()))?;
        if !known.state.is_open() {
            return Ok(known.state);
        }
        match self.ask(run, &HostRequest::Drop { id: id.clone() })? {
            HostReply::Prompt { state } => Ok(state),
            HostReply::Unknown => Err(DriveError::Unknown(id.to_string())),
            _ => Err(SocketError::Garbled.into()),
        }
    }

    /// Reorders the queued prompts of a run; those that are not listed follow.
    pub fn reorder(
        &self,
        action: &ActionId,
        run: &RunId,
        order: &[PromptId],
    ) -> Result<(), DriveError> {
        let request = HostRequest::Order { action: action.clone(), order: order.to_vec() };
        self.act(run, &request)
    }

    /// Answers an approval. The first answer counts: an equal answer returns the first one, any other is a
    /// [`DriveError::Conflict`] with the first.
    pub fn answer(
        &self,
        id: &ApprovalId,
        choice: &PersonChoice,
        by: &str,
    ) -> Result<GivenAnswer, DriveError> {
        let known = self.approval(id)?;
        if known.resolution.is_some() {
            return first_answer(&known, choice);
        }
        let request =
            HostRequest::Answer { approval: id.clone(), choice: choice.clone(), by: by.to_owned() };
        match self.ask(&known.run, &request) {
            Ok(HostReply::Decided(given)) => Ok(given),
            Ok(HostReply::Conflict(given)) => Err(DriveError::Conflict(given)),
            Ok(HostReply::Over { resolution }) => Err(DriveError::ApprovalOver(resolution)),
            Ok(HostReply::Unknown) => Err(DriveError::Unknown(id.to_string())),
            Ok(_) => Err(SocketError::Garbled.into()),
            // The run ended after the approval was read.
            Err(DriveError::Over(_)) => first_answer(&self.approval(id)?, choice),
            Err(error) => Err(error),
        }
    }

    /// Interrupts the turn of a run. Queued prompts stay.
    pub fn interrupt(&self, action: &ActionId, run: &RunId) -> Result<(), DriveError> {
        let action = action.clone();
        self.act(run, &HostRequest::Interrupt { action })
    }

    /// Ends a run in the regular way. If its host died, ends the client that may still run.
    pub fn stop(&self, action: &ActionId, run: &RunId) -> Result<(), DriveError> {
        let request = HostRequest::End { action: action.clone() };
        match self.act(run, &request) {
            Err(DriveError::Over(RunState::Lost)) => self.end_leftovers(run),
            Err(DriveError::Over(_)) => Ok(()),
            done => done,
        }
    }

    /// Ends the client of a lost run and the processes that it started: with SIGTERM, then with SIGKILL.
    /// Waits until they have ended, so that they do not block continuing the run.
    fn end_leftovers(&self, run: &RunId) -> Result<(), DriveError> {
        let record = self.record(run)?;
        let client = record.client.clone().filter(processes::is_running);
        let left = leftovers(&record);
        if let Some(client) = &client {
            processes::terminate_group(client.pid);
        }
        for process in &left {
            processes::terminate(process.pid);
        }
        if !have_ended(&record) {
            if let Some(client) = &client {
                processes::kill_group(client.pid);
            }
            for process in &left {
                processes::kill(process.pid);
            }
            have_ended(&record);
        }
        Ok(())
    }

    /// Changes the permission mode or the model of a run.
    pub fn set_mode(
        &self,
        action: &ActionId,
        run: &RunId,
        mode: Option<PermissionMode>,
        model: Option<&str>,
    ) -> Result<(), DriveError> {
        let request =
            HostRequest::Mode { action: action.clone(), mode, model: model.map(str::to_owned) };
        self.act(run, &request)
    }

    /// Changes the deadlines of a run, which start at this moment, and its budget. A budget above the cost of
    /// the session releases the queue.
    pub fn set_limits(
        &self,
        action: &ActionId,
        run: &RunId,
        limits: LimitsChange,
    ) -> Result<(), DriveError> {
        let action = action.clone();
        self.act(run, &HostRequest::Limits { action, limits })
    }

    /// Releases a queue that waits because of another process or a failed turn.
    pub fn release_queue(&self, action: &ActionId, run: &RunId) -> Result<(), DriveError> {
        let action = action.clone();
        self.act(run, &HostRequest::Release { action })
    }

    /// Makes the host ask the client again for its pending requests.
    pub fn resync(&self, action: &ActionId, run: &RunId) -> Result<(), DriveError> {
        let action = action.clone();
        self.act(run, &HostRequest::Resync { action })
    }

    /// Makes the hosts of all open runs ask their clients again for pending requests. Hosts and clients that
    /// do not reply are skipped.
    pub fn resync_all(&self) -> Result<(), DriveError> {
        for run in self.open_runs()? {
            let _ = self.resync(&ActionId::random(), &run);
        }
        Ok(())
    }
}

/// Waits a while until the processes of a run have ended; returns whether they have.
fn have_ended(run: &RunRecord) -> bool {
    for _ in 0..LOOKS_AT_END {
        if leftovers(run).is_empty() {
            return true;
        }
        thread::sleep(BETWEEN_LOOKS);
    }
    false
}

/// Returns the reply to an answer that was not the first.
fn first_answer(known: &ApprovalRecord, choice: &PersonChoice) -> Result<GivenAnswer, DriveError> {
    let Some(decided) = &known.decided else {
        let resolution = known.resolution;
        let resolution = resolution.unwrap_or(crate::state::Resolution::Interrupted);
        return Err(DriveError::ApprovalOver(resolution));
    };
    let given = GivenAnswer {
        decision: decided.decision,
        by: decided.by.clone(),
        at: known.at.map_or(0, unspool_model::time::Time::as_millis),
    };
    match &decided.choice {
        Some(first) if first == choice => Ok(given),
        _ => Err(DriveError::Conflict(given)),
    }
}
