//! The dialect that the client writes.

use super::changes::Changes;
use super::{Attachment, BlockDraft, BlockType, Boundary, Message, Outcome, Progress, kind_of};
use crate::json::{Cursor, Result, Shape, Str};
use crate::usage::Tokens;

/// Reads an API message.
pub(super) fn message<'a>(cursor: &mut Cursor<'a>) -> Result<Message<'a>> {
    let mut message = Message::default();
    let mut spread = false;
    cursor.object_or_skip(|cursor, key| {
        match key {
            // A text that was spread into an object, character by character.
            [b'0'..=b'9', ..] => {
                spread |= cursor.string()?.is_some_and(|text| !text.raw().is_empty());
            }
            b"id" => message.id = cursor.string()?,
            b"model" => message.model = cursor.string()?,
            b"stop_reason" => message.stop_reason = cursor.string()?,
            b"usage" => message.usage = usage(cursor)?,
            b"content" => message.blocks = content(cursor)?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    })?;
    if message.blocks.is_empty() && spread {
        message.blocks.push(BlockDraft {
            kind: BlockType::Text,
            ..BlockDraft::default()
        });
    }
    Ok(message)
}

/// Reads `content`: a text, or a list of blocks.
fn content<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<BlockDraft<'a>>> {
    let mut blocks = Vec::new();
    match cursor.shape()? {
        Shape::String => {
            let text = cursor.string()?;
            blocks.push(BlockDraft {
                kind: BlockType::Text,
                text,
                ..BlockDraft::default()
            });
        }
        Shape::Array => cursor.array(|cursor| {
            blocks.push(block(cursor)?);
            Ok(())
        })?,
        Shape::Object => blocks.push(block(cursor)?),
        _ => {
            cursor.skip()?;
        }
    }
    Ok(blocks)
}

/// Reads one content block; a bare string is a text.
fn block<'a>(cursor: &mut Cursor<'a>) -> Result<BlockDraft<'a>> {
    let mut block = BlockDraft::default();
    if cursor.shape()? == Shape::String {
        let text = cursor.string()?;
        return Ok(BlockDraft {
            kind: BlockType::Text,
            text,
            ..block
        });
    }
    let mut kind = None;
    cursor.object_or_skip(|cursor, key| {
        match key {
            b"type" => kind = cursor.string()?,
            b"text" => block.text = cursor.string()?,
            b"id" => block.call = block.call.or(cursor.string()?),
            b"tool_use_id" => block.call = cursor.string()?.or(block.call),
            b"name" => block.name = cursor.string()?,
            b"is_error" => block.error = cursor.flag()?,
            b"input" => input(&mut block, cursor)?,
            b"content" => block.text = first_text(cursor)?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    })?;
    block.kind = match kind.map(Str::raw) {
        Some(b"text") => BlockType::Text,
        Some(b"thinking" | b"redacted_thinking") => BlockType::Thinking,
        Some(b"tool_use" | b"server_tool_use") => BlockType::Call,
        Some(b"tool_result" | b"web_search_tool_result" | b"web_fetch_tool_result") => {
            BlockType::Result
        }
        Some(b"image") => BlockType::Image,
        Some(b"document") => BlockType::Document,
        _ => BlockType::Other,
    };
    if block.kind == BlockType::Other {
        block.name = kind;
    }
    Ok(block)
}

/// Reads what a call's input says about files and about the agent that it starts.
fn input<'a>(block: &mut BlockDraft<'a>, cursor: &mut Cursor<'a>) -> Result<()> {
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

