//! What was read of a record for the log, whatever its dialect.
//!
//! A draft borrows from the line and lives as long as the line is in memory. Every field is
//! optional, and a field of the wrong type is a missing field.

use crate::json::Str;
use crate::schema::BlockType;
use crate::usage::Tokens;

/// What was read of one record.
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
    /// Whether a call of the model put the record in.
    pub(crate) called: bool,
    pub(crate) forked_from: Option<Str<'a>>,
    /// The entry that this one is a copy of.
    pub(crate) copy_of: Option<Str<'a>>,
    pub(crate) forked_at: Option<Str<'a>>,
    pub(crate) sidechain: bool,
    pub(crate) meta: bool,
    pub(crate) compact_summary: bool,
    /// Whether a person chose the leaf that the record names.
    pub(crate) explicit: bool,
    pub(crate) team: bool,
    pub(crate) api_error: bool,
    pub(crate) aborted: bool,
    pub(crate) deleted: bool,
    pub(crate) flat: bool,
    pub(crate) message: MessageDraft<'a>,
    /// The call that a record of the flat dialect is, until all of it was read.
    pub(super) call: Option<BlockDraft<'a>>,
    pub(crate) outcome: OutcomeDraft<'a>,
    pub(crate) attachment: Attachment<'a>,
    pub(crate) progress: ProgressDraft<'a>,
    pub(crate) boundary: Option<Boundary<'a>>,
    pub(crate) title: TitleDraft<'a>,
    pub(crate) duration_ms: Option<u64>,
}

/// The API message inside a record, or what represents it.
#[derive(Default)]
pub(crate) struct MessageDraft<'a> {
    pub(crate) id: Option<Str<'a>>,
    pub(crate) model: Option<Str<'a>>,
    pub(crate) stop_reason: Option<Str<'a>>,
    pub(crate) usage: Option<Tokens>,
    pub(crate) blocks: Vec<BlockDraft<'a>>,
}

/// What was read of one content block.
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

/// What `toolUseResult` says in addition to the result itself.
#[derive(Default)]
pub(crate) struct OutcomeDraft<'a> {
    pub(crate) agent: Option<Str<'a>>,
    pub(crate) run: Option<Str<'a>>,
    pub(crate) spilled: bool,
    /// Whether questions were answered.
    pub(crate) answers: bool,
    /// The bytes, if they may tell of changed lines.
    pub(crate) changes: Option<&'a [u8]>,
}

/// What was read of an attachment.
#[derive(Default)]
pub(crate) struct Attachment<'a> {
    pub(crate) kind: Option<Str<'a>>,
    pub(crate) prompt: Option<Str<'a>>,
    pub(crate) origin: Option<Str<'a>>,
}

/// What was read of a progress record.
#[derive(Default)]
pub(crate) struct ProgressDraft<'a> {
    pub(crate) kind: Option<Str<'a>>,
    pub(crate) agent: Option<Str<'a>>,
    pub(crate) call: Option<Str<'a>>,
    pub(crate) message: MessageDraft<'a>,
    pub(crate) request: Option<Str<'a>>,
    pub(crate) uuid: Option<Str<'a>>,
}

/// What a compaction says about itself.
#[derive(Default)]
pub(crate) struct Boundary<'a> {
    /// Whether it has a list of kept messages, be it empty.
    pub(crate) names_messages: bool,
    /// Whether it has the ends of a stretch of kept messages, be they missing.
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
