//! Entries: the records of a file, reduced to what other code needs of each.
//!
//! An [`Entry`] is small and of fixed size; the bytes stay in the file and are read again by
//! [`Span`] when a text is shown. A type, subtype or attachment without a meaning for the
//! conversation is only kept by name, so a new one costs nothing.

use serde::{Deserialize, Serialize};

use crate::line::Span;
use crate::names;
use crate::symbols::Symbol;
use crate::time::Time;

/// One record of a file, or one fragment.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The byte range in the file, with the white space and the newline after the record.
    pub span: Span,
    /// The line, counted from one.
    pub line: u32,
    /// The kind of record.
    pub kind: EntryKind,
    /// The kind of message that the entry itself says, if any.
    pub says: Option<MessageKind>,
    /// Boolean facts about the entry.
    pub flags: Flags,
    /// The `type`; for system entries, attachments and progress records, the subtype.
    pub name: Option<Symbol>,
    /// The `uuid`.
    pub uuid: Option<Symbol>,
    /// The `parentUuid`, if it is a string.
    pub parent: Option<Symbol>,
    /// The `logicalParentUuid`.
    pub logical_parent: Option<Symbol>,
    /// The id of the API message that the entry is a part of.
    pub message: Option<Symbol>,
    /// The id of the agent that wrote the entry.
    pub agent: Option<Symbol>,
    /// The time at which the entry was written.
    pub time: Option<Time>,
    /// The content blocks, as a range of the log's blocks.
    pub blocks: BlockRange,
}

impl Entry {
    /// Creates an entry that has only a place and a kind.
    pub(crate) fn new(span: Span, line: u32, kind: EntryKind) -> Self {
        Self {
            span,
            line,
            kind,
            says: None,
            flags: Flags::default(),
            name: None,
            uuid: None,
            parent: None,
            logical_parent: None,
            message: None,
            agent: None,
            time: None,
            blocks: BlockRange::default(),
        }
    }

    /// Tells whether the client skips the record, see [`Flags::UNREAD`].
    pub fn is_unread(&self) -> bool {
        self.flags.has(Flags::UNREAD)
    }
}

/// The blocks of one entry within [`crate::log::Log::blocks`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BlockRange {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl BlockRange {
    /// Returns the range as indices.
    pub fn indices(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The kind of record of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EntryKind {
    /// The user's side: a prompt, a command, tool results or injected text.
    User,
    /// A part of an answer.
    Assistant,
    /// A remark of the client.
    System,
    /// Context that the client attached.
    Attachment,
    /// A progress record of a running call; in older versions, other entries name it as their parent.
    Progress,
    /// A record about the session, or one of an unknown type.
    Metadata,
    /// Bytes that are not a record.
    Fragment,
}

impl EntryKind {
    /// Tells whether records of this kind take part in the graph when they have a uuid.
    pub fn links(self) -> bool {
        matches!(
            self,
            Self::User | Self::Assistant | Self::System | Self::Attachment | Self::Progress
        )
    }
}

names! {
    /// The kind of a message, as scripts see it.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum MessageKind {
        /// A request of a person or a program, or a slash command that the model answered.
        Prompt = "prompt",
        /// An answer of the model.
        Answer = "answer",
        /// A slash or `!` command that only acts on the client, or its output.
        Command = "command",
        /// A prompt that exists only as an attachment.
        Queued = "queued",
        /// Words that a person gave with a refusal, or as a free answer to a question.
        Reply = "reply",
        /// Text that the client injected.
        Meta = "meta",
        /// The summary after a compaction.
        Summary = "summary",
        /// A compaction.
        Boundary = "boundary",
        /// A mark of an interruption.
        Interruption = "interruption",
        /// A remark of the client.
        Notice = "notice",
        /// The report of a background agent or task.
        AgentReport = "agent_report",
        /// An API error, or an answer that the client made up.
        Error = "error",
    }
}

/// Boolean facts about an entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Flags(u16);

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        impl Flags {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*
        }
    };
}

flags! {
    /// Belongs to a subagent.
    SIDECHAIN = 0;
    /// Was injected by the client.
    META = 1;
    /// Belongs to a team.
    TEAM = 2;
    /// Starts a turn.
    STARTS_TURN = 3;
    /// Ends a session's context: a compaction boundary.
    BOUNDARY = 4;
    /// Is in the flat dialect.
    FLAT = 5;
    /// Is marked as deleted (flat dialect).
    DELETED = 6;
    /// Is marked as aborted, or was cut off in mid-stream.
    ABORTED = 7;
    /// Is an API error.
    API_ERROR = 8;
    /// Ends the model's turn.
    ENDS_TURN = 9;
    /// Was made up by the client in the name of the model.
    SYNTHETIC = 10;
    /// Has an output that was spilled into a file.
    SPILLED = 11;
    /// Is not read by the client: its line contains something that looks like a record before it.
    UNREAD = 12;
    /// Is about a compaction, so that it has a place even without a parent.
    COMPACTING = 13;
    /// Is a slash command, answered or not.
    SLASH = 14;
    /// Is a text that a slash command may have expanded into.
    EXPANSION = 15;
}

impl Flags {
    /// Returns the flags as a number.
    pub(crate) fn bits(self) -> u16 {
        self.0
    }

    /// Restores flags from [`Flags::bits`].
    pub(crate) fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Tells whether all flags of `other` are set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Sets `other` if `on`.
    pub fn set(&mut self, other: Self, on: bool) {
        if on {
            self.0 |= other.0;
        }
    }
}

/// One content block of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// The kind of the block.
    pub kind: BlockKind,
    /// The id of the call, for calls and results.
    pub call: Option<Symbol>,
    /// The name of the tool for calls, the type of the block for others.
    pub name: Option<Symbol>,
    /// The file that a call names.
    pub file: Option<Symbol>,
}

/// The kind of a content block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BlockKind {
    /// Text.
    Text,
    /// Thinking, possibly without its text.
    Thinking,
    /// A tool call.
    Call,
    /// The result of a call.
    Result(Verdict),
    /// An image.
    Image,
    /// A document.
    Document,
    /// Anything else.
    Other,
}

/// The outcome of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// The call succeeded.
    Done,
    /// The call failed.
    Failed,
    /// A person or a rule did not allow the call.
    Denied,
    /// The call was interrupted.
    Interrupted,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_stays_small() {
        assert_eq!(size_of::<Entry>(), 64);
        assert_eq!(size_of::<Block>(), 16);
    }
}
