//! The decisions of a host, without I/O.
//!
//! [`RunMachine::step`] takes one event with the time (a line of the client, a request, the death of the
//! client, or a tick) and returns steps: changes to record, lines to send, replies to callers. It reads no
//! file, clock or pipe, so tests check its laws with random events. The host records all changes of an event
//! before it carries out the other steps.
//!
//! From the client's protocol the machine follows the state of the client, background tasks, the progress of
//! prompts, requests for a person, and the ends of turns. While the client is idle, it sends one queued
//! prompt at a time, and it never sends a prompt twice.

mod approvals;
mod ending;
mod prompts;
mod requests;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use unspool_model::time::Time;

use self::approvals::{OpenApproval, SettledApproval};
use self::ending::EndingStage;
use self::prompts::PromptEntry;
use crate::ids::{ActionId, ApprovalId, PromptId, RunId};
use crate::json::{DriveEventJson, QueuePlaceJson};
use crate::money::UsdAmount;
use crate::socket::{HostReply, HostRequest, HostStatus};
use crate::state::{FailureCause, PromptState, RunLimits, RunState, SendWhen};
use crate::store::{PutPrompt, RunStatus, StoreChange, Survivor, over_budget};
use crate::wire::{
    AnsweredFields, ClientActivity, ClientAnswer, ClientFrame, ClientLine, ClientMenu,
    ClientMessage, ClientTurnEnd, MenuCommand, MenuModel,
};

/// Identifies the caller that gets a reply; the host maps it to a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ReplyTo(pub u64);

/// How the client exited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientGone {
    /// The exit code.
    pub code: Option<i32>,
    /// The signal that ended the client.
    pub signal: Option<i32>,
    /// Processes that the client started and that still run.
    pub survivors: Vec<Survivor>,
}

/// An event of a host.
#[derive(Clone, PartialEq, Debug)]
pub enum HostEvent {
    /// The client was started.
    Started,
    /// The client wrote a line.
    Said(Box<ClientFrame>),
    /// The client wrote a line to standard error.
    Complained(String),
    /// A caller sent a request.
    Asked(ReplyTo, Box<HostRequest>),
    /// The host searched for another process that has the session open, before it sends a prompt.
    Looked {
        /// The prompt.
        prompt: PromptId,
        /// The process id of the other client, if there is one.
        owner: Option<u32>,
    },
    /// Time has passed.
    Tick,
    /// The client ended.
    Gone(ClientGone),
}

/// A step for the host to carry out.
#[derive(Clone, PartialEq, Debug)]
pub enum HostStep {
    /// Record a change, before all other steps.
    Store(StoreChange),
    /// Send a line to the client.
    Say(ClientLine),
    /// Send a prompt to the client; the store has its content.
    SendPrompt(PromptId),
    /// Search for another process that has the session open, before a prompt is sent.
    FindOwner(PromptId),
    /// Lock the session that the client has changed to.
    LockSession(String),
    /// Append a note to the spool for followers.
    Note(DriveEventJson),
    /// Reply to a caller.
    Reply(ReplyTo, HostReply),
    /// Close the client's standard input.
    CloseInput,
    /// Ask the client to end, with SIGTERM.
    Terminate,
    /// Kill the client's process group.
    KillGroup,
    /// End the host: the run is over.
    Stop,
}

/// The initial values of a machine.
#[derive(Clone, PartialEq, Debug)]
pub struct MachineStart {
    /// The run.
    pub run: RunId,
    /// The session that the client writes.
    pub session: String,
    /// The folder that the client works in.
    pub cwd: PathBuf,
    /// The deadlines.
    pub limits: RunLimits,
    /// The maximum cost of the session.
    pub budget: Option<UsdAmount>,
    /// The cost of the session before this run.
    pub cost: Option<UsdAmount>,
    /// Whether a person may let the client do everything without asking.
    pub may_bypass: bool,
    /// Prompts that were recorded before the host started.
    pub prompts: Vec<(PromptId, SendWhen)>,
}

/// A request to the client that it has not answered yet.
#[derive(Clone, Debug)]
enum SentRequest {
    Initialize,
    Cancel(PromptId),
    Setting,
    Settings,
    Files(ReplyTo),
    End,
    Other,
}

