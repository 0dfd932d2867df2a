//! Looks at the bytes around a place.
//!
//! Texts may be JSON inside JSON: what looks like a letter can be the rest of an escape such as
//! `\n`. Everything that asks where a word begins goes through here.

use memchr::memmem;

/// A set of bytes that tokens consist of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// `0-9`
    Digit,
    /// `0-9a-f`
    Hex,
    /// `A-Z0-9`
    Upper,
    /// `A-Za-z0-9`
    Alnum,
    /// `A-Za-z0-9_-`
    Token,
    /// `A-Za-z0-9+/=`
    Base64,
    /// `A-Za-z0-9_.=-`
    Dotted,
    /// `A-Za-z0-9%+/_.=-`: base64 as it stands in URLs
    Query,
}

impl Class {
    pub(super) fn holds(self, byte: u8) -> bool {
        let alnum = byte.is_ascii_alphanumeric();
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Upper => matches!(byte, b'0'..=b'9' | b'A'..=b'Z'),
            Self::Alnum => alnum,
            Self::Token => alnum || matches!(byte, b'_' | b'-'),
            Self::Base64 => alnum || matches!(byte, b'+' | b'/' | b'='),
            Self::Dotted => alnum || matches!(byte, b'_' | b'-' | b'.' | b'='),
            Self::Query => alnum || matches!(byte, b'%' | b'+' | b'/' | b'_' | b'.' | b'=' | b'-'),
        }
    }

    /// Returns how many bytes from `at` on are of the class, `most` at most.
    pub(super) fn run(self, text: &[u8], at: usize, most: usize) -> usize {
        let rest = text.get(at..).unwrap_or_default();
        let inside = rest.iter().take(most);
        inside.take_while(|&&byte| self.holds(byte)).count()
    }
}

/// Returns where the run of bytes that ends at `end` begins, `most` bytes back at most.
pub(super) fn back(text: &[u8], end: usize, most: usize, holds: impl Fn(u8) -> bool) -> usize {
    let before = text[..end].iter().rev().take(most);
    let start = end - before.take_while(|&&byte| holds(byte)).count();
    if start < end && is_escape(text, start) {
        start + 1
    } else {
        start
    }
}

/// Tells whether the byte at `at` is the letter of an escape: the `n` of `\n`.
fn is_escape(text: &[u8], at: usize) -> bool {
    matches!(text.get(at), Some(b'n' | b'r' | b't' | b'b' | b'f'))
        && at > 0
        && text[at - 1] == b'\\'
}

/// Tells whether a word can begin at `at`: no letter, digit or underscore stands before it, and
/// nothing that was put in for one.
pub(super) fn begins_word(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else {
        return true;
    };
    match text[before] {
        b']' => !ends_marker(text, before),
        byte => !is_word(byte) || is_escape(text, before),
    }
}

/// Tells whether a word can end before `at`.
pub(super) fn ends_word(text: &[u8], at: usize) -> bool {
    let goes_on = |&byte: &u8| is_word(byte) || text[at..].starts_with(MARKER);
    !text.get(at).is_some_and(goes_on)
}

/// What a marker begins with.
pub(super) const MARKER: &[u8] = b"[redacted:";

/// Tells whether the bracket at `at` ends a marker.
fn ends_marker(text: &[u8], at: usize) -> bool {
    let name = back(text, at, 40, |byte| Class::Token.holds(byte));
    text[..name].ends_with(MARKER)
}

/// Tells whether a byte is part of a word: a letter, a digit, an underscore, or part of a
/// character that is not ASCII.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the place behind spaces and tabs, `most` at most.
pub(super) fn skip_blanks(text: &[u8], at: usize, most: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default().iter().take(most);
    at + rest
        .take_while(|&&byte| byte == b' ' || byte == b'\t')
        .count()
}

/// Returns the place behind backslashes: the escapes of a quote inside nested JSON.
pub(super) fn skip_backslashes(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default().iter().take(16);
    at + rest.take_while(|&&byte| byte == b'\\').count()
}

/// Tells whether nothing but what people write in place of a secret is in `text`.
pub(super) fn is_mask(text: &[u8]) -> bool {
    let filler = |byte: &u8| {
        matches!(
            byte,
            b'x' | b'X' | b'*' | b'.' | b'-' | b'_' | b'0' | b'#' | b' '
        )
    };
    text.iter().all(filler) || memmem::find(text, "…".as_bytes()).is_some()
}
