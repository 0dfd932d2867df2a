//! Reads the state of running sessions, and carries out actions on those that unspool drives.
//!
//! Requests that only read (the board, the ends of conversations) may be replaced by newer ones; actions
//! and drafts are all carried out, in order.

mod board;
mod complete;
mod ended;
pub(crate) mod start;
mod tail;

use unspool_drive::socket::LimitsChange;
use unspool_drive::{
    ActionId, ApprovalId, Drive, DriveError, MenuModel, PermissionMode, PersonChoice,
    PromptContent, PromptId, PromptState, RunId, RunView, SendWhen,
};
use unspool_engine::library::{CollectedNotes, FeedPosition, InboxRequest};
use unspool_model::ids::{EntryId, SessionId};
use unspool_store::rows::SessionRow;

use self::ended::SeenSessions;
use super::{WorkCall, WorkContext, WorkLane, WorkReply};
use crate::settings::{CatalogueRefresh, SessionSubject, StartScreen};

pub(crate) use self::board::{LiveBoard, LiveCard};
pub(crate) use self::complete::{CompletionRequest, PromptWord, WordCompletion};
pub(crate) use self::start::{NextRunKind, StartFacts, StartOptions, StartPlan, StartRequest};
pub(crate) use self::tail::{MissedMessages, SessionTail, TailRequest};

/// The name of this client in answers and prompts, stored with the run and shown to other clients.
const BY: &str = "terminal";
/// The message after a run started.
const BEGUN: &str = "the session goes on; it appears among those that run";
/// The message after a new session started.
const STARTED: &str = "the session begins; it appears among those that run";
/// The message after a fork started.
const FORKED: &str = "a copy of the session goes on; it appears among those that run";

/// The name of a new session's draft. It cannot be a session id, because ids are file names.
const NEW_DRAFT: &str = "/new";

/// Returns the name of a session's draft, or of a new session's draft if `None`.
pub(crate) fn draft_name(session: Option<&SessionId>) -> &str {
    session.map_or(NEW_DRAFT, SessionId::as_str)
}

/// A request about running sessions.
#[derive(Clone, Debug)]
pub(crate) enum LiveRequest {
    /// Reads the state of the running sessions.
    Board,
    /// Reads the ends of some conversations.
    Tails(Vec<TailRequest>),
    /// Reads the draft with a name.
    Draft(String),
    /// Saves the draft with a name; an empty text deletes it.
    KeepDraft { name: String, text: String },
    /// Reads the options for a run that continues the session, or that starts a new session near it.
    StartFacts(Option<SessionSubject>),
    /// Completes a word of a prompt.
    Complete(CompletionRequest),
    /// Reads the models that the client of a run offers.
    Models(RunId),
    /// Answers a pending approval.
    Answer { approval: ApprovalId, choice: Box<PersonChoice> },
    /// Sends a prompt, or plans the run that it starts.
    Prompt(Box<PromptRequest>),
    /// Plans a run that continues one that has ended.
    PlanNext(RunId, NextRunKind),
    /// Starts a run whose plan the person has read.
    Start(Box<StartRequest>),
    /// Changes a run.
    Run(RunId, RunChange),
}

/// A prompt to a session.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PromptRequest {
    pub(crate) way: PromptWay,
    /// The session; `None` for a new one.
    pub(crate) subject: Option<SessionSubject>,
    pub(crate) text: String,
    /// The position up to which the person saw the conversation: the prompt is held if newer messages
    /// exist. `None` sends it in any case.
    pub(crate) seen: Option<FeedPosition>,
    /// The width for the lines of newer messages.
    pub(crate) width: u16,
}

/// How a prompt gets to the client. The ids are made once, so a repeated request sends one prompt.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum PromptWay {
    /// Added to the queue of a run.
    Queue { run: RunId, prompt: PromptId },
    /// Given to a new run, after the person has read its plan.
    Begin {
        run: RunId,
        options: StartOptions,
        /// The last entry of a fork; `None` continues the session itself.
        at: Option<EntryId>,
    },
}

/// A change of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RunChange {
    /// Interrupts the turn.
    Interrupt,
    /// Ends the run.
    Stop,
    /// Releases a held queue.
    Release,
    /// Cancels a prompt.
    Cancel(PromptId),
    /// Reorders the queued prompts.
    Order(Vec<PromptId>),
    /// Sets the permission mode.
    Mode(PermissionMode),
    /// Sets the model.
    Model(String),
    /// Sets the deadlines.
    Limits(LimitsChange),
}

impl LiveRequest {
    /// Returns the lane of the request.
    pub(crate) fn lane(&self) -> WorkLane {
        match self {
            Self::Board => WorkLane::Live,
            Self::Tails(_) => WorkLane::Tail,
            Self::Draft(_) | Self::KeepDraft { .. } => WorkLane::Drafts,
            Self::Complete(_) => WorkLane::Completion,
            Self::StartFacts(_)
            | Self::Models(_)
            | Self::Answer { .. }
            | Self::Prompt(_)
            | Self::PlanNext(..)
            | Self::Start(_)
            | Self::Run(..) => WorkLane::Act,
        }
    }
}

