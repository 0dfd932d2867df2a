//! Fields of JSON objects, by name.
//!
//! A [`RawObject`] is walked once and keeps the raw values of its fields; a [`RawField`] is
//! parsed when a caller asks for it. So a tool's input or result is walked once for each level
//! that is needed, however deep it is.

use crate::json::{Cursor, JsonShape};

use super::LogText;

/// The raw bytes of a field, or nothing if it is missing.
#[derive(Clone, Copy, Default)]
pub(super) struct RawField<'a>(Option<&'a [u8]>);

/// The fields of an object with their names, in order.
pub(super) struct RawObject<'a>(pub(super) Vec<(String, RawField<'a>)>);

impl<'a> RawObject<'a> {
    /// Reads the object `raw`.
    ///
    /// A torn object gives the fields before the damage, another shape gives none.
    pub(super) fn read(raw: &'a [u8]) -> Self {
        let mut fields = Vec::new();
        // The error marks the damage, where reading ends anyway.
        let _ = Cursor::new(raw).object_or_skip(|cursor, key| {
            let value = cursor.skip()?;
            fields.push((String::from_utf8_lossy(key).into_owned(), RawField::new(value)));
            Ok(())
        });
        Self(fields)
    }

    /// Returns the index of the field `name`; the last one of that name counts.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.0.iter().rposition(|(known, _)| known == name)
    }

    /// Returns the field `name`.
    pub(super) fn get(&self, name: &str) -> RawField<'a> {
        self.place(name).map(|place| self.0[place].1).unwrap_or_default()
    }

    /// Returns the text of a string field.
    pub(super) fn text(&self, name: &str) -> Option<LogText<'a>> {
        self.get(name).text()
    }

    /// Returns the text of the first of several fields that is a string.
    pub(super) fn text_of<const N: usize>(&self, names: [&str; N]) -> Option<LogText<'a>> {
        names.iter().find_map(|name| self.text(name))
    }

    /// Tells whether a field is a string.
    pub(super) fn has_text(&self, name: &str) -> bool {
        self.get(name).is(JsonShape::String)
    }

    /// Returns the value of a field that is a count.
    pub(super) fn count(&self, name: &str) -> Option<u64> {
        self.get(name).count()
    }

    /// Returns the value of a boolean field.
    pub(super) fn bool(&self, name: &str) -> Option<bool> {
        self.get(name).bool()
    }

    /// Tells whether a field is `true`.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.bool(name) == Some(true)
    }

    /// Returns the length of an array field.
    pub(super) fn length(&self, name: &str) -> Option<u64> {
        self.get(name).array().map(|items| items.len() as u64)
    }

    /// Returns the elements of an array field as objects; empty for other shapes.
    pub(super) fn objects(&self, name: &str) -> Vec<Self> {
        self.get(name).items().into_iter().map(RawField::object).collect()
    }
}

impl<'a> RawField<'a> {
    /// Wraps the raw bytes of a value.
    pub(super) fn new(raw: &'a [u8]) -> Self {
        Self(Some(raw))
    }

    /// Returns the raw bytes.
    pub(super) fn raw(self) -> Option<&'a [u8]> {
        self.0
    }

    /// Returns the fields of this object; none for other shapes.
    pub(super) fn object(self) -> RawObject<'a> {
        RawObject::read(self.0.unwrap_or_default())
    }

    /// Tells whether this value has the given shape.
    pub(super) fn is(self, shape: JsonShape) -> bool {
        self.0.is_some_and(|raw| Cursor::new(raw).shape() == Ok(shape))
    }

    /// Returns the text, if this is a string.
    pub(super) fn text(self) -> Option<LogText<'a>> {
        Some(Cursor::new(self.0?).string().ok()??.decode())
    }

    /// Returns the number, if this is a count.
    pub(super) fn count(self) -> Option<u64> {
        Cursor::new(self.0?).count().ok()?
    }

    /// Returns the number, if it is whole and fits.
    pub(super) fn whole(self) -> Option<i64> {
        std::str::from_utf8(self.0?).ok()?.trim().parse().ok()
    }

    /// Returns the value, if this is a boolean.
    pub(super) fn bool(self) -> Option<bool> {
        self.is(JsonShape::Bool).then(|| Cursor::new(self.0?).flag().ok()).flatten()
    }

    /// Returns the elements, if this is an array.
    pub(super) fn array(self) -> Option<Vec<Self>> {
        if !self.is(JsonShape::Array) {
            return None;
        }
        let mut items = Vec::new();
        // As for objects, the elements before the damage count.
        let _ = Cursor::new(self.0?).array(|cursor| {
            items.push(Self(Some(cursor.skip()?)));
            Ok(())
        });
        Some(items)
    }

    /// Returns the elements; none if this is not an array.
    pub(super) fn items(self) -> Vec<Self> {
        self.array().unwrap_or_default()
    }

    /// Returns the strings in this array; none if it is not an array.
    pub(super) fn texts(self) -> Vec<LogText<'a>> {
        self.items().into_iter().filter_map(Self::text).collect()
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
            assert_eq!(value.object().0.len(), usize::from(raw.starts_with('{')), "{raw}");
            assert_eq!(value.object().count("a").is_some(), raw.starts_with('{'), "{raw}");
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
            let object = RawObject::read(raw.as_bytes());
            assert_eq!(object.text("a").as_deref(), expected, "{raw}");
        }
    }
}
