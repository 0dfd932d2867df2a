//! The texts of a record, each with the part of the record that it is from.
//!
//! Knows where records keep text. What names something rather than says something is left
//! out: keys, types, ids, times, and data that is no text. Nothing is decoded here, so that
//! a caller can pass over what its bytes rule out.
//!
//! The full text takes records apart too (`index::text::extract`), and for files beside the
//! logs the scan uses its code. For records it cannot, for three reasons. That code reads a
//! log in order and answers with what is new: a text that an earlier line said is left out,
//! while here every line must answer for itself, in whatever stretch it stands. It parses
//! each line into an entry before it looks at a string and decodes every string, whereas here
//! most lines that are picked out are ruled out again by the place of their marks, and a
//! count of a common word stays within its budget only since nothing is parsed or decoded
//! for it. And a text must be known by where its bytes stand in the line (`marks`), which
//! documents put together from strings do not tell. That both find the same is tested.

use unspool_model::ids::is_uuid;
use unspool_model::json::{Cursor, Result, Shape, Str};

/// The part of a record that a text is from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Part {
    /// What its message says.
    Message,
    /// What its message thinks.
    Thinking,
    /// What a call is given.
    Input,
    /// What a call gives back.
    Result,
    /// A name of the session.
    Title,
    /// Whatever else it says.
    Remark,
}

/// Takes a text; an error ends the walk.
type Each<'e> = dyn FnMut(Part, Str<'_>) -> Result<()> + 'e;

/// Hands every text of the record that `bytes` begins with to `each`. Returns where the walk
/// ended, and whether the record is whole.
pub(super) fn texts_of(bytes: &[u8], each: &mut Each<'_>) -> (usize, Result<()>) {
    let mut cursor = Cursor::new(bytes);
    let result = cursor.object(|cursor, key| match key {
        b"message" => message(cursor, each),
        b"toolUseResult" => values(cursor, Part::Result, each),
        b"toolArguments" | b"toolName" => input(cursor, each),
        b"summary" | b"customTitle" | b"aiTitle" | b"agentName" => {
            values(cursor, Part::Title, each)
        }
        _ if is_envelope(key) => cursor.skip().map(drop),
        _ => values(cursor, Part::Remark, each),
    });
    (cursor.position(), result)
}

/// Hands the texts of a torn record to `each`: those of the record as far as it goes, then
/// what stands between the keys of the rest. The end of the line is no text.
pub(super) fn texts_of_fragment(bytes: &[u8], each: &mut Each<'_>) -> Result<()> {
    let bytes = bytes.trim_ascii_end();
    let (mut start, _) = texts_of(bytes, each);
    // What seemed to end a string may be where a key begins.
    let mut at = bytes[..start].trim_ascii_end().len().saturating_sub(1);
    let mut stretch = |bytes: &[u8]| {
        if bytes.is_empty() {
            return Ok(());
        }
        each(Part::Remark, Str::new(bytes))
    };
    while let Some(offset) = memchr::memchr(b'"', &bytes[at..]) {
        let quote = at + offset;
        at = quote + 1;
        if let Some(end) = key_at(bytes, quote) {
            stretch(&bytes[start.min(quote)..quote])?;
            start = end;
            at = end;
        }
    }
    stretch(&bytes[start..])
}

/// Tells whether a top-level key is about where a record stands, not about what it says.
fn is_envelope(key: &[u8]) -> bool {
    const NAMES: [&[u8]; 15] = [
        b"cwd",
        b"gitBranch",
        b"version",
        b"slug",
        b"userType",
        b"entrypoint",
        b"teamName",
        b"sessionKind",
        b"permissionMode",
        b"promptSource",
        b"effort",
        b"operation",
        b"toolDenialKind",
        b"forkedFrom",
        b"origin",
    ];
    names_something(key) || NAMES.contains(&key)
}

/// Tells whether the value of a key is a name, an id or a time, wherever it stands.
fn names_something(key: &[u8]) -> bool {
    const ENDS: [&[u8]; 7] = [b"Id", b"ID", b"_id", b"uuid", b"Uuid", b"UUID", b"uuids"];
    matches!(
        key,
        b"type" | b"subtype" | b"role" | b"id" | b"model" | b"level" | b"timestamp"
    ) || ENDS.iter().any(|end| key.ends_with(end))
}

