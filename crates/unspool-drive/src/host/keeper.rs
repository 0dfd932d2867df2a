//! Carries out the steps that the machine decides: records first, then sends.
//!
//! Knows the order of steps and what to do if a write fails. Pipes and threads are passed in as
//! [`HostJournal`] and [`HostOutlet`], so that tests can have a full disk or a client that does not read. A
//! request that cannot be recorded is not carried out, and its caller is told so. Lines of the client cannot
//! be refused: their changes wait in memory until the disk takes them, and nothing is sent meanwhile.

use std::collections::VecDeque;

use unspool_model::time::Time;

use crate::ids::PromptId;
use crate::json::DriveEventJson;
use crate::machine::{HostEvent, HostStep, ReplyTo, RunMachine};
use crate::socket::HostReply;
use crate::spool::SpoolWriter;
use crate::store::{DriveStore, DriveStoreError, StoreChange};
use crate::wire::{ClientLine, PromptContent};

/// Records changes.
pub(super) trait HostJournal {
    /// Records changes, all or none.
    fn write(&self, changes: &[StoreChange]) -> Result<(), DriveStoreError>;
    /// Returns the content of a prompt.
    fn content(&self, prompt: &PromptId) -> Result<Option<PromptContent>, DriveStoreError>;
}

impl HostJournal for DriveStore {
    fn write(&self, changes: &[StoreChange]) -> Result<(), DriveStoreError> {
        Self::write(self, changes)
    }

    fn content(&self, prompt: &PromptId) -> Result<Option<PromptContent>, DriveStoreError> {
        Ok(self.prompt(prompt)?.map(|prompt| prompt.content))
    }
}

/// Carries out all steps except changes and notes.
pub(super) trait HostOutlet {
    /// Sends a line to the client.
    fn say(&mut self, line: &ClientLine);
    /// Replies to a caller.
    fn reply(&mut self, to: ReplyTo, reply: HostReply);
    /// Returns the process id of another client that has the session open.
    fn other_owner(&mut self, session: &str) -> Option<u32>;
    /// Takes the lock of a session.
    fn lock_session(&mut self, session: &str);
    /// Closes the client's standard input.
    fn close_input(&mut self);
    /// Asks the client to end, with SIGTERM.
    fn terminate(&mut self);
    /// Kills the client's process group.
    fn kill_group(&mut self);
}

/// Whether a host continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HostProgress {
    GoesOn,
    IsOver,
}

/// The machine with everything that carries out its steps.
pub(super) struct StepExecutor<J, O> {
    pub(super) machine: RunMachine,
    pub(super) journal: J,
    pub(super) outlet: O,
    pub(super) spool: SpoolWriter,
    /// The length of the spool after the last note.
    pub(super) noted: u64,
    /// Changes that could not be recorded yet.
    backlog: Vec<StoreChange>,
    /// Steps that wait until `backlog` is recorded.
    waiting: VecDeque<HostStep>,
    /// The error that keeps `backlog` from being recorded.
    pub(super) failure: Option<String>,
}

impl<J: HostJournal, O: HostOutlet> StepExecutor<J, O> {
    pub(super) fn new(machine: RunMachine, journal: J, outlet: O, spool: SpoolWriter) -> Self {
        Self {
            machine,
            journal,
            outlet,
            spool,
            noted: 0,
            backlog: Vec::new(),
            waiting: VecDeque::new(),
            failure: None,
        }
    }

