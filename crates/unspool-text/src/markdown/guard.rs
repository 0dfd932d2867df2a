//! Bounds the nesting that the parser gets.
//!
//! The parser examines every open container for each line, so a file of list markers followed by
//! short lines would take quadratic time.

use std::borrow::Cow;

use memchr::memchr;

/// The last column at which a quote or a list item may begin.
const LAST_COLUMN: usize = 240;

/// Escapes container markers that are further right than any real document has them.
pub fn bound_nesting(source: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut start = 0;
    while start < source.len() {
        let rest = &source.as_bytes()[start..];
        let line = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
        if line.len() > LAST_COLUMN
            && let Some(at) = deep_marker(line)
        {
            out.push_str(&source[copied..start + at]);
            out.push('\\');
            copied = start + at;
        }
        start += line.len() + 1;
    }
    if copied == 0 {
        return Cow::Borrowed(source);
    }
    out.push_str(&source[copied..]);
    Cow::Owned(out)
}

/// Returns the position of the character to escape, if the line consists of nothing but spaces and
/// container markers until after the last allowed column.
fn deep_marker(line: &[u8]) -> Option<usize> {
    let mut column = 0;
    let mut at = 0;
    loop {
        let (marker, width) = match line.get(at)? {
            b' ' => (None, 1),
            b'\t' => (None, 4),
            b'>' => (Some(at), 1),
            _ => {
                let end = list_marker(line, at)?;
                (Some(end - 1), end - at)
            }
        };
        if marker.is_some() && column > LAST_COLUMN {
            return marker;
        }
        at += if line[at] == b'\t' { 1 } else { width };
        column += width;
    }
}

/// Returns the end of a list marker, which a space must follow.
fn list_marker(line: &[u8], at: usize) -> Option<usize> {
    let digits = line[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let end = match (line.get(at + digits)?, digits) {
        (b'-' | b'+' | b'*', 0) => at + 1,
        (b'.' | b')', 1..=9) => at + digits + 1,
        _ => return None,
    };
    matches!(line.get(end), None | Some(b' ' | b'\t')).then_some(end)
}
