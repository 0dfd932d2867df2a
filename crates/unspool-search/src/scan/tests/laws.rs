//! The scan finds what decoding everything finds, for any log and pattern.

use proptest::prelude::*;

use super::*;
use crate::scan::CaseMode;
use crate::scan::HitsBeyondLimit;

/// Characters that are written in special ways, look like escapes, or fold to others.
const CHARACTERS: [char; 36] = [
    'a', 'b', 'n', 'u', '0', 'e', '9', 'k', 'K', 's', '_', ' ', '.', ',', ':', '{', '}', '"', '\\',
    '/', '\n', '\t', '\r', '\0', '\u{1F}', '\u{7F}', 'é', 'É', 'ſ', 'K', '日', '\u{2028}',
    '\u{FFFD}', '😀', '𝐀', 'ß',
];

/// Words long enough for a literal search in place of the pattern.
const WORDS: [&str; 4] = ["Error", "parse_config", "été", "is_error"];

/// Parts for texts that are longer than what is decoded around a mark.
const LONG: [&str; 4] = ["x", " ", "\n", "é"];

fn text() -> impl Strategy<Value = String> {
    let character = prop::sample::select(&CHARACTERS[..]).prop_map(String::from);
    let word = prop::sample::select(&WORDS[..]).prop_map(str::to_owned);
    let long = (prop::sample::select(&LONG[..]), 50usize..150);
    let long = long.prop_map(|(part, times)| part.repeat(times));
    let part = prop_oneof![30 => character, 2 => word, 1 => long];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

/// Writes a character in the way with a number.
fn write(c: char, way: u8, out: &mut String) {
    let mut units = |upper: bool| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let digits = format!("{unit:04x}");
            let digits = if upper { digits.to_uppercase() } else { digits };
            out.extend(["\\u", &digits]);
        }
    };
    match (way % 8, c) {
        (0, _) => units(false),
        (1, _) => units(true),
        (_, '"' | '\\') => out.extend(['\\', c]),
        (2, '/') => out.push_str("\\/"),
        (_, '\n') => out.push_str("\\n"),
        (2, '\t') => out.push_str("\\t"),
        (2, '\r') => out.push_str("\\r"),
        (2..4, '\0'..='\u{1F}') => units(false),
        _ => out.push(c),
    }
}

/// A text as a JSON string; most characters are written as themselves.
fn written() -> impl Strategy<Value = String> {
    let way = prop_oneof![3 => Just(7u8), 1 => any::<u8>()];
    let ways = prop::collection::vec(way, 24);
    (text(), ways).prop_map(|(text, ways)| {
        let mut out = String::new();
        for (c, way) in text.chars().zip(ways.into_iter().cycle()) {
            write(c, way, &mut out);
        }
        out
    })
}

fn record() -> impl Strategy<Value = String> {
    const SHAPES: [&str; 6] = [
        r#"{"type":"user","uuid":"ab","message":{"content":"@"}}"#,
        r#"{"type":"user","sessionId":"s","message":{"content":[{"type":"tool_result","content":"@","is_error":false}]},"toolUseResult":{"stdout":"@","a":["@"]}}"#,
        r#"{"message":{"content":[{"type":"text","text":"@"},{"type":"tool_use","input":{"u":"@","n":["@",1]}}]},"cwd":"@","type":"assistant","parentUuid":null}"#,
        r#"{ "type" : "system" , "content" : "@" , "k" : { "k" : "@" } }"#,
        r#"{"message":{"0":"@","1":"@","2":"@"},"type":"user"}"#,
        r#"{"a@":"b","n":"@","summary":"@"}"#,
    ];
    (prop::sample::select(&SHAPES[..]), prop::collection::vec(written(), 3)).prop_map(
        |(shape, texts)| {
            let mut texts = texts.into_iter().cycle();
            shape.split('@').fold(String::new(), |mut out, part| {
                if !out.is_empty() {
                    out += &texts.next().unwrap_or_default();
                }
                out + part
            })
        },
    )
}

/// A line: a record, a torn one, glued ones, or anything.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let whole = || record().prop_map(String::into_bytes);
    let cut = || {
        (whole(), any::<prop::sample::Index>()).prop_map(|(bytes, index)| {
            let (torn, tail) = bytes.split_at(index.index(bytes.len()));
            (torn.to_vec(), tail.to_vec())
        })
    };
    let torn = cut().prop_map(|(torn, _)| torn);
    let tail = cut().prop_map(|(_, tail)| tail);
    let glued = (cut(), whole()).prop_map(|((torn, _), next)| [torn, next].concat());
    let twins = (whole(), whole()).prop_map(|(a, b)| [a, b].concat());
    let noise = prop::collection::vec(any::<u8>(), 0..60);
    let broken = (whole(), any::<prop::sample::Index>(), any::<u8>()).prop_map(
        |(mut bytes, index, byte)| {
            let at = index.index(bytes.len());
            bytes[at] = byte;
            bytes
        },
    );
    prop_oneof![12 => whole(), 2 => torn, 1 => tail, 2 => glued, 1 => twins, 1 => noise, 2 => broken]
        .prop_map(|mut bytes| {
            bytes.retain(|&byte| byte != b'\n');
            without_needless_backslashes(bytes)
        })
}

