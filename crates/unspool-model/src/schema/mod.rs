//! What the keys of a record mean: the one table that all readers of records share.
//!
//! A record is JSON of any shape, and most of its keys are the client's own. The module `keys`
//! has a table for every object with a shape of its own (the record, its message, a content block,
//! …): which keys there are, and what each means. [`Level::slot`] tells from it what a walk is to do
//! with the value of a key: it is a text and of which kind, another object with a table, or part of
//! the envelope, which is not a text. Below those objects only [`is_name`] and [`is_text`] decide.
//! [`crate::roles`] turns the kind of a text into the role that people search by.
//!
//! Who reads a record names keys by these tables and never spells one: parsing
//! ([`crate::log`]), what is shown ([`crate::record`]), ranked search, the scan of `--exact` and
//! `--regex`, redaction and checks. The walks differ, the tables do not. Ranked search decodes
//! every string in order, the scan passes over most of them; both find the same texts with the same
//! roles. [`crate::dialect::texts_of`] is the walk of the scan and the reference for the other one.
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
pub use spread::Spread;
pub use text::{is_data_throughout, is_name, is_text, lasting_key, may_hold_texts};
pub(crate) use types::{BlockType, QUEUE_OPERATION};
pub use types::{has_image, is_known_type, is_result_type, picture_name};

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

/// An object inside of a record whose keys have a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
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
    /// An object that only one dialect has.
    Own(&'static OwnLevel),
}

/// The table of an object that only one dialect has.
#[derive(PartialEq, Eq, Debug)]
pub struct OwnLevel {
    /// Its keys, and what their values are.
    pub keys: &'static [(&'static str, Slot)],
    /// The kind of the texts under other keys.
    pub other: TextKind,
}

/// What the value of a key is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Part of the envelope. Nothing in it is a text, at whatever depth.
    Envelope,
    /// An object with a table of its own. A value of another shape contains texts of
    /// [`Level::plain`].
    Object(Level),
    /// A content block, or a list of them; texts in them are of this kind.
    Content(TextKind),
    /// A record of an agent; [`agent_speaker`] tells whose words it has.
    AgentRecord,
    /// One unit of a text that was spread into an object, see [`Spread`].
    Unit,
    /// Texts of this kind, at any depth.
    Text(TextKind),
}

impl Level {
    /// Returns what the value of a key is.
    pub fn slot(self, key: &[u8]) -> Slot {
        let meaning = match self {
            Self::Own(level) => return level.slot(key),
            Self::Message(_) if Spread::may_take(key) => return Slot::Unit,
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

    /// Returns the kind of the texts of a value that is not an object.
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

    /// Returns the kind of what is said in the object.
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
    /// Returns what a walk is to do with a value; `said` is the kind of what the object says,
    /// `other` that of texts under keys without a table.
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

    /// Tells whether it is the same in a record of an agent inside a progress record: those have
    /// a message, an outcome and an envelope, and are not about the session.
    fn is_of_agents(self) -> bool {
        matches!(self, Self::Envelope | Self::Message | Self::Outcome)
    }
}

/// Tells whose words the record of an agent has that a cursor is at: the agent's, or
/// those of its caller. The cursor stays where it is.
pub fn agent_speaker(cursor: &Cursor<'_>) -> TextKind {
    let mut kind = None;
    // The type mostly comes first, so nothing is read after it.
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
