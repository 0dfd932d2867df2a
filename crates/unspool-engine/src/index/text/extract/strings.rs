//! All strings of a JSON value, whatever its shape.

use std::borrow::Cow;

use memchr::memchr;
use unspool_model::json::{Cursor, Str};

/// What to do with the value of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// Look into it.
    Read,
    /// Leave it out, with everything in it.
    Skip,
}

/// Hands out every string value inside `raw`, which was read as JSON before, with the key
/// that it stands under.
///
/// A string is a key when a colon follows, so nothing needs to be remembered of what is
/// open, and nesting costs nothing.
pub(super) fn each_string<'a>(
    raw: &'a [u8],
    mut choose: impl FnMut(&[u8]) -> Choice,
    mut each: impl FnMut(&[u8], Str<'a>),
) {
    // A value that begins with a quote is one string.
    if let [b'"', text @ .., b'"'] = raw {
        each(b"", Str::new(text));
        return;
    }
    let mut key: Cow<'a, [u8]> = Cow::Borrowed(b"");
    let mut at = 0;
    while let Some(quote) = memchr(b'"', &raw[at..]) {
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
        if choose(&key) == Choice::Skip {
            let mut cursor = Cursor::new(&raw[at..]);
            if cursor.skip().is_err() {
                return;
            }
            at += cursor.position();
        }
    }
}

/// Tells whether a string is encoded data, such as a picture: of nothing but the letters
/// and digits of an encoding, and long or under the key that pictures have theirs.
pub(super) fn is_encoded(key: &[u8], text: Str<'_>) -> bool {
    const LOOK: usize = 256;
    let raw = text.raw();
    (raw.len() >= LOOK || key == b"data")
        && raw
            .iter()
            .take(LOOK)
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_values_at_any_depth() {
        let raw = br#"{"a":"1","b" : [ "2" , {"c\u0064":"3","skip":{"x":"4"}}],"e":{"f":{}},"g":"\"q\":"}"#;
        let mut found = Vec::new();
        each_string(
            raw,
            |key| {
                if key == b"skip" {
                    Choice::Skip
                } else {
                    Choice::Read
                }
            },
            |key, text| {
                found.push(format!(
                    "{}={}",
                    String::from_utf8_lossy(key),
                    text.decode()
                ));
            },
        );
        assert_eq!(found, ["a=1", "b=2", "cd=3", "g=\"q\":"]);
    }

    #[test]
    fn nesting_costs_nothing() {
        let deep = format!("{}\"x\"{}", "[".repeat(200_000), "]".repeat(200_000));
        let mut count = 0;
        each_string(deep.as_bytes(), |_| Choice::Read, |_, _| count += 1);
        assert_eq!(count, 1);
    }
}
