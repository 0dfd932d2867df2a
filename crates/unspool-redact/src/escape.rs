//! Strings of a JSON record: the text they represent, and where each part of it comes from.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;
use unspool_model::json::Str;

/// Returns the bytes that the inside of a JSON string represents. Unlike [`Str::decode`] it
/// leaves bytes that are not UTF-8 as they are, so that places can be counted back.
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

/// Puts ranges of the decoded text back to where they come from. They are in order and apart.
pub(super) fn locate(raw: &[u8], ranges: &mut [Range<usize>]) {
    let mut places = EscapeWalk::new(raw);
    for range in ranges {
        *range = places.of(range.start, RangeSide::Start)..places.of(range.end, RangeSide::End);
    }
}

/// Walks a raw string and the text it represents side by side.
struct EscapeWalk<'a> {
    raw: &'a [u8],
    /// The place in both up to which all is read.
    at: usize,
    decoded: usize,
    /// Where the next escape is, or the end.
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

    /// Returns the raw place of a place in the text. Each is after the one before.
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

/// Which side of a range is looked for: an escape belongs to it as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RangeSide {
    Start,
    End,
}

/// Appends what the escape at the start of `raw` means and returns its length.
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

/// Returns the length of a `\u` escape: with its digits, and with the second half of a pair.
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
