//! The wire dialect, which the client writes.

use super::{
    Attachment, BlockDraft, Boundary, Dialect, Draft, FieldKnown, MessageDraft, OutcomeDraft,
    ProgressDraft,
};
use crate::json::{Cursor, JsonResult, JsonShape, Str};
use crate::record::{self, RecordDraft};
use crate::schema::{
    AttachmentKey, BlockKey, BlockType, CompactionKey, MessageKey, OriginKey, OutcomeKey,
    ProgressKey, RecordKey, Slot, SpreadText, TextKind, UsageKey,
};
use crate::tool;
use crate::usage::Tokens;

/// The wire dialect, which the client writes.
#[derive(Debug)]
pub(super) struct Wire;

impl Dialect for Wire {
    /// Returns false: every record is in this dialect until a field of another one appears.
    fn recognise(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn draft<'a>(
        &self,
        draft: &mut Draft<'a>,
        cursor: &mut Cursor<'a>,
        key: &[u8],
    ) -> JsonResult<FieldKnown> {
        match own_key(key, cursor) {
            Some(key) => field(draft, cursor, key)?,
            None => return Ok(FieldKnown::No),
        }
        Ok(FieldKnown::Yes)
    }

    fn content<'a>(
        &self,
        record: &mut RecordDraft<'a>,
        cursor: &mut Cursor<'a>,
        key: &[u8],
    ) -> JsonResult<FieldKnown> {
        match own_key(key, cursor) {
            Some(key) => record::field(record, cursor, key)?,
            None => return Ok(FieldKnown::No),
        }
        Ok(FieldKnown::Yes)
    }

    #[inline]
    fn slot(&self, key: &[u8], value: &[u8]) -> Option<Slot> {
        let key = RecordKey::of(key)?;
        (!is_flat(key, value)).then(|| slot(key))
    }
}

/// Returns the key of a field, if the field is in this dialect.
#[expect(clippy::inline_always, reason = "one decision for each field, not two")]
#[inline(always)]
fn own_key(key: &[u8], cursor: &mut Cursor<'_>) -> Option<RecordKey> {
    let key = RecordKey::of(key)?;
    match key {
        RecordKey::Message | RecordKey::Subtype if is_flat(key, cursor.rest()) => None,
        key => Some(key),
    }
}

/// Tells whether only the flat dialect has a value like this under a key that both have: a
/// string as the message, or the subtype of a call.
#[inline]
pub(super) fn is_flat(key: RecordKey, value: &[u8]) -> bool {
    match key {
        RecordKey::Message => value.first() == Some(&b'"'),
        RecordKey::Subtype => value.starts_with(br#""tool_use""#),
        _ => false,
    }
}

/// Returns how texts under a key of a record are treated.
#[inline]
pub(super) fn slot(key: RecordKey) -> Slot {
    key.meaning().slot(TextKind::Said, TextKind::Remark)
}

/// Reads the value of a key of the record.
#[expect(clippy::inline_always, reason = "one decision for each field, not two")]
#[inline(always)]
pub(super) fn field<'a>(
    draft: &mut Draft<'a>,
    cursor: &mut Cursor<'a>,
    key: RecordKey,
) -> JsonResult<()> {
    match key {
        RecordKey::Type => draft.kind = cursor.string()?,
        RecordKey::Subtype => draft.subtype = cursor.string()?,
        RecordKey::Uuid => draft.uuid = cursor.string()?,
        RecordKey::ParentUuid => draft.parent = cursor.string()?,
        RecordKey::LogicalParentUuid => draft.logical_parent = cursor.string()?,
        RecordKey::SessionId => draft.session = cursor.string()?,
        RecordKey::Timestamp => draft.time = cursor.string()?,
        RecordKey::Version => draft.version = cursor.string()?,
        RecordKey::Cwd => draft.cwd = cursor.string()?,
        RecordKey::GitBranch => draft.branch = cursor.string()?,
        RecordKey::Slug => draft.slug = cursor.string()?,
        RecordKey::AgentId => draft.agent = cursor.string()?,
        RecordKey::Entrypoint => draft.entrypoint = cursor.string()?,
        RecordKey::RequestId => draft.request = cursor.string()?,
        RecordKey::ToolDenialKind => draft.denial = cursor.string()?,
        RecordKey::PromptSource => draft.prompt_source = cursor.string()?,
        RecordKey::LeafUuid => draft.leaf = cursor.string()?,
        RecordKey::SourceToolAssistantUuid => draft.source_entry = cursor.string()?,
        RecordKey::SourceToolUseId => draft.called = cursor.string()?.is_some(),
        RecordKey::IsSidechain => draft.sidechain = cursor.flag()?,
        RecordKey::IsMeta => draft.meta = cursor.flag()?,
        RecordKey::IsCompactSummary => draft.compact_summary = cursor.flag()?,
        RecordKey::IsApiErrorMessage => draft.api_error = cursor.flag()?,
        RecordKey::IsAbortedMidStream => draft.aborted |= cursor.flag()?,
        RecordKey::Explicit => draft.explicit = cursor.flag()?,
        RecordKey::DurationMs => draft.duration_ms = cursor.count()?,
        RecordKey::TeamName => {
            draft.team = cursor.string()?.is_some_and(|name| !name.raw().is_empty());
        }
        RecordKey::CustomTitle => draft.title.custom = cursor.string()?,
        RecordKey::AiTitle => draft.title.ai = cursor.string()?,
        RecordKey::AgentName => draft.title.agent = cursor.string()?,
        RecordKey::Summary => draft.title.summary = cursor.string()?,
        RecordKey::LastPrompt => draft.title.last_prompt = cursor.string()?,
        RecordKey::ParentLastUuid => draft.forked_at = cursor.string()?,
        RecordKey::ForkedFrom => (draft.forked_from, draft.copy_of) = origin(cursor)?,
        RecordKey::Origin => draft.origin = origin_kind(cursor)?,
        RecordKey::Message => draft.message = message(cursor)?,
        RecordKey::ToolUseResult => draft.outcome = outcome(cursor)?,
        RecordKey::Attachment => draft.attachment = attachment(cursor)?,
        RecordKey::Data => progress(&mut draft.progress, cursor)?,
        RecordKey::ParentToolUseId => draft.progress.call = cursor.string()?,
        RecordKey::CompactMetadata => draft.boundary = boundary(cursor)?,
        _ => drop(cursor.skip()?),
    }
    Ok(())
}

