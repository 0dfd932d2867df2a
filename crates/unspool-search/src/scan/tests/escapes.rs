//! Every way of writing a text, with every way of searching for it.

use super::*;
use crate::scan::CaseMode;

/// Writes a text as JSON, with `write` for the characters that it knows.
fn written(text: &str, write: Way) -> String {
    let must = |c: char| match c {
        '"' => Some("\\\"".to_owned()),
        '\\' => Some("\\\\".to_owned()),
        '\n' => Some("\\n".to_owned()),
        '\0'..='\u{1F}' => Some(format!("\\u{:04x}", c as u32)),
        _ => None,
    };
    text.chars().map(|c| write(c).or_else(|| must(c)).unwrap_or_else(|| c.into())).collect()
}

fn units(c: char, digits: fn(u16) -> String) -> String {
    let units = c.encode_utf16(&mut [0; 2]).to_vec();
    units.into_iter().map(digits).collect()
}

/// Writes a character in a special way; none for other characters.
type Way = fn(char) -> Option<String>;

const WAYS: [(&str, Way); 6] = [
    ("as itself", |_| None),
    ("lower-case escapes", |c| (!c.is_ascii()).then(|| units(c, |unit| format!("\\u{unit:04x}")))),
    ("upper-case escapes", |c| (!c.is_ascii()).then(|| units(c, |unit| format!("\\u{unit:04X}")))),
    ("all escaped", |c| Some(units(c, |unit| format!("\\u{unit:04X}")))),
    ("slashes and short escapes", |c| match c {
        '/' => Some("\\/".to_owned()),
        '\t' => Some("\\t".to_owned()),
        '\r' => Some("\\r".to_owned()),
        '\u{8}' => Some("\\b".to_owned()),
        '\u{C}' => Some("\\f".to_owned()),
        _ => None,
    }),
    ("raw control characters", |c| (c.is_control() && c != '\n').then(|| c.into())),
];

const TEXTS: [&str; 9] = [
    "plain words",
    "two\nlines\n\nand a gap",
    "say \"hi\" to C:\\new\\table and a\\\\b",
    "src/main.rs // é",
    "naïve café – 日本語 😀 done",
    "tab\there\rback\u{8}\u{C}\u{1b}[31mred",
    "\u{2028}\u{85}\u{FFFD}",
    "00e9 u00e9 \\u00e9 n\\n",
    "İstanbul ſtraße K",
];

const PATTERNS: [&str; 64] = [
    "plain",
    "words",
    "PLAIN",
    "lines",
    "two\nlines",
    r"two\nlines",
    r"two\slines",
    r"\w\n\w+",
    r"(?s)two.*gap",
    r"^lines$",
    r"^and",
    r"gap$",
    r"\n\n",
    r"\Aplain",
    r"words\z",
    r"\bhi\b",
    r#""hi""#,
    r"\\",
    r"\\n",
    r"C:\\new",
    r"a\\\\b",
    "main.rs",
    r"src/main\.rs",
    "/",
    r"//\s",
    "é",
    "É",
    "(?i)É",
    "naïve",
    r"na.ve",
    r"caf[éè]",
    "日本",
    "[日本語]+",
    "😀",
    r"\p{Emoji_Presentation}",
    "😀 done",
    "– ",
    r"\t",
    r"tab\s+here",
    r"\r",
    r"[\x08\x0c]",
    r"\x1b\[31m",
    "31mred",
    "\u{2028}",
    r"\u{85}",
    "\u{FFFD}",
    "u00e9",
    "00e9",
    "e9 u",
    "nn",
    "bback",
    "there",
    "nlines",
    r"\w+\W\w+",
    r"[^a-z]+",
    "(?i)k",
    "(?i)straße",
    "(?i)STRASSE",
    "İ",
    "i̇stanbul",
    "uuid",
    "message",
    "s1",
    "role|text",
];

#[test]
fn a_text_is_found_however_it_is_written() {
    let mut log = String::new();
    let mut lines = Vec::new();
    for text in TEXTS {
        for (way, write) in WAYS {
            lines.push((log.len() as u64, text, way));
            log += "{\"uuid\":\"s1\",\"message\":{\"role\":\"user\",\"content\":\"";
            log += &written(text, write);
            log += "\"}}\n";
        }
    }
    let files = Files::log("a", &log);
    let mut hits = 0;
    for pattern in PATTERNS {
        for kind in [PatternKind::Regex, PatternKind::Exact] {
            let plain = ScanPattern::new(pattern, kind, CaseMode::Sensitive).expect("valid");
            let found = offsets(&files.find(pattern, kind));
            for (offset, text, way) in &lines {
                let expected = plain.find_at(text, 0).is_some();
                let found = found.contains(offset);
                assert_eq!(found, expected, "{pattern:?} as {kind:?} in {text:?}, {way}");
                hits += usize::from(found);
            }
        }
    }
    assert!(hits > 300, "{hits} of the cases are hits");
}

#[test]
fn exact_takes_every_character_as_it_is() {
    let files = Files::log("a", "{\"message\":\"a.b* [x] ^$\"}\n{\"message\":\"aXb\"}\n");
    for (pattern, expected) in [("a.b", 1), ("b* [x] ^$", 1), ("A.B", 0), ("aXb", 1)] {
        assert_eq!(files.find(pattern, PatternKind::Exact).len(), expected, "{pattern}");
    }
    let mut request = ScanRequest::new("A.B", PatternKind::Exact);
    request.case = CaseMode::Ignore;
    assert_eq!(files.scan(&request).hits.len(), 1);
}

#[test]
fn a_wrong_pattern_is_told_with_its_place() {
    use crate::scan::ScanPatternError;
    let error = |pattern: &str| {
        scan(&[], &ScanRequest::new(pattern, PatternKind::Regex), &AtomicU64::new(0))
            .expect_err("is wrong")
    };
    let ScanPatternError::Syntax { message, span } = error("ab(cd") else {
        panic!("not a syntax error");
    };
    assert_eq!(span, 2..3);
    assert!(message.contains("ab(cd\n      ^"), "{message}");
    assert!(message.contains("unclosed group"), "{message}");
    assert!(matches!(error(r"(?-u:\xFF)"), ScanPatternError::Syntax { .. }));
    assert_eq!(error(""), ScanPatternError::Empty);
    assert!(matches!(error(r"\w{1000}{1000}"), ScanPatternError::TooLarge(_)));
}
