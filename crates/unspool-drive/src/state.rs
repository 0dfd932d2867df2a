//! The words for what a run, a prompt and an approval are doing.
//!
//! Plain values with their names in the store and in JSON; what moves from one to another is in
//! [`crate::machine`].

use serde::{Deserialize, Serialize};
use unspool_model::named::Named as _;

/// Declares [names](unspool_model::names), which are those of the store and of JSON too.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $text:literal,)+ }) => {
        unspool_model::names! {
            $(#[$doc])*
            #[derive(
                Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize,
            )]
            #[cfg_attr(test, derive(schemars::JsonSchema))]
            pub enum $name {
                $($(#[$value_doc])* #[serde(rename = $text)] $value = $text,)+
            }
        }
    };
}

named!(
    /// What a client may do without asking.
    PermissionMode {
        /// Asks for everything that is not allowed by a rule.
        Default = "default",
        /// Edits files without asking.
        AcceptEdits = "acceptEdits",
        /// Only reads, and makes a plan.
        Plan = "plan",
        /// Refuses what it would have to ask for.
        DontAsk = "dontAsk",
        /// Lets a classifier decide.
        Auto = "auto",
        /// Asks for nothing.
        BypassPermissions = "bypassPermissions",
    }
);

impl PermissionMode {
    /// The modes that a surface offers without more ado.
    pub const OFFERED: [Self; 4] = [Self::Default, Self::AcceptEdits, Self::Plan, Self::DontAsk];
    /// The modes that a plan is carried out in, the careful one first.
    pub const FOR_PLANS: [Self; 2] = [Self::Default, Self::AcceptEdits];

    /// Says what the mode lets the client do.
    pub fn words(self) -> &'static str {
        match self {
            Self::Default => "ask before each edit and command",
            Self::AcceptEdits => "accept edits without asking",
            Self::Plan => "plan first",
            Self::DontAsk => "deny whatever is not allowed yet",
            Self::Auto => "let a classifier decide",
            Self::BypassPermissions => "do everything without asking",
        }
    }
}

named!(
    /// What an approval is about.
    ApprovalKind {
        /// A tool call.
        Tool = "tool",
        /// Questions for a person.
        Question = "question",
        /// A plan.
        Plan = "plan",
        /// A form that an MCP server wants filled in.
        Elicitation = "elicitation",
    }
);

impl ApprovalKind {
    /// Returns what a run waits for.
    pub fn waiting_for(self) -> AwaitedAnswer {
        match self {
            Self::Tool => AwaitedAnswer::Approval,
            Self::Question | Self::Elicitation => AwaitedAnswer::Question,
            Self::Plan => AwaitedAnswer::Plan,
        }
    }
}

named!(
    /// What a run waits for.
    AwaitedAnswer {
        /// Whether a call may run.
        Approval = "approval",
        /// Answers to questions, or a form that is filled in.
        Question = "question",
        /// Whether a plan is good.
        Plan = "plan",
    }
);

named!(
    /// Why a run or a turn failed, as far as a person can do something about it.
    FailureCause {
        /// The client's program is not there.
        NotInstalled = "not_installed",
        /// The client has no login, or one that does not count any more.
        NotLoggedIn = "not_logged_in",
        /// The account has no credit.
        NoCredit = "no_credit",
        /// A limit of the account is reached.
        Limit = "limit",
        /// The API takes nothing more for now.
        Overloaded = "overloaded",
    }
);

named!(
    /// Where a prompt is on its way.
    PromptState {
        /// It is kept here and was not sent.
        Queued = "queued",
        /// It was given to the client, which has not begun with it.
        Sent = "sent",
        /// The client works on it.
        TakenUp = "taken_up",
        /// The client is done with it.
        Done = "done",
        /// It was taken back before the client began with it.
        Cancelled = "cancelled",
        /// The run ended before; the prompt says how far it had come.
        Lost = "lost",
    }
);

impl PromptState {
    /// Tells whether something can still happen to the prompt.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Sent | Self::TakenUp)
    }
}

named!(
    /// When a prompt is sent.
    SendWhen {
        /// When the client is idle, after all queued before it.
        Idle = "idle",
        /// At once, also into a turn.
        Now = "now",
    }
);