/// Reads an API message.
fn message<'a>(cursor: &mut Cursor<'a>) -> JsonResult<MessageDraft<'a>> {
    let mut message = MessageDraft::default();
    let mut spread = SpreadText::default();
    cursor.object_or_skip(|cursor, key| {
        match MessageKey::of(key) {
            Some(MessageKey::Id) => message.id = cursor.string()?,
            Some(MessageKey::Model) => message.model = cursor.string()?,
            Some(MessageKey::StopReason) => message.stop_reason = cursor.string()?,
            Some(MessageKey::Usage) => message.usage = usage(cursor)?,
            Some(MessageKey::Content) => message.blocks = content(cursor)?,
            None if spread.takes(key) => spread.add(cursor.string()?),
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    let is_spread = spread.text().is_some_and(|text| !text.raw().is_empty());
    if message.blocks.is_empty() && is_spread {
        message.blocks.push(BlockDraft { kind: BlockType::Text, ..BlockDraft::default() });
    }
    Ok(message)
}

/// Reads `content`: a text, or a list of blocks.
fn content<'a>(cursor: &mut Cursor<'a>) -> JsonResult<Vec<BlockDraft<'a>>> {
    let mut blocks = Vec::new();
    match cursor.shape()? {
        JsonShape::String => {
            let text = cursor.string()?;
            blocks.push(BlockDraft { kind: BlockType::Text, text, ..BlockDraft::default() });
        }
        JsonShape::Array => cursor.array(|cursor| {
            blocks.push(block(cursor)?);
            Ok(())
        })?,
        JsonShape::Object => blocks.push(block(cursor)?),
        _ => {
            cursor.skip()?;
        }
    }
    Ok(blocks)
}

