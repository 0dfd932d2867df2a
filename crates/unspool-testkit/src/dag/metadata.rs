//! Metadata lines, which have no uuid and are not part of the graph.
//!
//! Covers the metadata that readers use: titles, the leaf to resume at, modes, the queue and file
//! checkpoints. Other lines are written raw.

use super::envelope::Envelope;
use super::fields::JsonFields;
use crate::ids::{ZERO_UUID, uuid};
use crate::time::iso;

/// A metadata line.
#[derive(Clone, Debug)]
pub(crate) enum Metadata {
    /// A line with one text: `custom-title`, `ai-title`, `agent-name`, `tag`, `mode`, `permission-mode`.
    Named {
        /// The type of the line.
        kind: String,
        /// The text.
        value: String,
    },
    /// The title line of old clients; its leaf is often in another file.
    Summary {
        /// The title.
        text: String,
        /// The name of the leaf.
        leaf: String,
    },
    /// The leaf to resume at.
    LastPrompt {
        /// The leaf.
        leaf: PinnedLeaf,
        /// The text of the prompt.
        text: Option<String>,
    },
    /// A queue operation: `enqueue`, `dequeue`, `remove`, `popAll`.
    Queue {
        /// The operation.
        operation: String,
        /// The queued text.
        text: Option<String>,
    },
    /// The state of the tracked files before a prompt.
    Snapshot {
        /// The name of the prompt.
        prompt: String,
        /// `trackedFileBackups` as a JSON object.
        files: String,
        /// Whether it replaces an earlier snapshot of the prompt.
        update: bool,
    },
}

/// The leaf of a `last-prompt` line.
#[derive(Clone, Debug)]
pub(crate) enum PinnedLeaf {
    /// The entry of this name, which need not exist.
    Named(String),
    /// The entry of this name, which a person chose.
    Chosen(String),
    /// The all-zero uuid that a rewind writes.
    Zero,
    /// No leaf: the key is missing.
    Missing,
}

impl Metadata {
    pub(crate) fn to_json(&self, envelope: &Envelope, now: i64) -> String {
        let session = envelope.session_id();
        let mut fields = JsonFields::new();
        match self {
            Self::Named { kind, value } => {
                fields.text("type", kind).text(value_key(kind), value).text("sessionId", &session);
            }
            Self::Summary { text, leaf } => {
                fields.text("type", "summary").text("summary", text).text("leafUuid", &uuid(leaf));
            }
            Self::LastPrompt { leaf, text } => {
                fields.text("type", "last-prompt").maybe("lastPrompt", text.as_deref());
                match leaf {
                    PinnedLeaf::Named(name) => fields.text("leafUuid", &uuid(name)),
                    PinnedLeaf::Chosen(name) => {
                        fields.text("leafUuid", &uuid(name)).flag("explicit", true)
                    }
                    PinnedLeaf::Zero => fields.text("leafUuid", ZERO_UUID).flag("explicit", true),
                    PinnedLeaf::Missing => &mut fields,
                };
                fields.text("sessionId", &session);
            }
            Self::Queue { operation, text } => {
                fields
                    .text("type", "queue-operation")
                    .text("operation", operation)
                    .text("timestamp", &iso(now))
                    .text("sessionId", &session)
                    .maybe("content", text.as_deref());
            }
            Self::Snapshot { prompt, files, update } => {
                let message = uuid(prompt);
                let mut snapshot = JsonFields::new();
                snapshot
                    .text("messageId", &message)
                    .raw("trackedFileBackups", files.as_str())
                    .text("timestamp", &iso(now));
                fields
                    .text("type", "file-history-snapshot")
                    .text("messageId", &message)
                    .object("snapshot", &snapshot)
                    .flag("isSnapshotUpdate", *update);
            }
        }
        fields.to_json()
    }
}

/// Returns the key of the text in a line with one text.
fn value_key(kind: &str) -> &'static str {
    match kind {
        "custom-title" => "customTitle",
        "ai-title" => "aiTitle",
        "agent-name" => "agentName",
        "tag" => "tag",
        "mode" => "mode",
        "permission-mode" => "permissionMode",
        _ => panic!("no metadata line of one text: {kind}"),
    }
}

/// The types of metadata lines with one text.
pub(crate) const NAMED: [&str; 6] =
    ["custom-title", "ai-title", "agent-name", "tag", "mode", "permission-mode"];
