//! Classifies bytes, 64 at a time, into bit masks.

use super::colour::ESCAPE;

/// How many bytes are classified together.
pub(super) const WIDTH: usize = 64;

/// One mask for each class of bytes; the lowest bit is the first byte.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Kinds {
    /// ASCII letters.
    pub(super) letter: u64,
    /// Upper-case ASCII letters.
    pub(super) upper: u64,
    /// ASCII digits.
    pub(super) digit: u64,
    /// Bytes outside ASCII, and the first byte of an escape sequence.
    pub(super) special: u64,
    /// Characters that may belong to the word before them, as in `c++`, `c#` and `don't`.
    pub(super) joint: u64,
}

impl Kinds {
    /// Classifies bytes.
    #[inline]
    pub(super) fn of(bytes: &[u8; WIDTH]) -> Self {
        Self {
            letter: bits(bytes, |byte| (byte | 0x20).is_ascii_lowercase()),
            upper: bits(bytes, |byte| byte.is_ascii_uppercase()),
            digit: bits(bytes, |byte| byte.is_ascii_digit()),
            special: bits(bytes, |byte| byte >= 0x80 || byte == ESCAPE),
            joint: bits(bytes, |byte| matches!(byte, b'\'' | b'+' | b'#')),
        }
    }

    /// Returns the mask of letters and digits.
    #[inline]
    pub(super) fn word(&self) -> u64 {
        self.letter | self.digit
    }
}

/// Returns the mask of the bytes for which `is` is true.
#[inline]
fn bits(bytes: &[u8; WIDTH], is: impl Fn(u8) -> bool) -> u64 {
    let mut answers = [0; WIDTH];
    for (answer, &byte) in answers.iter_mut().zip(bytes) {
        *answer = u8::from(is(byte));
    }
    let mut bits = 0;
    for (at, &eight) in answers.as_chunks().0.iter().enumerate() {
        // Moves the lowest bit of each byte into the top byte; all other products overflow or are
        // shifted out.
        let gathered = u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= gathered << (8 * at);
    }
    bits
}

#[cfg(test)]
mod tests {
    use unspool_testkit::rng::Rng;

    use super::*;

    #[test]
    fn each_byte_is_known_at_each_place() {
        for byte in 0..=u8::MAX {
            for at in 0..WIDTH {
                let mut bytes = [b' '; WIDTH];
                bytes[at] = byte;
                let bit = |is: bool| u64::from(is) << at;
                let expected = Kinds {
                    letter: bit(byte.is_ascii_alphabetic()),
                    upper: bit(byte.is_ascii_uppercase()),
                    digit: bit(byte.is_ascii_digit()),
                    special: bit(!byte.is_ascii() || byte == ESCAPE),
                    joint: bit(b"'+#".contains(&byte)),
                };
                assert_eq!(Kinds::of(&bytes), expected, "{byte} at {at}");
            }
        }
    }

    #[test]
    fn bytes_side_by_side_do_not_mix() {
        let mut rng = Rng::new(7);
        for _ in 0..10_000 {
            let bytes = std::array::from_fn(|_| rng.next_u64() as u8);
            let letters = bytes.map(|byte: u8| byte.is_ascii_alphabetic());
            let bits = (0..WIDTH).map(|at| u64::from(letters[at]) << at);
            assert_eq!(Kinds::of(&bytes).letter, bits.sum::<u64>());
        }
    }
}
