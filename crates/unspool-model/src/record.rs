//! The content of one record, decoded to be shown.
//!
//! A [`crate::log::Log`] keeps positions, not text. When something is shown, the bytes of
//! its entry are read again and come through here. The parts of a [`Record`] stand in
//! the same order as the entry's blocks in the log.

use std::borrow::Cow;

use crate::json::{Cursor, Result, Shape, Str};
use crate::{tool, words};

/// What a record holds.
#[derive(Clone, Default, Debug)]
pub struct Record<'a> {
    /// The content of its message.
    pub parts: Vec<Part<'a>>,
    /// The text of a record without a message: a remark, a queued prompt, a title.
    pub text: Option<Cow<'a, str>>,
    /// What stands beside a tool's result, as raw JSON.
    pub outcome: Option<&'a [u8]>,
    /// The model that answered.
    pub model: Option<Cow<'a, str>>,
    /// Why a call was not allowed, as the client names it.
    denial: Option<Cow<'a, str>>,
}

/// A part of a message.
#[derive(Clone, Debug)]
pub enum Part<'a> {
    /// Text.
    Text(Cow<'a, str>),
    /// Thinking; the text may be withheld.
    Thinking(Cow<'a, str>),
    /// A call of a tool.
    Call {
        /// The tool.
        name: Cow<'a, str>,
        /// The input, as raw JSON.
        input: &'a [u8],
    },
    /// The result of a call.
    Result(ResultPart<'a>),
    /// An image or a document.
    Media(Media<'a>),
    /// A block of another type.
    Other {
        /// Its type.
        name: Cow<'a, str>,
    },
}

/// The result of a call.
#[derive(Clone, Default, Debug)]
pub struct ResultPart<'a> {
    /// Its text; several text blocks are joined by newlines.
    pub text: Cow<'a, str>,
    /// Whether it says that it failed.
    pub is_error: bool,
    /// Pictures and documents in it.
    pub media: Vec<Media<'a>>,
}

/// An image or a document.
#[derive(Clone, Debug)]
pub struct Media<'a> {
    /// Which of the two.
    pub kind: MediaKind,
    /// Its media type, such as `image/png`.
    pub media_type: Cow<'a, str>,
    /// How many bytes it is long when decoded; none if it is elsewhere.
    pub bytes: Option<u64>,
    /// Its content as the record has it; none if it is elsewhere.
    pub data: Option<MediaData<'a>>,
}

/// The content of an image or a document, as a record has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediaData<'a> {
    /// In base64.
    Base64(Str<'a>),
    /// As text.
    Text(Str<'a>),
}

/// An image or a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediaKind {
    /// An image.
    Image,
    /// A document.
    Document,
}

impl<'a> Record<'a> {
    /// Reads the record that `bytes` begins with; what cannot be read is left out.
    pub fn read(bytes: &'a [u8]) -> Self {
        let mut reading = Reading::default();
        // A record that reached this place was read before; a failure leaves what came until then.
        let _ = Cursor::new(bytes).object(|cursor, key| reading.field(cursor, key));
        reading.finish()
    }

    /// Returns the first text of its message.
    pub fn said(&self) -> Option<String> {
        self.parts.iter().find_map(|part| match part {
            Part::Text(text) => Some(text.clone().into_owned()),
            _ => None,
        })
    }

    /// Returns what a person said with the results in this record: words given with a refusal,
    /// and free answers to questions.
    pub fn reply(&self) -> Option<String> {
        let refusals = self.parts.iter().filter_map(|part| match part {
            Part::Result(result) => {
                words::refusal(&result.text, result.is_error, self.denial.as_deref())
            }
            _ => None,
        });
        let mut said: Vec<String> = refusals.map(str::to_owned).collect();
        said.extend(self.outcome.map(tool::free_answers).unwrap_or_default());
        (!said.is_empty()).then(|| said.join("\n\n"))
    }
}

/// What was read of a record so far.
#[derive(Default)]
struct Reading<'a> {
    record: Record<'a>,
    /// The call that a record of the flat dialect is: the tool and its input.
    call: Option<(Cow<'a, str>, &'a [u8])>,
    says_call: bool,
    /// What hooks said that failed, one below the other.
    hook_errors: String,
}

