//! Entries: the records of a file with what other code needs to know of each.
//!
//! An [`Entry`] is small and of fixed size; the bytes stay in the file and are read
//! again by [`Span`] when a text is shown. Every type, subtype and attachment that
//! has no meaning for the conversation is kept by its name and nothing else, so a
//! new one costs nothing.

use serde::{Deserialize, Serialize};

use crate::line::Span;
use crate::names;
use crate::symbols::Symbol;
use crate::time::Time;

/// One record of a file, or one fragment.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its place in the file, with the white space and the newline after it.
    pub span: Span,
    /// Its line, counted from one.
    pub line: u32,
    /// What kind of record it is.
    pub kind: EntryKind,
    /// What it says in the conversation, if it says anything by itself.
    pub says: Option<MessageKind>,
    /// What is true of it.
    pub flags: Flags,
    /// Its `type`, or for system entries, attachments and progress the subtype.
    pub name: Option<Symbol>,
    /// Its `uuid`.
    pub uuid: Option<Symbol>,
    /// Its `parentUuid`, when that is a string.
    pub parent: Option<Symbol>,
    /// Its `logicalParentUuid`.
    pub logical_parent: Option<Symbol>,
    /// The id of the API message it is a part of.
    pub message: Option<Symbol>,
    /// The agent that wrote it.
    pub agent: Option<Symbol>,
    /// When it was written.
    pub time: Option<Time>,
    /// Its content blocks, as a range of the log's blocks.
    pub blocks: BlockRange,
}

impl Entry {
    /// Makes an entry that has a place and a kind, and nothing else yet.
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

    /// Tells whether the client passes the record over, see [`Flags::UNREAD`].
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

/// What kind of record an entry is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EntryKind {
    /// Something the user's side said: prompts, commands, tool results, injected text.
    User,
    /// A part of an answer.
    Assistant,
    /// A remark of the client.
    System,
    /// Context that the client attached.
    Attachment,
    /// A progress record of a running call, in older versions a real link of the chain.
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
    /// What a message is, as scripts see it.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum MessageKind {
        /// What a person or a program asked; also a slash command that the model answered.
        Prompt = "prompt",
        /// What the model answered.
        Answer = "answer",
        /// A slash or `!` command that only acts on the client, or its output.
        Command = "command",
        /// A prompt that exists only as an attachment.
        Queued = "queued",
        /// Words that a person gave with a refusal, or as a free answer to a question.
        Reply = "reply",
        /// Text that the client put in.
        Meta = "meta",
        /// The summary after a compaction.
        Summary = "summary",
        /// A compaction.
        Boundary = "boundary",
        /// The mark of an interruption.
        Interruption = "interruption",
        /// A remark of the client.
        Notice = "notice",
        /// The report of a background agent or task.
        AgentReport = "agent_report",
        /// An API error, or an answer that the client made up.
        Error = "error",
    }
}

/// Yes-or-no facts of an entry.
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
    /// Was put in by the client.
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
    /// Says that the model ended its turn.
    ENDS_TURN = 9;
    /// Was made up by the client in the model's name.
    SYNTHETIC = 10;
    /// Has an output that was spilled into a file.
    SPILLED = 11;
    /// Is not read by the client: something that looks like a record is before it on its line.
    UNREAD = 12;
    /// Speaks of a compaction, so that it has a place even without a parent.
    COMPACTING = 13;
    /// Is a slash command, whatever it does.
    SLASH = 14;
    /// Is a text that a slash command may have expanded into.
    EXPANSION = 15;
}

impl Flags {
    /// Returns all of them as one number.
    pub(crate) fn bits(self) -> u16 {
        self.0
    }

    /// Makes flags of what [`Flags::bits`] returned.
    pub(crate) fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Tells whether all of `other` are set.
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
    /// What it is.
    pub kind: BlockKind,
    /// The id of the call, for calls and results.
    pub call: Option<Symbol>,
    /// The tool's name for calls, the block's type for others.
    pub name: Option<Symbol>,
    /// The file that a call names.
    pub file: Option<Symbol>,
}

/// What a content block is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BlockKind {
    /// Text.
    Text,
    /// Thinking, possibly with its text withheld.
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

/// How a call's result came out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Verdict {
    /// It worked.
    Done,
    /// It failed.
    Failed,
    /// A person or a rule did not allow it.
    Denied,
    /// It was interrupted.
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
