//! Finds all strings in a JSON value.

use std::borrow::Cow;

use memchr::memchr;
use unspool_model::json::{Cursor, JsonShape, Str};
use unspool_model::schema::{self, Level, RecordKey, Slot, TextKind};

/// Passes each string in `raw`, which must be valid JSON, to `each`, with the nearest key above it;
/// the key is empty if there is none.
///
/// A string before a colon is a key, and a closing brace ends the scope of keys, as in
/// [`Cursor::strings`]. So no stack of open objects is needed, and nesting costs nothing.
fn each_string<'a>(raw: &'a [u8], mut each: impl FnMut(&[u8], Str<'a>)) {
    // A whole value in quotes is one string.
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

/// A raw value, with the key it was found at.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyedValue<'a> {
    key: &'static [u8],
    /// The value, as raw JSON.
    pub(super) raw: &'a [u8],
}

impl<'a> KeyedValue<'a> {
    /// Wraps the value of a record's key.
    pub(super) fn of(key: RecordKey, raw: &'a [u8]) -> Self {
        Self::new(key.name().as_bytes(), raw)
    }

    /// Wraps the value of a key.
    pub(super) fn new(key: &[u8], raw: &'a [u8]) -> Self {
        Self { key: schema::static_key(key), raw }
    }
}

/// Passes the texts of a kind in a value to `each`, with the nearest keys above them.
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

/// Passes the texts in `raw` to `each`, with the nearest keys above them; `level` decides which keys
/// contain texts.
pub(super) fn each_text_at<'a>(raw: &'a [u8], level: Level, mut each: impl FnMut(&[u8], Str<'a>)) {
    let mut cursor = Cursor::new(raw);
    if cursor.shape() != Ok(JsonShape::Object) {
        each_text(KeyedValue::new(b"", raw), level.plain(), each);
        return;
    }
    // The value was parsed as JSON before, so the walk reaches its end.
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