/// The state of a run, as its host knows it.
#[derive(Clone, Debug)]
pub struct RunMachine {
    run: RunId,
    session: String,
    cwd: PathBuf,
    limits: RunLimits,
    budget: Option<UsdAmount>,
    cost: Option<UsdAmount>,
    may_bypass: bool,
    /// The activity that the client reported last; `None` before its first report.
    client: Option<ClientActivity>,
    /// Whether the client reports changes of its state. Until its first report, the end of a turn means idle.
    tells_states: bool,
    background: usize,
    mode: Option<String>,
    model: Option<String>,
    /// The commands and models of the client, as recorded last.
    menu: Arc<ClientMenu>,
    prompts: Vec<PromptEntry>,
    open: Vec<OpenApproval>,
    settled: BTreeMap<ApprovalId, SettledApproval>,
    actions: BTreeMap<ActionId, &'static str>,
    sent: BTreeMap<String, SentRequest>,
    idle_since: Option<Time>,
    ending: Option<EndingStage>,
    over: Option<RunState>,
    held_by: Option<u32>,
    /// Why queued prompts wait: the cause of the last failure, for which they would fail too.
    held_for: Option<FailureCause>,
    /// The other process that a person allowed to have the session.
    released: Option<u32>,
    last_error: Option<String>,
    /// The error of the last turn.
    last_failure: Option<String>,
    last_complaint: Option<String>,
    /// The errors that the client reports about settings files.
    broken_settings: Vec<String>,
    requests_made: u64,
    shown: Option<RunStatus>,
    shown_queue: Vec<QueuePlaceJson>,
}

/// The collected steps of one event.
type Steps = Vec<HostStep>;

impl RunMachine {
    /// Creates the machine of a client that is about to start.
    pub fn new(start: MachineStart) -> Self {
        let entry = |(id, send)| PromptEntry::queued(id, send);
        Self {
            run: start.run,
            session: start.session,
            cwd: start.cwd,
            limits: start.limits,
            budget: start.budget,
            cost: start.cost,
            may_bypass: start.may_bypass,
            client: None,
            tells_states: false,
            background: 0,
            mode: None,
            model: None,
            menu: Arc::default(),
            prompts: start.prompts.into_iter().map(entry).collect(),
            open: Vec::new(),
            settled: BTreeMap::new(),
            actions: BTreeMap::new(),
            sent: BTreeMap::new(),
            idle_since: None,
            ending: None,
            over: None,
            held_by: None,
            held_for: None,
            released: None,
            last_error: None,
            last_failure: None,
            last_complaint: None,
            broken_settings: Vec::new(),
            requests_made: 0,
            shown: None,
            shown_queue: Vec::new(),
        }
    }

    /// Takes an event and returns the steps to carry out.
    pub fn step(&mut self, now: Time, event: HostEvent) -> Vec<HostStep> {
        let mut steps = Steps::new();
        if self.over.is_some() {
            if let HostEvent::Asked(reply, _) = event {
                let reason = "the run is over".to_owned();
                steps.push(HostStep::Reply(reply, HostReply::Refused { reason }));
            }
            return steps;
        }
        match event {
            HostEvent::Started => {
                let id = self.request(SentRequest::Initialize);
                steps.push(HostStep::Say(ClientLine::initialize(&id)));
            }
            HostEvent::Said(frame) => self.take_frame(now, *frame, &mut steps),
            HostEvent::Complained(line) => self.last_complaint = Some(line),
            HostEvent::Asked(reply, request) => self.take_request(now, reply, *request, &mut steps),
            HostEvent::Looked { prompt, owner } => self.looked(now, &prompt, owner, &mut steps),
            HostEvent::Tick => {}
            HostEvent::Gone(gone) => self.client_gone(now, gone, &mut steps),
        }
        if self.over.is_none() {
            // Deadlines come first: a run that they end sends no further prompt.
            self.look_at_time(now, &mut steps);
            self.release_if_empty();
            self.send_next(&mut steps);
        }
        self.show(now, &mut steps);
        steps
    }

    /// Tells whether a line must not be written to the spool: settings may contain keys and tokens.
    pub fn is_private(&self, frame: &ClientFrame) -> bool {
        let ClientMessage::Answers(answer) = &frame.said else {
            return false;
        };
        let sent = self.sent.get(&answer.request_id);
        matches!(sent, Some(SentRequest::Settings))
    }

    fn take_frame(&mut self, now: Time, frame: ClientFrame, steps: &mut Steps) {
        if let Some(session) = frame.session.filter(|session| *session != self.session) {
            self.session.clone_from(&session);
            steps.push(HostStep::LockSession(session));
        }
        match frame.said {
            ClientMessage::State(state) => {
                self.tells_states = true;
                self.client_is(now, state, steps);
            }
            ClientMessage::BackgroundTasks(count) => self.background = count,
            ClientMessage::Prompt { id, progress } => self.prompt_is(now, &id, progress, steps),
            ClientMessage::Asks { request_id, request } => {
                self.asked(now, request_id, request, steps);
            }
            ClientMessage::Withdraws { request_id } => self.withdrawn(now, &request_id, steps),
            ClientMessage::Answers(answer) => self.answered(now, answer, steps),
            ClientMessage::TurnEnd(end) => self.turn_ended(now, end, steps),
            ClientMessage::Setting { mode, model } => self.set_shown(mode, model),
            ClientMessage::Commands(commands) => self.offers(Some(commands), None, steps),
            ClientMessage::Part(_) | ClientMessage::Answer { .. } | ClientMessage::Other => {}
        }
    }

