//! Events of sessions as JSON: one line each.

use serde::Serialize;

use super::inbox::AskJson;
use super::{SCHEMA, time, wire};
use unspool_engine::library::{FollowedAgent, FollowedCall, FollowedEvent, FollowedEventKind};
use unspool_model::ids::{EntryId, ProjectId};

wire! {
    /// An event of a session: a line of `watch`.
    pub struct WatchJson<'a> from(event: &'a FollowedEvent) {
        schema: u32 = SCHEMA,
        session: &'a str = event.session.as_str(),
        project: Option<&'a str> = event.project.as_ref().map(ProjectId::as_str),
        /// The agent whose conversation the event belongs to; null for the session's own conversation.
        agent: Option<&'a str> = event.agent.as_deref(),
        /// The time of the event in the log or the process, otherwise the time at which it was noticed.
        time: Option<String> = time(event.time),
        #[serde(flatten)]
        event: WatchEventJson<'a> = WatchEventJson::from(&event.what),
    }
}

/// The kind of event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
enum WatchEventJson<'a> {
    /// The session is followed from this event on.
    Session {
        title: Option<&'a str>,
        cwd: Option<&'a str>,
        file: String,
        /// The process that owns the session.
        pid: Option<u32>,
    },
    /// A process took over the session.
    Began { pid: u32 },
    /// The process has ended.
    Ended,
    /// The process waits for a person.
    Waiting { asks: AskJson<'a> },
    /// The process works.
    Working,
    /// The process has nothing to do.
    Idle,
    /// A message, or new content of one.
    Message {
        /// The first entry of the message.
        entry: Option<&'a str>,
        role: &'static str,
        kind: &'static str,
        text: &'a str,
    },
    /// A call started.
    CallStarted {
        call: Option<&'a str>,
        tool: &'a str,
        /// One line about the input.
        summary: &'a str,
    },
    /// A call has ended.
    CallEnded {
        call: Option<&'a str>,
        tool: &'a str,
        /// One line about the input.
        summary: &'a str,
        status: &'static str,
        duration_ms: Option<u64>,
    },
    /// An agent began.
    AgentStarted {
        #[serde(rename = "type")]
        kind: Option<&'a str>,
        description: Option<&'a str>,
    },
    /// An agent has ended.
    AgentEnded {
        #[serde(rename = "type")]
        kind: Option<&'a str>,
        description: Option<&'a str>,
        message_count: usize,
    },
    /// The conversation continues from an earlier message.
    Rewound,
    /// The log was cut off or rewritten.
    Rewritten {
        /// The number of its messages that are not reported, since they are many.
        untold: usize,
    },
    /// The log is gone.
    Gone,
}

impl<'a> From<&'a FollowedEventKind> for WatchEventJson<'a> {
    fn from(thing: &'a FollowedEventKind) -> Self {
        match thing {
            FollowedEventKind::Session(head) => Self::Session {
                title: head.title.as_deref(),
                cwd: head.cwd.as_deref(),
                file: head.file.display().to_string(),
                pid: head.pid,
            },
            FollowedEventKind::Began { pid } => Self::Began { pid: *pid },
            FollowedEventKind::Ended => Self::Ended,
            FollowedEventKind::Waiting(ask) => Self::Waiting { asks: AskJson::from(ask) },
            FollowedEventKind::Working => Self::Working,
            FollowedEventKind::Idle => Self::Idle,
            FollowedEventKind::Said(message) => Self::Message {
                entry: message.entry.as_ref().map(EntryId::as_str),
                role: message.speaker.name(),
                kind: message.kind.name(),
                text: &message.text,
            },
            FollowedEventKind::CallStarted(FollowedCall { id, tool, summary }) => {
                Self::CallStarted { call: id.as_deref(), tool, summary }
            }
            FollowedEventKind::CallEnded {
                call: FollowedCall { id, tool, summary },
                status,
                duration_ms,
            } => Self::CallEnded {
                call: id.as_deref(),
                tool,
                summary,
                status: status.name(),
                duration_ms: *duration_ms,
            },
            FollowedEventKind::AgentStarted(agent) => Self::AgentStarted {
                kind: agent.kind.as_deref(),
                description: agent.description.as_deref(),
            },
            FollowedEventKind::AgentEnded(FollowedAgent { kind, description, messages }) => {
                Self::AgentEnded {
                    kind: kind.as_deref(),
                    description: description.as_deref(),
                    message_count: *messages,
                }
            }
            FollowedEventKind::Rewound => Self::Rewound,
            FollowedEventKind::Rewritten { untold } => Self::Rewritten { untold: *untold },
            FollowedEventKind::Gone => Self::Gone,
        }
    }
}
