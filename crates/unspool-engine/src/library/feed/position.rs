//! Positions of a feed: what a reader has, in terms of the log itself.
//!
//! A position contains prints of a log's bytes, the offset to which they were read, and the number
//! of messages that the reader has. It contains nothing about a process, so a position from one
//! server is valid on the next. It knows neither the log nor its messages; [`FeedPosition::fits`]
//! compares it with a log file.
//!
//! Its text is one short word of letters, digits, `-` and `_`: safe in a header, a URL and a line
//! of a stream. Other programs must treat it as opaque. The word ends with a checksum, which tells
//! a text that is not a position from a position that does not fit.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use unspool_model::conversation::Liveness;
use unspool_store::tail::LogFile;

use super::mixing;

/// The version of the text format. A text of another version is not a position.
const VERSION: u8 = 1;

/// The text of the position before all messages.
const START: &str = "start";

/// A position also has prints of shorter lists of messages, one per stride: as many messages as the
/// last multiple of the stride before the number of known messages. Chosen by judgement: a rewind
/// goes back by few messages, and then few are sent again.
const STRIDES: [u32; 3] = [16, 256, 4096];

/// An offset in a log, and a description of the messages that the reader has up to there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FeedPosition {
    /// The print of the log's first line.
    pub(super) head: u32,
    /// The end of the last whole line that the reader has messages of.
    pub(crate) end: u64,
    /// The print of the bytes before `end`.
    pub(super) tail: u32,
    /// The number of messages that the reader has, in the order of their first entries in the file.
    pub(crate) known: u32,
    /// The print of those messages, each with the entries that make it.
    pub(super) print: u32,
    /// The prints of shorter lists of them; see [`FeedPosition::prefixes`].
    pub(super) lower: [u32; STRIDES.len()],
    /// Whether a process owned the session.
    pub(crate) live: Liveness,
    /// The print of the links from calls to agents.
    pub(crate) links: u32,
}

/// The error for a text that is not a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this is not a position of a stream; it is the `id` of an event, or `start`")]
pub struct NotAPosition;

impl FeedPosition {
    /// Returns the position before all messages, which is valid for every log.
    pub const fn start() -> Self {
        Self {
            head: 0,
            end: 0,
            tail: 0,
            known: 0,
            print: 0,
            lower: [0; STRIDES.len()],
            live: Liveness::Idle,
            links: 0,
        }
    }

    /// Reports whether this is the position before all messages.
    pub fn is_start(&self) -> bool {
        self.end == 0
    }

    /// Reports whether the position is in the log of a file; `head` is the print of its first line.
    /// A log that cannot be read counts as changed.
    pub(super) fn fits(&self, file: &LogFile, head: Option<u32>) -> bool {
        let tail = || file.print_before(self.end).ok().flatten().map(short_print);
        self.is_start() || (head == Some(self.head) && tail() == Some(self.tail))
    }

    /// Returns the lengths and prints of shorter lists of messages, the longest first.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = (u32, u32)> {
        prefix_lengths(self.known).into_iter().zip(self.lower)
    }
}

/// Returns the lengths of the shorter lists whose prints a position has.
pub(super) fn prefix_lengths(known: u32) -> [u32; STRIDES.len()] {
    STRIDES.map(|stride| known.saturating_sub(1) / stride * stride)
}

/// Folds a print to the 32 bits that positions contain.
pub(super) fn short_print(print: u64) -> u32 {
    (print ^ (print >> 32)) as u32
}

impl fmt::Display for FeedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_start() {
            return f.write_str(START);
        }
        let live = match self.live {
            Liveness::Idle => 0,
            Liveness::Live => 1,
        };
        let mut bytes = vec![VERSION, live];
        for print in [self.head, self.tail, self.print, self.links] {
            bytes.extend(print.to_le_bytes());
        }
        put_number(&mut bytes, self.end);
        put_number(&mut bytes, u64::from(self.known));
        for (length, print) in self.prefixes() {
            if length > 0 {
                bytes.extend(print.to_le_bytes());
            }
        }
        bytes.extend(check(&bytes));
        f.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}

impl FromStr for FeedPosition {
    type Err = NotAPosition;

