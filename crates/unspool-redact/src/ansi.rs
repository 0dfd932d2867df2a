//! Finds and removes ANSI codes, which colour the output of commands.
//!
//! `grep --color` puts codes around a part of a key, so the key is interrupted in the text. A
//! code begins with the escape character, or with a spelling of it: `\u001b`, `\x1b`, `\033`,
//! `\e`, `^[`, `␛`. The address in a hyperlink is text: only the bytes around it are a code.

use std::ops::Range;

use super::view::PlainBytes;

/// Literals, one of which is in every code that has no JSON escape.
pub(super) const LITERALS: [&str; 12] = [
    "\u{1b}", "\u{9b}", "\\x1b", "\\x1B", "\\033", "\\e[", "\\u{1b}", "\\u{1B}", "^[[", "␛[",
    "\\u241b", "\\u241B",
];
/// Spellings of the escape character after a backslash.
const SPELLINGS: [&[u8]; 6] = [b"u001b", b"u241b", b"x1b", b"033", b"u{1b}", b"e"];
/// The maximal length of the numbers in a code, in bytes.
const NUMBERS: usize = 64;

/// Tells whether the digits of a `\u00` escape begin a code.
pub(super) fn is_escape(digits: &[u8]) -> bool {
    matches!(digits, [b'1' | b'9', b'b' | b'B'])
}

/// A text without its codes.
pub(super) struct Stripped {
    /// The ranges of the codes, in order and without overlaps.
    pub(super) codes: Vec<Range<usize>>,
    bytes: Vec<u8>,
    seams: Vec<usize>,
}

impl Stripped {
    /// Removes the codes of a text; none if it has no codes.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let codes = codes(text);
        if codes.is_empty() {
            return None;
        }
        let mut bytes = Vec::with_capacity(text.len());
        let mut seams = Vec::with_capacity(codes.len());
        let mut at = 0;
        for code in &codes {
            bytes.extend_from_slice(&text[at..code.start]);
            if seams.last() != Some(&bytes.len()) {
                seams.push(bytes.len());
            }
            at = code.end;
        }
        bytes.extend_from_slice(&text[at..]);
        Some(Self { codes, bytes, seams })
    }

    /// Returns the text as rules read it.
    pub(super) fn view(&self) -> PlainBytes<'_> {
        PlainBytes::seamed(&self.bytes, &self.seams)
    }

    /// Widens a range of the text with codes so that it does not cut a code.
    pub(super) fn widen(&self, range: &mut Range<usize>) {
        let around = |place: usize| {
            let at = self.codes.partition_point(|code| code.end <= place);
            self.codes.get(at).filter(|code| code.start < place)
        };
        if let Some(code) = around(range.start) {
            range.start = code.start;
        }
        if let Some(code) = around(range.end) {
            range.end = code.end;
        }
    }
}

/// Returns the ranges of the codes in a text, in order and without overlaps.
fn codes(text: &[u8]) -> Vec<Range<usize>> {
    unspool_work::add(text.len());
    let mut codes = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let length = match text[at] {
            0x1b | b'\\' | b'^' | 0xc2 | 0xe2 => code(&text[at..]),
            _ => 0,
        };
        if length > 0 {
            codes.push(at..at + length);
        }
        at += length.max(1);
    }
    codes
}

/// Returns the length of the code at the start of a text; zero if there is none.
fn code(text: &[u8]) -> usize {
    if text[0] == 0x1b {
        return 1 + written(&text[1..]);
    }
    if text.starts_with("\u{9b}".as_bytes()) {
        let length = "\u{9b}".len();
        return length + numbers(&text[length..]).map_or(0, |(length, _)| length);
    }
    let begin = spelling(text);
    let rest = &text[begin..];
    let bracket = matches!(rest.first(), Some(b'[' | b']'));
    // Source code has brackets after backslashes too, so a spelling needs more than a bracket.
    let sure = match rest.first() {
        Some(b'[') => numbers(&rest[1..])
            .is_some_and(|(length, last)| length > 1 || matches!(last, b'm' | b'K')),
        _ => bracket,
    };
    if begin > 0 && sure { begin + written(rest) } else { 0 }
}

