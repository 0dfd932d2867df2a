//! Compares the tolerant reader with a strict one.

use serde::de::IgnoredAny;
use serde_json::Value;
use unspool_model::json::{self, Cursor, Str};

use crate::json_value::read_whole;

/// Asserts that both readers agree on JSON that `serde_json` accepts, and that `serde_json` accepts the
/// strict form of looser text.
pub fn check_json(bytes: &[u8]) {
    if let Ok(Value::Object(map)) = serde_json::from_slice(bytes) {
        assert_eq!(read_whole(bytes), Ok(Value::Object(map)));
        assert!(json::object_length(bytes).is_some());
    }
    if let Some(length) = json::object_length(bytes) {
        let raw = &bytes[..length];
        assert_eq!(json::object_length(raw), Some(length));
        check_strict(raw);
    }
    if let Ok(Some(text)) = Cursor::new(bytes).string()
        && std::str::from_utf8(text.raw()).is_ok()
    {
        check_prefixes(text);
    }
}

fn check_strict(raw: &[u8]) {
    let strict = json::to_strict(raw);
    let ignored: Result<IgnoredAny, _> = serde_json::from_str(&strict);
    assert!(ignored.is_ok(), "{strict}: {ignored:?}");
    if let Err(error) = serde_json::from_str::<Value>(&strict) {
        // `serde_json` rejects some valid JSON: numbers out of range, and deep nesting.
        let error = error.to_string();
        let limits = ["out of range", "recursion limit"];
        assert!(limits.iter().any(|limit| error.contains(limit)), "{error}");
    }
    assert_eq!(json::to_strict(strict.as_bytes()), strict);
}

/// Asserts that a decoded prefix is a prefix of the decoded string.
fn check_prefixes(text: Str<'_>) {
    let whole = text.decode();
    for limit in 0..text.raw().len().min(64) {
        let prefix = text.decode_prefix(limit);
        assert!(whole.starts_with(&*prefix), "{limit} of {whole:?}: {prefix:?}");
    }
}
