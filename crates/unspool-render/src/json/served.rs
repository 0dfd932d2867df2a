//! What only a server says: what it is, what is wrong with a request, and what happens while a
//! program listens.

use serde::Serialize;
use unspool_engine::ops::message::MessageText;
use unspool_model::conversation::{Liveness, RecordCounts};
use unspool_model::ids::SessionId;
use unspool_model::positions::PathNumber;

use super::{CountsJson, MessageJson, SCHEMA, wire};

/// What the server is.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerStatusJson<'a> {
    schema: u32,
    /// The version of the program.
    version: &'a str,
    /// The homes that are served, as people name them.
    home: &'a str,
    /// Whether sessions can be driven.
    drive: bool,
    /// The folder for state; null if there is none.
    state: Option<&'a str>,
    /// The client that is run; null if the server only reads.
    client: Option<ServedClientJson<'a>>,
}

/// The client that a server runs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ServedClientJson<'a> {
    /// The program, as the settings name it.
    program: &'a str,
    /// Where it is; null if it cannot be found.
    path: Option<&'a str>,
}

impl<'a> ServerStatusJson<'a> {
    /// Describes a server that only reads.
    pub fn reading(version: &'a str, home: &'a str, state: Option<&'a str>) -> Self {
        Self { schema: SCHEMA, version, home, drive: false, state, client: None }
    }

    /// Says that sessions can be driven, with which client, and where it is.
    #[must_use]
    pub fn driving(self, program: &'a str, path: Option<&'a str>) -> Self {
        Self { drive: true, client: Some(ServedClientJson { program, path }), ..self }
    }
}

wire! {
    /// What is wrong with a request: a problem document of RFC 9457.
    pub struct ProblemJson<'a> new(kind: &'a str, title: &'a str, status: u16, detail: &'a str) {
        schema: u32 = SCHEMA,
        /// What kind of problem it is. Programs may compare it.
        #[serde(rename = "type")]
        kind: &'a str = kind,
        /// What the kind is called.
        title: &'a str = title,
        /// The status of the answer.
        status: u16 = status,
        /// What exactly is wrong, and what can be done.
        detail: &'a str = detail,
    }
}

/// An event that says nothing but its name.
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
    /// The first event of a stream: where it begins.
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
        /// How many messages the path has.
        messages: u32 = messages,
        /// Where the stream is: `since` with it goes on from here.
        position: String = position,
    }

    /// A message that is new, or one that has new content.
    pub struct StreamMessageJson<'a> new(ordinal: u32, message: &'a MessageText) {
        schema: u32 = SCHEMA,
        /// The number of the message on its path, counted from zero.
        ordinal: u32 = ordinal,
        message: MessageJson<'a> = MessageJson::from(message),
    }

    /// What the process of a session does.
    pub struct StreamStatusJson<'a> new(
        live: Liveness,
        status: Option<&'a str>,
        waiting_for: Option<&'a str>,
    ) {
        schema: u32 = SCHEMA,
        /// Whether a running process owns the session.
        live: bool = live == Liveness::Live,
        /// What the process says of itself, such as `busy`.
        status: Option<&'a str> = status,
        /// What the process waits for.
        waiting_for: Option<&'a str> = waiting_for,
    }

    /// Another path is the active one.
    pub struct StreamPathJson new(path: Option<PathNumber>, keeps: u32, position: String) {
        schema: u32 = SCHEMA,
        /// Its number; null without a conversation.
        path: Option<u32> = path.map(PathNumber::get),
        /// The messages before this ordinal stay.
        keeps: u32 = keeps,
        /// The position of a reader that has forgotten the others, as an event's id is.
        position: String = position,
    }

    /// The log was replaced, so that a reader begins again.
    pub struct StreamResetJson new(position: String) {
        schema: u32 = SCHEMA,
        /// The position of a reader that has forgotten everything, as an event's id is.
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
