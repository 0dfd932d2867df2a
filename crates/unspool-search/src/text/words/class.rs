//! Classes of characters.

/// A lower-case ASCII letter.
pub(super) const LOWER: u8 = 1;
/// An upper-case ASCII letter.
pub(super) const UPPER: u8 = 2;
/// An ASCII digit.
pub(super) const DIGIT: u8 = 4;

/// Returns the class of an ASCII letter or digit; 0 for any other byte.
#[inline]
pub(super) fn letter(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => LOWER,
        b'A'..=b'Z' => UPPER,
        b'0'..=b'9' => DIGIT,
        _ => 0,
    }
}

/// The class of a character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CharClass {
    /// A part of a word: a letter, a digit or a combining mark.
    Word,
    /// A character of a script without spaces between words.
    Dense,
    /// A symbol that is a word by itself, such as an emoji.
    Sign,
    /// A modifier that only changes the look of the character before it.
    Mute,
    /// Anything else: a separator of words.
    Other,
}

/// Returns the class of a character.
pub(super) fn class(c: char) -> CharClass {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() { CharClass::Word } else { CharClass::Other };
    }
    match c {
        '\u{fe00}'..='\u{fe0f}'
        | '\u{200d}'
        | '\u{1f3fb}'..='\u{1f3ff}'
        | '\u{e0000}'..='\u{e01ef}' => CharClass::Mute,
        '\u{0300}'..='\u{036f}' => CharClass::Word,
        _ if is_dense(c) => CharClass::Dense,
        _ if c.is_alphanumeric() => CharClass::Word,
        _ if is_sign(c) => CharClass::Sign,
        _ => CharClass::Other,
    }
}

/// Tells whether a character is of a script without spaces between words: Han, Kana, Hangul, Thai
/// and neighbouring blocks. Such text is indexed as pairs of characters.
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

/// Tells whether a symbol is a word by itself. Arrows, box drawing, blocks and the Braille dots of
/// spinners are left out: programs print them on every line.
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
