//! Shapes of tokens: a prefix, and what must follow it.

use super::SecretKind;
use super::bytes::{ByteSet, begins_token, is_mask};
use super::view::PlainBytes;

/// The shape of a token of a provider.
pub(super) struct TokenShape {
    /// The name of its kind.
    pub(super) kind: &'static str,
    /// The literal at its start.
    pub(super) prefix: &'static str,
    /// What may come before it.
    pub(super) before: AllowedBefore,
    /// The parts after the prefix.
    pub(super) body: &'static [TokenPart],
}

/// What may be before a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AllowedBefore {
    /// Anything: the prefix occurs nowhere else.
    Any,
    /// No letter, no digit, and nothing that makes it a part of base64.
    Word,
}

/// A part of a token.
pub(super) enum TokenPart {
    /// All following bytes of a set; with a minimal and a maximal number.
    Run(ByteSet, usize, usize),
    /// These bytes.
    Word(&'static str),
}

impl TokenPart {
    /// Returns the end of the part that begins at `at`.
    fn end(&self, text: &[u8], at: usize) -> Option<usize> {
        match self {
            Self::Run(class, least, most) => {
                let length = class.run(text, at, *most);
                let goes_on = length == *most
                    && text
                        .get(at + length)
                        .is_some_and(|&next| class.contains(next) && next.is_ascii_alphanumeric());
                (length >= *least && !goes_on).then_some(at + length)
            }
            Self::Word(word) => {
                let rest = text.get(at..)?;
                rest.starts_with(word.as_bytes()).then_some(at + word.len())
            }
        }
    }
}

/// The maximum of a part without a limit.
pub(super) const MANY: usize = usize::MAX;

impl TokenShape {
    /// Returns the end of the token whose prefix is at `start`; as an error, the offset before
    /// which other tokens of this shape need not be searched for.
    pub(super) fn end(&self, text: PlainBytes<'_>, start: usize) -> Result<usize, usize> {
        if self.before == AllowedBefore::Word && !is_word_start(text, start) {
            return Err(start);
        }
        let mut reach = start;
        for text in text.cuts(start) {
            match self.fit(text, start) {
                Ok(end) => return Ok(end),
                Err(further) => reach = reach.max(further),
            }
        }
        Err(reach)
    }

    /// Fits the shape to a text. If it does not fit and its first part is unlimited, a token that
    /// begins inside that part does not fit either, since it would end at the same offset.
    fn fit(&self, text: &[u8], start: usize) -> Result<usize, usize> {
        let body = start + self.prefix.len();
        let mut reach = start;
        let mut at = body;
        for (position, part) in self.body.iter().enumerate() {
            at = part.end(text, at).ok_or(reach)?;
            if position == 0 && matches!(part, TokenPart::Run(_, _, MANY)) {
                reach = at;
            }
        }
        let goes_on = text.get(at).is_some_and(u8::is_ascii_alphanumeric);
        if goes_on || is_mask(&text[body..at]) {
            return Err(reach);
        }
        Ok(at)
    }

    pub(super) fn kind(&self) -> SecretKind {
        SecretKind::known(self.kind)
    }
}

/// Tells whether `at` is not in the middle of a word or of base64.
fn is_word_start(text: PlainBytes<'_>, at: usize) -> bool {
    let glued = |byte: u8| matches!(byte, b'+' | b'-');
    let is_base64 = || at > 1 && glued(text[at - 1]) && ByteSet::Base64.contains(text[at - 2]);
    text.is_seam(at) || (begins_token(text, at) && !is_base64())
}
