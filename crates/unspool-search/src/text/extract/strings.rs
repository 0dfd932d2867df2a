//! All strings of a JSON value, whatever its shape.

use std::borrow::Cow;

use memchr::memchr;
use unspool_model::json::{Cursor, JsonShape, Str};
use unspool_model::schema::{self, Level, RecordKey, Slot, TextKind};

/// Hands out every string value inside `raw`, which was read as JSON before, with the nearest
/// key above it; empty where there is none.
///
/// A string is a key when a colon follows, and a brace that closes an object ends the reach of
/// its keys, so nothing needs to be remembered of what is open, and nesting costs nothing.
fn each_string<'a>(raw: &'a [u8], mut each: impl FnMut(&[u8], Str<'a>)) {
    // A value that begins with a quote is one string.
    if let [b'"', text @ .., b'"'] = raw {
        each(b"", Str::new(text));
        return;
    }
    let mut key: Cow<'a, [u8]> = Cow::Borrowed(b"");
    let mut at = 0;
    while let Some(quote) = memchr(b'"', &raw[at..]) {
        if memchr(b'}', &raw[at..at + quote]).is_some() {
            key = Cow::Borrowed(b"");
        }
        at += quote;
        let mut cursor = Cursor::new(&raw[at..]);
        let Ok(Some(text)) = cursor.string() else {
            return;
        };
        cursor.white();
        at += cursor.position();
        if raw.get(at) != Some(&b':') {
            each(&key, text);
            continue;
        }
        at += 1;
        key = match text.decode() {
            Cow::Borrowed(name) => Cow::Borrowed(name.as_bytes()),
            Cow::Owned(name) => Cow::Owned(name.into_bytes()),
        };
    }
}

/// A value with what must be known of its key.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyedValue<'a> {
    key: &'static [u8],
    /// The value, as raw JSON.
    pub(super) raw: &'a [u8],
}

impl<'a> KeyedValue<'a> {
    /// Takes the value of a key of a record.
    pub(super) fn of(key: RecordKey, raw: &'a [u8]) -> Self {
        Self::new(key.name().as_bytes(), raw)
    }

    /// Takes the value of a key.
    pub(super) fn new(key: &[u8], raw: &'a [u8]) -> Self {
        Self { key: schema::lasting_key(key), raw }
    }
}

/// Hands out the texts of a kind inside a value, with the nearest keys above them.
pub(super) fn each_text<'a>(
    KeyedValue { key, raw }: KeyedValue<'a>,
    kind: TextKind,
    mut each: impl FnMut(&[u8], Str<'a>),
) {
    each_string(raw, |inner, text| {
        let key = if inner.is_empty() { key } else { inner };
        if schema::is_text(kind, key, text) {
            each(key, text);
        }
    });
}

/// Hands out the texts inside `raw`, which is at a level whose keys contain only texts, with the
/// nearest keys above them.
pub(super) fn each_text_at<'a>(raw: &'a [u8], level: Level, mut each: impl FnMut(&[u8], Str<'a>)) {
    let mut cursor = Cursor::new(raw);
    if cursor.shape() != Ok(JsonShape::Object) {
        each_text(KeyedValue::new(b"", raw), level.plain(), each);
        return;
    }
    // The value was read as JSON before, so the walk comes to its end.
    let _ = cursor.object(|cursor, key| {
        let Slot::Text(kind) = level.slot(key) else {
            return cursor.skip().map(drop);
        };
        if cursor.shape()? == JsonShape::String {
            if let Some(text) = cursor.string()?.filter(|&text| schema::is_text(kind, key, text)) {
                each(key, text);
            }
            return Ok(());
        }
        each_text(KeyedValue::new(key, cursor.skip()?), kind, &mut each);
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_values_at_any_depth() {
        let raw = br#"{"a":"1","b" : [ "2" , {"c\u0064":"3","x":{"y":"4"}}],"e":{"f":{}},"g":"\"q\":","h":[{"i":"5"},"6"]}"#;
        let mut found = Vec::new();
        each_string(raw, |key, text| {
            let key = String::from_utf8_lossy(key);
            found.push(format!("{key}={}", text.decode()));
        });
        assert_eq!(found, ["a=1", "b=2", "cd=3", "y=4", "g=\"q\":", "i=5", "=6"]);
    }

    #[test]
    fn nesting_costs_nothing() {
        let deep = format!("{}\"x\"{}", "[".repeat(200_000), "]".repeat(200_000));
        let mut count = 0;
        each_string(deep.as_bytes(), |_, _| count += 1);
        assert_eq!(count, 1);
    }
}
