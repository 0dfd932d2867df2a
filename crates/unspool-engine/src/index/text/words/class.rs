//! What a character is to the tokenizer.

/// A small letter of ASCII.
pub(super) const LOWER: u8 = 1;
/// A capital letter of ASCII.
pub(super) const UPPER: u8 = 2;
/// A digit of ASCII.
pub(super) const DIGIT: u8 = 4;
/// Anything else that may belong to the word before it, or needs a closer look.
pub(super) const SPECIAL: u8 = 8;

static KINDS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'\'' | b'+' | b'#' | super::colour::ESCAPE | 0x80.. => SPECIAL,
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// Tells what a byte is: a kind of letter of ASCII, [`SPECIAL`], or 0 for what only separates
/// words.
#[inline]
pub(super) fn kind(byte: u8) -> u8 {
    KINDS[usize::from(byte)]
}

/// Tells which kind of letter of ASCII a byte is; 0 for anything else.
#[inline]
pub(super) fn letter(byte: u8) -> u8 {
    kind(byte) & (LOWER | UPPER | DIGIT)
}

/// Returns how many small letters of ASCII some bytes begin with, looking at eight at a time.
#[inline]
pub(super) fn small_letters(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        let low = eight & !HIGH;
        // The high bit of a byte says that it is at least `a`, and at most `z`, and of ASCII.
        let from_a = low + ONES * u64::from(0x80 - b'a');
        let above_z = low + ONES * u64::from(0x7f - b'z');
        let others = !(from_a & !above_z & !eight) & HIGH;
        if others != 0 {
            return at + others.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes[at..].iter();
    at + rest.take_while(|byte| byte.is_ascii_lowercase()).count()
}

/// What a character is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// A part of a word: a letter, a digit or a mark on one.
    Word,
    /// A character of a script that writes no spaces between words.
    Dense,
    /// A sign that is looked for by itself, such as an emoji.
    Sign,
    /// A character that only changes how the one before it looks.
    Mute,
    /// Anything else: it separates words.
    Other,
}

/// Tells what a character is.
pub(super) fn class(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() {
            Class::Word
        } else {
            Class::Other
        };
    }
    match c {
        '\u{fe00}'..='\u{fe0f}'
        | '\u{200d}'
        | '\u{1f3fb}'..='\u{1f3ff}'
        | '\u{e0000}'..='\u{e01ef}' => Class::Mute,
        '\u{0300}'..='\u{036f}' => Class::Word,
        _ if is_dense(c) => Class::Dense,
        _ if c.is_alphanumeric() => Class::Word,
        _ if is_sign(c) => Class::Sign,
        _ => Class::Other,
    }
}

/// Tells whether a script puts no spaces between words: Han, Kana, Hangul, Thai and its
/// neighbours. Such text is taken apart into pairs of characters.
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1100}'..='\u{11ff}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30fa}'
        | '\u{30fc}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9d}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Tells whether a sign means something by itself. Arrows, frames, blocks and the dots of
/// progress marks are left out: programs print them on every line.
fn is_sign(c: char) -> bool {
    matches!(c,
        '\u{20a0}'..='\u{20cf}'
        | '\u{2100}'..='\u{214f}'
        | '\u{2200}'..='\u{23ff}'
        | '\u{2460}'..='\u{24ff}'
        | '\u{25a0}'..='\u{27bf}'
        | '\u{2900}'..='\u{2bff}'
        | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_letters_are_counted_whatever_stands_behind_them() {
        for length in 0..20 {
            for byte in 0..=u8::MAX {
                let mut bytes = vec![b'q'; length];
                bytes.push(byte);
                bytes.extend(b"behindit and more");
                let more = 8 * usize::from(byte.is_ascii_lowercase());
                let expected = length + more + usize::from(byte.is_ascii_lowercase());
                assert_eq!(small_letters(&bytes), expected, "{length} {byte}");
                let bare = length + usize::from(byte.is_ascii_lowercase());
                assert_eq!(small_letters(&bytes[..=length]), bare, "{length} {byte}");
            }
        }
        assert_eq!(small_letters("azäz".as_bytes()), 2);
    }
}
