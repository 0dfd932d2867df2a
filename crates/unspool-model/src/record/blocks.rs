//! The content blocks of a message, decoded to be shown.

use std::borrow::Cow;

use super::{Media, MediaData, MediaKind, Part, ResultPart};
use crate::dialect::BlockType;
use crate::json::{Cursor, Result, Shape, Str};
use crate::schema::{BlockKey, SourceKey};

/// Reads `content`: a text, or a list of blocks.
pub(super) fn content<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Part<'a>>> {
    let mut parts = Vec::new();
    match cursor.shape()? {
        Shape::String => {
            let text = cursor.string()?.map(Str::decode).unwrap_or_default();
            parts.push(Part::Text(text));
        }
        Shape::Array => cursor.array(|cursor| {
            parts.push(part(cursor)?);
            Ok(())
        })?,
        Shape::Object => parts.push(part(cursor)?),
        _ => {
            cursor.skip()?;
        }
    }
    Ok(parts)
}

/// What a content block may have, before its type is known.
#[derive(Default)]
struct Fields<'a> {
    kind: Option<Str<'a>>,
    text: Option<Str<'a>>,
    thinking: Option<Str<'a>>,
    name: Option<Str<'a>>,
    input: Option<&'a [u8]>,
    content: Option<ResultPart<'a>>,
    is_error: bool,
    source: Option<Source<'a>>,
}

/// Where an image or a document comes from.
#[derive(Default)]
struct Source<'a> {
    media_type: Option<Str<'a>>,
    data: Option<MediaData<'a>>,
}

fn part<'a>(cursor: &mut Cursor<'a>) -> Result<Part<'a>> {
    if cursor.shape()? == Shape::String {
        return Ok(Part::Text(
            cursor.string()?.map(Str::decode).unwrap_or_default(),
        ));
    }
    let mut fields = Fields::default();
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

impl<'a> Fields<'a> {
    fn into_part(self) -> Part<'a> {
        let text = |text: Option<Str<'a>>| text.map(Str::decode).unwrap_or_default();
        match BlockType::of(self.kind) {
            BlockType::Text => Part::Text(text(self.text)),
            BlockType::Thinking => Part::Thinking(text(self.thinking)),
            BlockType::Call => Part::Call {
                name: text(self.name),
                input: self.input.unwrap_or(b"null"),
            },
            BlockType::Result => Part::Result(ResultPart {
                is_error: self.is_error,
                ..self.content.unwrap_or_default()
            }),
            BlockType::Image => Part::Media(self.media(MediaKind::Image)),
            BlockType::Document => Part::Media(self.media(MediaKind::Document)),
            BlockType::Other => Part::Other {
                name: text(self.kind),
            },
        }
    }

    fn media(self, kind: MediaKind) -> Media<'a> {
        let Source { media_type, data } = self.source.unwrap_or_default();
        Media {
            kind,
            media_type: media_type.map(Str::decode).unwrap_or_default(),
            bytes: data.map(MediaData::bytes),
            data,
        }
    }
}

impl MediaData<'_> {
    /// Returns how many bytes the content has when decoded.
    fn bytes(self) -> u64 {
        match self {
            Self::Text(text) => text.decode().len() as u64,
            Self::Base64(text) => decoded(text.raw()),
        }
    }
}

/// Reads where an image comes from.
fn source<'a>(cursor: &mut Cursor<'a>) -> Result<Source<'a>> {
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
    let content = if is_text {
        MediaData::Text
    } else {
        MediaData::Base64
    };
    Ok(Source {
        media_type,
        data: data.map(content),
    })
}

/// Returns how many bytes a base64 text stands for.
fn decoded(base64: &[u8]) -> u64 {
    let padding = base64.iter().rev().take_while(|&&b| b == b'=').count() as u64;
    (base64.len() as u64 / 4 * 3).saturating_sub(padding)
}

/// Reads the content of a result: a text, or blocks of which texts are joined.
fn result<'a>(cursor: &mut Cursor<'a>) -> Result<ResultPart<'a>> {
    let mut result = ResultPart::default();
    let mut texts: Vec<Cow<'a, str>> = Vec::new();
    match cursor.shape()? {
        Shape::Array => {
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

/// Reads one block of a result: a text, a picture, or something that has a name.
fn result_block<'a>(
    cursor: &mut Cursor<'a>,
    texts: &mut Vec<Cow<'a, str>>,
    media: &mut Vec<Media<'a>>,
) -> Result<()> {
    if cursor.shape()? == Shape::String {
        texts.extend(cursor.string()?.map(Str::decode));
        return Ok(());
    }
    let mut fields = Fields::default();
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
        Part::Text(text) => texts.push(text),
        Part::Media(found) => media.push(found),
        _ => texts.extend(reference.map(Str::decode)),
    }
    Ok(())
}

/// Reads a text, or the joined texts of a list of blocks.
pub(super) fn text_of<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Cow<'a, str>>> {
    match cursor.shape()? {
        Shape::String => Ok(cursor.string()?.map(Str::decode)),
        Shape::Array => Ok(Some(result(cursor)?.text)),
        _ => {
            cursor.skip()?;
            Ok(None)
        }
    }
}