/// Reads the first text of a result: the result itself, or the first text block of it.
fn first_text<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Str<'a>>> {
    match cursor.shape()? {
        Shape::String => cursor.string(),
        Shape::Object => kind_of(cursor, b"text"),
        Shape::Array => {
            let mut found = None;
            cursor.array(|cursor| {
                let text = kind_of(cursor, b"text")?;
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

/// Reads `usage`. A cache write without a breakdown counts as five minutes.
fn usage(cursor: &mut Cursor<'_>) -> Result<Option<Tokens>> {
    let mut tokens = Tokens::default();
    let (mut written, mut five, mut hour) = (None, None, None);
    let is_object = cursor.object_or_skip(|cursor, key| {
        match key {
            b"input_tokens" => tokens.input = cursor.count()?.unwrap_or(0),
            b"output_tokens" => tokens.output = cursor.count()?.unwrap_or(0),
            b"cache_read_input_tokens" => tokens.cache_read = cursor.count()?.unwrap_or(0),
            b"cache_creation_input_tokens" => written = cursor.count()?,
            b"cache_creation" => {
                cursor.object_or_skip(|cursor, key| {
                    let count = cursor.count()?;
                    match key {
                        b"ephemeral_5m_input_tokens" => five = count,
                        b"ephemeral_1h_input_tokens" => hour = count,
                        _ => {}
                    }
                    Ok(())
                })?;
            }
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    })?;
    tokens.cache_write_1h = hour.unwrap_or(0);
    let unsaid = written.unwrap_or(0).saturating_sub(tokens.cache_write_1h);
    tokens.cache_write_5m = five.unwrap_or(0).max(unsaid);
    Ok(is_object.then_some(tokens))
}

/// Reads what `toolUseResult` says about agents, workflow runs, spilled outputs and changed files.
pub(super) fn outcome<'a>(cursor: &mut Cursor<'a>) -> Result<Outcome<'a>> {
    let mut outcome = Outcome::default();
    let mut changes = Changes::default();
    cursor.object_or_skip(|cursor, key| {
        match key {
            b"agentId" => outcome.agent = cursor.string()?,
            b"runId" => outcome.run = cursor.string()?,
            b"persistedOutputPath" => outcome.spilled = cursor.string()?.is_some(),
            b"answers" => {
                cursor.skip()?;
                outcome.answers = true;
            }
            _ => changes.field(cursor, key)?,
        }
        Ok(())
    })?;
    outcome.lines = changes.lines();
    Ok(outcome)
}

/// Reads which session an entry was copied from, and which entry of it; a bare string is a session.
pub(super) fn origin<'a>(cursor: &mut Cursor<'a>) -> Result<(Option<Str<'a>>, Option<Str<'a>>)> {
    if cursor.shape()? == Shape::String {
        return Ok((cursor.string()?, None));
    }
    let (mut session, mut entry) = (None, None);
    cursor.object_or_skip(|cursor, key| {
        let value = cursor.string()?;
        match key {
            b"sessionId" => session = value,
            b"messageUuid" => entry = value,
            _ => {}
        }
        Ok(())
    })?;
    Ok((session, entry))
}

/// Reads an attachment.
pub(super) fn attachment<'a>(cursor: &mut Cursor<'a>) -> Result<Attachment<'a>> {
    let mut attachment = Attachment::default();
    cursor.object_or_skip(|cursor, key| {
        match key {
            b"type" => attachment.kind = cursor.string()?,
            b"prompt" => attachment.prompt = first_text(cursor)?,
            b"origin" => attachment.origin = kind_of(cursor, b"kind")?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    })?;
    Ok(attachment)
}

/// Reads the `data` of a sign of life, with the answer that may be inside.
pub(super) fn progress<'a>(progress: &mut Progress<'a>, cursor: &mut Cursor<'a>) -> Result<()> {
    cursor.object_or_skip(|cursor, key| {
        match key {
            b"type" => progress.kind = cursor.string()?,
            b"agentId" => progress.agent = cursor.string()?,
            b"message" => {
                cursor.object_or_skip(|cursor, key| {
                    match key {
                        b"message" => progress.message = message(cursor)?,
                        b"requestId" => progress.request = cursor.string()?,
                        b"uuid" => progress.uuid = cursor.string()?,
                        _ => {
                            cursor.skip()?;
                        }
                    }
                    Ok(())
                })?;
            }
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// Reads what a compaction kept.
pub(super) fn boundary<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Boundary<'a>>> {
    let mut boundary = Boundary::default();
    let is_object = cursor.object_or_skip(|cursor, key| {
        match key {
            b"trigger" => boundary.trigger = cursor.string()?,
            b"preTokens" => boundary.before = cursor.count()?,
            b"postTokens" => boundary.after = cursor.count()?,
            b"preservedSegment" => segment(&mut boundary, cursor)?,
            b"preservedMessages" => preserved(&mut boundary, cursor)?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    })?;
    Ok(is_object.then_some(boundary))
}

fn segment<'a>(boundary: &mut Boundary<'a>, cursor: &mut Cursor<'a>) -> Result<()> {
    let (mut head, mut tail) = (None, None);
    boundary.names_segment = cursor.object_or_skip(|cursor, key| {
        let value = cursor.string()?;
        match key {
            b"headUuid" => head = value,
            b"tailUuid" => tail = value,
            b"anchorUuid" => boundary.segment_anchor = value,
            _ => {}
        }
        Ok(())
    })?;
    boundary.segment = head.zip(tail);
    Ok(())
}

fn preserved<'a>(boundary: &mut Boundary<'a>, cursor: &mut Cursor<'a>) -> Result<()> {
    boundary.names_messages = cursor.object_or_skip(|cursor, key| {
        match key {
            b"anchorUuid" => boundary.anchor = cursor.string()?,
            b"uuids" if cursor.shape()? == Shape::Array => cursor.array(|cursor| {
                boundary.preserved.extend(cursor.string()?);
                Ok(())
            })?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    })?;
    Ok(())
}
