//! Letters and digits as bit masks: where words are, which kinds of letters they have, and where
//! the kind changes.
//!
//! Classifying many bytes at once and testing bits avoids a branch for each letter. The masks cover
//! ASCII only; the caller handles all other characters. Reading byte by byte instead, the full text
//! of 1 GB takes 9 % more processor time (15.9 against 14.6 s, the best of three on a busy machine),
//! and its budget has no room for that.

use super::class::{DIGIT, LOWER, UPPER};
use super::kinds::{Kinds, WIDTH};

/// How many humps a word has at most; a word with more is kept whole. Chosen by judgement: names
/// that people give have fewer.
const MOST_HUMPS: u32 = 8;
/// The length from which a word may be an id or encoded data. This constant and the next were
/// chosen by judgement.
pub(super) const NOISE: usize = 16;
/// The length from which fewer changes of kind make a word encoded data.
const LONG_NOISE: u32 = 40;

/// The masks of a part of a text.
pub(super) struct LetterWindow {
    start: usize,
    kinds: Kinds,
}

impl LetterWindow {
    /// Classifies the bytes from `start` on.
    #[inline]
    pub(super) fn new(text: &[u8], start: usize) -> Self {
        let rest = text.get(start..).unwrap_or_default();
        let kinds = rest.first_chunk().map_or_else(
            || {
                let mut last = [0; WIDTH];
                last[..rest.len()].copy_from_slice(rest);
                Kinds::of(&last)
            },
            Kinds::of,
        );
        Self { start, kinds }
    }

    /// Returns where to continue if there is nothing more from `at` on: at the end of the window, or
    /// at `at` if that is outside the window.
    #[inline]
    pub(super) fn following(&self, at: usize) -> usize {
        self.bit(at).map_or(at, |_| self.start + WIDTH)
    }

    /// Returns the bit of a byte, if the byte is inside the window.
    #[inline]
    fn bit(&self, at: usize) -> Option<usize> {
        let bit = at.checked_sub(self.start)?;
        (bit < WIDTH).then_some(bit)
    }

    /// Returns the offset of the next byte from `at` on that does more than separate words.
    #[inline]
    pub(super) fn next(&self, at: usize) -> Option<usize> {
        let shift = self.bit(at)?;
        let bits = (self.kinds.word() | self.kinds.special) >> shift;
        (bits != 0).then(|| at + bits.trailing_zeros() as usize)
    }

    /// Returns the letters and digits from `at` on; none if `at` is outside the window, or if they
    /// may continue after it.
    #[inline]
    pub(super) fn letters(&self, at: usize) -> Option<Letters> {
        let shift = self.bit(at)?;
        let length = (self.kinds.word() >> shift).trailing_ones() as usize;
        let inside = !(u64::MAX << (length % WIDTH));
        let goes_on = (self.kinds.special | self.kinds.joint) >> ((shift + length) % WIDTH) & 1;
        (shift + length < WIDTH).then(|| Letters {
            upper: self.kinds.upper >> shift & inside,
            digit: self.kinds.digit >> shift & inside,
            length,
            beyond: 0,
            ends: goes_on == 0,
        })
    }
}

/// The masks of the upper-case letters and the digits of a word; the lowest bit is the first one.
///
/// The masks cover the first 64 characters of a long word.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Letters {
    upper: u64,
    digit: u64,
    /// The number of letters and digits.
    length: usize,
    /// The kinds of the characters after the first 64.
    beyond: u8,
    /// Whether the next character cannot belong to the word.
    ends: bool,
}

impl Letters {
    /// Returns the letters and digits at the start of some bytes, however many there are.
    #[cold]
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut letters = Self::default();
        loop {
            let part = LetterWindow::new(bytes, letters.length);
            if let Some(last) = part.letters(letters.length) {
                letters.add(last);
                return letters;
            }
            letters.add(Self {
                upper: part.kinds.upper,
                digit: part.kinds.digit,
                length: WIDTH,
                ..Self::default()
            });
        }
    }

    fn add(&mut self, more: Self) {
        if self.length == 0 {
            *self = more;
        } else {
            self.beyond |= more.kinds();
            self.length += more.length;
            self.ends = more.ends;
        }
    }

    /// Returns the number of letters and digits.
    #[inline]
    pub(super) fn length(self) -> usize {
        self.length
    }

    /// Tells whether this is a whole word of lower-case letters.
    #[inline]
    pub(super) fn are_plain(self) -> bool {
        self.upper | self.digit == 0 && self.beyond & !LOWER == 0 && self.ends
    }

    /// Returns the kinds of the characters: [`LOWER`], [`UPPER`], [`DIGIT`].
    #[inline]
    pub(super) fn kinds(self) -> u8 {
        kinds(self.lower(), self.upper, self.digit) | self.beyond
    }

    /// Returns the kinds of the characters after the first.
    #[inline]
    pub(super) fn inner(self) -> u8 {
        kinds(self.lower() & !1, self.upper & !1, self.digit & !1) | self.beyond
    }

    /// Returns the mask of all characters.
    #[inline]
    fn all(self) -> u64 {
        let beyond = u64::MAX.checked_shl(self.length as u32);
        !beyond.unwrap_or(0)
    }

    #[inline]
    fn lower(self) -> u64 {
        self.all() & !self.upper & !self.digit
    }

    /// Returns the bits at which humps begin, without the first character; none for a word that
    /// has too many humps.
    #[inline]
    pub(super) fn humps(self) -> u64 {
        // A capital begins a hump if it does not follow a capital, or if a small letter follows it:
        // `HTTPServer` is `HTTP` and `Server`.
        let begins = self.upper & !1 & (!(self.upper << 1) | self.lower() >> 1);
        let too_many = self.length > WIDTH || begins.count_ones() >= MOST_HUMPS;
        if too_many { 0 } else { begins }
    }

    /// Tells whether a word is an id or encoded data: long, with many changes between letters and
    /// digits, or between small and capital letters.
    #[inline]
    pub(super) fn is_noise(self) -> bool {
        if self.length < NOISE || matches!(self.kinds(), LOWER | UPPER | DIGIT) {
            return false;
        }
        let length = self.length.min(WIDTH) as u32;
        let pairs = self.all() >> 1;
        let next_to_digit = (self.digit ^ self.digit >> 1) & pairs;
        let of_letters = pairs & !self.digit & !(self.digit >> 1);
        let mixed = next_to_digit.count_ones();
        let cased = ((self.upper ^ self.upper >> 1) & of_letters).count_ones();
        if length < LONG_NOISE {
            mixed * 5 >= length || cased * 20 >= length * 9
        } else {
            mixed * 10 >= length || cased * 4 >= length
        }
    }
}