fn message(cursor: &mut Cursor<'_>, each: &mut Each<'_>) -> Result<()> {
    if cursor.shape()? == Shape::String {
        return said(cursor, each);
    }
    // A text that was spread into an object has one key for each of its units.
    let mut spread: Option<Vec<u8>> = None;
    cursor.object_or_skip(|cursor, key| match key {
        b"content" => content(cursor, each),
        b"0" => {
            let first = cursor.string()?;
            spread = first.map(|first| first.raw().to_vec());
            Ok(())
        }
        [b'0'..=b'9', ..] if spread.is_some() => {
            if let (Some(unit), Some(spread)) = (cursor.string()?, &mut spread) {
                spread.extend_from_slice(unit.raw());
            }
            Ok(())
        }
        b"stop_reason" | b"stop_sequence" | b"usage" => cursor.skip().map(drop),
        _ if names_something(key) => cursor.skip().map(drop),
        _ => values(cursor, Part::Message, each),
    })?;
    if let Some(spread) = spread {
        each(Part::Message, Str::new(&spread))?;
    }
    Ok(())
}

fn said(cursor: &mut Cursor<'_>, each: &mut Each<'_>) -> Result<()> {
    match cursor.string()? {
        Some(text) => each(Part::Message, text),
        None => Ok(()),
    }
}

fn content(cursor: &mut Cursor<'_>, each: &mut Each<'_>) -> Result<()> {
    match cursor.shape()? {
        Shape::Array => cursor.array(|cursor| block(cursor, each)),
        _ => block(cursor, each),
    }
}

/// Takes the texts of a content block. Its keys tell what they are, whatever its type.
fn block(cursor: &mut Cursor<'_>, each: &mut Each<'_>) -> Result<()> {
    if cursor.shape()? == Shape::String {
        return said(cursor, each);
    }
    cursor.object_or_skip(|cursor, key| match key {
        b"thinking" => values(cursor, Part::Thinking, each),
        // The tool's name is part of what a call says.
        b"input" | b"name" => input(cursor, each),
        b"content" => values(cursor, Part::Result, each),
        b"signature" | b"caller" | b"cache_control" => cursor.skip().map(drop),
        _ if names_something(key) => cursor.skip().map(drop),
        _ => values(cursor, Part::Message, each),
    })?;
    Ok(())
}

/// Takes every string of a call's input: there, nothing is an envelope.
fn input(cursor: &mut Cursor<'_>, each: &mut Each<'_>) -> Result<()> {
    cursor.strings(|_, text| each(Part::Input, text))
}

/// Takes the strings of a value that are texts.
fn values(cursor: &mut Cursor<'_>, part: Part, each: &mut Each<'_>) -> Result<()> {
    cursor.strings(|key, text| {
        if names_something(key) || is_id(text) || is_encoded(key, text) {
            return Ok(());
        }
        each(part, text)
    })
}

fn is_id(text: Str<'_>) -> bool {
    text.raw().len() == 36 && std::str::from_utf8(text.raw()).is_ok_and(is_uuid)
}

/// Tells whether a value is a picture, a document or a signature in base64.
fn is_encoded(key: &[u8], text: Str<'_>) -> bool {
    const ENOUGH: usize = 64;
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    matches!(key, b"data" | b"base64" | b"signature")
        && text
            .raw()
            .get(..ENOUGH)
            .is_some_and(|start| start.iter().all(base64))
}

/// Returns where a key ends that begins with a quote, its colon included.
///
/// Only what stands around it is looked at: inside of a text, quotes are escaped.
pub(super) fn key_at(bytes: &[u8], quote: usize) -> Option<usize> {
    const LONGEST: usize = 128;
    let before = bytes[..quote].trim_ascii_end();
    if !matches!(before.last(), Some(b'{' | b',')) {
        return None;
    }
    let inside = &bytes[quote + 1..];
    let inside = &inside[..inside.len().min(LONGEST)];
    let length = memchr::memchr2(b'"', b'\\', inside)?;
    let behind = inside[length..].strip_prefix(b"\"")?;
    let colon = behind.trim_ascii_start();
    colon.first().filter(|&&byte| byte == b':')?;
    Some(quote + 1 + length + 1 + (behind.len() - colon.len()) + 1)
}
