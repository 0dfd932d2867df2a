//! From the bytes of one record to what it says, in either dialect.
//!
//! Two dialects exist and are told apart record by record. **Wire** is what the
//! client writes: an API message inside an envelope, tools as content blocks
//! ([`wire`]). **Flat** is a simpler form seen in older tools: the message is a
//! string, a call is an entry of its own ([`flat`]). Both end up in one [`Draft`],
//! which the log turns into an entry.
//!
//! A draft borrows from the line and lives as long as the line is in memory. Every
//! field is optional, and a field of the wrong type is a missing field.

mod changes;
mod flat;
mod wire;

use crate::json::{Cursor, Result, Shape, Str};
use crate::usage::Tokens;

pub(crate) use changes::Lines;

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
    pub(crate) message: Message<'a>,
    /// The call that a record of the flat dialect is.
    call: Option<BlockDraft<'a>>,
    pub(crate) outcome: Outcome<'a>,
    pub(crate) attachment: Attachment<'a>,
    pub(crate) progress: Progress<'a>,
    pub(crate) boundary: Option<Boundary<'a>>,
    pub(crate) title: Title<'a>,
    pub(crate) duration_ms: Option<u64>,
}

/// The API message inside a record, or what stands for it.
#[derive(Default)]
pub(crate) struct Message<'a> {
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

/// The type of a content block, before anything is concluded from it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum BlockType {
    Text,
    Thinking,
    Call,
    Result,
    Image,
    Document,
    #[default]
    Other,
}

/// What `toolUseResult` says beside the result itself.
#[derive(Default)]
pub(crate) struct Outcome<'a> {
    pub(crate) agent: Option<Str<'a>>,
    pub(crate) run: Option<Str<'a>>,
    pub(crate) spilled: bool,
    /// Whether questions were answered.
    pub(crate) answers: bool,
    pub(crate) lines: Option<Lines>,
}

/// What was read of an attachment.
#[derive(Default)]
pub(crate) struct Attachment<'a> {
    pub(crate) kind: Option<Str<'a>>,
    pub(crate) prompt: Option<Str<'a>>,
    pub(crate) origin: Option<Str<'a>>,
}

/// What was read of a sign of life.
#[derive(Default)]
pub(crate) struct Progress<'a> {
    pub(crate) kind: Option<Str<'a>>,
    pub(crate) agent: Option<Str<'a>>,
    pub(crate) call: Option<Str<'a>>,
    pub(crate) message: Message<'a>,
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
pub(crate) struct Title<'a> {
    pub(crate) custom: Option<Str<'a>>,
    pub(crate) ai: Option<Str<'a>>,
    pub(crate) agent: Option<Str<'a>>,
    pub(crate) summary: Option<Str<'a>>,
    pub(crate) last_prompt: Option<Str<'a>>,
}

/// Reads the object that `bytes` begins with into an empty draft; returns its length.
///
/// `field` gets each key with the bytes of its value.
pub(crate) fn read<'a>(
    bytes: &'a [u8],
    draft: &mut Draft<'a>,
    mut field: impl FnMut(&[u8], &'a [u8]),
) -> Result<usize> {
    let mut cursor = Cursor::new(bytes);
    cursor.object(|cursor, key| {
        cursor.white();
        let start = cursor.position();
        envelope(draft, cursor, key)?;
        field(key, cursor.since(start));
        Ok(())
    })?;
    flat::finish(draft);
    Ok(cursor.position())
}

/// Reads the value of one top-level key.
fn envelope<'a>(draft: &mut Draft<'a>, cursor: &mut Cursor<'a>, key: &[u8]) -> Result<()> {
    match key {
        b"type" => draft.kind = cursor.string()?,
        b"subtype" => draft.subtype = cursor.string()?,
        b"uuid" => draft.uuid = cursor.string()?,
        b"parentUuid" => draft.parent = cursor.string()?,
        b"logicalParentUuid" => draft.logical_parent = cursor.string()?,
        b"sessionId" => draft.session = cursor.string()?,
        b"timestamp" => draft.time = cursor.string()?,
        b"version" => draft.version = cursor.string()?,
        b"cwd" => draft.cwd = cursor.string()?,
        b"gitBranch" => draft.branch = cursor.string()?,
        b"slug" => draft.slug = cursor.string()?,
        b"agentId" => draft.agent = cursor.string()?,
        b"entrypoint" => draft.entrypoint = cursor.string()?,
        b"requestId" => draft.request = cursor.string()?,
        b"toolDenialKind" => draft.denial = cursor.string()?,
        b"promptSource" => draft.prompt_source = cursor.string()?,
        b"leafUuid" => draft.leaf = cursor.string()?,
        b"sourceToolAssistantUUID" => draft.source_entry = cursor.string()?,
        b"sourceToolUseID" => draft.called = cursor.string()?.is_some(),
        b"isSidechain" => draft.sidechain = cursor.flag()?,
        b"isMeta" => draft.meta = cursor.flag()?,
        b"isCompactSummary" => draft.compact_summary = cursor.flag()?,
        b"isApiErrorMessage" => draft.api_error = cursor.flag()?,
        b"isAbortedMidStream" => draft.aborted |= cursor.flag()?,
        b"explicit" => draft.explicit = cursor.flag()?,
        b"durationMs" => draft.duration_ms = cursor.count()?,
        b"teamName" => draft.team = cursor.string()?.is_some_and(|name| !name.raw().is_empty()),
        b"customTitle" => draft.title.custom = cursor.string()?,
        b"aiTitle" => draft.title.ai = cursor.string()?,
        b"agentName" => draft.title.agent = cursor.string()?,
        b"summary" => draft.title.summary = cursor.string()?,
        b"lastPrompt" => draft.title.last_prompt = cursor.string()?,
        b"parentLastUuid" => draft.forked_at = cursor.string()?,
        b"forkedFrom" => (draft.forked_from, draft.copy_of) = wire::origin(cursor)?,
        b"origin" => draft.origin = kind_of(cursor, b"kind")?,
        b"message" => message(draft, cursor)?,
        b"toolUseResult" => draft.outcome = wire::outcome(cursor)?,
        b"attachment" => draft.attachment = wire::attachment(cursor)?,
        b"data" => wire::progress(&mut draft.progress, cursor)?,
        b"parentToolUseID" => draft.progress.call = cursor.string()?,
        b"compactMetadata" => draft.boundary = wire::boundary(cursor)?,
        _ => return flat::field(draft, cursor, key),
    }
    Ok(())
}

/// Reads `message`: an API message in the wire dialect, a string in the flat one.
fn message<'a>(draft: &mut Draft<'a>, cursor: &mut Cursor<'a>) -> Result<()> {
    draft.flat = cursor.shape()? == Shape::String;
    if draft.flat {
        let text = cursor.string()?;
        let block = BlockDraft {
            kind: BlockType::Text,
            text,
            ..BlockDraft::default()
        };
        draft.message = Message {
            blocks: vec![block],
            ..Message::default()
        };
        return Ok(());
    }
    draft.message = wire::message(cursor)?;
    Ok(())
}

/// Reads the string under `wanted` of an object; a bare string stands for itself.
fn kind_of<'a>(cursor: &mut Cursor<'a>, wanted: &[u8]) -> Result<Option<Str<'a>>> {
    if cursor.shape()? == Shape::String {
        return cursor.string();
    }
    let mut found = None;
    cursor.object_or_skip(|cursor, key| {
        let value = cursor.string()?;
        if key == wanted {
            found = value;
        }
        Ok(())
    })?;
    Ok(found)
}
