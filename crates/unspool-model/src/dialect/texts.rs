//! Finds the texts of a record, each with its kind, in the order of the bytes.
//!
//! Nothing is decoded here, so that a caller can rule out texts by their bytes. Every text is a
//! part of the record's bytes, unless it was spread over several keys.

use super::RecordDialect;
use crate::json::{Cursor, JsonResult, JsonShape, Str};
use crate::schema::{Level, Slot, SpreadText, TextKind, agent_speaker, is_text};

/// Receives a text; an error ends the walk.
type Each<'e> = dyn FnMut(TextKind, Str<'_>) -> JsonResult<()> + 'e;

/// Passes every text of the record at the start of `bytes` to `each`. Returns where the walk
/// ended, and whether the record is complete.
pub fn texts_of(bytes: &[u8], each: &mut Each<'_>) -> (usize, JsonResult<()>) {
    let mut cursor = Cursor::new(bytes);
    let mut dialect = RecordDialect::default();
    let result = cursor.object(|cursor, key| {
        let slot = dialect.slot(key, cursor.rest());
        value(cursor, slot, key, each)
    });
    (cursor.position(), result)
}

/// Passes the texts of a torn record to `each`: those of the record as far as it goes, then the
/// bytes between the keys of the rest. The line ending is not a text.
pub fn texts_of_fragment(bytes: &[u8], each: &mut Each<'_>) -> JsonResult<()> {
    let bytes = bytes.trim_ascii_end();
    let (mut start, _) = texts_of(bytes, each);
    // A quote that seemed to end a string may be the one that begins a key.
    let mut at = bytes[..start].trim_ascii_end().len().saturating_sub(1);
    let mut stretch = |bytes: &[u8]| {
        if bytes.is_empty() {
            return Ok(());
        }
        each(TextKind::Remark, Str::new(bytes))
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

fn value(cursor: &mut Cursor<'_>, slot: Slot, key: &[u8], each: &mut Each<'_>) -> JsonResult<()> {
    match slot {
        Slot::Envelope => cursor.skip().map(drop),
        Slot::Object(level) => object(cursor, level, key, each),
        Slot::Content(said) => content(cursor, said, key, each),
        Slot::AgentRecord => {
            let level = Level::Agent(agent_speaker(cursor));
            object(cursor, level, key, each)
        }
        Slot::Unit => values(cursor, TextKind::Remark, key, each),
        Slot::Text(kind) => values(cursor, kind, key, each),
    }
}

fn object(
    cursor: &mut Cursor<'_>,
    level: Level,
    key: &[u8],
    each: &mut Each<'_>,
) -> JsonResult<()> {
    if cursor.shape()? != JsonShape::Object {
        return values(cursor, level.plain(), key, each);
    }
    let mut spread = SpreadText::default();
    cursor.object(|cursor, key| match level.slot(key) {
        Slot::Unit if spread.takes(key) => {
            spread.add(cursor.string()?);
            Ok(())
        }
        slot => value(cursor, slot, key, each),
    })?;
    spread.text().map_or(Ok(()), |text| each(level.plain(), text))
}

fn content(
    cursor: &mut Cursor<'_>,
    said: TextKind,
    key: &[u8],
    each: &mut Each<'_>,
) -> JsonResult<()> {
    let block = Level::Block(said);
    match cursor.shape()? {
        JsonShape::Array => cursor.array(|cursor| object(cursor, block, key, each)),
        _ => object(cursor, block, key, each),
    }
}

/// Passes the strings of a value that are texts to `each`.
fn values(
    cursor: &mut Cursor<'_>,
    kind: TextKind,
    key: &[u8],
    each: &mut Each<'_>,
) -> JsonResult<()> {
    cursor.strings(|inner, text| {
        let key = if inner.is_empty() { key } else { inner };
        if is_text(kind, key, text) { each(kind, text) } else { Ok(()) }
    })
}

/// Returns the end of the key that begins at a quote, with its colon.
///
/// Only the bytes around the key are checked: inside a text, quotes are escaped.
pub fn key_at(bytes: &[u8], quote: usize) -> Option<usize> {
    const LONGEST: usize = 128;
    let before = bytes[..quote].trim_ascii_end();
    if !matches!(before.last(), Some(b'{' | b',')) {
        return None;
    }
    let inside = &bytes[quote + 1..];
    let inside = &inside[..inside.len().min(LONGEST)];
    let length = memchr::memchr2(b'"', b'\\', inside)?;
    let following = inside[length..].strip_prefix(b"\"")?;
    let colon = following.trim_ascii_start();
    colon.first().filter(|&&byte| byte == b':')?;
    Some(quote + 1 + length + 1 + (following.len() - colon.len()) + 1)
}
