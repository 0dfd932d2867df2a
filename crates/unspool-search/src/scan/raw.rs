//! From a pattern for texts to a pattern for the bytes that texts are written in.
//!
//! Knows how JSON writes characters, and nothing about records. A character of a text
//! is written in a log as itself, after a backslash, or as `\uXXXX`. The pattern that comes
//! out matches wherever the pattern that went in matches the decoded text, and in more
//! places; it never takes a newline, so that it stays within a line.
//!
//! Two ways of writing are left out, because they would put an alternative before every
//! letter and so take away the literals that make a search fast. Printable ASCII as
//! `\uXXXX` is looked for apart, in [`super::odd`]. A backslash before a character that
//! needs none is not JSON; a match that runs over one may be missed.

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
    Repetition,
};

/// Classes up to this size are spelled out, character by character.
const SMALL: usize = 8;

/// The most bytes that one character is written with: two units as `\uXXXX`.
const LONGEST: u32 = 12;

/// What damage is decoded to, so that any bytes may represent it.
const DAMAGE: char = '\u{FFFD}';

/// Turns a pattern for texts into one for the bytes of a log.
///
/// Assertions are true everywhere in the new pattern: what comes before a character of a text
/// is not what comes before its bytes. The depth is limited by the pattern's parser.
pub(super) fn raw(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Hir::empty(),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => Hir::concat(text.chars().map(character).collect()),
            Err(_) => anything(),
        },
        HirKind::Class(class) => of_class(class),
        HirKind::Repetition(repetition) => repeated(repetition),
        HirKind::Capture(capture) => raw(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(raw).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(raw).collect()),
    }
}

fn repeated(repetition: &Repetition) -> Hir {
    let sub = match repetition.max {
        Some(0) => return Hir::empty(),
        // One character more or less of anything makes no difference worth its states.
        _ if is_wide(&repetition.sub) => {
            return Hir::repetition(Repetition { max: None, ..repetition.with(any_byte()) });
        }
        _ => grouped(raw(&repetition.sub)),
    };
    Hir::repetition(repetition.with(sub))
}

/// Puts a repetition in parentheses: printed without them, `(?:a{2})?` would be `a{2}?`.
fn grouped(hir: Hir) -> Hir {
    match hir.kind() {
        HirKind::Repetition(_) => {
            Hir::capture(Capture { index: 1, name: None, sub: Box::new(hir) })
        }
        _ => hir,
    }
}

/// Tells whether a pattern is a class that takes almost anything, such as `.`.
fn is_wide(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => contains(class, DAMAGE),
        HirKind::Capture(capture) => is_wide(&capture.sub),
        _ => false,
    }
}

fn of_class(class: &Class) -> Hir {
    let unicode = match class {
        Class::Unicode(class) => Some(class.clone()),
        Class::Bytes(class) => class.to_unicode_class(),
    };
    match unicode {
        Some(class) if !contains(&class, DAMAGE) => of_characters(class),
        _ => anything(),
    }
}

fn of_characters(class: ClassUnicode) -> Hir {
    let size: usize = class.iter().map(ClassUnicodeRange::len).sum();
    if size <= SMALL {
        let characters = class.iter().flat_map(|range| range.start()..=range.end());
        return Hir::alternation(characters.map(character).collect());
    }
    let has =
        |from: char, to: char| class.iter().any(|range| range.start() <= to && from <= range.end());
    let mut ways = Vec::new();
    for escaped in ['"', '\\', '/'] {
        if has(escaped, escaped) {
            ways.push(Hir::literal([b'\\', escaped as u8]));
        }
    }
    if has('\0', '\u{1F}') {
        ways.push(after_backslash(bytes(b"bfnrt")));
    }
    if has('\u{80}', char::MAX) {
        let pair = Repetition { min: 1, max: Some(2), greedy: true, sub: Box::new(any_unit()) };
        ways.push(Hir::repetition(pair));
    } else if has('\0', '\u{1F}') {
        ways.push(any_unit());
    }
    let mut plain = class;
    plain.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
    ways.insert(0, Hir::class(Class::Unicode(plain)));
    Hir::alternation(ways)
}

/// Returns how one character may be written.
fn character(c: char) -> Hir {
    let itself = || Hir::literal(c.encode_utf8(&mut [0; 4]).as_bytes());
    match c {
        DAMAGE => anything(),
        // Torn records contain quotes that are not escaped, and may end in half an escape.
        '"' | '/' => Hir::concat(vec![maybe_backslash(), itself()]),
        '\\' => Hir::concat(vec![itself(), maybe_backslash()]),
        '\0'..='\u{1F}' => {
            let mut ways = vec![escape(c)];
            ways.extend(short_escape(c).map(Hir::literal));
            ways.extend((c != '\n').then(itself));
            Hir::alternation(ways)
        }
        ' '..='\u{7F}' => itself(),
        _ => Hir::alternation(vec![itself(), escape(c)]),
    }
}

fn short_escape(c: char) -> Option<&'static [u8]> {
    Some(match c {
        '\n' => br"\n",
        '\t' => br"\t",
        '\r' => br"\r",
        '\u{8}' => br"\b",
        '\u{C}' => br"\f",
        _ => return None,
    })
}

/// Returns the escape of a character, whose digits may be in either case.
fn escape(c: char) -> Hir {
    let unit = |unit: &mut u16| {
        let digits = [12, 8, 4, 0].map(|shift| *unit >> shift & 0xF);
        let digits = digits.map(|digit| char::from_digit(digit.into(), 16).unwrap_or_default());
        let either = digits.map(|digit| bytes(&[digit as u8, digit.to_ascii_uppercase() as u8]));
        let mut parts = vec![Hir::literal(*br"\u")];
        parts.extend(either);
        Hir::concat(parts)
    };
    Hir::concat(c.encode_utf16(&mut [0; 2]).iter_mut().map(unit).collect())
}

/// Takes the escape of any unit.
fn any_unit() -> Hir {
    let digits = bytes(b"0123456789abcdefABCDEF");
    let four =
        Hir::repetition(Repetition { min: 4, max: Some(4), greedy: true, sub: Box::new(digits) });
    Hir::concat(vec![Hir::literal(*br"\u"), four])
}

/// Takes whatever one character may be written with.
fn anything() -> Hir {
    Hir::repetition(Repetition {
        min: 1,
        max: Some(LONGEST),
        greedy: true,
        sub: Box::new(any_byte()),
    })
}

fn any_byte() -> Hir {
    let ranges = [ClassBytesRange::new(0, b'\n' - 1), ClassBytesRange::new(b'\n' + 1, 0xFF)];
    Hir::class(Class::Bytes(ClassBytes::new(ranges)))
}

fn after_backslash(hir: Hir) -> Hir {
    Hir::concat(vec![Hir::literal(*br"\"), hir])
}

fn maybe_backslash() -> Hir {
    Hir::repetition(Repetition {
        min: 0,
        max: Some(1),
        greedy: true,
        sub: Box::new(Hir::literal(*br"\")),
    })
}

fn bytes(set: &[u8]) -> Hir {
    let ranges = set.iter().map(|&byte| ClassBytesRange::new(byte, byte));
    Hir::class(Class::Bytes(ClassBytes::new(ranges)))
}

fn contains(class: &ClassUnicode, c: char) -> bool {
    class.iter().any(|range| range.start() <= c && c <= range.end())
}
