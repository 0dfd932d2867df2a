//! The parser accepts what other parsers accept, with the same meaning.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;
use unspool_model::json::{self, Cursor, JsonShape, Str};

use crate::json_value::read_whole;
use crate::sessions::{Sample, any_bytes, cases};

/// Generates a string as it may be in a file: characters, escapes, and unneeded escapes.
fn string_text() -> impl Strategy<Value = String> {
    let half = |unit: &u16| (0xD800..0xE000).contains(unit);
    let unit = || any::<u16>().prop_filter("half a pair", move |unit| !half(unit));
    let pair = (0xD800..0xDC00u32, 0xDC00..0xE000u32);
    let short = vec!["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"];
    let part = prop_oneof![
        4 => "[a-zA-Z0-9 {}\\[\\]:,']",
        1 => any::<char>().prop_map(inside_quotes),
        1 => unit().prop_map(|unit| format!("\\u{unit:04x}")),
        1 => unit().prop_map(|unit| format!("\\u{unit:04X}")),
        1 => pair.prop_map(|(high, low)| format!("\\u{high:04x}\\u{low:04x}")),
        1 => prop::sample::select(short).prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..10).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

/// Returns a character as `serde_json` writes it, without the quotes around it.
fn inside_quotes(character: char) -> String {
    let quoted = serde_json::to_string(&character).expect("a character can be written");
    quoted[1..quoted.len() - 1].to_owned()
}

/// Generates a string with escapes that only tolerant parsers accept, and with lone surrogates.
fn odd_string_text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "\\ud83d", "\\udE42", "\\u12", "\\q", "\\é", "\\u", "é", "😀", "a",
    ]);
    let part = prop_oneof![
        string_text().prop_map(|text| text[1..text.len() - 1].to_owned()),
        odd.prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..6).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

/// Generates white space between tokens.
fn white() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "", "", " ", "\t", "\r\n", "\n  "])
}

/// Generates an object as text.
fn object_text() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        string_text(),
        prop::sample::select(vec![
            "null", "true", "false", "0", "-0", "1.5", "-12e3", "2E+4", "7e-2"
        ])
        .prop_map(str::to_owned),
        any::<i64>().prop_map(|number| number.to_string()),
    ];
    let value = scalar.prop_recursive(6, 24, 4, |inner| {
        let items = || prop::collection::vec((white(), inner.clone(), white()), 0..4);
        prop_oneof![items().prop_map(|items| array(&items)), fields(items())]
    });
    fields(prop::collection::vec((white(), value, white()), 0..5))
}

fn array(items: &[(&str, String, &str)]) -> String {
    let items: Vec<String> = items.iter().map(|(a, item, b)| format!("{a}{item}{b}")).collect();
    format!("[{}]", items.join(","))
}

fn fields(
    items: impl Strategy<Value = Vec<(&'static str, String, &'static str)>>,
) -> impl Strategy<Value = String> {
    (items, prop::collection::vec(string_text(), 5)).prop_map(|(items, keys)| {
        let fields = items.iter().zip(keys.iter().cycle());
        let fields: Vec<String> =
            fields.map(|((a, item, b), key)| format!("{a}{key}{b}:{a}{item}{b}")).collect();
        format!("{{{}}}", fields.join(","))
    })
}

/// Generates the text of an object with a few bytes changed.
fn nearly_object() -> impl Strategy<Value = Sample> {
    let byte = prop_oneof![
        3 => prop::sample::select(b"\"\\{}[]:,0-1.eE+u \n\t".to_vec()),
        1 => any::<u8>(),
    ];
    let change = (any::<Index>(), byte, 0..3u8);
    (object_text(), prop::collection::vec(change, 0..4)).prop_map(|(text, changes)| {
        let mut bytes = text.into_bytes();
        for (at, byte, how) in changes {
            let at = at.index(bytes.len() + 1);
            match how {
                0 => bytes.insert(at, byte),
                1 if at < bytes.len() => bytes[at] = byte,
                _ if at < bytes.len() => drop(bytes.remove(at)),
                _ => {}
            }
        }
        Sample(bytes)
    })
}

