//! Places of a line where its bytes may match, found one after the other.

use std::ops::Range;

use unspool_model::dialect::key_at;
use unspool_model::json::Str;

use super::pattern::{MatchCandidate, MatchMark, ScanPattern};

/// How far a key is looked for around a mark.
const KEY: usize = 128;

/// Walks over the marks of some bytes.
pub(super) struct MarkWalk<'b> {
    pub(super) bytes: &'b [u8],
    pattern: &'b ScanPattern,
    odd: bool,
    next: Option<MatchMark>,
}

/// What bytes tell about a text.
pub(super) enum MarkVerdict {
    /// It does not match.
    No,
    /// It may match, probably around this place of it.
    Maybe(Range<usize>),
    /// It must be decoded.
    Unknown,
}

impl<'b> MarkWalk<'b> {
    /// Begins with the bytes of a line or a piece of one.
    pub(super) fn new(
        bytes: &'b [u8],
        pattern: &'b ScanPattern,
        candidate: MatchCandidate,
    ) -> Self {
        let next = match candidate {
            MatchCandidate::Odd => None,
            MatchCandidate::Usual { from } => find(bytes, pattern, from),
        };
        Self { bytes, pattern, odd: candidate == MatchCandidate::Odd, next }
    }

    /// Tells whether nothing after the last text can match.
    pub(super) fn is_empty(&self) -> bool {
        !self.odd && self.next.is_none()
    }

    /// Returns where a text is; nothing if it was put together and is nowhere.
    pub(super) fn place(&self, text: Str<'_>) -> Option<Range<usize>> {
        let raw = text.raw();
        let from = raw.as_ptr().addr();
        let from = from.checked_sub(self.bytes.as_ptr().addr())?;
        let to = from.checked_add(raw.len())?;
        (to <= self.bytes.len()).then_some(from..to)
    }

    /// Tells whether a text may match. Texts are to be asked for in their order.
    pub(super) fn judge(&mut self, text: Str<'_>) -> MarkVerdict {
        let Some(text) = self.place(text).filter(|_| !self.odd) else {
            return MarkVerdict::Unknown;
        };
        if self.next.as_ref().is_some_and(|next| next.is_before(text.start)) {
            self.next = find(self.bytes, self.pattern, text.start);
        }
        match &self.next {
            Some(next) if next.first < text.end => {
                let place = &next.place;
                let inside = |at: usize| at.clamp(text.start, text.end) - text.start;
                MarkVerdict::Maybe(inside(place.start)..inside(place.end))
            }
            _ => MarkVerdict::No,
        }
    }
}

/// Finds a mark that does not begin in a key.
fn find(bytes: &[u8], pattern: &ScanPattern, from: usize) -> Option<MatchMark> {
    let mut at = from;
    loop {
        let mark = pattern.mark(bytes, at)?;
        let Some(colon) = key_around(bytes, &mark.place) else {
            return Some(mark);
        };
        at = colon;
    }
}

/// Returns the colon after the key that a place begins in.
fn key_around(bytes: &[u8], place: &Range<usize>) -> Option<usize> {
    let near = place.start.saturating_sub(KEY);
    let quote = near + memchr::memrchr(b'"', &bytes[near..place.start])?;
    let colon = key_at(bytes, quote)? - 1;
    (place.start < colon).then_some(colon)
}