    fn turn_ended(&mut self, now: Time, end: ClientTurnEnd, steps: &mut Steps) {
        self.last_failure = end.failure();
        self.hold_after(&end);
        self.cost = end.cost.or(self.cost);
        if end.is_error || end.startup_failure.is_some() {
            self.last_error = end.startup_failure.or(end.message);
        } else {
            self.last_error = None;
        }
        for id in &end.prompts {
            self.prompt_done(now, id, steps);
        }
        if !self.tells_states {
            self.client_is(now, ClientActivity::Idle, steps);
        }
    }

    fn set_shown(&mut self, mode: Option<String>, model: Option<String>) {
        self.mode = mode.or(self.mode.take());
        self.model = model.or(self.model.take());
    }

    fn client_is(&mut self, now: Time, state: ClientActivity, steps: &mut Steps) {
        self.client = Some(state);
        if state == ClientActivity::Idle {
            // An idle client has finished the prompts of its turn, even if it does not report each of them.
            self.finish_taken_up(now, steps);
        }
    }

    fn answered(&mut self, now: Time, answer: ClientAnswer, steps: &mut Steps) {
        let Some(sent) = self.sent.remove(&answer.request_id) else {
            return;
        };
        for (request_id, request) in answer.pending.into_iter().flatten() {
            self.asked(now, request_id, request, steps);
        }
        match (sent, answer.outcome) {
            (SentRequest::Files(to), outcome) => Self::files_named(to, outcome, steps),
            (SentRequest::Initialize, Ok(fields)) => self.initialized(now, fields, steps),
            // A client that does not know the request is ready anyway.
            (SentRequest::Initialize, Err(_)) => {
                self.initialized(now, AnsweredFields::default(), steps);
            }
            (SentRequest::Cancel(prompt), Ok(fields)) => {
                if fields.cancelled == Some(true) {
                    self.cancelled(now, &prompt, steps);
                }
            }
            (SentRequest::End, Err(_)) => steps.push(HostStep::CloseInput),
            (SentRequest::Setting, Ok(fields)) => self.set_shown(fields.mode, fields.model),
            (SentRequest::Setting, Err(reason)) => self.last_error = Some(reason),
            (SentRequest::Settings, Ok(fields)) => {
                self.broken_settings = fields.setting_errors.unwrap_or_default();
            }
            // A client that does not know a request has nothing to change.
            (SentRequest::Cancel(_) | SentRequest::Settings | SentRequest::Other, _)
            | (SentRequest::End, Ok(_)) => {}
        }
    }

    /// Records the commands and models of the client if they have changed.
    fn offers(
        &mut self,
        commands: Option<Vec<MenuCommand>>,
        models: Option<Vec<MenuModel>>,
        steps: &mut Steps,
    ) {
        let menu = ClientMenu {
            commands: commands.unwrap_or_else(|| self.menu.commands.clone()),
            models: models.unwrap_or_else(|| self.menu.models.clone()),
        };
        if menu != *self.menu {
            self.menu = Arc::new(menu);
            let change = StoreChange::Menu(self.run.clone(), Arc::clone(&self.menu));
            steps.push(HostStep::Store(change));
        }
    }

    fn initialized(&mut self, now: Time, fields: AnsweredFields, steps: &mut Steps) {
        self.set_shown(fields.mode, fields.model);
        self.offers(fields.commands, fields.models, steps);
        if self.client.is_none() {
            let state = fields.state.unwrap_or(ClientActivity::Idle);
            self.client_is(now, state, steps);
            let id = self.request(SentRequest::Settings);
            steps.push(HostStep::Say(ClientLine::get_settings(&id)));
        }
    }

    /// Returns the current state of the run.
    pub fn state(&self) -> RunState {
        if let Some(over) = self.over {
            return over;
        }
        if self.ending.is_some() {
            return RunState::Ending;
        }
        let Some(client) = self.client else {
            return RunState::Starting;
        };
        if let Some(first) = self.open.first() {
            return RunState::Waiting(first.kind);
        }
        let is_sent = |prompt: &PromptEntry| prompt.state == PromptState::Sent;
        if client == ClientActivity::Idle && !self.prompts.iter().any(is_sent) {
            RunState::Idle
        } else {
            RunState::Running
        }
    }