named!(
    /// What a person decided.
    Decision {
        /// The call may run, the plan is accepted, the questions are answered.
        Allow = "allow",
        /// It may not.
        Deny = "deny",
    }
);

named!(
    /// How an approval came to its end.
    Resolution {
        /// A person answered.
        Answered = "answered",
        /// The waiting deadline passed, and the client got an answer that says so.
        TimedOut = "timed_out",
        /// The client took its request back.
        Cancelled = "cancelled",
        /// The run ended before an answer.
        Interrupted = "interrupted",
    }
);

/// The most seconds of a deadline: a year, by judgement.
pub const LONGEST_LIMIT: u64 = 365 * 24 * 60 * 60;

named!(
    /// What a run is doing, in one word.
    RunStage {
        /// The client was started and has not said that it is ready.
        Starting = "starting",
        /// The client works.
        Running = "running",
        /// The client waits for a person.
        Waiting = "waiting",
        /// The client has nothing to do.
        Idle = "idle",
        /// The client was asked to end.
        Ending = "ending",
        /// The client ended.
        Ended = "ended",
        /// The host died; what was pending is shown as interrupted.
        Lost = "lost",
    }
);

named!(
    /// Why a run ended.
    RunEnd {
        /// A person stopped it.
        Stopped = "stopped",
        /// The idle deadline passed.
        IdleDeadline = "idle_deadline",
        /// The client ended by itself, with nothing pending.
        Finished = "finished",
        /// The client died, or ended with something pending.
        Died = "died",
        /// The client could not be started, or ended before it answered.
        NotStarted = "not_started",
    }
);

/// What a run is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunState {
    /// The client was started and has not said that it is ready.
    Starting,
    /// The client works.
    Running,
    /// The client waits for a person; the oldest open request is of this kind.
    Waiting(ApprovalKind),
    /// The client has nothing to do.
    Idle,
    /// The client was asked to end.
    Ending,
    /// The client ended.
    Ended(RunEnd),
    /// The host died.
    Lost,
}

impl RunState {
    /// Returns the state in one word.
    pub fn stage(self) -> RunStage {
        match self {
            Self::Starting => RunStage::Starting,
            Self::Running => RunStage::Running,
            Self::Waiting(_) => RunStage::Waiting,
            Self::Idle => RunStage::Idle,
            Self::Ending => RunStage::Ending,
            Self::Ended(_) => RunStage::Ended,
            Self::Lost => RunStage::Lost,
        }
    }

    /// Returns the word that goes with the stage: what is waited for, or how the run ended.
    pub fn detail(self) -> Option<&'static str> {
        match self {
            Self::Waiting(kind) => Some(kind.name()),
            Self::Ended(end) => Some(end.name()),
            _ => None,
        }
    }

    /// Puts a state together from its two words.
    pub fn from_names(stage: &str, detail: Option<&str>) -> Option<Self> {
        Some(match RunStage::from_name(stage)? {
            RunStage::Starting => Self::Starting,
            RunStage::Running => Self::Running,
            RunStage::Waiting => Self::Waiting(ApprovalKind::from_name(detail?)?),
            RunStage::Idle => Self::Idle,
            RunStage::Ending => Self::Ending,
            RunStage::Ended => Self::Ended(RunEnd::from_name(detail?)?),
            RunStage::Lost => Self::Lost,
        })
    }

    /// Tells whether the run is over.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Ended(_) | Self::Lost)
    }
}

/// How long a run may be idle, and how long it may wait for a person; none: for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunLimits {
    /// Seconds that the client may be idle before it is ended.
    pub idle: Option<u64>,
    /// Seconds that a request may be open before it gets an answer that says that no person came.
    pub waiting: Option<u64>,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { idle: Some(300), waiting: Some(30 * 60) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_from_its_names() {
        let mut states = vec![
            RunState::Starting,
            RunState::Running,
            RunState::Idle,
            RunState::Ending,
            RunState::Lost,
        ];
        states.extend(ApprovalKind::ALL.iter().copied().map(RunState::Waiting));
        states.extend(RunEnd::ALL.iter().copied().map(RunState::Ended));
        for state in states {
            let found = RunState::from_names(state.stage().name(), state.detail());
            assert_eq!(found, Some(state));
        }
        assert_eq!(RunState::from_names("waiting", None), None);
        assert_eq!(RunState::from_names("elsewhere", None), None);
    }
}