/// An answer about running sessions.
#[derive(Debug)]
pub(crate) enum LiveReply {
    /// The state of the running sessions.
    Board(Box<LiveBoard>),
    /// The ends of conversations.
    Tails(Vec<SessionTail>),
    /// The saved draft; empty if there is none.
    Draft(String),
    /// The options for a run.
    StartFacts(Box<StartFacts>),
    /// The completions of the word.
    Completions(Vec<WordCompletion>),
    /// The run, and the models that its client offers.
    Models(RunId, Vec<MenuModel>),
    /// The outcome of a prompt.
    Prompt(PromptOutcome),
    /// A message about the success or failure of an action.
    Answered(Result<String, String>),
}

/// The outcome of a prompt.
#[derive(Debug)]
pub(crate) enum PromptOutcome {
    /// The prompt was sent or queued, with a message.
    Sent(String),
    /// The prompt was not sent because of messages that the person has not seen.
    Held(Box<MissedMessages>),
    /// The prompt starts a run, with this plan.
    Planned(Box<StartPlan>),
    /// The prompt was not sent, with the reason.
    Failed(String),
}

/// The worker for running sessions.
pub(crate) struct LiveWork {
    context: WorkContext,
    /// The sessions that were seen running.
    seen: SeenSessions,
    has_looked: bool,
}

impl LiveWork {
    pub(crate) fn new(context: WorkContext) -> Self {
        Self { context, seen: SeenSessions::default(), has_looked: false }
    }

    pub(crate) fn answer(&mut self, request: LiveRequest, call: &mut WorkCall<'_>) {
        let host = &self.context.settings.host;
        let reply = match request {
            LiveRequest::Board => return self.reply_with_board(call),
            LiveRequest::Tails(requests) => {
                let tails = requests.into_iter().map(|it| tail::tail(&self.context, it));
                LiveReply::Tails(tails.collect())
            }
            LiveRequest::Draft(name) => LiveReply::Draft(host.draft(&name).unwrap_or_default()),
            LiveRequest::KeepDraft { name, text } => return host.keep_draft(&name, &text),
            LiveRequest::StartFacts(session) => {
                let facts = start::facts(&self.context, session.as_ref());
                LiveReply::StartFacts(Box::new(facts))
            }
            LiveRequest::Complete(request) => LiveReply::Completions(
                self.drive().map(|drive| complete::complete(drive, &request)).unwrap_or_default(),
            ),
            LiveRequest::Models(run) => match self.models(&run) {
                Ok(models) => LiveReply::Models(run, models),
                Err(words) => LiveReply::Answered(Err(words)),
            },
            LiveRequest::Answer { approval, choice } => {
                LiveReply::Answered(self.answer_approval(&approval, &choice))
            }
            LiveRequest::Prompt(request) => LiveReply::Prompt(self.prompt(*request)),
            LiveRequest::PlanNext(run, kind) => {
                let drive = self.drive();
                let plan = drive.and_then(|drive| start::plan_next(drive, &run, kind));
                LiveReply::Prompt(planned(plan))
            }
            LiveRequest::Start(request) => LiveReply::Prompt(self.start(&request)),
            LiveRequest::Run(run, change) => LiveReply::Answered(self.change(&run, change)),
        };
        call.reply(WorkReply::Live(reply));
    }

    /// Sends the state of the running sessions, and sends it again if the catalogue had to be refreshed.
    fn reply_with_board(&mut self, call: &mut WorkCall<'_>) {
        let mut send = |board| call.reply(WorkReply::Live(LiveReply::Board(Box::new(board))));
        send(self.read_board());
        if self.refresh() {
            send(self.read_board());
        }
    }

    /// Refreshes the catalogue if sessions are missing in it; returns whether it did. Usually the picker
    /// refreshes the catalogue, but a program that started with another screen has no picker.
    fn refresh(&mut self) -> bool {
        let settings = &self.context.settings;
        let has_picker = matches!(settings.start, StartScreen::Picker(_));
        let is_first = !std::mem::replace(&mut self.has_looked, true);
        let is_needed = (is_first && !has_picker) || self.seen.has_missing();
        is_needed
            && settings.refresh == CatalogueRefresh::Walked
            && settings.library.refresh(&CollectedNotes::default()).is_ok()
    }

    fn read_board(&mut self) -> LiveBoard {
        let settings = &self.context.settings;
        let request = InboxRequest { done: 0, ..InboxRequest::default() };
        let inbox = settings.library.inbox(&request, &CollectedNotes::default());
        let drive = settings.drive.as_ref().ok();
        let runs = drive.and_then(|drive| drive.runs().ok());
        let row = |run: &RunView| self.row(run);
        let mut board = LiveBoard::new(inbox.unwrap_or_default(), runs.unwrap_or_default(), row);
        self.seen.note(&mut board, &settings.library);
        board
    }

    /// Returns the catalogue's row of a run's session. The inbox has refreshed the catalogue.
    fn row(&self, run: &RunView) -> Option<SessionRow> {
        let session = SessionId::new(run.run.session.as_str());
        let cwd = run.run.plan.cwd.to_string_lossy();
        let library = &self.context.settings.library;
        library.driven_row(&session, &cwd, run.run.made).ok()?
    }

