//! What the keys of a record mean: the one table that all readers of texts share.
//!
//! A record is JSON of any shape, and most of its keys are the client's own. [`Level::slot`]
//! tells for every object with a shape of its own (the record, its message, a content block, …)
//! what the value of a key is: a text and of which kind, another object with a table, or part of
//! the envelope, which is not a text. Below those objects only [`is_name`] and [`is_text`] decide.
//! [`role()`] turns the kind of a text into the role that people search by.
//!
//! Ranked search (the full text) and the scan of `--exact` and `--regex` walk records in their own
//! ways: one decodes every string in order, the other passes over most of them. Both ask this
//! table, so both find the same texts with the same roles. [`texts_of`] is the walk of the scan and
//! the reference for the other one.
//!
//! | Level | Keys with a table or a kind of their own | Other keys |
//! |---|---|---|
//! | record | `message`, `content`, `toolUseResult`, `attachment`, `data`, titles, `lastPrompt`, calls of the flat dialect | envelope, or a remark |
//! | message | `content`, `0`, `1`, … (a text that was spread into an object) | envelope, or a remark |
//! | content block | `text`, `thinking`, `name`, `input`, `content` | envelope, or said |
//! | `toolUseResult` | – | envelope, or a result |
//! | attachment | `prompt` | envelope, or a remark |
//! | `data` of a progress record | `message`: an agent's record | envelope, or a remark |

mod role;
mod text;
mod texts;

use crate::json::{Cursor, Malformed, Str};

pub use role::{is_flat_call, is_flat_result, role};
pub use text::{is_name, is_text, lasting_key, may_hold_texts};
pub use texts::{Spread, key_at, texts_of, texts_of_fragment};

/// What a text of a record is, as far as keys tell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TextKind {
    /// Said in the message of the record.
    Said,
    /// Said to an agent, in a progress record about it.
    AgentAsked,
    /// Said by an agent, in a progress record about it.
    AgentAnswered,
    /// Thought before an answer.
    Thinking,
    /// Given to a tool; the tool's name belongs to it.
    Input,
    /// Given back by a tool.
    Result,
    /// A name of the session.
    Title,
    /// A prompt that a record about the session repeats.
    Prompt,
    /// Anything else.
    Remark,
}

/// An object whose keys have a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// A record.
    Record,
    /// A message, whose texts are of this kind.
    Message(TextKind),
    /// A content block, whose texts are of this kind.
    Block(TextKind),
    /// The `toolUseResult` next to the result of a tool.
    Outcome,
    /// An attachment.
    Attachment,
    /// The `data` of a progress record.
    Progress,
    /// A record of an agent inside a progress record; its message is of this kind.
    Agent(TextKind),
}

/// What the value of a key is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Part of the envelope. Nothing in it is a text, at whatever depth.
    Envelope,
    /// An object with a table of its own. A value of another shape holds texts of
    /// [`Level::plain`].
    Object(Level),
    /// A content block, or a list of them; texts in them are of this kind.
    Content(TextKind),
    /// A record of an agent; [`agent_speaker`] tells whose words it holds.
    AgentRecord,
    /// One unit of a text that was spread into an object, see [`Spread`].
    Unit,
    /// Texts of this kind, at any depth.
    Text(TextKind),
}

impl Level {
    /// Returns what the value of a key is.
    pub fn slot(self, key: &[u8]) -> Slot {
        match self {
            Self::Record => record(key),
            Self::Message(said) => message(key, said),
            Self::Block(said) => block(key, said),
            Self::Outcome => outcome(key),
            Self::Attachment => attachment(key),
            Self::Progress => progress(key),
            Self::Agent(said) => agent(key, said),
        }
    }

    /// Returns the kind of the texts of a value that is not an object.
    pub fn plain(self) -> TextKind {
        match self {
            Self::Message(said) | Self::Block(said) => said,
            Self::Outcome => TextKind::Result,
            Self::Record | Self::Attachment | Self::Progress | Self::Agent(_) => TextKind::Remark,
        }
    }
}

