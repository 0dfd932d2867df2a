//! JSON that only the server sends: its status, problems of requests, and events.

use serde::Serialize;
use unspool_engine::ops::message::MessageText;
use unspool_model::conversation::{Liveness, RecordCounts};
use unspool_model::ids::SessionId;
use unspool_model::positions::PathNumber;

use super::{CountsJson, MessageJson, SCHEMA, wire};

/// The status of the server.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerStatusJson<'a> {
    schema: u32,
    /// The version of the program.
    version: &'a str,
    /// The served homes, in words for people.
    home: &'a str,
    /// Whether sessions can be driven.
    drive: bool,
    /// The folder for state; null if there is none.
    state: Option<&'a str>,
    /// The client that the server runs; null if the server only reads.
    client: Option<ServedClientJson<'a>>,
}

/// The client that a server runs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ServedClientJson<'a> {
    /// The program, as the settings name it.
    program: &'a str,
    /// The path of the program; null if it cannot be found.
    path: Option<&'a str>,
}

impl<'a> ServerStatusJson<'a> {
    /// Describes a server that only reads.
    pub fn reading(version: &'a str, home: &'a str, state: Option<&'a str>) -> Self {
        Self { schema: SCHEMA, version, home, drive: false, state, client: None }
    }

    /// Sets the client that drives sessions, and its path.
    #[must_use]
    pub fn driving(self, program: &'a str, path: Option<&'a str>) -> Self {
        Self { drive: true, client: Some(ServedClientJson { program, path }), ..self }
    }
}

wire! {
    /// A problem of a request, as a problem document of RFC 9457.
    pub struct ProblemJson<'a> new(kind: &'a str, title: &'a str, status: u16, detail: &'a str) {
        schema: u32 = SCHEMA,
        /// The type of the problem. Programs may compare it.
        #[serde(rename = "type")]
        kind: &'a str = kind,
        /// The title of this type of problem.
        title: &'a str = title,
        /// The HTTP status.
        status: u16 = status,
        /// What exactly is wrong, and what can be done.
        detail: &'a str = detail,
    }
}

/// An event without data.
#[derive(Serialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NothingJson {}

/// A session changed.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionChangedJson<'a> {
    /// The project, by the name of its folder.
    pub project_id: &'a str,
    /// The session.
    pub session_id: &'a str,
}

/// The log of an agent changed.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentChangedJson<'a> {
    /// The project, by the name of its folder.
    pub project_id: &'a str,
    /// The session that the agent belongs to.
    pub session_id: &'a str,
    /// The agent.
    pub agent_session_id: &'a str,
}

wire! {
    /// The first event of a stream: the state that the stream begins with.
    pub struct StreamHelloJson<'a> new(
        session: &'a SessionId,
        counts: RecordCounts,
        path: Option<PathNumber>,
        messages: u32,
        position: String,
    ) {
        schema: u32 = SCHEMA,
        session: &'a str = session.as_str(),
        counts: CountsJson = counts.into(),
        /// The number of the path whose messages follow; null without a conversation.
        path: Option<u32> = path.map(PathNumber::get),
        /// The number of messages on the path.
        messages: u32 = messages,
        /// The position of the stream; `since` with it continues from here.
        position: String = position,
    }

    /// A new message, or a message with new content.
    pub struct StreamMessageJson<'a> new(ordinal: u32, message: &'a MessageText) {
        schema: u32 = SCHEMA,
        /// The number of the message on its path, counted from zero.
        ordinal: u32 = ordinal,
        message: MessageJson<'a> = MessageJson::from(message),
    }

    /// The state of a session's process.
    pub struct StreamStatusJson<'a> new(
        live: Liveness,
        status: Option<&'a str>,
        waiting_for: Option<&'a str>,
    ) {
        schema: u32 = SCHEMA,
        /// Whether a running process owns the session.
        live: bool = live == Liveness::Live,
        /// The status that the process reports, such as `busy`.
        status: Option<&'a str> = status,
        /// What the process waits for.
        waiting_for: Option<&'a str> = waiting_for,
    }

    /// Another path became the active one.
    pub struct StreamPathJson new(path: Option<PathNumber>, keeps: u32, position: String) {
        schema: u32 = SCHEMA,
        /// The number of the path; null without a conversation.
        path: Option<u32> = path.map(PathNumber::get),
        /// Messages before this ordinal are unchanged.
        keeps: u32 = keeps,
        /// The position of a reader that has dropped the other messages, in the form of an event id.
        position: String = position,
    }

    /// The log was replaced, so readers must begin again.
    pub struct StreamResetJson new(position: String) {
        schema: u32 = SCHEMA,
        /// The position of a reader that has dropped all messages, in the form of an event id.
        position: String = position,
    }
}

/// The log is gone.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StreamEndJson {
    schema: u32,
}

impl Default for StreamEndJson {
    fn default() -> Self {
        Self { schema: SCHEMA }
    }
}