/// Returns the length of a spelling of the escape character at the start of a text.
fn spelling(text: &[u8]) -> usize {
    for sign in ["^[", "␛"] {
        if text.starts_with(sign.as_bytes()) {
            return sign.len();
        }
    }
    let slashes = text.iter().take(16).take_while(|&&byte| byte == b'\\');
    let slashes = slashes.count();
    let rest = &text[slashes..];
    let begins =
        |name: &&&[u8]| rest.len() >= name.len() && rest[..name.len()].eq_ignore_ascii_case(name);
    match SPELLINGS.iter().find(begins) {
        Some(name) if slashes > 0 => slashes + name.len(),
        _ => 0,
    }
}

/// Returns the length of the part of a code after the escape character.
fn written(text: &[u8]) -> usize {
    match text {
        [b'[', rest @ ..] => 1 + numbers(rest).map_or(0, |(length, _)| length),
        [b']', rest @ ..] => 1 + command(rest),
        [b' '..=b'/', b'0'..=b'~', ..] => 2,
        [b'0'..=b'~', ..] => 1,
        _ => 0,
    }
}

/// Returns the length of the numbers of a code with the letter after them, and the letter.
fn numbers(text: &[u8]) -> Option<(usize, u8)> {
    let numbers = text.iter().take(NUMBERS);
    let length = numbers.take_while(|byte| (b' '..=b'?').contains(byte)).count();
    let last = *text.get(length)?;
    (b'@'..=b'~').contains(&last).then_some((length + 1, last))
}

/// Returns the length of the part of a command before its text: `0;`, or `8;id=1;`.
fn command(text: &[u8]) -> usize {
    let digits = text.iter().take(4).take_while(|byte| byte.is_ascii_digit());
    let number = digits.count();
    if text.get(number) != Some(&b';') {
        return number;
    }
    if &text[..number] != b"8" {
        return number + 1;
    }
    let rest = text[number + 1..].iter().take(NUMBERS);
    let id = rest.clone().take_while(|&&byte| byte != b';').count();
    if id < rest.len() { number + 1 + id + 1 } else { number + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_however_they_are_spelled() {
        for (text, shown) in [
            ("\u{1b}[01;31m\u{1b}[Kkey\u{1b}[m\u{1b}[K", "key"),
            ("\u{1b}(B\u{1b}[mx\u{1b}7y", "xy"),
            ("\u{9b}1mx", "x"),
            ("a\\u001b[31mb\\u001B[0mc", "abc"),
            ("a\\\\u001b[31mb\\x1b[0mc\\033[1md\\e[0me^[[0mf␛[1mg", "abcdefg"),
            ("\u{1b}]8;;https://x.org\u{1b}\\text\u{1b}]8;;\u{1b}\\", "https://x.orgtext"),
            ("\u{1b}]0;title", "title"),
            ("\u{1b}", ""),
        ] {
            let stripped = Stripped::of(text.as_bytes()).expect("codes");
            assert_eq!(String::from_utf8_lossy(&stripped.view()), shown, "{text:?}");
        }
        for plain in ["", "x[31m", "\\e[ghp_", "C:\\users\\x", "^[a-z]", "é→"] {
            assert!(Stripped::of(plain.as_bytes()).is_none(), "{plain}");
        }
    }

    #[test]
    fn places_are_counted_back() {
        let text = "a\u{1b}[1mbc\u{1b}[0md";
        let stripped = Stripped::of(text.as_bytes()).expect("codes");
        assert_eq!(&*stripped.view(), b"abcd");
        let mut ranges = [0..1, 1..3, 3..4];
        super::super::view::locate(&stripped.codes, &mut ranges);
        let parts = ranges.map(|range| &text[range]);
        assert_eq!(parts, ["a", "bc", "d"]);
        let mut whole = 0..4;
        super::super::view::locate(&stripped.codes, std::slice::from_mut(&mut whole));
        assert_eq!(&text[whole], &text[..text.len()]);
        let mut cut = 3..6;
        stripped.widen(&mut cut);
        assert_eq!(&text[cut], "\u{1b}[1mb");
    }
}
