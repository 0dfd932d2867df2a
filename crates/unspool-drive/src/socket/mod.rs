//! What a host is told, over a socket of its own.
//!
//! The protocol is small and frozen: a host outlives updates of the programs that talk to it. Version
//! [`VERSION`]; one JSON object for each line, at most [`LONGEST_REQUEST`] bytes.
//!
//! 1. The host begins with [`HostHello`]: `{"unspool_host":1,"run":"…","pid":7}`.
//! 2. The caller sends a [`HostRequest`], `{"do":"put","id":"…",…}`, and reads one [`HostReply`],
//!    `{"is":"done"}`; then the next. What is acknowledged is on the disk.
//! 3. After `{"do":"subscribe","from":0}` the host sends [`SpoolGrowth`] lines, `{"spool":4711}`, as
//!    the spool grows past what the caller knows, and takes no more requests on the connection. The
//!    caller reads the spool itself. The end of the connection is the end of the host.
//!
//! Fields that are not known are ignored; a request that is not known is refused. Repeating a
//! request with the same id does nothing more and gets the same kind of reply.
//!
//! Knows lines, paths of sockets, and who is at the other end; not what a request does.

mod call;
mod path;
mod peer;

use serde::{Deserialize, Serialize};

use crate::ids::{ActionId, ApprovalId, PromptId, RunId};
use crate::money::UsdAmount;
use crate::state::{Decision, PermissionMode, PromptState, Resolution, SendWhen};
use crate::wire::{PersonChoice, PromptContent};

pub use call::{HostConnection, SocketError, SpoolGrowths};
pub(crate) use path::SocketPath;
pub(crate) use peer::{PeerVerdict, check_peer};

/// The version of the protocol.
pub const VERSION: u32 = 1;
/// The longest line of a request: a prompt with images of 20 MB.
pub const LONGEST_REQUEST: usize = 32 << 20;

/// The first line of a host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostHello {
    /// The version of the protocol.
    pub unspool_host: u32,
    /// The run.
    pub run: RunId,
    /// The host's process.
    pub pid: u32,
}

/// What to do with a deadline or a budget: a field that is missing keeps it, null takes it away.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(from = "Option<T>", into = "Option<T>")]
#[serde(bound(serialize = "T: Clone + Serialize"))]
pub enum LimitChange<T> {
    /// It stays.
    #[default]
    Keep,
    /// There is none any more.
    Off,
    /// It is now this.
    To(T),
}

impl<T> LimitChange<T> {
    fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }

    /// Returns the limit that follows.
    pub fn apply(self, limit: Option<T>) -> Option<T> {
        match self {
            Self::Keep => limit,
            Self::Off => None,
            Self::To(limit) => Some(limit),
        }
    }
}

impl<T> From<Option<T>> for LimitChange<T> {
    fn from(limit: Option<T>) -> Self {
        limit.map_or(Self::Off, Self::To)
    }
}

impl<T> From<LimitChange<T>> for Option<T> {
    fn from(change: LimitChange<T>) -> Self {
        change.apply(None)
    }
}

/// Deadlines and budget to change.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct LimitsChange {
    /// Seconds that the client may be idle.
    #[serde(default, skip_serializing_if = "LimitChange::is_keep")]
    pub idle: LimitChange<u64>,
    /// Seconds that a request may wait for a person.
    #[serde(default, skip_serializing_if = "LimitChange::is_keep")]
    pub waiting: LimitChange<u64>,
    /// US dollars that the session may cost.
    #[serde(default, skip_serializing_if = "LimitChange::is_keep")]
    pub budget: LimitChange<UsdAmount>,
}

/// What a caller wants of a host.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum HostRequest {
    /// Send a prompt.
    Put {
        /// Its id, made by the caller.
        id: PromptId,
        /// What it says.
        content: PromptContent,
        /// When to send it.
        send: SendWhen,
        /// The surface and person it comes from.
        by: String,
    },
    /// Take a prompt back that the client has not begun with.
    Drop {
        /// The prompt.
        id: PromptId,
    },
    /// Put queued prompts in an order; those that are not named follow.
    Order {
        /// The id of this request.
        action: ActionId,
        /// The order.
        order: Vec<PromptId>,
    },
    /// Answer an approval. The first answer counts.
    Answer {
        /// The approval.
        approval: ApprovalId,
        /// The answer.
        choice: PersonChoice,
        /// The surface and person that answers.
        by: String,
    },
    /// Interrupt the turn.
    Interrupt {
        /// The id of this request.
        action: ActionId,
    },
    /// Change the permission mode or the model.
    Mode {
        /// The id of this request.
        action: ActionId,
        /// The permission mode.
        mode: Option<PermissionMode>,
        /// The model.
        model: Option<String>,
    },
    /// Change deadlines and budget of this run.
    Limits {
        /// The id of this request.
        action: ActionId,
        /// What to change.
        limits: LimitsChange,
    },
    /// Go on with a queue that waits because another process has the session.
    Release {
        /// The id of this request.
        action: ActionId,
    },
    /// Ask the client again what is open.
    Resync {
        /// The id of this request.
        action: ActionId,
    },
    /// End the client and the host.
    End {
        /// The id of this request.
        action: ActionId,
    },
    /// Ask the client for files whose paths go on from a beginning.
    SuggestFiles {
        /// The beginning.
        query: String,
    },
    /// Say how the run is; also makes the host look at the time.
    Status,
    /// Say when the spool grows.
    Subscribe {
        /// How much of the spool the caller knows.
        from: u64,
        /// Whether only the host's own notes count, and not every line of the client.
        #[serde(default)]
        notes: bool,
    },
}

