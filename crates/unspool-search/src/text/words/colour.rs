//! Escape sequences that set colours in the output of programs, such as `\\e[32m`.

use std::borrow::Cow;

/// The first byte of an escape sequence.
pub(super) const ESCAPE: u8 = 0x1b;

/// Returns the length of the escape sequence at the start of a text; 1 for an escape byte without one.
pub(crate) fn length(text: &[u8]) -> usize {
    let Some(sequence) = text.strip_prefix(b"\x1b[") else {
        return 1;
    };
    let is_parameter = |byte: &&u8| matches!(byte, 0x30..=0x3f);
    let parameters = sequence.iter().take_while(is_parameter).count();
    match sequence.get(parameters) {
        Some(0x40..=0x7e) => 2 + parameters + 1,
        _ => 1,
    }
}

/// Returns a text without escape sequences.
pub(crate) fn without_colours(text: &str) -> Cow<'_, str> {
    let mut rest = text;
    let mut plain = String::new();
    while let Some(at) = memchr::memchr(ESCAPE, rest.as_bytes()) {
        plain.push_str(&rest[..at]);
        rest = &rest[at + length(&rest.as_bytes()[at..])..];
    }
    if plain.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}
