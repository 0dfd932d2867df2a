//! Positions of a feed: what a reader has, said by the log itself.
//!
//! A position is data about a log: prints of its bytes, how far they were read, and how many
//! messages a reader has of them. It says nothing about a process, so one that was given out by a
//! server fits the next server. It knows neither the log nor its messages; [`FeedPosition::fits`]
//! asks a log file whether the position is about it.
//!
//! As a text it is one short word of letters, digits, `-` and `_`: safe in a header, a URL and a
//! line of a stream. Other programs must not look into it. The word ends with a check, so a text
//! that is not a position is told from a position that does not fit.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use unspool_model::conversation::Liveness;
use unspool_store::tail::LogFile;

use super::mixing;

/// The version of the text. A text of another version is not a position.
const VERSION: u8 = 1;

/// The text of the position before all messages.
const START: &str = "start";

/// From which numbers of messages the prints of shorter lists are kept: multiples of these, the
/// last ones before the number of known messages. Chosen by judgement: a rewind goes back by few
/// messages, and then few are sent again.
const STRIDES: [u32; 3] = [16, 256, 4096];

/// A place in a log, and what a reader has of the messages before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FeedPosition {
    /// The print of the log's first line.
    pub(super) head: u32,
    /// The end of the last whole line that the reader's messages are made of.
    pub(crate) end: u64,
    /// The print of the bytes before that place.
    pub(super) tail: u32,
    /// How many messages the reader has, by the order of their first entries in the file.
    pub(crate) known: u32,
    /// The print of those messages, each with the entries that it was made of.
    pub(super) print: u32,
    /// The prints of the first messages of them, see [`FeedPosition::rungs`].
    pub(super) lower: [u32; STRIDES.len()],
    /// Whether a process owned the session.
    pub(crate) live: Liveness,
    /// The print of which call started which agent.
    pub(crate) links: u32,
}

/// A text that is not a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this is not a position of a stream; it is the `id` of an event, or `start`")]
pub struct NotAPosition;

impl FeedPosition {
    /// The position before all messages, of every log.
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

    /// Tells whether it is before all messages of any log.
    pub fn is_start(&self) -> bool {
        self.end == 0
    }

    /// Tells whether it is about the log of a file; `head` is the print of its first line.
    /// A log that cannot be read was changed for all that is known.
    pub(super) fn fits(&self, file: &LogFile, head: Option<u32>) -> bool {
        let tail = || file.print_before(self.end).ok().flatten().map(short_print);
        self.is_start() || (head == Some(self.head) && tail() == Some(self.tail))
    }

    /// Returns shorter lists of messages with their prints, from the longest on.
    pub(super) fn rungs(&self) -> impl Iterator<Item = (u32, u32)> {
        rung_lengths(self.known).into_iter().zip(self.lower)
    }
}

/// Returns how long the shorter lists are whose prints a position keeps.
pub(super) fn rung_lengths(known: u32) -> [u32; STRIDES.len()] {
    STRIDES.map(|stride| known.saturating_sub(1) / stride * stride)
}

/// Returns the part of a print that positions keep.
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
        for (length, print) in self.rungs() {
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

/// Reads what a position's text says, without the check at its end.
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
    for (length, lower) in rung_lengths(known).into_iter().zip(&mut lower) {
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

/// Returns what tells a position from other texts.
fn check(bytes: &[u8]) -> [u8; 2] {
    let parts = bytes.iter().map(|byte| u64::from(*byte));
    let mixed = parts.fold(bytes.len() as u64, |sum, part| mixing::mix([sum, part]));
    short_print(mixed).to_le_bytes()[..2].try_into().unwrap_or_default()
}

/// Takes bytes off the front.
fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, left) = rest.split_first_chunk()?;
    *rest = left;
    Some(*taken)
}

/// Writes a number in as few bytes as it needs, seven bits in each.
fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(0x80 | (number & 0x7f) as u8);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front.
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
            lower: rung_lengths(known),
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
        assert_eq!(rung_lengths(0), [0, 0, 0]);
        assert_eq!(rung_lengths(16), [0, 0, 0]);
        assert_eq!(rung_lengths(17), [16, 0, 0]);
        assert_eq!(rung_lengths(5000), [4992, 4864, 4096]);
    }
}
