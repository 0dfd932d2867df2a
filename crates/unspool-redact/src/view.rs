//! A text as rules read it.

use std::ops::{Deref, Range};

/// How many of the next seams are tried as the end of a secret.
const CUTS: usize = 8;

/// The bytes of a text, and the offsets at which ANSI codes were removed.
///
/// A code may be before, inside and after a secret. So a word may begin and end at a seam, but
/// need not.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainBytes<'t> {
    bytes: &'t [u8],
    seams: &'t [usize],
}

impl<'t> PlainBytes<'t> {
    /// Wraps a text without codes.
    pub(super) fn plain(bytes: &'t [u8]) -> Self {
        Self { bytes, seams: &[] }
    }

    /// Wraps a text from which codes were removed at the offsets `seams`, which are in order.
    pub(super) fn seamed(bytes: &'t [u8], seams: &'t [usize]) -> Self {
        Self { bytes, seams }
    }

    /// Tells whether a code was removed at an offset.
    pub(super) fn is_seam(self, at: usize) -> bool {
        !self.seams.is_empty() && self.seams.binary_search(&at).is_ok()
    }

    /// Returns the text, and then the text cut at each of the next seams.
    pub(super) fn cuts(self, after: usize) -> impl Iterator<Item = &'t [u8]> {
        let next = self.seams.partition_point(|&seam| seam <= after);
        let cuts = self.seams[next..].iter().take(CUTS);
        [self.bytes].into_iter().chain(cuts.map(move |&seam| &self.bytes[..seam]))
    }
}

impl Deref for PlainBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes
    }
}

/// Moves ranges of a text without codes to the text with codes. Codes and ranges are in order and
/// do not overlap; a code inside a range becomes part of it, one at its edge does not.
pub(super) fn locate(codes: &[Range<usize>], ranges: &mut [Range<usize>]) {
    let (mut next, mut taken) = (0, 0);
    let mut raw = |place: usize, includes_edge: bool| {
        while let Some(code) = codes.get(next) {
            let seam = code.start - taken;
            if seam > place || (seam == place && !includes_edge) {
                break;
            }
            taken += code.len();
            next += 1;
        }
        place + taken
    };
    for range in ranges {
        *range = raw(range.start, true)..raw(range.end, false);
    }
}