    fn from_str(text: &str) -> Result<Self, NotAPosition> {
        if text == START {
            return Ok(Self::start());
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| NotAPosition)?;
        let at = bytes.len().checked_sub(check(&[]).len());
        let (said, checked) =
            bytes.split_at_checked(at.ok_or(NotAPosition)?).ok_or(NotAPosition)?;
        if checked != check(said) {
            return Err(NotAPosition);
        }
        read(said).ok_or(NotAPosition)
    }
}

/// Parses the bytes of a position, without the checksum at the end.
fn read(mut said: &[u8]) -> Option<FeedPosition> {
    let rest = &mut said;
    let [VERSION, live] = take(rest)? else {
        return None;
    };
    let live = match live {
        0 => Liveness::Idle,
        1 => Liveness::Live,
        _ => return None,
    };
    let print = |rest: &mut &[u8]| Some(u32::from_le_bytes(take(rest)?));
    let (head, tail) = (print(rest)?, print(rest)?);
    let (whole, links) = (print(rest)?, print(rest)?);
    let end = take_number(rest).filter(|end| *end > 0)?;
    let known = u32::try_from(take_number(rest)?).ok()?;
    let mut lower = [0; STRIDES.len()];
    for (length, lower) in prefix_lengths(known).into_iter().zip(&mut lower) {
        if length > 0 {
            *lower = print(rest)?;
        }
    }
    rest.is_empty().then_some(FeedPosition {
        head,
        end,
        tail,
        known,
        print: whole,
        lower,
        live,
        links,
    })
}

/// Returns the checksum of a position's bytes.
fn check(bytes: &[u8]) -> [u8; 2] {
    let parts = bytes.iter().map(|byte| u64::from(*byte));
    let mixed = parts.fold(bytes.len() as u64, |sum, part| mixing::mix([sum, part]));
    short_print(mixed).to_le_bytes()[..2].try_into().unwrap_or_default()
}

/// Takes bytes from the front of the slice.
fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, left) = rest.split_first_chunk()?;
    *rest = left;
    Some(*taken)
}

/// Writes a number as a varint, seven bits in each byte.
fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(0x80 | (number & 0x7f) as u8);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a varint from the front of the slice.
fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let [byte] = take(rest)?;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(end: u64, known: u32) -> FeedPosition {
        FeedPosition {
            head: 0xdead_beef,
            end,
            tail: 7,
            known,
            print: u32::MAX,
            lower: prefix_lengths(known),
            live: Liveness::Live,
            links: 0,
        }
    }

    #[test]
    fn a_position_comes_back_from_its_text() {
        for (end, known) in [(1, 0), (80, 1), (81, 16), (99, 17), (1 << 40, 9000)] {
            let position = position(end, known);
            let text = position.to_string();
            assert!(text.len() < 70, "{text}");
            let is_safe = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            assert!(text.chars().all(is_safe), "{text}");
            assert_eq!(text.parse(), Ok(position), "{text}");
        }
        assert_eq!("start".parse(), Ok(FeedPosition::start()));
        assert_eq!(FeedPosition::start().to_string(), "start");
    }

    #[test]
    fn other_texts_are_not_positions() {
        let text = position(4711, 300).to_string();
        for cut in 0..text.len() {
            assert_eq!(text[..cut].parse::<FeedPosition>(), Err(NotAPosition));
            let mut changed = text.clone().into_bytes();
            changed[cut] = if changed[cut] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).expect("letters");
            assert_eq!(changed.parse::<FeedPosition>(), Err(NotAPosition), "{changed}");
        }
        for text in ["", "START", "ü", "0.0", "AAAA", "9999999999", &text.repeat(2)] {
            assert_eq!(text.parse::<FeedPosition>(), Err(NotAPosition), "{text}");
        }
    }

    #[test]
    fn shorter_lists_end_before_the_whole_one() {
        assert_eq!(prefix_lengths(0), [0, 0, 0]);
        assert_eq!(prefix_lengths(16), [0, 0, 0]);
        assert_eq!(prefix_lengths(17), [16, 0, 0]);
        assert_eq!(prefix_lengths(5000), [4992, 4864, 4096]);
    }
}
