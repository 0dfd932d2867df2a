//! Texts that a client spread into an object by mistake.

use crate::json::Str;

/// A text that was spread into an object, with one key for each UTF-16 unit.
///
/// A unit may be half of a surrogate pair, so units are joined before they are decoded.
#[derive(Default, Debug)]
pub struct SpreadText(Option<Vec<u8>>);

impl SpreadText {
    /// Tells whether a key of a message may belong to a unit.
    pub(super) fn may_take(key: &[u8]) -> bool {
        key.first().is_some_and(u8::is_ascii_digit)
    }

    /// Tells whether the value of a key is a unit; the key `0` begins the text.
    pub fn takes(&mut self, key: &[u8]) -> bool {
        if key == b"0" {
            self.0.get_or_insert_default();
        }
        self.0.is_some() && Self::may_take(key)
    }

    /// Appends a unit.
    pub fn add(&mut self, unit: Option<Str<'_>>) {
        if let (Some(text), Some(unit)) = (&mut self.0, unit) {
            text.extend_from_slice(unit.raw());
        }
    }

    /// Returns the text, if there is one.
    pub fn text(&self) -> Option<Str<'_>> {
        self.0.as_deref().map(Str::new)
    }
}
