//! Strings: where they end, and how they are decoded.

use std::borrow::Cow;

use bstr::ByteSlice;
use memchr::memchr;

use super::{JsonResult, Malformed};

/// A raw string: the bytes between the quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Str<'a> {
    pub(super) raw: &'a [u8],
}

impl<'a> Str<'a> {
    /// Wraps the bytes of a raw string, which may come from a torn record.
    pub fn new(raw: &'a [u8]) -> Self {
        Self { raw }
    }

    /// Returns the bytes between the quotes, with escapes.
    pub fn raw(self) -> &'a [u8] {
        self.raw
    }

    /// Decodes the string: resolves escapes, and replaces damaged bytes with U+FFFD.
    pub fn decode(self) -> Cow<'a, str> {
        match self.raw.to_str_lossy() {
            Cow::Borrowed(text) if memchr(b'\\', self.raw).is_none() => Cow::Borrowed(text),
            text => {
                let mut decoded = String::with_capacity(text.len());
                unescape(&text, &mut decoded);
                Cow::Owned(decoded)
            }
        }
    }

    /// Appends the decoded string.
    pub fn decode_into(self, out: &mut String) {
        let text = self.raw.to_str_lossy();
        out.reserve(text.len());
        unescape(&text, out);
    }

    /// Returns the part of the string that starts at the raw byte `start` and has at most `limit` raw bytes.
    ///
    /// `start` is 0 or the end of the previous part, so that a very long string is decoded in
    /// parts. No escape, no surrogate pair and no character is split.
    #[must_use]
    pub fn part(self, start: usize, limit: usize) -> Self {
        let rest = self.raw.get(start..).unwrap_or_default();
        let length = prefix_length(rest, limit.max(12));
        Self { raw: &rest[..length] }
    }

    /// Decodes at most the first `limit` raw bytes, which is enough to classify a long text by its beginning.
    pub fn decode_prefix(self, limit: usize) -> Cow<'a, str> {
        let raw = &self.raw[..prefix_length(self.raw, limit)];
        Str { raw }.decode()
    }
}

/// Returns the length of the longest prefix of a raw string up to `limit` that splits no
/// escape, no surrogate pair and no character.
fn prefix_length(raw: &[u8], limit: usize) -> usize {
    if raw.len() <= limit {
        return raw.len();
    }
    let mut at = 0;
    while let Some(offset) = memchr(b'\\', &raw[at..limit]) {
        let escape = at + offset;
        let unit = raw[escape..].strip_prefix(b"\\u").and_then(hex4);
        let low = || raw.get(escape + 6..)?.strip_prefix(b"\\u").and_then(hex4);
        let length = match unit {
            Some(0xD800..0xDC00) if matches!(low(), Some(0xDC00..0xE000)) => 12,
            Some(_) => 6,
            None => {
                let more = raw[escape + 2..].iter().take_while(|&&b| (b & 0xC0) == 0x80);
                2 + more.count()
            }
        };
        at = escape + length;
        if at > limit {
            return escape;
        }
    }
    let is_inside = |&end: &usize| end > at && (raw[end] & 0xC0) == 0x80;
    (at..=limit).rev().take(4).find(|end| !is_inside(end)).unwrap_or(limit)
}

/// Returns the length of a string if it is short and without escapes, as most strings are.
/// Compares eight bytes at a time, which is faster than `memchr` for so few.
pub(super) fn plain_length(text: &[u8]) -> Option<usize> {
    const NEAR: usize = 40;
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    // The lowest set bit of the result is in the first byte of the word that equals `wanted`.
    let find = |word: u64, wanted: u8| {
        let differs = word ^ (ONES * u64::from(wanted));
        differs.wrapping_sub(ONES) & !differs & (ONES << 7)
    };
    let mut at = 0;
    while at < NEAR
        && let Some(word) = text[at..].first_chunk()
    {
        let word = u64::from_le_bytes(*word);
        let (quotes, backslashes) = (find(word, b'"'), find(word, b'\\'));
        if quotes | backslashes != 0 {
            let (quote, backslash) = (quotes.trailing_zeros(), backslashes.trailing_zeros());
            return (quote < backslash).then_some(at + quote as usize / 8);
        }
        at += 8;
    }
    None
}

/// Finds the quote that ends a string: the first with an even number of backslashes before it.
/// In program text, quotes are rarer than escapes, so only quotes are searched for.
pub(super) fn far_quote(text: &[u8]) -> JsonResult<usize> {
    let mut from = 0;
    loop {
        let quote = from + memchr(b'"', &text[from..]).ok_or(Malformed)?;
        let backslashes = text[..quote].iter().rev().take_while(|&&b| b == b'\\').count();
        if backslashes % 2 == 0 {
            return Ok(quote);
        }
        from = quote + 1;
    }
}

fn unescape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let mut following = rest[at + 1..].chars();
        match following.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('u') => {
                rest = unescape_unit(following.as_str(), out);
                continue;
            }
            // `\"`, `\\`, `\/`, and characters that needed no escape.
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
        rest = following.as_str();
    }
    out.push_str(rest);
}

/// Decodes the four digits after `\u`, together with the low surrogate if one follows.
fn unescape_unit<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let Some(unit) = hex4(rest.as_bytes()) else {
        out.push('\u{FFFD}');
        return rest;
    };
    let mut after = &rest[4..];
    let mut code = u32::from(unit);
    if (0xD800..0xDC00).contains(&unit)
        && let Some(low) = after.strip_prefix("\\u")
        && let Some(low @ 0xDC00..0xE000) = hex4(low.as_bytes())
    {
        code = 0x10000 + ((u32::from(unit) - 0xD800) << 10) + (u32::from(low) - 0xDC00);
        after = &after[6..];
    }
    out.push(char::from_u32(code).unwrap_or('\u{FFFD}'));
    after
}

pub(super) fn hex4(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.get(..4)?;
    digits.iter().try_fold(0u16, |value, &b| {
        let digit = (b as char).to_digit(16)?;
        Some((value << 4) | digit as u16)
    })
}