/// What a host replies.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum HostReply {
    /// It is done, or was done before under the same id.
    Done,
    /// The prompt is in this state.
    Prompt {
        /// The state.
        state: PromptState,
    },
    /// The approval has this answer: the one that was given now, or the same given before.
    Decided(GivenAnswer),
    /// Another answer was first.
    Conflict(GivenAnswer),
    /// The approval ended without an answer.
    Over {
        /// How.
        resolution: Resolution,
    },
    /// No prompt or approval has this id.
    Unknown,
    /// The request does not fit.
    Refused {
        /// Why.
        reason: String,
    },
    /// The request could not be written down, so it was not carried out; it may be repeated.
    Failed {
        /// Why.
        reason: String,
    },
    /// Files that the client named.
    Files {
        /// Their paths, relative to the client's folder or absolute; a folder ends in a slash.
        files: Vec<String>,
    },
    /// How the run is.
    Status(HostStatus),
}

/// The answer that counts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GivenAnswer {
    /// Allowed or not.
    pub decision: Decision,
    /// The surface and person that answered.
    pub by: String,
    /// When, in milliseconds since the epoch.
    pub at: i64,
}

/// How a run is, beyond what the store says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostStatus {
    /// The state in one word.
    pub stage: String,
    /// The word that goes with it.
    pub detail: Option<String>,
    /// The client's process.
    pub client: Option<u32>,
    /// How long the spool is.
    pub spool: u64,
    /// Tasks of the client in the background.
    pub background: usize,
    /// Why nothing can be written down at the moment.
    #[serde(rename = "trouble")]
    pub failure: Option<String>,
    /// Bytes that the client has not read yet.
    pub unread: u64,
}

/// The spool has grown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SpoolGrowth {
    /// How long it is.
    pub spool: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_frozen() {
        let id = "550e8400-e29b-41d4-a716-446655440000";
        for text in [
            format!(
                r#"{{"do":"put","id":"{id}","content":{{"text":"hi"}},"send":"idle","by":"cli"}}"#
            ),
            format!(r#"{{"do":"drop","id":"{id}"}}"#),
            format!(r#"{{"do":"order","action":"{id}","order":["{id}"]}}"#),
            r#"{"do":"answer","approval":"a1","choice":{"decision":"allow"},"by":"cli"}"#
                .to_owned(),
            format!(r#"{{"do":"interrupt","action":"{id}"}}"#),
            format!(r#"{{"do":"mode","action":"{id}","mode":"plan","model":null}}"#),
            format!(r#"{{"do":"limits","action":"{id}","limits":{{"idle":null,"waiting":7}}}}"#),
            format!(r#"{{"do":"limits","action":"{id}","limits":{{"idle":7}}}}"#),
            format!(r#"{{"do":"limits","action":"{id}","limits":{{"budget":2.5}}}}"#),
            format!(r#"{{"do":"limits","action":"{id}","limits":{{"budget":null}}}}"#),
            format!(r#"{{"do":"release","action":"{id}"}}"#),
            format!(r#"{{"do":"resync","action":"{id}"}}"#),
            format!(r#"{{"do":"end","action":"{id}"}}"#),
            r#"{"do":"suggest_files","query":"src/m"}"#.to_owned(),
            r#"{"do":"status"}"#.to_owned(),
            r#"{"do":"subscribe","from":7,"notes":true}"#.to_owned(),
        ] {
            let request: HostRequest = serde_json::from_str(&text).expect("a request");
            assert_eq!(serde_json::to_string(&request).expect("a text"), text);
        }
        let more = r#"{"do":"subscribe","from":7,"later":1}"#;
        assert!(serde_json::from_str::<HostRequest>(more).is_ok());
        assert!(serde_json::from_str::<HostRequest>(r#"{"do":"dance"}"#).is_err());
    }

    #[test]
    fn replies_are_frozen() {
        for text in [
            r#"{"is":"done"}"#,
            r#"{"is":"prompt","state":"queued"}"#,
            r#"{"is":"decided","decision":"allow","by":"cli","at":7}"#,
            r#"{"is":"conflict","decision":"deny","by":"tab","at":7}"#,
            r#"{"is":"over","resolution":"cancelled"}"#,
            r#"{"is":"unknown"}"#,
            r#"{"is":"refused","reason":"x"}"#,
            r#"{"is":"failed","reason":"x"}"#,
            r#"{"is":"files","files":["src/main.rs"]}"#,
        ] {
            let reply: HostReply = serde_json::from_str(text).expect("a reply");
            assert_eq!(serde_json::to_string(&reply).expect("a text"), text);
        }
    }
}
