//! Looks at the sessions that run, and does what a person wants done with those that unspool drives.
//!
//! A [`LiveRequest`] goes in. What only looks (the board, the ends of conversations) may be forgotten for a
//! newer request; what a person wants done, and drafts, are carried out in their order.

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

/// Who answers, for the store of runs and for others who look at the same session.
const BY: &str = "terminal";
/// What is said when a run began.
const BEGUN: &str = "the session goes on; it appears among those that run";
/// What is said when a new session began.
const STARTED: &str = "the session begins; it appears among those that run";
/// What is said when a copy of a session began.
const FORKED: &str = "a copy of the session goes on; it appears among those that run";

/// The name of the draft of a new session. No session has it: ids are names of files.
const NEW_DRAFT: &str = "/new";

/// Returns the name of the draft of a session; of a new one if none.
pub(crate) fn draft_name(session: Option<&SessionId>) -> &str {
    session.map_or(NEW_DRAFT, SessionId::as_str)
}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) enum LiveRequest {
    /// What the sessions that run are doing.
    Look,
    /// The ends of some conversations.
    Tails(Vec<TailRequest>),
    /// What was begun to be written under a name.
    Draft(String),
    /// To keep what was begun to be written under a name; nothing is kept of an empty text.
    KeepDraft { name: String, text: String },
    /// What a run can be started with that goes on with a session, or begins one near it.
    StartFacts(Option<SessionSubject>),
    /// What a word of a prompt can become.
    Complete(CompletionRequest),
    /// The models that the client of a run offers.
    Models(RunId),
    /// To answer a request that waits.
    Answer { approval: ApprovalId, choice: Box<PersonChoice> },
    /// To send a prompt, or to say how the run would be started that it begins.
    Prompt(Box<PromptRequest>),
    /// To say how a run would be started that goes on where another one ended.
    PlanNext(RunId, NextRunKind),
    /// To start a run whose plan a person has read.
    Start(Box<StartRequest>),
    /// To do something with a run.
    Run(RunId, RunChange),
}

/// A prompt for a session.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PromptRequest {
    pub(crate) way: PromptWay,
    /// The session; none for a new one.
    pub(crate) subject: Option<SessionSubject>,
    pub(crate) text: String,
    /// What the person saw of the conversation: the prompt is held if more came. None sends it anyway.
    pub(crate) seen: Option<FeedPosition>,
    /// The columns for what came since.
    pub(crate) width: u16,
}

/// How a prompt gets to the client. Ids are made once, so asking twice sends one prompt.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum PromptWay {
    /// Into the queue of a run.
    Queue { run: RunId, prompt: PromptId },
    /// In a new run, when a person has read how it would be started.
    Begin {
        run: RunId,
        options: StartOptions,
        /// The entry up to which a copy of the session goes on; none goes on with the session itself.
        at: Option<EntryId>,
    },
}

/// What is done with a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RunChange {
    /// Its turn is interrupted.
    Interrupt,
    /// It ends.
    Stop,
    /// A queue that is held goes on.
    Release,
    /// A prompt is taken back.
    Cancel(PromptId),
    /// Queued prompts get an order.
    Order(Vec<PromptId>),
    /// It may do other things without asking.
    Mode(PermissionMode),
    /// It gets another model.
    Model(String),
    /// Its deadlines change.
    Limits(LimitsChange),
}

impl LiveRequest {
    /// Returns the lane that it goes down.
    pub(crate) fn lane(&self) -> WorkLane {
        match self {
            Self::Look => WorkLane::Live,
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

/// What is answered.
#[derive(Debug)]
pub(crate) enum LiveReply {
    /// What they are doing.
    Board(Box<LiveBoard>),
    /// The ends of conversations.
    Tails(Vec<SessionTail>),
    /// What was begun to be written; empty if nothing was.
    Draft(String),
    /// What a run can be started with.
    StartFacts(Box<StartFacts>),
    /// What the word can become.
    Completions(Vec<WordCompletion>),
    /// The run, and the models that its client offers.
    Models(RunId, Vec<MenuModel>),
    /// What became of a prompt.
    Prompt(PromptOutcome),
    /// What came of something that a person wanted, in words.
    Answered(Result<String, String>),
}

/// What became of a prompt.
#[derive(Debug)]
pub(crate) enum PromptOutcome {
    /// It is on its way, in words.
    Sent(String),
    /// It was not sent, because messages came that the person has not seen.
    Held(Box<MissedMessages>),
    /// It begins a run, which would be started so.
    Planned(Box<StartPlan>),
    /// It was not sent, in words.
    Failed(String),
}

/// Looks at the sessions that run.
pub(crate) struct LiveWork {
    context: WorkContext,
    /// The sessions that ran since the program looks.
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
            LiveRequest::Look => return self.tell_board(call),
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
                LiveReply::Answered(self.give(&approval, &choice))
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
        call.tell(WorkReply::Live(reply));
    }

    /// Tells what the sessions that run are doing, once more after the catalogue was brought up to date for it.
    fn tell_board(&mut self, call: &mut WorkCall<'_>) {
        let mut tell = |board| call.tell(WorkReply::Live(LiveReply::Board(Box::new(board))));
        tell(self.look());
        if self.refresh() {
            tell(self.look());
        }
    }

    /// Brings the catalogue up to date if it lacks something: the picker does it otherwise, and a program
    /// that began with another screen has none. Tells whether it did.
    fn refresh(&mut self) -> bool {
        let settings = &self.context.settings;
        let has_picker = matches!(settings.start, StartScreen::Picker(_));
        let is_first = !std::mem::replace(&mut self.has_looked, true);
        let is_needed = (is_first && !has_picker) || self.seen.has_missing();
        is_needed
            && settings.refresh == CatalogueRefresh::Walked
            && settings.library.refresh(&CollectedNotes::default()).is_ok()
    }

    fn look(&mut self) -> LiveBoard {
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

    /// Returns what the catalogue says of the session of a run. The inbox has brought it up to date.
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

    fn give(&self, approval: &ApprovalId, choice: &PersonChoice) -> Result<String, String> {
        let given = self.drive()?.answer(approval, choice, BY);
        let given = given.map_err(in_words)?;
        Ok(format!("answered: {}", given.decision))
    }

    /// Sends a prompt, or says how the run would be started that it begins; unless messages came that the
    /// person has not seen. The draft of a prompt that was sent is removed.
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
            PromptWay::Queue { run, prompt } => match self.put(&run, &prompt, &content) {
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

    fn put(
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

    /// Starts a run whose plan a person has read.
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

/// Says what became of a prompt that was to be taken back.
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