#[inline]
fn kinds(lower: u64, upper: u64, digit: u64) -> u8 {
    let kind = |bits: u64, kind| if bits == 0 { 0 } else { kind };
    kind(lower, LOWER) | kind(upper, UPPER) | kind(digit, DIGIT)
}

#[cfg(test)]
mod tests {
    use unspool_testkit::rng::Rng;

    use super::*;
    use crate::text::words::class::letter;

    /// Returns words of all lengths in which the kind of letters changes at random.
    fn words() -> impl Iterator<Item = Vec<u8>> {
        let mut rng = Rng::new(7);
        (1..200).cycle().take(20_000).map(move |length| {
            let often = 1 + rng.below(6);
            let mut kinds = (b'a', b'z');
            (0..length)
                .map(|_| {
                    if rng.below(often) == 0 {
                        kinds = rng.pick(&[(b'a', b'z'), (b'A', b'Z'), (b'0', b'9')]);
                    }
                    rng.between(kinds.0.into(), kinds.1.into()) as u8
                })
                .collect()
        })
    }

    fn kinds_of(word: &[u8]) -> u8 {
        word.iter().fold(0, |kinds, &byte| kinds | letter(byte))
    }

    #[test]
    fn letters_are_those_of_the_word_wherever_it_is() {
        for (number, word) in words().enumerate() {
            let start = number % 70;
            let mut text = vec![b' '; start];
            text.extend(&word);
            text.extend(b"-follow it"[number % 3..].iter().take(number % 11));
            let end = text[start + word.len()..].iter().take_while(|byte| letter(**byte) != 0);
            let length = word.len() + end.count();
            let word = &text[start..start + length];
            let found = Letters::of(&text[start..]);
            assert_eq!(found.length(), length);
            assert_eq!(found.kinds(), kinds_of(word));
            assert_eq!(found.inner(), kinds_of(&word[1..]));
            if let Some(letters) = LetterWindow::new(&text, start / 2).letters(start) {
                let bits = |letters: Letters| (letters.upper, letters.digit, letters.length);
                assert_eq!(bits(letters), bits(found), "{start} {word:?}");
                assert_eq!(letters.are_plain(), kinds_of(word) == LOWER);
            }
        }
    }

    #[test]
    fn a_window_shows_what_is_not_between_words() {
        let text = "  a, b'  é\u{1b}[1m".as_bytes();
        let window = LetterWindow::new(text, 0);
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(next) = window.next(at) {
            found.push(next);
            at = next + 1;
        }
        assert_eq!(found, [2, 5, 9, 10, 11, 13, 14]);
        let plain = |at| window.letters(at).map(Letters::are_plain);
        assert_eq!([plain(2), plain(5)], [Some(true), Some(false)]);
        assert_eq!(window.next(64), None);
        assert!(LetterWindow::new(&[b'a'; 70], 0).letters(3).is_none());
        assert!(LetterWindow::new(&[b'a'; 70], 6).letters(6).is_none());
        assert!(LetterWindow::new(&[b'a'; 70], 7).letters(7).is_some());
    }

    #[test]
    fn humps_begin_with_capitals() {
        for word in words().filter(|word| word.len() <= WIDTH) {
            let begins = (1..word.len()).filter(|&at| {
                let small_next = word.get(at + 1).is_some_and(u8::is_ascii_lowercase);
                let capital_before = word[at - 1].is_ascii_uppercase();
                word[at].is_ascii_uppercase() && (!capital_before || small_next)
            });
            let bits = begins.fold(0_u64, |bits, at| bits | 1 << at);
            let few = bits.count_ones() < MOST_HUMPS;
            let expected = if few { bits } else { 0 };
            assert_eq!(Letters::of(&word).humps(), expected, "{word:?}");
        }
        assert_eq!(Letters::of(&b"aB".repeat(40)).humps(), 0);
    }

    #[test]
    fn noise_is_what_changes_often() {
        for word in words().filter(|word| word.len() <= WIDTH) {
            let (mut mixed, mut cased) = (0, 0);
            for pair in word.windows(2) {
                let (before, here) = (letter(pair[0]), letter(pair[1]));
                let digits = (before | here) & DIGIT != 0;
                mixed += usize::from(before != here && digits);
                cased += usize::from(before != here && !digits);
            }
            let length = word.len();
            let expected = if length < LONG_NOISE as usize {
                mixed * 5 >= length || cased * 20 >= length * 9
            } else {
                mixed * 10 >= length || cased * 4 >= length
            };
            let several = kinds_of(&word).count_ones() > 1;
            let expected = expected && several && length >= NOISE;
            assert_eq!(Letters::of(&word).is_noise(), expected, "{word:?}");
        }
    }
}
