//! Escape sequences that colour what a program prints, such as `\\e[32m`.

use std::borrow::Cow;

/// The byte that escape sequences begin with.
pub(super) const ESCAPE: u8 = 0x1b;

/// Returns how long the sequence is that a text begins with: 1 for an escape that begins none.
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

/// Returns a text without such sequences.
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
