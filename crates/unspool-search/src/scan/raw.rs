//! Rewrites a pattern for texts into one for the bytes in which logs write the texts.
//!
//! Knows how JSON writes characters, but not records. A log writes a character of a text
//! as itself, after a backslash, or as `\uXXXX`. The new pattern matches wherever the original
//! matches the decoded text, and in more places; it never matches a newline, so it stays within a
//! line.
//!
//! Two ways of writing are left out, because they would put an alternative before every
//! letter and so remove the literals that make a search fast. Printable ASCII as `\uXXXX` is
//! found separately, in [`super::unusual`]. A backslash before a character that needs none is not
//! JSON; a match that contains one may be missed.

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind,
    Repetition,
};

/// Classes up to this size become an alternation of their characters.
const SMALL: usize = 8;

/// The maximal number of bytes for one character: two units as `\uXXXX`.
const LONGEST: u32 = 12;

/// The replacement for damaged bytes: any bytes may decode to it.
const DAMAGE: char = '\u{FFFD}';

/// Rewrites a pattern for texts into one for the bytes of a log.
///
/// Assertions always match in the new pattern, since the bytes before a character are not the
/// character before it. The depth of the recursion is limited by the pattern's parser.
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
        // For a class like `.`, an exact count of characters would only cost states.
        _ if is_wide(&repetition.sub) => {
            return Hir::repetition(Repetition { max: None, ..repetition.with(any_byte()) });
        }
        _ => grouped(raw(&repetition.sub)),
    };
    Hir::repetition(repetition.with(sub))
}

/// Wraps a repetition in parentheses: printed without them, `(?:a{2})?` would be `a{2}?`.
fn grouped(hir: Hir) -> Hir {
    match hir.kind() {
        HirKind::Repetition(_) => {
            Hir::capture(Capture { index: 1, name: None, sub: Box::new(hir) })
        }
        _ => hir,
    }
}

/// Tells whether a pattern is a class of almost all characters, such as `.`.
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

/// Returns a pattern for the ways of writing one character.
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

/// Returns the `\uXXXX` escape of a character, with digits in either case.
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

/// Returns a pattern for the escape of any unit.
fn any_unit() -> Hir {
    let digits = bytes(b"0123456789abcdefABCDEF");
    let four =
        Hir::repetition(Repetition { min: 4, max: Some(4), greedy: true, sub: Box::new(digits) });
    Hir::concat(vec![Hir::literal(*br"\u"), four])
}

/// Returns a pattern for any way of writing one character.
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
