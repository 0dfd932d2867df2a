//! Finds lines in which text is written in ways that [`super::raw`] does not cover.
//!
//! Works on bytes only. Such lines are rare and are always decoded.

use memchr::memmem::Finder;

/// The searchers for such lines.
pub(super) struct UnusualWriting {
    escape: Finder<'static>,
    spread: Finder<'static>,
}

impl Default for UnusualWriting {
    fn default() -> Self {
        Self { escape: Finder::new(br"\u00"), spread: Finder::new(b"\"0\"") }
    }
}

impl UnusualWriting {
    /// Finds a printable ASCII character that is written as `\uXXXX`.
    pub(super) fn escape(&self, lines: &[u8]) -> Option<usize> {
        self.escape.find_iter(lines).find(|&at| {
            let escaped = lines[..at].iter().rev().take_while(|&&b| b == b'\\');
            let digits = &lines[at + 4..];
            matches!(digits, [b'2'..=b'7', last, ..] if last.is_ascii_hexdigit())
                && escaped.count() % 2 == 0
        })
    }

    /// Finds the first key of a text that was spread into an object, one character for each key.
    pub(super) fn spread(&self, lines: &[u8]) -> Option<usize> {
        self.spread.find(lines)
    }
}
