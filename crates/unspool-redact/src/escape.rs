//! Resolves the escapes of JSON strings, and maps offsets back.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;
use unspool_model::json::Str;

/// Resolves the escapes in the inside of a JSON string. Unlike [`Str::decode`], it keeps bytes that
/// are not UTF-8, so that offsets can be mapped back.
pub(super) fn decode(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr(b'\\', raw) else {
        return Cow::Borrowed(raw);
    };
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    let mut next = Some(first);
    while let Some(escape) = next {
        out.extend_from_slice(&raw[at..escape]);
        at = escape + resolve(&raw[escape..], &mut out);
        next = memchr(b'\\', &raw[at..]).map(|found| at + found);
    }
    out.extend_from_slice(&raw[at..]);
    Cow::Owned(out)
}

/// Moves ranges of the decoded text to the raw string. They are in order and do not overlap.
pub(super) fn locate(raw: &[u8], ranges: &mut [Range<usize>]) {
    let mut places = EscapeWalk::new(raw);
    for range in ranges {
        *range = places.of(range.start, RangeSide::Start)..places.of(range.end, RangeSide::End);
    }
}

/// Walks over a raw string and its decoded text at the same time.
struct EscapeWalk<'a> {
    raw: &'a [u8],
    /// How many bytes of the raw string were read; `decoded` is the same for the decoded text.
    at: usize,
    decoded: usize,
    /// The offset of the next escape, or the end.
    escape: usize,
    scratch: Vec<u8>,
}

impl<'a> EscapeWalk<'a> {
    fn new(raw: &'a [u8]) -> Self {
        Self {
            raw,
            at: 0,
            decoded: 0,
            escape: memchr(b'\\', raw).unwrap_or(raw.len()),
            scratch: Vec::new(),
        }
    }

    /// Returns the raw offset of an offset in the text. Offsets must be passed in order.
    fn of(&mut self, offset: usize, edge: RangeSide) -> usize {
        loop {
            let plain = self.decoded + self.escape - self.at;
            let reached = offset < plain || (edge == RangeSide::End && offset == plain);
            if reached || self.escape == self.raw.len() {
                return self.at + offset.saturating_sub(self.decoded);
            }
            self.scratch.clear();
            let length = resolve(&self.raw[self.escape..], &mut self.scratch);
            let following = plain + self.scratch.len();
            if edge == RangeSide::Start && offset < following {
                return self.escape;
            }
            self.at = self.escape + length;
            self.decoded = following;
            let next = memchr(b'\\', &self.raw[self.at..]);
            self.escape = next.map_or(self.raw.len(), |found| self.at + found);
        }
    }
}

/// The side of a range that an offset is: an escape belongs to a range as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RangeSide {
    Start,
    End,
}

/// Appends the character of the escape at the start of `raw` and returns the escape's length.
fn resolve(raw: &[u8], out: &mut Vec<u8>) -> usize {
    let plain = match raw.get(1) {
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'u') => {
            let length = unit_length(raw);
            let text = Str::new(&raw[..length]).decode();
            out.extend_from_slice(text.as_bytes());
            return length;
        }
        Some(other) => *other,
        None => b'\\',
    };
    out.push(plain);
    raw.len().min(2)
}

/// Returns the length of a `\u` escape with its digits, and with the second half of a pair.
fn unit_length(raw: &[u8]) -> usize {
    let digits =
        |at: usize| raw.get(at..at + 4).filter(|part| part.iter().all(u8::is_ascii_hexdigit));
    let high =
        |part: &[u8]| matches!(part, [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..]);
    let low = |part: &[u8]| matches!(part, [b'd' | b'D', b'c'..=b'f' | b'C'..=b'F', ..]);
    match digits(2) {
        None => 2,
        Some(first)
            if high(first) && raw[6..].starts_with(b"\\u") && digits(8).is_some_and(low) =>
        {
            12
        }
        Some(_) => 6,
    }
}
