//! Converts text that this parser accepts into text that every JSON parser accepts.

use std::borrow::Cow;

use bstr::ByteSlice;
use memchr::memchr;

use super::text::hex4;
use super::{Cursor, Malformed};

/// Returns `raw`, a text that this module accepted, as text that every JSON parser accepts.
///
/// Borrows if `raw` already is such a text, as nearly always.
pub fn to_strict(raw: &[u8]) -> Cow<'_, str> {
    let clean = raw.iter().all(|&b| b >= 0x20) && !has_odd_escape(raw);
    match (clean, std::str::from_utf8(raw)) {
        (true, Ok(text)) => Cow::Borrowed(text),
        _ => Cow::Owned(rewrite(raw)),
    }
}

/// Tells whether a backslash comes before an unknown escape or before a surrogate.
fn has_odd_escape(raw: &[u8]) -> bool {
    let mut rest = raw;
    while let Some(at) = memchr(b'\\', rest) {
        match rest.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => rest = &rest[at + 2..],
            Some(b'u') if matches!(hex4(&rest[at + 2..]), Some(u) if !(0xD800..0xE000).contains(&u)) =>
            {
                rest = &rest[at + 6..];
            }
            _ => return true,
        }
    }
    false
}

/// Copies a text token by token, quoting each string again; stops at the first invalid token.
fn rewrite(raw: &[u8]) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut cursor = Cursor::new(raw);
    while !cursor.at_end() {
        let rest = &raw[cursor.pos..];
        match rest[0] {
            b'"' => match cursor.quoted() {
                Ok(text) => quote(&text.decode(), &mut out),
                Err(Malformed) => break,
            },
            structural @ (b'{' | b'}' | b'[' | b']' | b':' | b',') => {
                out.push(structural as char);
                cursor.pos += 1;
            }
            _ => {
                let start = cursor.pos;
                if cursor.scalar().is_err() || cursor.pos == start {
                    break;
                }
                out.push_str(&raw[start..cursor.pos].to_str_lossy());
            }
        }
    }
    out
}

/// Appends `text` as a JSON string.
pub fn quote(text: &str, out: &mut String) {
    use std::fmt::Write as _;
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
