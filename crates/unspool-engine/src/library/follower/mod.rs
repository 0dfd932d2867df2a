//! Events of sessions, each reported once and in order: prompts, answers, calls and agents that
//! begin and end, and what a process waits for.
//!
//! A [`SessionFollower`] follows one open session. It reads the session's feed, so each line of the
//! log is read once, and remembers what it reported of each message: a message that grows is
//! continued where its report ended. A log that was truncated or rewritten is reported as such,
//! without repeating messages that were reported before. A [`LibraryFollower`] follows one session
//! or all running ones: it receives the events of a watcher, opens sessions that begin and drops
//! those that have ended. Neither has a thread or a clock.

mod agents;
mod library;
mod reported;
mod session;
mod strand;

use unspool_model::conversation::{CallStatus, Speaker};
use unspool_model::entry::MessageKind;
use unspool_model::ids::{EntryId, ProjectId, SessionId};
use unspool_model::time::Time;

use crate::ops::inbox::InboxAsk;

pub use self::library::{FollowScope, LibraryFollower};
pub use self::session::SessionFollower;

/// Where the report of a session begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FollowStart {
    /// At the end: only later events are reported.
    Now,
    /// At this many messages before the end.
    Last(usize),
    /// At the messages that begin at or after this byte of the log.
    Byte(u64),
}

impl FollowStart {
    /// Reports everything in the log.
    pub const BEGINNING: Self = Self::Byte(0);
}

/// An event of a conversation, with its time.
type TimedThing = (Option<Time>, FollowedEventKind);

/// An event of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedEvent {
    /// The session.
    pub session: SessionId,
    /// The project of the session; `None` outside every home.
    pub project: Option<ProjectId>,
    /// The agent that the event belongs to; `None` for the session's own conversation.
    pub agent: Option<String>,
    /// The time from the log or from the process. For an event without a time, a
    /// [`LibraryFollower`] sets the time at which it noticed the event.
    pub time: Option<Time>,
    /// What happened.
    pub what: FollowedEventKind,
}

/// The kind of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FollowedEventKind {
    /// The session is followed from here on.
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
    /// The process is busy.
    Working,
    /// The process is idle.
    Idle,
    /// A message, or an addition to one.
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
    /// The conversation continues from an earlier message.
    Rewound,
    /// The log was truncated or rewritten.
    Rewritten {
        /// How many messages are not reported, to keep the report short.
        untold: usize,
    },
    /// The log was removed.
    Gone,
}

/// What is known of a session when it is first reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedSessionHead {
    /// The title.
    pub title: Option<String>,
    /// The folder in which the session began.
    pub cwd: Option<String>,
    /// The log.
    pub file: std::path::PathBuf,
    /// The process that owns the session.
    pub pid: Option<u32>,
}

/// A reported message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedMessage {
    /// The first entry of the message.
    pub entry: Option<EntryId>,
    /// The speaker.
    pub speaker: Speaker,
    /// The kind of the message.
    pub kind: MessageKind,
    /// The text, or the added part of it.
    pub text: String,
}

/// A reported call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedCall {
    /// The id of the call.
    pub id: Option<String>,
    /// The tool.
    pub tool: String,
    /// A summary of the call in one line.
    pub summary: String,
}

/// A reported agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedAgent {
    /// The kind of the agent.
    pub kind: Option<String>,
    /// The short description of its task.
    pub description: Option<String>,
    /// How many messages the agent's conversation has.
    pub messages: usize,
}