/// Replaces backslashes before characters that JSON does not escape: such text is not JSON and
/// is not searched for.
fn without_needless_backslashes(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while at < bytes.len() {
        let escape = bytes[at] == b'\\';
        let named = bytes.get(at + 1).is_some_and(|next| br#""\/bfnrtu"#.contains(next));
        if escape && !named {
            bytes[at] = b'x';
        }
        at += if escape && named { 2 } else { 1 };
    }
    bytes
}

fn log() -> impl Strategy<Value = Vec<u8>> {
    let ends = prop::sample::select(&["\n", "\r\n", "\n\n"][..]);
    (prop::collection::vec((line(), ends), 1..6), any::<bool>()).prop_map(|(lines, last)| {
        let mut log = Vec::new();
        let count = lines.len();
        for (number, (line, end)) in lines.into_iter().enumerate() {
            log.extend(line);
            if last || number + 1 < count {
                log.extend(end.as_bytes());
            }
        }
        log
    })
}

fn pattern() -> impl Strategy<Value = String> {
    const TIMES: [&str; 11] = ["", "", "", "", "?", "*", "+", "{2}", "{0,3}", "+?", "{70}"];
    const ATOMS: [&str; 26] = [
        ".",
        "[^a]",
        r"\s",
        r"\w",
        r"\d",
        r"\W",
        "[a-z]",
        "[é-ſ]",
        r"[\x00-\x1f]",
        r#"["\\/]"#,
        "(?s:.)",
        r"\b",
        "^",
        "$",
        r"\A",
        r"\z",
        r"\B",
        r"\n",
        r"\\",
        "(?i:k)",
        "(?i:é)",
        "(?i:s)",
        r"\p{L}",
        r"[😀-😎]",
        r"\x{FFFD}",
        "[[:punct:]]",
    ];
    let literal = prop::collection::vec(prop::sample::select(&CHARACTERS[..]), 1..4)
        .prop_map(|characters| regex_syntax::escape(&String::from_iter(characters)));
    let word = prop::sample::select(&WORDS[..]).prop_map(str::to_owned);
    let atom = prop_oneof![
        3 => literal,
        1 => word,
        2 => prop::sample::select(&ATOMS[..]).prop_map(str::to_owned),
    ];
    let times = prop::sample::select(&TIMES[..]);
    let again = prop::sample::select(&["", "", "", "", "", "?", "*", "{2}"][..]);
    let piece = (atom, times, again)
        .prop_map(|(atom, times, again)| format!("(?:(?:{atom}){times}){again}"));
    let sequence = prop::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat());
    prop::collection::vec(sequence, 1..3).prop_map(|ways| ways.join("|"))
}

/// Compares the hits of a scan with decoding everything, both shown and counted.
fn check(log: &[u8], pattern: &str, kind: PatternKind, case: CaseMode) {
    let Ok(compiled) = ScanPattern::new(pattern, kind, case) else {
        return;
    };
    let expected = oracle(log, &compiled);
    let files = Files::log("a", log);
    let mut request = ScanRequest::new(pattern, kind);
    request.case = case;
    let found = offsets(&files.scan(&request).hits);
    assert_eq!(found, expected, "{pattern:?} in {:?}", String::from_utf8_lossy(log));
    request.limit = 0;
    let counted = files.scan(&request).further;
    assert_eq!(
        counted,
        HitsBeyondLimit::Exactly(expected.len() as u64),
        "{pattern:?} counted in {:?}",
        String::from_utf8_lossy(log)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn regular_expressions_find_what_decoding_finds(log in log(), pattern in pattern()) {
        check(&log, &pattern, PatternKind::Regex, CaseMode::Sensitive);
    }

    #[test]
    fn exact_texts_find_what_decoding_finds(log in log(), pattern in text(), ignore in any::<bool>()) {
        let pattern: String = pattern.chars().take(4).collect();
        let case = if ignore { CaseMode::Ignore } else { CaseMode::Sensitive };
        check(&log, &pattern, PatternKind::Exact, case);
    }

    #[test]
    fn a_part_of_a_text_is_found(log in log(), line in any::<prop::sample::Index>(), start in 0usize..12, length in 1usize..6) {
        let lines: Vec<&[u8]> = log.split(|&byte| byte == b'\n').collect();
        let mut texts = Vec::new();
        let (_, result) = texts_of(lines[line.index(lines.len())], &mut |_, text| {
            texts.push(text.decode().into_owned());
            Ok(())
        });
        for text in texts.iter().filter(|_| result.is_ok()) {
            let part: String = text.chars().skip(start).take(length).collect();
            check(&log, &part, PatternKind::Exact, CaseMode::Sensitive);
        }
    }
}

#[test]
fn what_is_repeated_may_be_repeated_again() {
    let log = br#"{"type":"user","uuid":"ab","message":{"content":"aa. error"}}"#;
    for pattern in [r"(?:\.)(?:\x{FFFD})?", r"error(?:\d{2})?", r"a(?:b{2}){0,1}", r"(?:(?:a+)*)?r"]
    {
        check(log, pattern, PatternKind::Regex, CaseMode::Sensitive);
    }
}
