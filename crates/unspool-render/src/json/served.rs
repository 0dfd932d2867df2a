//! What only a server says: what it is, what is wrong with a request, and what happens while a
//! program listens.

use serde::Serialize;
use unspool_engine::ops::message::MessageText;
use unspool_engine::ops::transcript::Transcript;

use super::{CountsJson, MessageJson, SCHEMA, SessionJson, number, session};

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
}

impl<'a> ServerStatusJson<'a> {
    /// Describes a server that only reads.
    pub fn reading(version: &'a str, home: &'a str, state: Option<&'a str>) -> Self {
        Self {
            schema: SCHEMA,
            version,
            home,
            drive: false,
            state,
        }
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
        Self {
            schema: SCHEMA,
            kind,
            title,
            status,
            detail,
        }
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

/// The first event of a stream: what the session is like now.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StreamHelloJson<'a> {
    schema: u32,
    session: SessionJson,
    counts: CountsJson,
    /// The number of the path whose messages follow; null without a conversation.
    path: Option<u32>,
    /// Where the stream is: `since` with it goes on from here.
    position: &'a str,
}

impl<'a> StreamHelloJson<'a> {
    /// Takes what is shown, and where the stream is.
    pub fn new(shown: &Transcript<'_>, position: &'a str) -> Self {
        Self {
            schema: SCHEMA,
            session: session(shown),
            counts: CountsJson::from(shown.counts()),
            path: number(shown),
            position,
        }
    }
}

/// A message that is new, or one that has new content.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StreamMessageJson<'a> {
    /// The number of the message on its path, counted from zero.
    ordinal: usize,
    message: MessageJson<'a>,
}

impl<'a> StreamMessageJson<'a> {
    /// Takes a message and its number.
    pub fn new(ordinal: usize, message: &'a MessageText) -> Self {
        Self {
            ordinal,
            message: MessageJson::from(message),
        }
    }
}

/// Whether a process owns the session.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StreamStatusJson {
    /// Whether a running process owns the session.
    pub live: bool,
}

/// Another path is the active one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StreamPathJson {
    /// Its number; null without a conversation.
    pub path: Option<u32>,
}
