//! The meanings of the keys of a record, in one table that all readers of records share.
//!
//! A record is JSON of any shape, and most of its keys are the client's own. The module `keys`
//! has a table for each object with its own set of keys (the record, its message, a content
//! block, …), with the meaning of each key. [`Level::slot`] determines from it how a walk treats
//! the value of a key: as a text of some kind, as another object with a table, or as part of the
//! envelope, which is not a text. Below those objects only [`is_name`] and [`is_text`] decide.
//! [`crate::roles`] maps the kind of a text to the role that people search by.
//!
//! Code that reads records takes keys from these tables and never spells one out: parsing
//! ([`crate::log`]), display ([`crate::record`]), ranked search, the scan of `--exact` and `--regex`,
//! redaction and checks. Each has its own walk over the same tables. Ranked search decodes every
//! string in order, the scan skips most of them; both find the same texts with the same roles.
//! [`crate::dialect::texts_of`] is the walk of the scan and the reference for ranked search.
//!
//! The keys of the record itself belong to its dialect, see [`crate::dialect::RecordDialect`].
//!
//! | Level | Keys with a table or a kind of their own | Other keys |
//! |---|---|---|
//! | record | `message`, `content`, `toolUseResult`, `attachment`, `data`, titles, `lastPrompt`; calls of the flat dialect | envelope, or a remark |
//! | message | `content`, `0`, `1`, … (a text that was spread into an object) | envelope, or a remark |
//! | content block | `text`, `thinking`, `name`, `input`, `content` | envelope, or said |
//! | `toolUseResult` | – | envelope, or a result |
//! | attachment | `prompt` | envelope, or a remark |
//! | `data` of a progress record | `message`: an agent's record | envelope, or a remark |

mod keys;
mod spread;
mod text;
mod types;

use crate::json::{Cursor, Malformed, Str};

pub(crate) use keys::Meaning;
pub use keys::{
    AttachmentKey, BlockKey, CompactionKey, FileKey, FlatKey, MessageKey, NameKey, OriginKey,
    OutcomeKey, ProgressKey, RecordKey, SourceKey, UsageKey, all_keys, is_word,
};
pub use spread::SpreadText;
pub use text::{is_data_throughout, is_name, is_text, may_contain_texts, static_key};
pub(crate) use types::{BlockType, QUEUE_OPERATION};
pub use types::{has_image, is_known_type, is_result_type, picture_name};

/// The kind of a text of a record, as far as its key determines it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TextKind {
    /// A text of the record's message.
    Said,
    /// A text for an agent, in a progress record about it.
    AgentAsked,
    /// A text of an agent, in a progress record about it.
    AgentAnswered,
    /// Thinking before an answer.
    Thinking,
    /// Input of a tool, or the tool's name.
    Input,
    /// The result of a tool.
    Result,
    /// A title or name of the session.
    Title,
    /// A prompt that a record about the session repeats.
    Prompt,
    /// Any other text.
    Remark,
}

/// An object inside a record whose keys have a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// A message with texts of this kind.
    Message(TextKind),
    /// A content block with texts of this kind.
    Block(TextKind),
    /// The `toolUseResult` next to the result of a tool.
    Outcome,
    /// An attachment.
    Attachment,
    /// The `data` of a progress record.
    Progress,
    /// A record of an agent inside a progress record; its message has texts of this kind.
    Agent(TextKind),
    /// An object that only one dialect has.
    Own(&'static OwnLevel),
}

/// The table of an object that only one dialect has.
#[derive(PartialEq, Eq, Debug)]
pub struct OwnLevel {
    /// The keys, each with the treatment of its value.
    pub keys: &'static [(&'static str, Slot)],
    /// The kind of the texts under other keys.
    pub other: TextKind,
}

/// How a walk treats the value of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Part of the envelope; contains no texts at any depth.
    Envelope,
    /// An object with its own table. A value of another shape contains texts of the kind [`Level::plain`].
    Object(Level),
    /// A content block, or a list of them, with texts of this kind.
    Content(TextKind),
    /// A record of an agent; [`agent_speaker`] returns the kind of its texts.
    AgentRecord,
    /// One unit of a text that was spread into an object, see [`SpreadText`].
    Unit,
    /// Texts of this kind, at any depth.
    Text(TextKind),
}

