//! Decides which strings are texts, anywhere in a record.

use super::{BlockKey, NameKey, SourceKey, TextKind};
use crate::ids::is_uuid;
use crate::json::Str;

/// Minimum length of a string that counts as encoded data.
const LONG: usize = 256;
/// The same where data is expected: the content of a picture, the signature of thinking.
const EXPECTED: usize = 64;

/// Tells whether a string with this key is a type, an id, a time or data, at any depth. An
/// object with such a key may contain texts, because its own keys can mean anything.
pub fn is_name(key: &[u8]) -> bool {
    const ENDS: [&[u8]; 8] = [b"Id", b"ID", b"_id", b"uuid", b"Uuid", b"UUID", b"uuids", b"Uuids"];
    NameKey::of(key).is_some() || ENDS.iter().any(|end| key.ends_with(end))
}

/// Tells whether a value with this key may contain texts, from the first byte of the value.
pub fn may_contain_texts(key: &[u8], value: &[u8]) -> bool {
    match value.first() {
        Some(b'"') => !is_name(key),
        Some(b'{' | b'[') => true,
        _ => false,
    }
}

/// Returns a static key that [`is_text`] treats like this one, to be stored with a value.
pub fn static_key(key: &[u8]) -> &'static [u8] {
    match key {
        _ if is_content(key) => SourceKey::Data.name().as_bytes(),
        _ if is_name(key) => NameKey::Id.name().as_bytes(),
        _ => b"",
    }
}

/// Tells whether a string is a text; `key` is the nearest key above it.
pub fn is_text(kind: TextKind, key: &[u8], text: Str<'_>) -> bool {
    let raw = text.raw();
    match kind {
        // In the input of a tool, every key is the tool's own.
        TextKind::Input => !is_encoded(key, raw),
        _ if is_name(key) => false,
        TextKind::Remark => !is_encoded(key, raw) && !is_id(raw),
        TextKind::Result => !is_encoded(key, raw),
        // Words of a person or a model are a text even if they are one long word.
        _ => !is_data(key, raw),
    }
}

fn is_id(raw: &[u8]) -> bool {
    raw.len() == 36 && std::str::from_utf8(raw).is_ok_and(is_uuid)
}

/// Tells whether a string is encoded data, such as a picture: a long one with only letters and
/// digits of an encoding, or a shorter one under the key of picture data.
fn is_encoded(key: &[u8], raw: &[u8]) -> bool {
    is_data(key, raw) || raw.get(..LONG).is_some_and(is_code)
}

fn is_data(key: &[u8], raw: &[u8]) -> bool {
    is_content(key) && raw.get(..EXPECTED).is_some_and(is_code)
}

/// Tells whether pictures and documents have their content under this key.
fn is_content(key: &[u8]) -> bool {
    SourceKey::of(key) == Some(SourceKey::Data)
}

/// Tells whether a string is encoded data from its first byte to its last, with nothing else in it.
/// Unlike elsewhere, `-` and `_` do not count as part of the encoding: a string with them may be a token.
pub fn is_data_throughout(key: &[u8], raw: &[u8]) -> bool {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let is_signature = BlockKey::of(key) == Some(BlockKey::Signature);
    let least = if is_signature { EXPECTED } else { LONG };
    raw.len() >= least && raw.iter().all(inside)
}

/// Tells whether bytes are letters and digits of an encoding. A line of dashes or equals signs is not.
fn is_code(bytes: &[u8]) -> bool {
    let sign = |byte: &u8| matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
    bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || sign(byte)) && !bytes.iter().all(sign)
}