fn record(key: &[u8]) -> Slot {
    match key {
        b"message" => Slot::Object(Level::Message(TextKind::Said)),
        b"content" => Slot::Content(TextKind::Said),
        b"toolUseResult" => Slot::Object(Level::Outcome),
        b"attachment" => Slot::Object(Level::Attachment),
        b"data" => Slot::Object(Level::Progress),
        b"customTitle" | b"aiTitle" | b"summary" | b"agentName" | b"tag" => {
            Slot::Text(TextKind::Title)
        }
        b"lastPrompt" => Slot::Text(TextKind::Prompt),
        b"toolName" | b"toolArguments" => Slot::Text(TextKind::Input),
        _ if is_envelope(key) => Slot::Envelope,
        _ => Slot::Text(TextKind::Remark),
    }
}

fn message(key: &[u8], said: TextKind) -> Slot {
    match key {
        b"content" => Slot::Content(said),
        [b'0'..=b'9', ..] => Slot::Unit,
        b"role" | b"model" | b"stop_reason" | b"stop_sequence" | b"usage" => Slot::Envelope,
        _ => Slot::Text(TextKind::Remark),
    }
}

fn block(key: &[u8], said: TextKind) -> Slot {
    match key {
        b"thinking" => Slot::Text(TextKind::Thinking),
        b"input" | b"name" => Slot::Text(TextKind::Input),
        b"content" => Slot::Text(TextKind::Result),
        b"caller" | b"cache_control" => Slot::Envelope,
        _ => Slot::Text(said),
    }
}

fn outcome(key: &[u8]) -> Slot {
    match key {
        b"usage"
        | b"toolStats"
        | b"status"
        | b"mode"
        | b"persistedOutputPath"
        | b"rawOutputPath"
        | b"resolvedModel" => Slot::Envelope,
        _ => Slot::Text(TextKind::Result),
    }
}

fn attachment(key: &[u8]) -> Slot {
    match key {
        b"prompt" => Slot::Content(TextKind::Said),
        b"commandMode" | b"origin" | b"hookEvent" => Slot::Envelope,
        _ => Slot::Text(TextKind::Remark),
    }
}

fn progress(key: &[u8]) -> Slot {
    match key {
        b"message" => Slot::AgentRecord,
        _ => Slot::Text(TextKind::Remark),
    }
}

fn agent(key: &[u8], said: TextKind) -> Slot {
    match key {
        b"message" => Slot::Object(Level::Message(said)),
        b"toolUseResult" => Slot::Object(Level::Outcome),
        _ if is_envelope(key) => Slot::Envelope,
        _ => Slot::Text(TextKind::Remark),
    }
}

/// Tells whether a key of a record says where the record belongs, not what it says.
pub fn is_envelope(key: &[u8]) -> bool {
    matches!(
        key,
        b"version"
            | b"userType"
            | b"entrypoint"
            | b"cwd"
            | b"gitBranch"
            | b"slug"
            | b"teamName"
            | b"isSidechain"
            | b"permissionMode"
            | b"promptSource"
            | b"origin"
            | b"role"
            | b"model"
            | b"level"
            | b"effort"
            | b"forkedFrom"
            | b"toolDenialKind"
            | b"compactMetadata"
            | b"microcompactMetadata"
            | b"shapeHash"
            | b"hash"
            | b"sessionKind"
            | b"operation"
            | b"usage"
    )
}

/// Tells whose words the record of an agent holds that a cursor stands before: the agent's, or
/// those of its caller. The cursor stays where it is.
pub fn agent_speaker(cursor: &Cursor<'_>) -> TextKind {
    let mut kind = None;
    // The type mostly comes first, so nothing is read after it.
    let _ = cursor.clone().object_or_skip(|cursor, key| {
        if key == b"type" {
            kind = cursor.string()?;
            return Err(Malformed);
        }
        cursor.skip().map(drop)
    });
    match kind.map(Str::raw) {
        Some(b"assistant") => TextKind::AgentAnswered,
        _ => TextKind::AgentAsked,
    }
}
