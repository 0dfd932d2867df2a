//! The fields of a record that the log reads, in any dialect.
//!
//! A draft borrows from the line and lives as long as the line is in memory. Every field is
//! optional, and a field of the wrong type counts as missing.

use crate::json::Str;
use crate::schema::BlockType;
use crate::usage::Tokens;

/// The fields of one record.
#[derive(Default)]
pub(crate) struct Draft<'a> {
    pub(crate) kind: Option<Str<'a>>,
    pub(crate) subtype: Option<Str<'a>>,
    pub(crate) uuid: Option<Str<'a>>,
    pub(crate) parent: Option<Str<'a>>,
    pub(crate) logical_parent: Option<Str<'a>>,
    pub(crate) session: Option<Str<'a>>,
    pub(crate) time: Option<Str<'a>>,
    pub(crate) version: Option<Str<'a>>,
    pub(crate) cwd: Option<Str<'a>>,
    pub(crate) branch: Option<Str<'a>>,
    pub(crate) slug: Option<Str<'a>>,
    pub(crate) agent: Option<Str<'a>>,
    pub(crate) entrypoint: Option<Str<'a>>,
    pub(crate) request: Option<Str<'a>>,
    pub(crate) denial: Option<Str<'a>>,
    pub(crate) prompt_source: Option<Str<'a>>,
    pub(crate) origin: Option<Str<'a>>,
    pub(crate) leaf: Option<Str<'a>>,
    pub(crate) source_entry: Option<Str<'a>>,
    /// Set if a call of the model caused the record.
    pub(crate) called: bool,
    pub(crate) forked_from: Option<Str<'a>>,
    /// The uuid of the entry that this one is a copy of.
    pub(crate) copy_of: Option<Str<'a>>,
    pub(crate) forked_at: Option<Str<'a>>,
    pub(crate) sidechain: bool,
    pub(crate) meta: bool,
    pub(crate) compact_summary: bool,
    /// Set if a person chose the leaf that the record names.
    pub(crate) explicit: bool,
    pub(crate) team: bool,
    pub(crate) api_error: bool,
    pub(crate) aborted: bool,
    pub(crate) deleted: bool,
    pub(crate) flat: bool,
    pub(crate) message: MessageDraft<'a>,
    /// The call that a record of the flat dialect is; becomes a block when all fields are read.
    pub(super) call: Option<BlockDraft<'a>>,
    pub(crate) outcome: OutcomeDraft<'a>,
    pub(crate) attachment: Attachment<'a>,
    pub(crate) progress: ProgressDraft<'a>,
    pub(crate) boundary: Option<Boundary<'a>>,
    pub(crate) title: TitleDraft<'a>,
    pub(crate) duration_ms: Option<u64>,
}

/// The API message of a record, or its equivalent.
#[derive(Default)]
pub(crate) struct MessageDraft<'a> {
    pub(crate) id: Option<Str<'a>>,
    pub(crate) model: Option<Str<'a>>,
    pub(crate) stop_reason: Option<Str<'a>>,
    pub(crate) usage: Option<Tokens>,
    pub(crate) blocks: Vec<BlockDraft<'a>>,
}

/// The fields of one content block.
#[derive(Clone, Copy, Default)]
pub(crate) struct BlockDraft<'a> {
    pub(crate) kind: BlockType,
    pub(crate) name: Option<Str<'a>>,
    pub(crate) call: Option<Str<'a>>,
    pub(crate) text: Option<Str<'a>>,
    pub(crate) file: Option<Str<'a>>,
    pub(crate) prompt: Option<Str<'a>>,
    pub(crate) error: bool,
}

/// The fields of `toolUseResult`.
#[derive(Default)]
pub(crate) struct OutcomeDraft<'a> {
    pub(crate) agent: Option<Str<'a>>,
    pub(crate) run: Option<Str<'a>>,
    pub(crate) spilled: bool,
    /// Set if questions were answered.
    pub(crate) answers: bool,
    /// The raw value, if it may state changed lines.
    pub(crate) changes: Option<&'a [u8]>,
}

/// The fields of an attachment.
#[derive(Default)]
pub(crate) struct Attachment<'a> {
    pub(crate) kind: Option<Str<'a>>,
    pub(crate) prompt: Option<Str<'a>>,
    pub(crate) origin: Option<Str<'a>>,
}

/// The fields of a progress record.
#[derive(Default)]
pub(crate) struct ProgressDraft<'a> {
    pub(crate) kind: Option<Str<'a>>,
    pub(crate) agent: Option<Str<'a>>,
    pub(crate) call: Option<Str<'a>>,
    pub(crate) message: MessageDraft<'a>,
    pub(crate) request: Option<Str<'a>>,
    pub(crate) uuid: Option<Str<'a>>,
}

/// The metadata of a compaction.
#[derive(Default)]
pub(crate) struct Boundary<'a> {
    /// Set if it has a list of kept messages, even an empty one.
    pub(crate) names_messages: bool,
    /// Set if it has a kept segment, even without its ends.
    pub(crate) names_segment: bool,
    pub(crate) preserved: Vec<Str<'a>>,
    pub(crate) anchor: Option<Str<'a>>,
    pub(crate) segment: Option<(Str<'a>, Str<'a>)>,
    pub(crate) segment_anchor: Option<Str<'a>>,
    pub(crate) trigger: Option<Str<'a>>,
    pub(crate) before: Option<u64>,
    pub(crate) after: Option<u64>,
}

/// Names that metadata records give to a session.
#[derive(Default)]
pub(crate) struct TitleDraft<'a> {
    pub(crate) custom: Option<Str<'a>>,
    pub(crate) ai: Option<Str<'a>>,
    pub(crate) agent: Option<Str<'a>>,
    pub(crate) summary: Option<Str<'a>>,
    pub(crate) last_prompt: Option<Str<'a>>,
}
