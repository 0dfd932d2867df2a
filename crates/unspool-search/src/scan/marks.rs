//! Walks over the places of a line where its bytes may match.

use std::ops::Range;

use unspool_model::dialect::key_at;
use unspool_model::json::Str;

use super::pattern::{MatchCandidate, MatchMark, ScanPattern};

/// How many bytes before a mark are searched for the start of a key.
const KEY: usize = 128;

/// An iterator over the marks in some bytes.
pub(super) struct MarkWalk<'b> {
    pub(super) bytes: &'b [u8],
    pattern: &'b ScanPattern,
    odd: bool,
    next: Option<MatchMark>,
}

/// What the bytes say about a text.
pub(super) enum MarkVerdict {
    /// It does not match.
    No,
    /// It may match, probably around this range of it.
    Maybe(Range<usize>),
    /// It must be decoded.
    Unknown,
}

impl<'b> MarkWalk<'b> {
    /// Starts with the bytes of a line or of a piece of it.
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

    /// Tells whether no text after the last one can match.
    pub(super) fn is_empty(&self) -> bool {
        !self.odd && self.next.is_none()
    }

    /// Returns the range of a text in the bytes; none for a text that was assembled from parts.
    pub(super) fn place(&self, text: Str<'_>) -> Option<Range<usize>> {
        let raw = text.raw();
        let from = raw.as_ptr().addr();
        let from = from.checked_sub(self.bytes.as_ptr().addr())?;
        let to = from.checked_add(raw.len())?;
        (to <= self.bytes.len()).then_some(from..to)
    }

    /// Tells whether a text may match. Texts must be passed in their order.
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

/// Finds the next mark that does not begin in a key.
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

/// Returns the colon after a key, if a place begins in that key.
fn key_around(bytes: &[u8], place: &Range<usize>) -> Option<usize> {
    let near = place.start.saturating_sub(KEY);
    let quote = near + memchr::memrchr(b'"', &bytes[near..place.start])?;
    let colon = key_at(bytes, quote)? - 1;
    (place.start < colon).then_some(colon)
}