    /// Returns the session that the client writes.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Returns the reply to a status request. The host fills in the client, the spool and the unread bytes.
    pub fn status(&self) -> HostStatus {
        let state = self.state();
        HostStatus {
            stage: state.stage().to_string(),
            detail: state.detail().map(str::to_owned),
            client: None,
            spool: 0,
            background: self.background,
            failure: None,
            unread: 0,
        }
    }

    /// Creates the id of a request to the client, and remembers the request until it is answered.
    fn request(&mut self, sent: SentRequest) -> String {
        self.requests_made += 1;
        let id = format!("unspool-{}", self.requests_made);
        self.sent.insert(id.clone(), sent);
        id
    }

    /// Records the status, and appends notes for followers, if the status or the queue has changed.
    fn show(&mut self, now: Time, steps: &mut Steps) {
        let is_idle = self.state() == RunState::Idle && self.is_at_rest();
        self.idle_since = is_idle.then(|| self.idle_since.unwrap_or(now));
        let queue = self.queue();
        if queue != self.shown_queue {
            self.shown_queue.clone_from(&queue);
            steps.push(HostStep::Note(DriveEventJson::Queue { queue }));
        }
        let status = RunStatus {
            state: self.state(),
            session: self.session.clone(),
            limits: self.limits,
            idle_deadline: self.idle_deadline(),
            mode: self.mode.clone(),
            model: self.model.clone(),
            held_by: self.held_by,
            held_for: self.held_for,
            last_failure: self.last_failure.clone(),
            budget: self.budget,
            cost: self.cost,
            broken_settings: self.broken_settings.clone(),
        };
        if self.shown.as_ref() == Some(&status) {
            return;
        }
        if self.over.is_none() {
            let change = StoreChange::Status(self.run.clone(), Box::new(status.clone()));
            steps.push(HostStep::Store(change));
        }
        steps.push(HostStep::Note(run_note(&status)));
        self.shown = Some(status);
    }

    /// Tells whether no prompts, approvals or background tasks are left.
    fn is_at_rest(&self) -> bool {
        let open = self.prompts.iter().any(|prompt| prompt.state.is_open());
        !open && self.background == 0 && self.open.is_empty()
    }

    fn idle_deadline(&self) -> Option<Time> {
        let since = self.idle_since?;
        Some(after(since, self.limits.idle?))
    }

    fn look_at_time(&mut self, now: Time, steps: &mut Steps) {
        self.answer_overdue(now, steps);
        let is_idle = self.state() == RunState::Idle && self.is_at_rest();
        if is_idle && self.idle_deadline().is_some_and(|deadline| deadline <= now) {
            self.begin_ending(now, crate::state::RunEnd::IdleDeadline, steps);
        }
        self.next_end_step(now, steps);
    }

    /// Returns the time of the next deadline.
    pub fn next_deadline(&self) -> Option<Time> {
        let waiting = self.open.iter().filter_map(|open| open.deadline).min();
        let ending = self.ending.as_ref().and_then(|ending| ending.next);
        [waiting, self.idle_deadline(), ending].into_iter().flatten().min()
    }
}

/// Returns the time that is some seconds after another.
fn after(time: Time, seconds: u64) -> Time {
    let millis = i64::try_from(seconds.saturating_mul(1000)).unwrap_or(i64::MAX);
    Time::from_millis(time.as_millis().saturating_add(millis))
}

fn run_note(status: &RunStatus) -> DriveEventJson {
    let (waiting_for, how) = match status.state {
        RunState::Waiting(kind) => (Some(kind.waiting_for()), None),
        RunState::Ended(end) => (None, Some(end.to_string())),
        _ => (None, None),
    };
    DriveEventJson::Run {
        state: status.state.stage(),
        waiting_for,
        session: status.session.clone(),
        idle_at: status.idle_deadline.map(|time| time.to_string()),
        held_by: status.held_by,
        last_failure: status.last_failure.clone(),
        over_budget: over_budget(status.budget, status.cost),
        queue_held: status.held_for.map(FailureCause::hold_reason),
        how,
    }
}

/// Returns the row of a prompt that was added to the queue.
fn put_prompt(run: &RunId, now: Time, request: HostRequest) -> Option<PutPrompt> {
    match request {
        HostRequest::Put { id, content, send, by } => {
            Some(PutPrompt { id, run: run.clone(), content, send, by, at: now })
        }
        _ => None,
    }
}
