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
pub struct EntrySpec {
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
pub enum EntryBody {
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
    pub fn new(name: impl Into<String>, body: impl Into<EntryBody>) -> Self {
        Self {
            name: name.into(),
            parent: ParentSpec::Above,
            at: At::Next,
            side: ConversationSide::Own,
            meta: false,
            again: false,
            body: body.into(),
            fields: Vec::new(),
            without: Vec::new(),
        }
    }

    /// Makes the entry a root: its parent is `null`.
    #[must_use]
    pub fn root(mut self) -> Self {
        self.parent = ParentSpec::Null;
        self
    }

    /// Gives the entry a parent that the session does not have.
    #[must_use]
    pub fn orphan(mut self, name: impl Into<String>) -> Self {
        self.parent = ParentSpec::Unknown(name.into());
        self
    }

    /// Sets the time to so many milliseconds after the line above.
    #[must_use]
    pub fn after_ms(mut self, ms: i64) -> Self {
        self.at = At::After(ms);
        self
    }

    /// Puts the entry on a sidechain inside the file.
    #[must_use]
    pub fn sidechain(mut self) -> Self {
        self.side = ConversationSide::Inline;
        self
    }

    /// Puts the entry on the sidechain of an agent.
    #[must_use]
    pub fn of_agent(mut self, id: impl Into<String>) -> Self {
        self.side = ConversationSide::Agent(id.into());
        self
    }

    /// Allows the entry to repeat the name, and so the uuid, of an earlier one.
    #[must_use]
    pub fn again(mut self) -> Self {
        self.again = true;
        self
    }

    /// Sets a top-level field to JSON text, in the place of the usual value if there is one.
    #[must_use]
    pub fn field(mut self, key: impl Into<String>, json: impl Into<String>) -> Self {
        self.fields.push((key.into(), json.into()));
        self
    }

    /// Says whether the entry is a prompt of the conversation that the file contains.
    pub(crate) fn is_prompt(&self) -> bool {
        matches!(&self.body, EntryBody::User(user) if user.is_prompt() && !self.meta)
            && matches!(self.side, ConversationSide::Own)
    }
}

impl From<User> for EntryBody {
    fn from(body: User) -> Self {
        Self::User(body)
    }
}

impl From<Assistant> for EntryBody {
    fn from(body: Assistant) -> Self {
        Self::Assistant(body)
    }
}

impl From<ToolResult> for EntryBody {
    fn from(body: ToolResult) -> Self {
        Self::Result(body)
    }
}

impl From<System> for EntryBody {
    fn from(body: System) -> Self {
        Self::System(body)
    }
}

impl From<Inert> for EntryBody {
    fn from(body: Inert) -> Self {
        Self::Inert(body)
    }
}
