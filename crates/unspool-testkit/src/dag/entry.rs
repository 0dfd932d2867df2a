//! An entry: a line with a uuid and a parent.
//!
//! Has the parts that entries of all kinds share; the bodies have their own fields, and the writer combines
//! both.

use super::assistant::Assistant;
use super::inert::PayloadEntry;
use super::system::System;
use super::tool_result::ToolResult;
use super::user::User;

/// A line with a uuid and a parent.
#[derive(Clone, Debug)]
pub(crate) struct EntrySpec {
    pub(crate) name: String,
    pub(crate) parent: ParentSpec,
    pub(crate) at: EntryTime,
    pub(crate) side: ConversationSide,
    pub(crate) meta: bool,
    pub(crate) again: bool,
    pub(crate) body: EntryBody,
    /// Top-level fields that replace or extend the usual ones, as key and JSON text.
    pub(crate) fields: Vec<(String, String)>,
    /// Top-level fields that are left out.
    pub(crate) without: Vec<String>,
}

/// The value of `parentUuid`.
#[derive(Clone, Debug, Default)]
pub(crate) enum ParentSpec {
    /// The entry above; null for a compaction boundary and for the first entry.
    #[default]
    Above,
    Null,
    Named(String),
    /// A name that is not an entry of the session.
    Unknown(String),
}

/// The time of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum EntryTime {
    /// One second after the line above.
    #[default]
    Next,
    /// Milliseconds after the line above.
    After(i64),
    /// Milliseconds after the start of the session.
    SinceStart(i64),
}

/// The conversation of a line.
#[derive(Clone, Debug, Default)]
pub(crate) enum ConversationSide {
    /// The conversation of the file.
    #[default]
    Own,
    /// A sidechain in the file, without the name of an agent.
    Inline,
    Agent(String),
}

/// The kind and the content of an entry.
#[derive(Clone, Debug)]
pub(crate) enum EntryBody {
    /// A prompt or another user line without a result.
    User(User),
    /// An assistant line.
    Assistant(Assistant),
    /// A user line with tool results.
    Result(ToolResult),
    /// A system line.
    System(System),
    /// An attachment, progress or unknown line.
    PayloadEntry(PayloadEntry),
}

impl EntrySpec {
    /// Creates an entry under the one above it.
    pub(crate) fn new(name: &str, body: EntryBody) -> Self {
        Self {
            name: name.to_owned(),
            parent: ParentSpec::Above,
            at: EntryTime::Next,
            side: ConversationSide::Own,
            meta: false,
            again: false,
            body,
            fields: Vec::new(),
            without: Vec::new(),
        }
    }

    /// Tells whether the entry is a prompt of the file's own conversation.
    pub(crate) fn is_prompt(&self) -> bool {
        matches!(&self.body, EntryBody::User(user) if user.is_prompt() && !self.meta)
            && matches!(self.side, ConversationSide::Own)
    }
}
