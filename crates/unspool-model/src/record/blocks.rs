//! The content blocks of a message, decoded for display.

use std::borrow::Cow;

use super::{Media, MediaData, MediaKind, RecordPart, ResultPart};
use crate::json::{Cursor, JsonResult, JsonShape, Str};
use crate::schema::{BlockKey, BlockType, SourceKey};

/// Reads `content`: a text, or a list of blocks.
pub(super) fn content<'a>(cursor: &mut Cursor<'a>) -> JsonResult<Vec<RecordPart<'a>>> {
    let mut parts = Vec::new();
    match cursor.shape()? {
        JsonShape::String => {
            let text = cursor.string()?.map(Str::decode).unwrap_or_default();
            parts.push(RecordPart::Text(text));
        }
        JsonShape::Array => cursor.array(|cursor| {
            parts.push(part(cursor)?);
            Ok(())
        })?,
        JsonShape::Object => parts.push(part(cursor)?),
        _ => {
            cursor.skip()?;
        }
    }
    Ok(parts)
}

/// The fields that a content block may have, before its type is known.
#[derive(Default)]
struct BlockFields<'a> {
    kind: Option<Str<'a>>,
    text: Option<Str<'a>>,
    thinking: Option<Str<'a>>,
    name: Option<Str<'a>>,
    input: Option<&'a [u8]>,
    content: Option<ResultPart<'a>>,
    is_error: bool,
    source: Option<MediaSource<'a>>,
}

/// The source of an image or a document.
#[derive(Default)]
struct MediaSource<'a> {
    media_type: Option<Str<'a>>,
    data: Option<MediaData<'a>>,
}

fn part<'a>(cursor: &mut Cursor<'a>) -> JsonResult<RecordPart<'a>> {
    if cursor.shape()? == JsonShape::String {
        return Ok(RecordPart::Text(cursor.string()?.map(Str::decode).unwrap_or_default()));
    }
    let mut fields = BlockFields::default();
    cursor.object_or_skip(|cursor, key| {
        match BlockKey::of(key) {
            Some(BlockKey::Type) => fields.kind = cursor.string()?,
            Some(BlockKey::Text) => fields.text = cursor.string()?,
            Some(BlockKey::Thinking) => fields.thinking = cursor.string()?,
            Some(BlockKey::Name) => fields.name = cursor.string()?,
            Some(BlockKey::Input) => fields.input = Some(cursor.skip()?),
            Some(BlockKey::Content) => fields.content = Some(result(cursor)?),
            Some(BlockKey::IsError) => fields.is_error = cursor.flag()?,
            Some(BlockKey::Source) => fields.source = Some(source(cursor)?),
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    Ok(fields.into_part())
}

impl<'a> BlockFields<'a> {
    fn into_part(self) -> RecordPart<'a> {
        let text = |text: Option<Str<'a>>| text.map(Str::decode).unwrap_or_default();
        match BlockType::of(self.kind) {
            BlockType::Text => RecordPart::Text(text(self.text)),
            BlockType::Thinking => RecordPart::Thinking(text(self.thinking)),
            BlockType::Call => {
                RecordPart::Call { name: text(self.name), input: self.input.unwrap_or(b"null") }
            }
            BlockType::Result => RecordPart::Result(ResultPart {
                is_error: self.is_error,
                ..self.content.unwrap_or_default()
            }),
            BlockType::Image => RecordPart::Media(self.media(MediaKind::Image)),
            BlockType::Document => RecordPart::Media(self.media(MediaKind::Document)),
            BlockType::Other => RecordPart::Other { name: text(self.kind) },
        }
    }

    fn media(self, kind: MediaKind) -> Media<'a> {
        let MediaSource { media_type, data } = self.source.unwrap_or_default();
        Media {
            kind,
            media_type: media_type.map(Str::decode).unwrap_or_default(),
            bytes: data.map(MediaData::bytes),
            data,
        }
    }
}

impl MediaData<'_> {
    /// Returns the size of the decoded content in bytes.
    fn bytes(self) -> u64 {
        match self {
            Self::Text(text) => text.decode().len() as u64,
            Self::Base64(text) => decoded(text.raw()),
        }
    }
}

/// Reads the source of an image or a document.
fn source<'a>(cursor: &mut Cursor<'a>) -> JsonResult<MediaSource<'a>> {
    let (mut media_type, mut kind, mut data) = (None, None, None);
    cursor.object_or_skip(|cursor, key| {
        let value = cursor.string()?;
        match SourceKey::of(key) {
            Some(SourceKey::MediaType) => media_type = value,
            Some(SourceKey::Type) => kind = value,
            Some(SourceKey::Data) => data = value,
            None => {}
        }
        Ok(())
    })?;
    let is_text = kind.is_some_and(|kind| kind.raw() == b"text");
    let content = if is_text { MediaData::Text } else { MediaData::Base64 };
    Ok(MediaSource { media_type, data: data.map(content) })
}

/// Returns the number of bytes that a base64 text encodes.
fn decoded(base64: &[u8]) -> u64 {
    let padding = base64.iter().rev().take_while(|&&b| b == b'=').count() as u64;
    (base64.len() as u64 / 4 * 3).saturating_sub(padding)
}

/// Reads the content of a result: a text, or blocks whose texts are joined.
fn result<'a>(cursor: &mut Cursor<'a>) -> JsonResult<ResultPart<'a>> {
    let mut result = ResultPart::default();
    let mut texts: Vec<Cow<'a, str>> = Vec::new();
    match cursor.shape()? {
        JsonShape::Array => {
            cursor.array(|cursor| result_block(cursor, &mut texts, &mut result.media))?;
        }
        _ => result_block(cursor, &mut texts, &mut result.media)?,
    }
    result.text = match texts.len() {
        1 => texts.swap_remove(0),
        _ => Cow::Owned(texts.join("\n")),
    };
    Ok(result)
}

/// Reads one block of a result: a text, a picture, or a reference with a name.
fn result_block<'a>(
    cursor: &mut Cursor<'a>,
    texts: &mut Vec<Cow<'a, str>>,
    media: &mut Vec<Media<'a>>,
) -> JsonResult<()> {
    if cursor.shape()? == JsonShape::String {
        texts.extend(cursor.string()?.map(Str::decode));
        return Ok(());
    }
    let mut fields = BlockFields::default();
    let mut reference = None;
    cursor.object_or_skip(|cursor, key| {
        match BlockKey::of(key) {
            Some(BlockKey::Type) => fields.kind = cursor.string()?,
            Some(BlockKey::Text) => fields.text = cursor.string()?,
            Some(BlockKey::Source) => fields.source = Some(source(cursor)?),
            Some(BlockKey::ToolName | BlockKey::Title | BlockKey::Url) => {
                reference = cursor.string()?.or(reference);
            }
            _ => drop(cursor.skip()?),
        }
        Ok(())
    })?;
    match fields.into_part() {
        RecordPart::Text(text) => texts.push(text),
        RecordPart::Media(found) => media.push(found),
        _ => texts.extend(reference.map(Str::decode)),
    }
    Ok(())
}

/// Reads a text, or the joined texts of a list of blocks.
pub(super) fn text_of<'a>(cursor: &mut Cursor<'a>) -> JsonResult<Option<Cow<'a, str>>> {
    match cursor.shape()? {
        JsonShape::String => Ok(cursor.string()?.map(Str::decode)),
        JsonShape::Array => Ok(Some(result(cursor)?.text)),
        _ => {
            cursor.skip()?;
            Ok(None)
        }
    }
}