/// Reads one content block; a bare string is a text.
fn block<'a>(cursor: &mut Cursor<'a>) -> JsonResult<BlockDraft<'a>> {
    let mut block = BlockDraft::default();
    if cursor.shape()? == JsonShape::String {
        let text = cursor.string()?;
        return Ok(BlockDraft { kind: BlockType::Text, text, ..block });
    }
    let mut kind = None;
    cursor.object_or_skip(|cursor, key| {
        match BlockKey::of(key) {
            Some(BlockKey::Type) => kind = cursor.string()?,
            Some(BlockKey::Text) => block.text = cursor.string()?,
            Some(BlockKey::Id) => block.call = block.call.or(cursor.string()?),
            Some(BlockKey::ToolUseId) => block.call = cursor.string()?.or(block.call),
            Some(BlockKey::Name) => block.name = cursor.string()?,
            Some(BlockKey::IsError) => block.error = cursor.flag()?,
            Some(BlockKey::Input) => input(&mut block, cursor)?,
            Some(BlockKey::Content) => block.text = first_text(cursor)?,
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    block.kind = BlockType::of(kind);
    if block.kind == BlockType::Other {
        block.name = kind;
    }
    Ok(block)
}

/// Reads the file and the agent's prompt from the input of a call.
pub(super) fn input<'a>(block: &mut BlockDraft<'a>, cursor: &mut Cursor<'a>) -> JsonResult<()> {
    cursor.object_or_skip(|cursor, key| {
        match key {
            b"file_path" | b"notebook_path" => block.file = cursor.string()?,
            b"prompt" => block.prompt = cursor.string()?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// Reads the first text of a result: the result itself, or its first text block.
fn first_text<'a>(cursor: &mut Cursor<'a>) -> JsonResult<Option<Str<'a>>> {
    match cursor.shape()? {
        JsonShape::String => cursor.string(),
        JsonShape::Object => block_text(cursor),
        JsonShape::Array => {
            let mut found = None;
            cursor.array(|cursor| {
                let text = block_text(cursor)?;
                found = found.or(text);
                Ok(())
            })?;
            Ok(found)
        }
        _ => {
            cursor.skip()?;
            Ok(None)
        }
    }
}

/// Reads the text of a block, which may be a bare string.
fn block_text<'a>(cursor: &mut Cursor<'a>) -> JsonResult<Option<Str<'a>>> {
    string_at(cursor, |key| BlockKey::of(key) == Some(BlockKey::Text))
}

/// Reads the kind of an origin, which may be a bare string.
fn origin_kind<'a>(cursor: &mut Cursor<'a>) -> JsonResult<Option<Str<'a>>> {
    string_at(cursor, |key| OriginKey::of(key) == Some(OriginKey::Kind))
}

/// Reads the string under a key of an object; a bare string is returned as it is.
fn string_at<'a>(
    cursor: &mut Cursor<'a>,
    is_wanted: impl Fn(&[u8]) -> bool,
) -> JsonResult<Option<Str<'a>>> {
    if cursor.shape()? == JsonShape::String {
        return cursor.string();
    }
    let mut found = None;
    cursor.object_or_skip(|cursor, key| {
        let value = cursor.string()?;
        if is_wanted(key) {
            found = value;
        }
        Ok(())
    })?;
    Ok(found)
}

/// Reads `usage`. A cache write without a breakdown counts as five minutes.
fn usage(cursor: &mut Cursor<'_>) -> JsonResult<Option<Tokens>> {
    let mut tokens = Tokens::default();
    let (mut written, mut five, mut hour) = (None, None, None);
    let is_object = cursor.object_or_skip(|cursor, key| {
        match UsageKey::of(key) {
            Some(UsageKey::InputTokens) => tokens.input = cursor.count()?.unwrap_or(0),
            Some(UsageKey::OutputTokens) => tokens.output = cursor.count()?.unwrap_or(0),
            Some(UsageKey::CacheReadInputTokens) => {
                tokens.cache_read = cursor.count()?.unwrap_or(0);
            }
            Some(UsageKey::CacheCreationInputTokens) => written = cursor.count()?,
            Some(UsageKey::CacheCreation) => {
                cursor.object_or_skip(|cursor, key| {
                    let count = cursor.count()?;
                    match UsageKey::of(key) {
                        Some(UsageKey::FiveMinutes) => five = count,
                        Some(UsageKey::Hour) => hour = count,
                        _ => {}
                    }
                    Ok(())
                })?;
            }
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    tokens.cache_write_1h = hour.unwrap_or(0);
    let unsaid = written.unwrap_or(0).saturating_sub(tokens.cache_write_1h);
    tokens.cache_write_5m = five.unwrap_or(0).max(unsaid);
    Ok(is_object.then_some(tokens))
}

/// Reads the agent, the workflow run and the spilled output from a `toolUseResult`, and keeps
/// its bytes if they may state changed lines.
fn outcome<'a>(cursor: &mut Cursor<'a>) -> JsonResult<OutcomeDraft<'a>> {
    let mut outcome = OutcomeDraft::default();
    let mut may_tell = false;
    cursor.white();
    let start = cursor.position();
    cursor.object_or_skip(|cursor, key| {
        match OutcomeKey::of(key) {
            Some(OutcomeKey::AgentId) => outcome.agent = cursor.string()?,
            Some(OutcomeKey::RunId) => outcome.run = cursor.string()?,
            Some(OutcomeKey::PersistedOutputPath) => outcome.spilled = cursor.string()?.is_some(),
            Some(OutcomeKey::Answers) => {
                cursor.skip()?;
                outcome.answers = true;
            }
            _ => {
                let value = cursor.skip()?;
                may_tell |= tool::may_tell_lines(key, value);
            }
        }
        Ok(())
    })?;
    outcome.changes = may_tell.then(|| cursor.since(start));
    Ok(outcome)
}

/// Reads the session and the uuid of the original of a copied entry; a bare string is a session.
fn origin<'a>(cursor: &mut Cursor<'a>) -> JsonResult<(Option<Str<'a>>, Option<Str<'a>>)> {
    if cursor.shape()? == JsonShape::String {
        return Ok((cursor.string()?, None));
    }
    let (mut session, mut entry) = (None, None);
    cursor.object_or_skip(|cursor, key| {
        let value = cursor.string()?;
        match OriginKey::of(key) {
            Some(OriginKey::SessionId) => session = value,
            Some(OriginKey::MessageUuid) => entry = value,
            _ => {}
        }
        Ok(())
    })?;
    Ok((session, entry))
}

