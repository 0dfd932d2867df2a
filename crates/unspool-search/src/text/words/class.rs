//! What a character is to the tokenizer.

/// A small letter of ASCII.
pub(super) const LOWER: u8 = 1;
/// A capital letter of ASCII.
pub(super) const UPPER: u8 = 2;
/// A digit of ASCII.
pub(super) const DIGIT: u8 = 4;

/// Tells which kind of letter of ASCII a byte is; 0 for anything else.
#[inline]
pub(super) fn letter(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => LOWER,
        b'A'..=b'Z' => UPPER,
        b'0'..=b'9' => DIGIT,
        _ => 0,
    }
}

/// What a character is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CharClass {
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
