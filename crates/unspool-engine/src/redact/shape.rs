//! Tokens that are known by their shape: a prefix, and what has to follow it.

use super::Kind;
use super::bytes::{Class, begins_word, is_mask};

/// A token that a provider hands out.
pub(super) struct Shape {
    /// The name of its kind.
    pub(super) kind: &'static str,
    /// What it begins with.
    pub(super) prefix: &'static str,
    /// What may stand before it.
    pub(super) before: Before,
    /// What follows the prefix.
    pub(super) body: &'static [Part],
}

/// What may stand before a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Before {
    /// Anything: the prefix is found nowhere else.
    Any,
    /// No letter, digit or underscore, and nothing that makes it a part of base64.
    Word,
}

/// A part of a token.
pub(super) enum Part {
    /// As many bytes of a class as there are, but so many at least and at most.
    Run(Class, usize, usize),
    /// These bytes.
    Word(&'static str),
}

/// As long as it likes.
pub(super) const MANY: usize = usize::MAX;

impl Shape {
    /// Returns where the token ends whose prefix stands at `start`.
    ///
    /// A token that has several parts of any length must begin a word, so that a text which
    /// repeats a prefix is not walked again from each of them.
    pub(super) fn end(&self, text: &[u8], start: usize) -> Option<usize> {
        if self.before == Before::Word && !stands_alone(text, start) {
            return None;
        }
        let body = start + self.prefix.len();
        let mut at = body;
        for part in self.body {
            at = match part {
                Part::Run(class, least, most) => {
                    let length = class.run(text, at, *most);
                    let longer = length == *most && class.run(text, at + length, 1) > 0;
                    if length < *least || longer {
                        return None;
                    }
                    at + length
                }
                Part::Word(word) => {
                    let rest = text.get(at..)?;
                    rest.starts_with(word.as_bytes())
                        .then_some(at + word.len())?
                }
            };
        }
        let whole = text
            .get(at)
            .is_none_or(|byte| !byte.is_ascii_alphanumeric());
        (whole && !is_mask(&text[body..at])).then_some(at)
    }

    pub(super) fn kind(&self) -> Kind {
        Kind::known(self.kind)
    }
}

/// Tells whether what begins at `at` is neither the rest of a word nor of base64.
fn stands_alone(text: &[u8], at: usize) -> bool {
    let glued = |byte: u8| matches!(byte, b'+' | b'-');
    begins_word(text, at)
        && (at == 0 || !glued(text[at - 1]) || at == 1 || !Class::Base64.holds(text[at - 2]))
}