/// Reads an attachment.
fn attachment<'a>(cursor: &mut Cursor<'a>) -> JsonResult<Attachment<'a>> {
    let mut attachment = Attachment::default();
    cursor.object_or_skip(|cursor, key| {
        match AttachmentKey::of(key) {
            Some(AttachmentKey::Type) => attachment.kind = cursor.string()?,
            Some(AttachmentKey::Prompt) => attachment.prompt = first_text(cursor)?,
            Some(AttachmentKey::Origin) => attachment.origin = origin_kind(cursor)?,
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    Ok(attachment)
}

/// Reads the `data` of a progress record, with the agent's record that may be inside.
fn progress<'a>(progress: &mut ProgressDraft<'a>, cursor: &mut Cursor<'a>) -> JsonResult<()> {
    cursor.object_or_skip(|cursor, key| {
        match ProgressKey::of(key) {
            Some(ProgressKey::Type) => progress.kind = cursor.string()?,
            Some(ProgressKey::AgentId) => progress.agent = cursor.string()?,
            Some(ProgressKey::Message) => agent_record(progress, cursor)?,
            None => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    Ok(())
}

/// Reads the agent's record inside a progress record.
fn agent_record<'a>(progress: &mut ProgressDraft<'a>, cursor: &mut Cursor<'a>) -> JsonResult<()> {
    cursor.object_or_skip(|cursor, key| {
        match RecordKey::of(key) {
            Some(RecordKey::Message) => progress.message = message(cursor)?,
            Some(RecordKey::RequestId) => progress.request = cursor.string()?,
            Some(RecordKey::Uuid) => progress.uuid = cursor.string()?,
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    Ok(())
}

/// Reads the metadata of a compaction.
fn boundary<'a>(cursor: &mut Cursor<'a>) -> JsonResult<Option<Boundary<'a>>> {
    let mut boundary = Boundary::default();
    let is_object = cursor.object_or_skip(|cursor, key| {
        match CompactionKey::of(key) {
            Some(CompactionKey::Trigger) => boundary.trigger = cursor.string()?,
            Some(CompactionKey::PreTokens) => boundary.before = cursor.count()?,
            Some(CompactionKey::PostTokens) => boundary.after = cursor.count()?,
            Some(CompactionKey::PreservedSegment) => segment(&mut boundary, cursor)?,
            Some(CompactionKey::PreservedMessages) => preserved(&mut boundary, cursor)?,
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    Ok(is_object.then_some(boundary))
}

fn segment<'a>(boundary: &mut Boundary<'a>, cursor: &mut Cursor<'a>) -> JsonResult<()> {
    let (mut head, mut tail) = (None, None);
    boundary.names_segment = cursor.object_or_skip(|cursor, key| {
        let value = cursor.string()?;
        match CompactionKey::of(key) {
            Some(CompactionKey::HeadUuid) => head = value,
            Some(CompactionKey::TailUuid) => tail = value,
            Some(CompactionKey::AnchorUuid) => boundary.segment_anchor = value,
            _ => {}
        }
        Ok(())
    })?;
    boundary.segment = head.zip(tail);
    Ok(())
}

fn preserved<'a>(boundary: &mut Boundary<'a>, cursor: &mut Cursor<'a>) -> JsonResult<()> {
    boundary.names_messages = cursor.object_or_skip(|cursor, key| {
        match CompactionKey::of(key) {
            Some(CompactionKey::AnchorUuid) => boundary.anchor = cursor.string()?,
            Some(CompactionKey::Uuids) if cursor.shape()? == JsonShape::Array => {
                cursor.array(|cursor| {
                    boundary.preserved.extend(cursor.string()?);
                    Ok(())
                })?;
            }
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    Ok(())
}
