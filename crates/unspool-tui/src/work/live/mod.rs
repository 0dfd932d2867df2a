//! Looks at the sessions that run, and gives answers to those that unspool drives.

mod board;

use unspool_drive::{
    ActionId, ApprovalId, Drive, PersonChoice, PromptContent, PromptId, RunId, RunRequest, RunView,
    SendWhen,
};
use unspool_engine::library::{CollectedNotes, InboxRequest, SessionPlace};
use unspool_model::ids::SessionId;
use unspool_store::rows::SessionRow;

use super::{WorkCall, WorkContext, WorkLane, WorkReply};

pub(crate) use self::board::{LiveBoard, LiveCard};

/// Who answers, for the store of runs and for others who look at the same session.
const BY: &str = "terminal";
/// What is said when a run began.
const BEGUN: &str = "the session goes on; it appears among those that run";
/// How many sessions that ended are listed.
const MOST_DONE: usize = 20;

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) enum LiveRequest {
    /// What the sessions that run are doing.
    Look,
    /// To answer a request that waits.
    Answer {
        approval: ApprovalId,
        choice: Box<PersonChoice>,
    },
    /// To queue a prompt. The id is made once, so asking twice queues one.
    Prompt {
        run: RunId,
        id: PromptId,
        text: String,
    },
    /// To interrupt the turn.
    Interrupt(RunId),
    /// To end a run.
    Stop(RunId),
    /// To go on with a queue that is held.
    Release(RunId),
    /// To go on with a session that does not run, in a new run that begins with a prompt.
    Begin {
        run: RunId,
        place: SessionPlace,
        text: String,
    },
    /// To go on with the session of a lost run, in a new run.
    GoOn(RunId),
    /// The same, and to run its last prompt again.
    Again(RunId),
}

impl LiveRequest {
    /// Returns the lane that it goes down: what a person wants done is never forgotten.
    pub(crate) fn lane(&self) -> WorkLane {
        match self {
            Self::Look => WorkLane::Live,
            _ => WorkLane::Act,
        }
    }
}

/// What is answered.
#[derive(Debug)]
pub(crate) enum LiveReply {
    /// What they are doing.
    Board(Box<LiveBoard>),
    /// What came of something that a person wanted, in words.
    Answered(Result<String, String>),
}

/// Looks at the sessions that run.
pub(crate) struct LiveWork {
    context: WorkContext,
}

impl LiveWork {
    pub(crate) fn new(context: WorkContext) -> Self {
        Self { context }
    }

    pub(crate) fn answer(&mut self, request: LiveRequest, call: &mut WorkCall<'_>) {
        let reply = match request {
            LiveRequest::Look => LiveReply::Board(Box::new(self.look())),
            request => LiveReply::Answered(self.act(request)),
        };
        call.tell(WorkReply::Live(reply));
    }

    fn look(&self) -> LiveBoard {
        let settings = &self.context.settings;
        let request = InboxRequest {
            done: MOST_DONE,
            ..InboxRequest::default()
        };
        let inbox = settings.library.inbox(&request, &CollectedNotes::default());
        let drive = settings.drive.as_ref().ok();
        let runs = drive.and_then(|drive| drive.runs().ok());
        let row = |run: &RunView| self.row(run);
        LiveBoard::new(inbox.unwrap_or_default(), runs.unwrap_or_default(), row)
    }

    /// Returns what the catalogue says of the session of a run. The inbox has brought it up to date.
    fn row(&self, run: &RunView) -> Option<SessionRow> {
        let session = SessionId::new(run.run.session.as_str());
        let cwd = run.run.plan.cwd.to_string_lossy();
        let library = &self.context.settings.library;
        library.driven_row(&session, &cwd, run.run.made).ok()?
    }

    /// Says how a session that does not run is gone on with: in the folder that it was in last.
    fn begin(&self, run: RunId, place: &SessionPlace, text: String) -> Result<RunRequest, String> {
        let library = &self.context.settings.library;
        let row = library.standing_row(place).ok().flatten();
        let cwd = row.and_then(|row| row.cwd);
        let cwd = cwd.ok_or("the folder of this session is not known")?;
        let mut request = RunRequest::new(run, cwd, BY);
        request.home.clone_from(&place.home);
        request.session = Some(place.session.as_str().to_owned());
        request.prompt = Some(PromptContent::text(text));
        Ok(request)
    }

    fn act(&self, request: LiveRequest) -> Result<String, String> {
        let drive = self.context.settings.drive.as_ref();
        let drive: &Drive = drive.map_err(Clone::clone)?;
        let done = match request {
            LiveRequest::Look => return Ok(String::new()),
            LiveRequest::Answer { approval, choice } => {
                let given = drive.answer(&approval, &choice, BY);
                given.map(|given| format!("answered: {}", given.decision))
            }
            LiveRequest::Prompt { run, id, text } => {
                let content = PromptContent::text(text);
                let put = drive.put_prompt(&run, &id, &content, SendWhen::Idle, BY);
                put.map(|state| format!("the prompt is {}", state.name().replace('_', " ")))
            }
            LiveRequest::Interrupt(run) => drive
                .interrupt(&ActionId::random(), &run)
                .map(|()| "the turn is interrupted".to_owned()),
            LiveRequest::Stop(run) => drive
                .stop(&ActionId::random(), &run)
                .map(|()| "the run ends".to_owned()),
            LiveRequest::Begin { run, place, text } => {
                let request = self.begin(run, &place, text)?;
                drive.start(&request).map(|_| BEGUN.to_owned())
            }
            LiveRequest::GoOn(run) => drive
                .go_on(&RunId::random(), &run, BY)
                .map(|_| BEGUN.to_owned()),
            LiveRequest::Again(run) => drive
                .run_again(&RunId::random(), &run, BY)
                .map(|_| "the prompt runs again".to_owned()),
            LiveRequest::Release(run) => drive
                .release_queue(&ActionId::random(), &run)
                .map(|()| "the queue goes on".to_owned()),
        };
        done.map_err(|error| error.to_string())
    }
}
