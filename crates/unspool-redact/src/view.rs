//! A text as rules see it.

use std::ops::{Deref, Range};

/// How many places a secret may be cut at to make it fit.
const CUTS: usize = 8;

/// The bytes of a text, and the places in them at which codes of a terminal were taken out.
///
/// A code may be before, inside and after a secret. So a word may begin and end where one
/// was, but need not.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainBytes<'t> {
    bytes: &'t [u8],
    seams: &'t [usize],
}

impl<'t> PlainBytes<'t> {
    /// Shows a text as it is.
    pub(super) fn plain(bytes: &'t [u8]) -> Self {
        Self { bytes, seams: &[] }
    }

    /// Shows a text without its codes; `seams` are the places where they were, in order.
    pub(super) fn seamed(bytes: &'t [u8], seams: &'t [usize]) -> Self {
        Self { bytes, seams }
    }

    /// Tells whether a code was taken out at a place.
    pub(super) fn is_seam(self, at: usize) -> bool {
        !self.seams.is_empty() && self.seams.binary_search(&at).is_ok()
    }

    /// Returns the text, and then what is left of it when it ends at one of the next seams.
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

/// Puts ranges of a text without its codes back to where they are with them. Both are in order and
/// apart; a code inside of a range belongs to it, one at its edge does not.
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