impl Level {
    /// Returns how a walk treats the value of a key.
    pub fn slot(self, key: &[u8]) -> Slot {
        let meaning = match self {
            Self::Own(level) => return level.slot(key),
            Self::Message(_) if SpreadText::may_take(key) => return Slot::Unit,
            Self::Message(_) => MessageKey::of(key).map(MessageKey::meaning),
            Self::Block(_) => BlockKey::of(key).map(BlockKey::meaning),
            Self::Outcome => OutcomeKey::of(key).map(OutcomeKey::meaning),
            Self::Attachment => AttachmentKey::of(key).map(AttachmentKey::meaning),
            Self::Progress => ProgressKey::of(key).map(ProgressKey::meaning),
            Self::Agent(_) => {
                RecordKey::of(key).map(RecordKey::meaning).filter(|meaning| meaning.is_of_agents())
            }
        };
        let other = Slot::Text(self.other());
        meaning.map_or(other, |meaning| meaning.slot(self.said(), self.other()))
    }

    /// Returns the kind of the texts in a value that is not an object.
    pub fn plain(self) -> TextKind {
        match self {
            Self::Message(said) => said,
            _ => self.other(),
        }
    }

    /// Returns the kind of the texts under keys that are not in the table.
    fn other(self) -> TextKind {
        match self {
            Self::Block(said) => said,
            Self::Outcome => TextKind::Result,
            Self::Own(level) => level.other,
            Self::Message(_) | Self::Attachment | Self::Progress | Self::Agent(_) => {
                TextKind::Remark
            }
        }
    }

    /// Returns the kind of the texts that were said in the object.
    fn said(self) -> TextKind {
        match self {
            Self::Message(said) | Self::Block(said) | Self::Agent(said) => said,
            Self::Outcome | Self::Attachment | Self::Progress | Self::Own(_) => TextKind::Said,
        }
    }
}

impl OwnLevel {
    fn slot(&self, key: &[u8]) -> Slot {
        let found = self.keys.iter().find(|(name, _)| name.as_bytes() == key);
        found.map_or(Slot::Text(self.other), |&(_, slot)| slot)
    }
}

impl Meaning {
    /// Returns how a walk treats a value; `said` is the kind of the texts that were said in the
    /// object, `other` that of texts under keys that are not in the table.
    #[inline]
    pub(crate) fn slot(self, said: TextKind, other: TextKind) -> Slot {
        match self {
            Self::Envelope => Slot::Envelope,
            Self::Name | Self::Value => Slot::Text(other),
            Self::Message => Slot::Object(Level::Message(said)),
            Self::Content => Slot::Content(said),
            Self::Outcome => Slot::Object(Level::Outcome),
            Self::Attachment => Slot::Object(Level::Attachment),
            Self::Progress => Slot::Object(Level::Progress),
            Self::AgentRecord => Slot::AgentRecord,
            Self::Said => Slot::Text(said),
            Self::Thinking => Slot::Text(TextKind::Thinking),
            Self::Input => Slot::Text(TextKind::Input),
            Self::Result => Slot::Text(TextKind::Result),
            Self::Title => Slot::Text(TextKind::Title),
            Self::Prompt => Slot::Text(TextKind::Prompt),
            Self::Remark => Slot::Text(TextKind::Remark),
        }
    }

    /// Tells whether a key has this meaning in a record of an agent inside a progress record too:
    /// such records have a message, an outcome and an envelope, and are not about the session.
    fn is_of_agents(self) -> bool {
        matches!(self, Self::Envelope | Self::Message | Self::Outcome)
    }
}

/// Returns the kind of the texts in the agent record at a cursor: of the agent, or of its
/// caller. Does not move the cursor.
pub fn agent_speaker(cursor: &Cursor<'_>) -> TextKind {
    let mut kind = None;
    // The type usually comes first, so the walk stops at it.
    let _ = cursor.clone().object_or_skip(|cursor, key| {
        if RecordKey::of(key) == Some(RecordKey::Type) {
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
