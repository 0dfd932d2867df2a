//! What only a server says: what it is, what is wrong with a request, and what happens while a
//! program listens.

use serde::Serialize;
use unspool_engine::ops::message::MessageText;
use unspool_model::conversation::{Liveness, RecordCounts};
use unspool_model::ids::SessionId;
use unspool_model::positions::PathNumber;

use super::{CountsJson, MessageJson, SCHEMA};

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

/// What is wrong with a request: a problem document of RFC 9457.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ProblemJson<'a> {
    schema: u32,
    /// What kind of problem it is. Programs may compare it.
    #[serde(rename = "type")]
    kind: &'a str,
    /// What the kind is called.
    title: &'a str,
    /// The status of the answer.
    status: u16,
    /// What exactly is wrong, and what can be done.
    detail: &'a str,
}

impl<'a> ProblemJson<'a> {
    /// Describes a problem.
    pub fn new(kind: &'a str, title: &'a str, status: u16, detail: &'a str) -> Self {
        Self { schema: SCHEMA, kind, title, status, detail }
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

/// The first event of a stream: where it begins.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StreamHelloJson<'a> {
    schema: u32,
    session: &'a str,
    counts: CountsJson,
    /// The number of the path whose messages follow; null without a conversation.
    path: Option<u32>,
    /// How many messages the path has.
    messages: u32,
    /// Where the stream is: `since` with it goes on from here.
    position: String,
}

impl<'a> StreamHelloJson<'a> {
    /// Takes a session, what its path has, and where the stream is.
    pub fn new(
        session: &'a SessionId,
        counts: RecordCounts,
        path: Option<PathNumber>,
        messages: u32,
        position: String,
    ) -> Self {
        Self {
            schema: SCHEMA,
            session: session.as_str(),
            counts: counts.into(),
            path: path.map(PathNumber::get),
            messages,
            position,
        }
    }
}

/// A message that is new, or one that has new content.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StreamMessageJson<'a> {
    schema: u32,
    /// The number of the message on its path, counted from zero.
    ordinal: u32,
    message: MessageJson<'a>,
}

impl<'a> StreamMessageJson<'a> {
    /// Takes a message and its number.
    pub fn new(ordinal: u32, message: &'a MessageText) -> Self {
        Self { schema: SCHEMA, ordinal, message: MessageJson::from(message) }
    }
}

/// What the process of a session does.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StreamStatusJson<'a> {
    schema: u32,
    /// Whether a running process owns the session.
    live: bool,
    /// What the process says of itself, such as `busy`.
    status: Option<&'a str>,
    /// What the process waits for.
    waiting_for: Option<&'a str>,
}

impl<'a> StreamStatusJson<'a> {
    /// Takes whether there is a process, and what it says.
    pub fn new(live: Liveness, status: Option<&'a str>, waiting_for: Option<&'a str>) -> Self {
        Self { schema: SCHEMA, live: live == Liveness::Live, status, waiting_for }
    }
}

/// Another path is the active one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StreamPathJson {
    schema: u32,
    /// Its number; null without a conversation.
    path: Option<u32>,
    /// The messages before this ordinal stay.
    keeps: u32,
    /// The position of a reader that has forgotten the others, as an event's id is.
    position: String,
}

impl StreamPathJson {
    /// Takes the path, how many messages stay, and the position after that.
    pub fn new(path: Option<PathNumber>, keeps: u32, position: String) -> Self {
        Self { schema: SCHEMA, path: path.map(PathNumber::get), keeps, position }
    }
}

/// The log was replaced, so that a reader begins again.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StreamResetJson {
    schema: u32,
    /// The position of a reader that has forgotten everything, as an event's id is.
    position: String,
}

impl StreamResetJson {
    /// Takes the position of the reader.
    pub fn new(position: String) -> Self {
        Self { schema: SCHEMA, position }
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
