//! Tests of the bytes around an offset.
//!
//! Texts may be JSON inside JSON: a byte that looks like a letter may be the rest of an escape such
//! as `\n`. All code that decides where a word begins uses these functions.

use memchr::memmem;

use super::view::PlainBytes;

/// A set of the bytes in tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ByteSet {
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
    /// `A-Za-z0-9%+/_.=-`: base64 as it is in URLs
    Query,
}

impl ByteSet {
    pub(super) fn contains(self, byte: u8) -> bool {
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

    /// Returns how many bytes from `at` on are in the set, up to `most`.
    pub(super) fn run(self, text: &[u8], at: usize, most: usize) -> usize {
        let rest = text.get(at..).unwrap_or_default();
        let inside = rest.iter().take(most);
        let length = inside.take_while(|&&byte| self.contains(byte)).count();
        unspool_work::add(length + 1);
        length
    }
}

/// Returns the start of the run of accepted bytes that ends at `end`, up to `most` bytes back.
pub(super) fn back(text: &[u8], end: usize, most: usize, accepts: impl Fn(u8) -> bool) -> usize {
    let before = text[..end].iter().rev().take(most);
    let start = end - before.take_while(|&&byte| accepts(byte)).count();
    unspool_work::add(end - start + 1);
    (start + rest_of_escape(text, start)).min(end)
}

/// Returns how many bytes from `at` on are the rest of an escape whose backslash is just before
/// `at`: the `n` of `\n`, the `u2192` of `\u2192`.
fn rest_of_escape(text: &[u8], at: usize) -> usize {
    let hex = |digits: usize| {
        let digits = text.get(at + 1..at + 1 + digits);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if at == 0 || text[at - 1] != b'\\' {
        return 0;
    }
    match text.get(at) {
        Some(b'n' | b'r' | b't' | b'b' | b'f') => 1,
        Some(b'u') if hex(4) => 5,
        Some(b'x') if hex(2) => 3,
        _ => 0,
    }
}

/// Tells whether an escape ends at `at`: `\n`, `\x3d`, `\u003d` or `%3D`.
fn ends_escape(text: &[u8], at: usize) -> bool {
    let ends = |length: usize| {
        let start = at.checked_sub(length);
        start.is_some_and(|start| rest_of_escape(text, start) == length)
    };
    let percent =
        at >= 3 && text[at - 3] == b'%' && text[at - 2..at].iter().all(u8::is_ascii_hexdigit);
    ends(1) || ends(3) || ends(5) || percent
}

/// Tells whether a token can begin at `at`: not after an ASCII letter or digit, nor after a marker.
/// Tokens consist of ASCII, so letters of other scripts before them do not matter.
pub(super) fn begins_token(text: PlainBytes<'_>, at: usize) -> bool {
    if at == 0 || text.is_seam(at) {
        return true;
    }
    match text[at - 1] {
        b']' => !ends_marker(&text, at - 1),
        byte => !byte.is_ascii_alphanumeric() || ends_escape(&text, at),
    }
}

/// Tells whether a word can begin at `at`: not after a letter, a digit, an underscore or a marker.
pub(super) fn begins_word(text: PlainBytes<'_>, at: usize) -> bool {
    let joined = || last_char(&text[..at]).is_some_and(joins);
    text.is_seam(at) || (begins_token(text, at) && !joined())
}

/// Tells whether a word can end before `at`.
pub(super) fn ends_word(text: PlainBytes<'_>, at: usize) -> bool {
    let rest = &text[at..];
    let goes_on =
        || first_char(rest).is_some_and(|next| next.is_ascii_alphanumeric() || joins(next));
    text.is_seam(at) || !(goes_on() || rest.starts_with(MARKER))
}

/// Tells whether a character other than an ASCII letter or digit belongs to the word next to it: an
/// underscore, or a letter of a script with capitals. Other scripts, such as Chinese, are written
/// without blanks around foreign words.
pub(super) fn joins(letter: char) -> bool {
    let accent = matches!(letter, '\u{300}'..='\u{36f}');
    let cased = !letter.is_ascii() && (letter.is_lowercase() || letter.is_uppercase());
    letter == '_' || cased || accent
}

/// Returns the first character of a text, if its start is valid UTF-8.
pub(super) fn first_char(text: &[u8]) -> Option<char> {
    let first = *text.first()?;
    if first.is_ascii() {
        return Some(char::from(first));
    }
    let start = &text[..text.len().min(4)];
    let valid = match str::from_utf8(start) {
        Ok(valid) => valid,
        Err(error) => str::from_utf8(&start[..error.valid_up_to()]).ok()?,
    };
    valid.chars().next()
}

/// Returns the last character of a text, if its end is valid UTF-8.
pub(super) fn last_char(text: &[u8]) -> Option<char> {
    let lengths = 1..=text.len().min(4);
    let mut ends = lengths.map(|length| &text[text.len() - length..]);
    let end = ends.find_map(|end| str::from_utf8(end).ok())?;
    end.chars().next_back()
}

/// The start of every marker.
pub(super) const MARKER: &[u8] = b"[redacted:";

/// Tells whether the bracket at `at` ends a marker.
fn ends_marker(text: &[u8], at: usize) -> bool {
    let name = back(text, at, 40, |byte| ByteSet::Token.contains(byte));
    text[..name].ends_with(MARKER)
}

/// Returns the offset after up to `most` spaces and tabs.
pub(super) fn skip_blanks(text: &[u8], at: usize, most: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default().iter().take(most);
    at + rest.take_while(|&&byte| byte == b' ' || byte == b'\t').count()
}

/// Returns the offset after backslashes: the escapes of a quote inside nested JSON.
pub(super) fn skip_backslashes(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default().iter().take(16);
    at + rest.take_while(|&&byte| byte == b'\\').count()
}

/// Tells whether `text` is only what people write in place of a secret, or has an ellipsis in its
/// middle.
pub(super) fn is_mask(text: &[u8]) -> bool {
    let filler =
        |byte: &u8| matches!(byte, b'x' | b'X' | b'*' | b'.' | b'-' | b'_' | b'0' | b'#' | b' ');
    let cut = "…".as_bytes();
    let mut rest = text;
    while let Some(shorter) = rest.strip_prefix(cut).or_else(|| rest.strip_suffix(cut)) {
        rest = shorter;
    }
    rest.iter().all(filler) || memmem::find(rest, cut).is_some()
}