impl<'a> Reading<'a> {
    /// Puts the call of a flat record and the errors of hooks behind its text.
    fn finish(self) -> Record<'a> {
        let Self {
            mut record,
            call,
            says_call,
            hook_errors,
        } = self;
        if !hook_errors.is_empty() {
            record.text = Some(match record.text.take() {
                Some(text) => Cow::Owned(format!("{text}\n{hook_errors}")),
                None => Cow::Owned(hook_errors),
            });
        }
        let has_call = record
            .parts
            .iter()
            .any(|part| matches!(part, Part::Call { .. }));
        let unnamed = (says_call && !has_call).then_some((Cow::Borrowed(""), &b"{}"[..]));
        if let Some((name, input)) = call.or(unnamed) {
            record.parts.push(Part::Call { name, input });
        }
        record
    }

    fn call(&mut self) -> &mut (Cow<'a, str>, &'a [u8]) {
        self.call.get_or_insert((Cow::Borrowed(""), b"{}"))
    }

    fn field(&mut self, cursor: &mut Cursor<'a>, key: &[u8]) -> Result<()> {
        match key {
            b"message" => self.message(cursor)?,
            b"content" | b"summary" | b"customTitle" | b"aiTitle" | b"lastPrompt" => {
                self.record.text = text_of(cursor)?.or(self.record.text.take());
            }
            b"attachment" => {
                cursor.object_or_skip(|cursor, key| {
                    if key == b"prompt" {
                        self.record.text = text_of(cursor)?;
                    } else {
                        cursor.skip()?;
                    }
                    Ok(())
                })?;
            }
            b"error" => {
                // What an API error says, where nothing else does.
                let raw = String::from_utf8_lossy(cursor.skip()?);
                self.record.text.get_or_insert(raw);
            }
            b"hookErrors" => cursor.strings(|_, text| {
                let text = text.decode();
                if !text.trim().is_empty() {
                    let gap = if self.hook_errors.is_empty() {
                        ""
                    } else {
                        "\n"
                    };
                    self.hook_errors += gap;
                    self.hook_errors += text.trim_end();
                }
                Ok(())
            })?,
            b"toolUseResult" => self.record.outcome = Some(cursor.skip()?),
            b"toolDenialKind" => self.record.denial = cursor.string()?.map(Str::decode),
            b"subtype" => {
                let subtype = cursor.string()?;
                self.says_call = subtype.is_some_and(|subtype| subtype.raw() == b"tool_use");
            }
            b"toolName" => self.call().0 = cursor.string()?.map(Str::decode).unwrap_or_default(),
            b"toolArguments" => self.call().1 = cursor.skip()?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    }

    fn message(&mut self, cursor: &mut Cursor<'a>) -> Result<()> {
        if cursor.shape()? == Shape::String {
            let text = cursor.string()?.map(Str::decode).unwrap_or_default();
            self.record.parts = vec![Part::Text(text)];
            self.record.model = None;
            return Ok(());
        }
        let mut spread = String::new();
        let (mut parts, mut model) = (Vec::new(), None);
        cursor.object_or_skip(|cursor, key| {
            match key {
                b"content" => parts = content(cursor)?,
                b"model" => model = cursor.string()?.map(Str::decode),
                [b'0'..=b'9', ..] => {
                    // A string that was spread into an object, character by character.
                    if let Some(text) = cursor.string()? {
                        spread.push_str(&text.decode());
                    }
                }
                _ => {
                    cursor.skip()?;
                }
            }
            Ok(())
        })?;
        if parts.is_empty() && !spread.is_empty() {
            parts.push(Part::Text(Cow::Owned(spread)));
        }
        self.record.parts = parts;
        self.record.model = model;
        Ok(())
    }
}

fn content<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Part<'a>>> {
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
        match key {
            b"type" => fields.kind = cursor.string()?,
            b"text" => fields.text = cursor.string()?,
            b"thinking" => fields.thinking = cursor.string()?,
            b"name" => fields.name = cursor.string()?,
            b"input" => fields.input = Some(cursor.skip()?),
            b"content" => fields.content = Some(result(cursor)?),
            b"is_error" => fields.is_error = cursor.flag()?,
            b"source" => fields.source = Some(source(cursor)?),
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    })?;
    Ok(fields.into_part())
}

