//! States of runs, prompts and approvals.
//!
//! Plain values with the names that the store and JSON use; [`crate::machine`] has the transitions.

use serde::{Deserialize, Serialize};
use unspool_model::named::Named as _;

/// Declares [names](unspool_model::names) that the store and JSON use too.
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
        /// Asks for everything that no rule allows.
        Default = "default",
        /// Edits files without asking.
        AcceptEdits = "acceptEdits",
        /// Reads only, and makes a plan.
        Plan = "plan",
        /// Refuses everything that it would have to ask for.
        DontAsk = "dontAsk",
        /// Lets a classifier decide.
        Auto = "auto",
        /// Asks for nothing.
        BypassPermissions = "bypassPermissions",
    }
);

impl PermissionMode {
    /// The modes that a surface offers by default.
    pub const OFFERED: [Self; 4] = [Self::Default, Self::AcceptEdits, Self::Plan, Self::DontAsk];
    /// The modes for carrying out a plan, the most careful first.
    pub const FOR_PLANS: [Self; 2] = [Self::Default, Self::AcceptEdits];

    /// Describes the mode in words.
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
    /// The kind of request that an approval answers.
    ApprovalKind {
        /// A tool call.
        Tool = "tool",
        /// Questions for a person.
        Question = "question",
        /// A plan.
        Plan = "plan",
        /// A form that an MCP server asks a person to fill in.
        Elicitation = "elicitation",
    }
);

impl ApprovalKind {
    /// Returns the state of a run while this kind of request is open.
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
        /// Answers to questions, or the values of a form.
        Question = "question",
        /// Whether a plan is accepted.
        Plan = "plan",
    }
);

named!(
    /// The cause of a failed run or turn, as far as a person can do something about it.
    FailureCause {
        /// The client's program does not exist.
        NotInstalled = "not_installed",
        /// The client is not logged in, or its login has expired.
        NotLoggedIn = "not_logged_in",
        /// The account has no credit.
        NoCredit = "no_credit",
        /// A limit of the account is reached.
        Limit = "limit",
        /// The API is overloaded.
        Overloaded = "overloaded",
    }
);

named!(
    /// The state of a prompt.
    PromptState {
        /// The prompt is in the queue and was not sent.
        Queued = "queued",
        /// The prompt was sent, and the client has not begun with it.
        Sent = "sent",
        /// The client works on the prompt.
        TakenUp = "taken_up",
        /// The client has finished the prompt.
        Done = "done",
        /// The prompt was withdrawn before the client began with it.
        Cancelled = "cancelled",
        /// The run ended before the prompt was done; `was` has its last state.
        Lost = "lost",
    }
);

impl PromptState {
    /// Tells whether the state of the prompt can still change.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Sent | Self::TakenUp)
    }
}

named!(
    /// When a prompt is sent.
    SendWhen {
        /// When the client is idle, after all prompts queued before it.
        Idle = "idle",
        /// At once, even during a turn.
        Now = "now",
    }
);

named!(
    /// The decision of a person.
    Decision {
        /// The call may run, the plan is accepted, the questions are answered.
        Allow = "allow",
        /// The call may not run, or the plan is not accepted.
        Deny = "deny",
    }
);

named!(
    /// How an approval was resolved.
    Resolution {
        /// A person answered.
        Answered = "answered",
        /// The waiting deadline passed, and the client got an answer that says so.
        TimedOut = "timed_out",
        /// The client withdrew its request.
        Cancelled = "cancelled",
        /// The run ended without an answer.
        Interrupted = "interrupted",
    }
);

/// The longest deadline in seconds: a year, by judgement.
pub const LONGEST_DEADLINE: u64 = 365 * 24 * 60 * 60;

named!(
    /// The state of a run, in one word.
    RunStage {
        /// The client was started and has not reported that it is ready.
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
        /// The host died; pending approvals are shown as interrupted.
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
        /// The client exited by itself, with nothing pending.
        Finished = "finished",
        /// The client died, or exited with something pending.
        Died = "died",
        /// The client could not be started, or exited before its first answer.
        NotStarted = "not_started",
    }
);

/// The state of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunState {
    /// The client was started and has not reported that it is ready.
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

    /// Returns the detail of the state: the kind of request that waits, or how the run ended.
    pub fn detail(self) -> Option<&'static str> {
        match self {
            Self::Waiting(kind) => Some(kind.name()),
            Self::Ended(end) => Some(end.name()),
            _ => None,
        }
    }

    /// Builds a state from its stage and detail.
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

/// The deadlines of a run; `None` is for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunLimits {
    /// Seconds that the client may be idle before it is ended.
    pub idle: Option<u64>,
    /// Seconds that a request may wait for a person before it is answered automatically.
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