    /// Passes an event to the machine and carries out the steps, until no further events follow.
    pub(super) fn take(&mut self, now: Time, event: HostEvent) -> HostProgress {
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            let steps = match event {
                HostEvent::Asked(to, request) => {
                    // A request that cannot be recorded must not change the machine.
                    let before = self.machine.clone();
                    let steps = self.machine.step(now, HostEvent::Asked(to, request));
                    match self.write_request(steps) {
                        Ok(steps) => steps,
                        Err(reason) => {
                            self.machine = before;
                            self.outlet.reply(to, HostReply::Failed { reason });
                            continue;
                        }
                    }
                }
                event => self.machine.step(now, event),
            };
            self.queue(steps);
            if self.carry_out(&mut events) == HostProgress::IsOver {
                return HostProgress::IsOver;
            }
        }
        HostProgress::GoesOn
    }

    /// Records the changes of a request, and returns the other steps.
    fn write_request(&mut self, steps: Vec<HostStep>) -> Result<Vec<HostStep>, String> {
        let (changes, steps) = split(steps);
        if changes.is_empty() {
            return Ok(steps);
        }
        // Earlier changes must be recorded first.
        self.write_backlog();
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        self.journal.write(&changes).map_err(|error| error.to_string())?;
        Ok(steps)
    }

    fn queue(&mut self, steps: Vec<HostStep>) {
        let (changes, steps) = split(steps);
        self.backlog.extend(changes);
        self.waiting.extend(steps);
    }

    fn write_backlog(&mut self) {
        if self.backlog.is_empty() {
            self.failure = None;
            return;
        }
        match self.journal.write(&self.backlog) {
            Ok(()) => {
                self.backlog.clear();
                self.failure = None;
            }
            Err(DriveStoreError::Conflict(_)) => self.write_one_by_one(),
            Err(error) => self.failure = Some(error.to_string()),
        }
    }

    /// Records changes one by one after a conflict. A change that conflicts with the store was made before.
    fn write_one_by_one(&mut self) {
        self.failure = None;
        while let Some(change) = self.backlog.first() {
            match self.journal.write(std::slice::from_ref(change)) {
                Ok(()) | Err(DriveStoreError::Conflict(_)) => {
                    self.backlog.remove(0);
                }
                Err(error) => {
                    self.failure = Some(error.to_string());
                    return;
                }
            }
        }
    }

    /// Carries out the waiting steps, unless earlier changes could not be recorded.
    fn carry_out(&mut self, events: &mut VecDeque<HostEvent>) -> HostProgress {
        self.write_backlog();
        if self.failure.is_some() {
            return HostProgress::GoesOn;
        }
        while let Some(step) = self.waiting.pop_front() {
            match step {
                HostStep::Store(change) => self.backlog.push(change),
                HostStep::Say(line) => self.outlet.say(&line),
                HostStep::SendPrompt(id) => self.send(&id),
                HostStep::FindOwner(prompt) => {
                    let owner = self.outlet.other_owner(self.machine.session());
                    events.push_back(HostEvent::Looked { prompt, owner });
                }
                HostStep::LockSession(session) => self.outlet.lock_session(&session),
                HostStep::Note(note) => self.note(&note),
                HostStep::Reply(to, reply) => self.outlet.reply(to, reply),
                HostStep::CloseInput => self.outlet.close_input(),
                HostStep::Terminate => self.outlet.terminate(),
                HostStep::KillGroup => self.outlet.kill_group(),
                HostStep::Stop => {
                    self.finish();
                    return HostProgress::IsOver;
                }
            }
        }
        HostProgress::GoesOn
    }

    /// Writes the remaining notes.
    fn finish(&mut self) {
        while let Some(step) = self.waiting.pop_front() {
            if let HostStep::Note(note) = step {
                self.note(&note);
            }
        }
        self.spool.flush();
    }

    fn send(&mut self, id: &PromptId) {
        // A sent prompt is in the store, so only the disk can fail here. The prompt stays recorded as sent,
        // and becomes lost when the run ends.
        match self.journal.content(id) {
            Ok(Some(content)) => self.outlet.say(&ClientLine::prompt(id, &content)),
            Ok(None) => {}
            Err(error) => self.failure = Some(error.to_string()),
        }
    }

    fn note(&mut self, note: &DriveEventJson) {
        // Plain data always serializes.
        let text = serde_json::to_vec(note).unwrap_or_default();
        self.spool.note(&text);
        self.spool.flush();
        self.noted = self.spool.length();
    }

    /// Tries again to record the changes that failed.
    pub(super) fn retry(&mut self, now: Time) -> HostProgress {
        self.take(now, HostEvent::Tick)
    }
}

/// Separates changes from the other steps.
fn split(steps: Vec<HostStep>) -> (Vec<StoreChange>, Vec<HostStep>) {
    let mut changes = Vec::new();
    let mut others = Vec::new();
    for step in steps {
        match step {
            HostStep::Store(change) => changes.push(change),
            other => others.push(other),
        }
    }
    (changes, others)
}