/// Collects the strings of a value that are not keys; recurses, unlike the parser.
fn strings_of<'a>(cursor: &mut Cursor<'a>, found: &mut Vec<Str<'a>>) -> json::JsonResult<()> {
    match cursor.shape()? {
        JsonShape::Object => cursor.object(|cursor, _| strings_of(cursor, found)),
        JsonShape::Array => cursor.array(|cursor| strings_of(cursor, found)),
        _ => {
            found.extend(cursor.string()?);
            Ok(())
        }
    }
}

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn what_serde_json_reads_is_read_with_the_same_meaning(bytes in nearly_object()) {
        if let Ok(Value::Object(map)) = serde_json::from_slice(&bytes) {
            prop_assert_eq!(read_whole(&bytes), Ok(Value::Object(map)), "{}", bytes.escape_ascii());
            let length = json::object_length(&bytes).expect("an object is there");
            prop_assert!(bytes[length..].iter().all(u8::is_ascii_whitespace));
        }
    }

    #[test]
    fn skipping_accepts_what_reading_accepts(bytes in nearly_object()) {
        let mut reading = Cursor::new(&bytes);
        let read = crate::json_value::read(&mut reading).is_ok();
        let mut skipping = Cursor::new(&bytes);
        prop_assert_eq!(skipping.skip().is_ok(), read);
        if read {
            prop_assert_eq!(skipping.position(), reading.position());
        }
    }

    #[test]
    fn every_string_that_is_no_key_is_handed_out_in_order(bytes in nearly_object()) {
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        let read = strings_of(&mut Cursor::new(&bytes), &mut expected);
        let walked = Cursor::new(&bytes).strings(|_, text| {
            found.push(text);
            Ok(())
        });
        prop_assert_eq!(walked, read);
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn an_object_is_never_longer_than_the_text(bytes in any_bytes(20)) {
        if let Some(length) = json::object_length(&bytes) {
            prop_assert!(length <= bytes.len());
            prop_assert_eq!(json::object_length(&bytes[..length]), Some(length));
            prop_assert_eq!(json::object_length(&bytes[..length - 1]), None);
        }
    }

    #[test]
    fn strict_text_is_accepted_by_serde_json(bytes in nearly_object()) {
        if let Some(length) = json::object_length(&bytes) {
            let raw = &bytes[..length];
            let strict = json::to_strict(raw);
            let read = serde_json::from_str::<Value>(&strict);
            // A number that is too large is still JSON.
            let read = read.map_or_else(|error| error.to_string().contains("out of range"), |_| true);
            prop_assert!(read, "{} became {strict}", raw.escape_ascii());
            prop_assert_eq!(json::to_strict(strict.as_bytes()), &*strict, "strict text stays");
        }
    }

    #[test]
    fn strict_text_means_the_same(bytes in nearly_object()) {
        if let Ok(value) = serde_json::from_slice::<Value>(&bytes) {
            let strict = serde_json::from_str::<Value>(&json::to_strict(&bytes));
            prop_assert_eq!(strict.ok(), Some(value));
        }
    }

    #[test]
    fn quoted_text_is_read_back(text in any::<String>()) {
        let mut quoted = String::new();
        json::quote(&text, &mut quoted);
        prop_assert_eq!(serde_json::from_str::<String>(&quoted).ok(), Some(text.clone()));
        let read = Cursor::new(quoted.as_bytes()).string().expect("a value").expect("a string");
        prop_assert_eq!(read.decode(), text);
    }

    #[test]
    fn the_beginning_of_a_string_is_the_beginning_of_its_text(text in odd_string_text()) {
        let read = Cursor::new(text.as_bytes()).string().expect("a value").expect("a string");
        let whole = read.decode();
        for limit in 0..=text.len() {
            let prefix = read.decode_prefix(limit);
            prop_assert!(whole.starts_with(&*prefix), "{} bytes: {:?}", limit, prefix);
        }
    }
}
