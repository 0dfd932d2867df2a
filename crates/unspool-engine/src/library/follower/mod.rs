//! What happens in sessions, told once and in order: prompts, answers, calls and agents as they
//! begin and end, and what a process waits for.
//!
//! A [`SessionFollower`] follows one session that is open. It reads its feed, so a line of the log
//! is read once, and remembers what it told of each message: a message that goes on is told from
//! where it was. A log that was cut off or rewritten is told as such, and messages that were told
//! before are not told again. A [`LibraryFollower`] follows one session or all that run: it is given
//! the events of a watcher, opens what begins and lets go of what has ended. Neither has a thread
//! or a clock.

mod agents;
mod library;
mod session;
mod strand;
mod told;

use unspool_model::conversation::{CallStatus, Speaker};
use unspool_model::entry::MessageKind;
use unspool_model::ids::{EntryId, ProjectId, SessionId};
use unspool_model::time::Time;

use crate::ops::inbox::InboxAsk;

pub use self::library::{FollowScope, LibraryFollower};
pub use self::session::SessionFollower;

/// From where on a session is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FollowStart {
    /// From now on.
    Now,
    /// From so many messages before its end.
    Last(usize),
    /// From the messages that begin at this byte of its log.
    Byte(u64),
}

impl FollowStart {
    /// Everything that is in the log is told.
    pub const BEGINNING: Self = Self::Byte(0);
}

/// Something that happened, with its time.
type TimedThing = (Option<Time>, FollowedThing);

/// Something that happened in a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedEvent {
    /// The session.
    pub session: SessionId,
    /// Its project; none outside every home.
    pub project: Option<ProjectId>,
    /// The agent that it happened in; none for the session's own conversation.
    pub agent: Option<String>,
    /// When it happened, by the log or by what the process says; a [`LibraryFollower`] says when it
    /// noticed what has no time.
    pub time: Option<Time>,
    /// What happened.
    pub what: FollowedThing,
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FollowedThing {
    /// The session is followed from now on.
    Session(FollowedSessionHead),
    /// A process began to own the session.
    Began {
        /// The process.
        pid: u32,
    },
    /// The process that owned the session has ended.
    Ended,
    /// The process waits for a person.
    Waiting(InboxAsk),
    /// The process works.
    Working,
    /// The process has nothing to do.
    Idle,
    /// A message, or what was added to one.
    Said(FollowedMessage),
    /// A call was made.
    CallStarted(FollowedCall),
    /// A call has ended.
    CallEnded {
        /// The call.
        call: FollowedCall,
        /// How it ended.
        status: CallStatus,
        /// How long it took.
        duration_ms: Option<u64>,
    },
    /// An agent began.
    AgentStarted(FollowedAgent),
    /// An agent has ended.
    AgentEnded(FollowedAgent),
    /// The conversation goes on from an earlier message.
    Rewound,
    /// The log was cut off or rewritten.
    Rewritten {
        /// Messages of it that are not told, since they are many.
        untold: usize,
    },
    /// The log is no longer there.
    Gone,
}

/// What is known of a session when it is first told of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedSessionHead {
    /// What it is called.
    pub title: Option<String>,
    /// The folder that it began in.
    pub cwd: Option<String>,
    /// Its log.
    pub file: std::path::PathBuf,
    /// The process that owns it.
    pub pid: Option<u32>,
}

/// A message that is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedMessage {
    /// Its first entry.
    pub entry: Option<EntryId>,
    /// Who said it.
    pub speaker: Speaker,
    /// What it is.
    pub kind: MessageKind,
    /// What was said, or added.
    pub text: String,
}

/// A call that is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedCall {
    /// Its id.
    pub id: Option<String>,
    /// The tool.
    pub tool: String,
    /// One line that says what it does.
    pub summary: String,
}

/// An agent that is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedAgent {
    /// What kind of agent it is.
    pub kind: Option<String>,
    /// What it was asked to do, in short.
    pub description: Option<String>,
    /// How many messages its conversation has.
    pub messages: usize,
}
