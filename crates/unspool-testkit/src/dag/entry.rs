//! An entry: a line with a uuid and a parent.
//!
//! Knows what entries of all kinds share. The bodies know their own fields; the writer turns both
//! into a line.

use super::assistant::Assistant;
use super::inert::Inert;
use super::system::System;
use super::tool_result::ToolResult;
use super::user::User;

/// A line with a uuid and a parent.
#[derive(Clone, Debug)]
pub(crate) struct EntrySpec {
    pub(crate) name: String,
    pub(crate) parent: ParentSpec,
    pub(crate) at: At,
    pub(crate) side: ConversationSide,
    pub(crate) meta: bool,
    pub(crate) again: bool,
    pub(crate) body: EntryBody,
    /// Top-level fields that replace or join the usual ones, as key and JSON text.
    pub(crate) fields: Vec<(String, String)>,
    /// Top-level fields that are left out.
    pub(crate) without: Vec<String>,
}

/// What is in `parentUuid`.
#[derive(Clone, Debug, Default)]
pub(crate) enum ParentSpec {
    /// The entry above; none for a compaction boundary and for the first entry.
    #[default]
    Above,
    Null,
    Named(String),
    /// A name that no entry of the session has.
    Unknown(String),
}

/// When a line was written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum At {
    /// One second after the line above.
    #[default]
    Next,
    /// Milliseconds after the line above.
    After(i64),
    /// Milliseconds after the start of the session.
    SinceStart(i64),
}

/// Which conversation a line belongs to.
#[derive(Clone, Debug, Default)]
pub(crate) enum ConversationSide {
    /// The one of the file.
    #[default]
    Own,
    /// A sidechain inside the file, without an agent's name.
    Inline,
    Agent(String),
}

/// What an entry says.
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
    Inert(Inert),
}

impl EntrySpec {
    /// Creates an entry under the one above it.
    pub(crate) fn new(name: &str, body: EntryBody) -> Self {
        Self {
            name: name.to_owned(),
            parent: ParentSpec::Above,
            at: At::Next,
            side: ConversationSide::Own,
            meta: false,
            again: false,
            body,
            fields: Vec::new(),
            without: Vec::new(),
        }
    }

    /// Says whether the entry is a prompt of the conversation that the file contains.
    pub(crate) fn is_prompt(&self) -> bool {
        matches!(&self.body, EntryBody::User(user) if user.is_prompt() && !self.meta)
            && matches!(self.side, ConversationSide::Own)
    }
}