impl<'a> Fields<'a> {
    fn into_part(self) -> Part<'a> {
        let text = |text: Option<Str<'a>>| text.map(Str::decode).unwrap_or_default();
        match self.kind.map(Str::raw) {
            Some(b"text") => Part::Text(text(self.text)),
            Some(b"thinking" | b"redacted_thinking") => Part::Thinking(text(self.thinking)),
            Some(b"tool_use" | b"server_tool_use") => Part::Call {
                name: text(self.name),
                input: self.input.unwrap_or(b"null"),
            },
            Some(b"tool_result" | b"web_search_tool_result" | b"web_fetch_tool_result") => {
                let result = self.content.unwrap_or_default();
                Part::Result(ResultPart {
                    is_error: self.is_error,
                    ..result
                })
            }
            Some(b"image") => Part::Media(self.media(MediaKind::Image)),
            Some(b"document") => Part::Media(self.media(MediaKind::Document)),
            _ => Part::Other {
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
        match key {
            b"media_type" => media_type = value,
            b"type" => kind = value,
            b"data" => data = value,
            _ => {}
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
        match key {
            b"type" => fields.kind = cursor.string()?,
            b"text" => fields.text = cursor.string()?,
            b"source" => fields.source = Some(source(cursor)?),
            b"tool_name" | b"title" | b"url" => reference = cursor.string()?.or(reference),
            _ => {
                cursor.skip()?;
            }
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
fn text_of<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Cow<'a, str>>> {
    match cursor.shape()? {
        Shape::String => Ok(cursor.string()?.map(Str::decode)),
        Shape::Array => Ok(Some(result(cursor)?.text)),
        _ => {
            cursor.skip()?;
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        Record::read(line.as_bytes())
            .parts
            .into_iter()
            .map(|part| match part {
                Part::Text(text) => format!("text {text}"),
                Part::Thinking(text) => format!("thinking {text}"),
                Part::Call { name, input } => {
                    format!("call {name} {}", String::from_utf8_lossy(input))
                }
                Part::Result(result) => {
                    format!(
                        "result {} {} {}",
                        result.text,
                        result.is_error,
                        result.media.len()
                    )
                }
                Part::Media(media) => {
                    format!("{:?} {} {:?}", media.kind, media.media_type, media.bytes)
                }
                Part::Other { name } => format!("other {name}"),
            })
            .collect()
    }

    #[test]
    fn errors_of_hooks_are_the_text_of_a_remark() {
        for (line, expected) in [
            (r#"{"hookErrors":[]}"#, None),
            (r#"{"hookErrors":[" "]}"#, None),
            (r#"{"hookErrors":["a\n","b"]}"#, Some("a\nb")),
            (r#"{"hookErrors":[{"stderr":"a"}]}"#, Some("a")),
            (r#"{"hookErrors":["b"],"content":"a"}"#, Some("a\nb")),
            (r#"{"content":"a","hookErrors":[]}"#, Some("a")),
        ] {
            let record = Record::read(line.as_bytes());
            assert_eq!(record.text.as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn parts_come_in_the_order_of_the_blocks() {
        for (line, expected) in [
            (r#"{"message":{"content":"hi"}}"#, &["text hi"][..]),
            (r#"{"message":"flat"}"#, &["text flat"]),
            (
                r#"{"toolName":"Read","toolArguments":{"a":1},"message":"why"}"#,
                &["text why", r#"call Read {"a":1}"#],
            ),
            (
                r#"{"message":{"content":[{"type":"thinking","thinking":"t"},{"type":"tool_use","name":"X","input":"s"},{"type":"new"}]}}"#,
                &["thinking t", r#"call X "s""#, "other new"],
            ),
            (
                r#"{"message":{"content":[{"type":"tool_result","is_error":true,"content":[{"type":"text","text":"a"},{"type":"image","source":{}},{"type":"text","text":"b"}]}]}}"#,
                &["result a\nb true 1"],
            ),
            (
                r#"{"message":{"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}}"#,
                &["Image image/png Some(3)"],
            ),
            (r#"{"message":{"0":"h","1":"i"}}"#, &["text hi"]),
            (r#"{"message":{"content":7}}"#, &[]),
        ] {
            assert_eq!(texts(line), expected, "{line}");
        }
    }
}
