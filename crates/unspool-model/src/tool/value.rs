//! Fields of JSON objects by name, and what is in them.
//!
//! [`pick`] walks an object once and hands out the raw values of the fields that were
//! asked for; a [`RawField`] is read when a caller asks for it. A tool's input or result is
//! walked a fixed number of times however deep it is.

use crate::json::{Cursor, JsonShape};

use super::LogText;

/// The raw bytes of a field, or nothing if it is missing.
#[derive(Clone, Copy, Default)]
pub(super) struct RawField<'a>(Option<&'a [u8]>);

/// Returns the fields of the object `raw` that are called `keys`; the last of a name counts.
///
/// A torn object gives the fields before the tear, another shape gives none.
pub(super) fn pick<'a, const N: usize>(raw: &'a [u8], keys: [&str; N]) -> [RawField<'a>; N] {
    let mut found = [RawField::default(); N];
    // The error says where the object is torn, and reading ends there anyway.
    let _ = Cursor::new(raw).object_or_skip(|cursor, key| {
        let value = cursor.skip()?;
        if let Some(at) = keys.iter().position(|wanted| wanted.as_bytes() == key) {
            found[at] = RawField(Some(value));
        }
        Ok(())
    });
    found
}

impl<'a> RawField<'a> {
    /// Takes `raw` for a value.
    pub(super) fn new(raw: &'a [u8]) -> Self {
        Self(Some(raw))
    }

    /// Returns the bytes.
    pub(super) fn raw(self) -> Option<&'a [u8]> {
        self.0
    }

    /// Returns the fields of this object that are called `keys`.
    pub(super) fn pick<const N: usize>(self, keys: [&str; N]) -> [Self; N] {
        pick(self.0.unwrap_or_default(), keys)
    }

    /// Tells whether this is a value of the given shape.
    pub(super) fn is(self, shape: JsonShape) -> bool {
        self.0.is_some_and(|raw| Cursor::new(raw).shape() == Ok(shape))
    }

    /// Returns this string's text.
    pub(super) fn text(self) -> Option<LogText<'a>> {
        Some(Cursor::new(self.0?).string().ok()??.decode())
    }

    /// Returns this number, if it is a count.
    pub(super) fn count(self) -> Option<u64> {
        Cursor::new(self.0?).count().ok()?
    }

    /// Returns this number, if it is whole and not too large.
    pub(super) fn whole(self) -> Option<i64> {
        std::str::from_utf8(self.0?).ok()?.trim().parse().ok()
    }

    /// Tells whether this is `true`.
    pub(super) fn flag(self) -> bool {
        self.bool() == Some(true)
    }

    /// Returns this truth value.
    pub(super) fn bool(self) -> Option<bool> {
        self.is(JsonShape::Bool).then(|| Cursor::new(self.0?).flag().ok()).flatten()
    }

    /// Returns the elements of this array.
    pub(super) fn array(self) -> Option<Vec<Self>> {
        if !self.is(JsonShape::Array) {
            return None;
        }
        let mut items = Vec::new();
        // As for objects: what comes before a tear counts.
        let _ = Cursor::new(self.0?).array(|cursor| {
            items.push(Self(Some(cursor.skip()?)));
            Ok(())
        });
        Some(items)
    }

    /// Returns the elements of this array, none if it is not an array.
    pub(super) fn items(self) -> Vec<Self> {
        self.array().unwrap_or_default()
    }

    /// Returns the strings in this array.
    pub(super) fn texts(self) -> Vec<LogText<'a>> {
        self.items().into_iter().filter_map(Self::text).collect()
    }

    /// Returns the fields of this object with their names, in their order.
    pub(super) fn entries(self) -> Vec<(String, Self)> {
        let mut entries = Vec::new();
        // As above.
        let _ = Cursor::new(self.0.unwrap_or_default()).object_or_skip(|cursor, key| {
            let value = cursor.skip()?;
            entries.push((String::from_utf8_lossy(key).into_owned(), Self(Some(value))));
            Ok(())
        });
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_the_wrong_type_is_missing() {
        for raw in ["null", "true", "-1", "1.5", "\"7\"", "[7]", "{\"a\":7}", "", "x", "\"torn"] {
            let value = RawField::new(raw.as_bytes());
            assert_eq!(value.text().is_some(), raw == "\"7\"", "{raw}");
            assert_eq!(value.count(), (raw == "1.5").then_some(2), "{raw}");
            assert_eq!(value.whole(), (raw == "-1").then_some(-1), "{raw}");
            assert_eq!(value.bool(), (raw == "true").then_some(true), "{raw}");
            assert_eq!(
                value.array().map(|items| items.len()),
                (raw == "[7]").then_some(1),
                "{raw}"
            );
            assert_eq!(value.entries().len(), usize::from(raw.starts_with('{')), "{raw}");
            assert_eq!(value.pick(["a"])[0].count().is_some(), raw.starts_with('{'), "{raw}");
        }
    }

    #[test]
    fn the_last_field_of_a_name_counts_and_a_tear_keeps_the_rest() {
        for (raw, expected) in [
            (r#"{"a":"1","a":"2"}"#, Some("2")),
            (r#"{"a":"1","a":null}"#, None),
            (r#"{"\u0061":"1"}"#, Some("1")),
            (r#" {"a":"1","b":"to"#, Some("1")),
            (r#"{"b":{"a":"1"}}"#, None),
            (r#"{"a":"1"} tail"#, Some("1")),
            (r#"{"b":]"#, None),
        ] {
            let [a] = pick(raw.as_bytes(), ["a"]);
            assert_eq!(a.text().as_deref(), expected, "{raw}");
        }
    }
}