    fn drive(&self) -> Result<&Drive, String> {
        let drive = self.context.settings.drive.as_ref();
        drive.map(|drive| &**drive).map_err(Clone::clone)
    }

    fn models(&self, run: &RunId) -> Result<Vec<MenuModel>, String> {
        let menu = self.drive()?.menu(run);
        menu.map(|menu| menu.models).map_err(in_words)
    }

    fn answer_approval(
        &self,
        approval: &ApprovalId,
        choice: &PersonChoice,
    ) -> Result<String, String> {
        let given = self.drive()?.answer(approval, choice, BY);
        let given = given.map_err(in_words)?;
        Ok(format!("answered: {}", given.decision))
    }

    /// Sends a prompt, or plans the run that it starts, unless messages came that the person has not seen.
    /// Deletes the draft of a prompt that was sent.
    fn prompt(&self, request: PromptRequest) -> PromptOutcome {
        let seen = request.subject.as_ref().zip(request.seen.as_ref());
        let missed =
            seen.and_then(|(it, seen)| tail::missed(&self.context, it, seen, request.width));
        if let Some(missed) = missed {
            return PromptOutcome::Held(Box::new(missed));
        }
        let subject = request.subject.as_ref();
        let content = PromptContent::text(request.text);
        match request.way {
            PromptWay::Queue { run, prompt } => match self.queue_prompt(&run, &prompt, &content) {
                Ok(words) => {
                    let name = draft_name(subject.map(|it| &it.place.session));
                    self.context.settings.host.keep_draft(name, "");
                    PromptOutcome::Sent(words)
                }
                Err(words) => PromptOutcome::Failed(words),
            },
            PromptWay::Begin { run, options, at } => planned(self.drive().and_then(|drive| {
                let from = (subject, at);
                start::plan(&self.context, drive, run, options, from, content)
            })),
        }
    }

    fn queue_prompt(
        &self,
        run: &RunId,
        prompt: &PromptId,
        content: &PromptContent,
    ) -> Result<String, String> {
        let state = self.drive()?;
        let state = state.put_prompt(run, prompt, content, SendWhen::Idle, BY);
        let state = state.map_err(in_words)?;
        Ok(format!("the prompt is {}", state.name().replace('_', " ")))
    }

    /// Starts a run whose plan the person has read, and deletes the draft of its prompt.
    fn start(&self, request: &StartRequest) -> PromptOutcome {
        let started = self.drive().and_then(|drive| start::start(&self.context, drive, request));
        match started {
            Ok(()) => {
                let host = &self.context.settings.host;
                if let Some(draft) = &request.draft {
                    host.keep_draft(draft, "");
                }
                let words = match (&request.run.session, request.run.fork) {
                    (None, _) => STARTED,
                    (Some(_), false) => BEGUN,
                    (Some(_), true) => FORKED,
                };
                PromptOutcome::Sent(words.to_owned())
            }
            Err(words) => PromptOutcome::Failed(words),
        }
    }

    fn change(&self, run: &RunId, change: RunChange) -> Result<String, String> {
        let drive = self.drive()?;
        let action = ActionId::random();
        let done = match change {
            RunChange::Interrupt => {
                drive.interrupt(&action, run).map(|()| "the turn is interrupted")
            }
            RunChange::Stop => drive.stop(&action, run).map(|()| "the run ends"),
            RunChange::Release => drive.release_queue(&action, run).map(|()| "the queue goes on"),
            RunChange::Cancel(prompt) => drive.cancel_prompt(run, &prompt).map(cancelled),
            RunChange::Order(order) => {
                drive.reorder(&action, run, &order).map(|()| "the queue has another order")
            }
            RunChange::Mode(mode) => {
                drive.set_mode(&action, run, Some(mode), None).map(|()| "the client was told")
            }
            RunChange::Model(model) => {
                drive.set_mode(&action, run, None, Some(&model)).map(|()| "the client was told")
            }
            RunChange::Limits(limits) => {
                drive.set_limits(&action, run, limits).map(|()| "the deadlines are other ones")
            }
        };
        done.map(ToOwned::to_owned).map_err(in_words)
    }
}

fn planned(plan: Result<StartPlan, String>) -> PromptOutcome {
    match plan {
        Ok(plan) => PromptOutcome::Planned(Box::new(plan)),
        Err(words) => PromptOutcome::Failed(words),
    }
}

/// Describes the state of a prompt after an attempt to cancel it.
fn cancelled(state: PromptState) -> &'static str {
    match state {
        PromptState::Cancelled => "the prompt is cancelled",
        PromptState::Sent => "the client has it; it was asked to give it back",
        PromptState::Queued => "the prompt is still queued",
        PromptState::TakenUp => "too late: the client works on it",
        PromptState::Done => "too late: it is done",
        PromptState::Lost => "it was lost with its run",
    }
}

#[expect(clippy::needless_pass_by_value, reason = "results hand their errors over")]
fn in_words(error: DriveError) -> String {
    error.to_string()
}
