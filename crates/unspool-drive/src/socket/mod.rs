//! The protocol of hosts, each on its own socket.
//!
//! The protocol is small and frozen, because a host outlives updates of the programs that talk to it. Version
//! [`VERSION`]; one JSON object per line, at most [`LONGEST_REQUEST`] bytes.
//!
//! 1. The host begins with [`HostHello`]: `{"unspool_host":1,"run":"…","pid":7}`.
//! 2. The caller sends a [`HostRequest`], `{"do":"put","id":"…",…}`, and reads one [`HostReply`],
//!    `{"is":"done"}`; then the next. Changes are on the disk before they are acknowledged.
//! 3. After `{"do":"subscribe","from":0}` the host sends [`SpoolGrowth`] lines, `{"spool":4711}`, whenever
//!    the spool grows past the offset that the caller knows, and accepts no more requests on the connection.
//!    The caller reads the spool itself. The connection ends when the host ends.
//!
//! Unknown fields are ignored; unknown requests are refused. Repeating a request with the same id has no
//! further effect and gets the same kind of reply.
//!
//! This module has the lines, the paths of sockets and the check of peers; [`crate::machine`] carries
//! requests out.

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
/// The longest line of a request, enough for a prompt with images of 20 MB.
pub const LONGEST_REQUEST: usize = 32 << 20;

/// The first line that a host sends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostHello {
    /// The version of the protocol.
    pub unspool_host: u32,
    /// The run.
    pub run: RunId,
    /// The host's process id.
    pub pid: u32,
}

/// A change of a deadline or a budget: a missing field keeps it, null removes it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(from = "Option<T>", into = "Option<T>")]
#[serde(bound(serialize = "T: Clone + Serialize"))]
pub enum LimitChange<T> {
    /// Keep the limit.
    #[default]
    Keep,
    /// Remove the limit.
    Off,
    /// Replace the limit.
    To(T),
}

impl<T> LimitChange<T> {
    fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }

    /// Returns the changed limit.
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

/// Changes of deadlines and budget.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct LimitsChange {
    /// Seconds that the client may be idle.
    #[serde(default, skip_serializing_if = "LimitChange::is_keep")]
    pub idle: LimitChange<u64>,
    /// Seconds that a request may wait for a person.
    #[serde(default, skip_serializing_if = "LimitChange::is_keep")]
    pub waiting: LimitChange<u64>,
    /// The budget of the session in US dollars.
    #[serde(default, skip_serializing_if = "LimitChange::is_keep")]
    pub budget: LimitChange<UsdAmount>,
}

/// A request to a host.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum HostRequest {
    /// Add a prompt to the queue.
    Put {
        /// The id of the prompt, made by the caller.
        id: PromptId,
        /// The content of the prompt.
        content: PromptContent,
        /// When to send it.
        send: SendWhen,
        /// The surface and person that sent the prompt.
        by: String,
    },
    /// Withdraw a prompt that the client has not taken up.
    Drop {
        /// The id of the prompt.
        id: PromptId,
    },
    /// Reorder queued prompts; those that are not listed follow.
    Order {
        /// The id of this request.
        action: ActionId,
        /// The order.
        order: Vec<PromptId>,
    },
    /// Answer an approval. The first answer counts.
    Answer {
        /// The id of the approval.
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
    /// Change the deadlines and the budget of the run.
    Limits {
        /// The id of this request.
        action: ActionId,
        /// The changes.
        limits: LimitsChange,
    },
    /// Release a queue that waits because of another process or a failed turn.
    Release {
        /// The id of this request.
        action: ActionId,
    },
    /// Ask the client again for its pending requests.
    Resync {
        /// The id of this request.
        action: ActionId,
    },
    /// End the client and the host.
    End {
        /// The id of this request.
        action: ActionId,
    },
    /// Ask the client for files that match a typed path.
    SuggestFiles {
        /// The typed path.
        query: String,
    },
    /// Return the status of the run; this also makes the host check its deadlines.
    Status,
    /// Report when the spool grows.
    Subscribe {
        /// The length of the spool that the caller knows.
        from: u64,
        /// Whether to report only the host's own notes instead of all lines.
        #[serde(default)]
        notes: bool,
    },
}

/// A reply of a host.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum HostReply {
    /// The request is done, or was done before under the same id.
    Done,
    /// The state of a prompt.
    Prompt {
        /// The state.
        state: PromptState,
    },
    /// The answer of the approval: the one just given, or an equal one given before.
    Decided(GivenAnswer),
    /// Another answer was given before.
    Conflict(GivenAnswer),
    /// The approval was resolved without an answer.
    Over {
        /// How it was resolved.
        resolution: Resolution,
    },
    /// No prompt or approval has this id.
    Unknown,
    /// The request is not valid in this state of the run.
    Refused {
        /// The reason.
        reason: String,
    },
    /// The request could not be recorded and was not carried out; the caller may repeat it.
    Failed {
        /// The reason.
        reason: String,
    },
    /// Files that the client suggests.
    Files {
        /// Their paths, relative to the client's folder or absolute; a folder ends in a slash.
        files: Vec<String>,
    },
    /// The status of the run.
    Status(HostStatus),
}

/// The answer that counts for an approval.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GivenAnswer {
    /// The decision.
    pub decision: Decision,
    /// The surface and person that answered.
    pub by: String,
    /// When it was given, in milliseconds since the epoch.
    pub at: i64,
}

/// The status of a run, beyond the row of the store.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostStatus {
    /// The state in one word.
    pub stage: String,
    /// The detail of the state: the kind of request that waits, or how the run ended.
    pub detail: Option<String>,
    /// The client's process id.
    pub client: Option<u32>,
    /// The length of the spool.
    pub spool: u64,
    /// The number of background tasks of the client.
    pub background: usize,
    /// The error that currently keeps the host from recording changes.
    #[serde(rename = "trouble")]
    pub failure: Option<String>,
    /// The number of bytes that the client has not read yet.
    pub unread: u64,
}

/// A notification that the spool has grown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SpoolGrowth {
    /// The length of the spool.
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
