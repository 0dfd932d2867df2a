//! Reads the bytes of one record, in whatever dialect it is written.
//!
//! A `Dialect` is a way of writing records. There are two, and each record may be in either,
//! because a file may mix them. **Wire** (`wire`) is what the client writes: an API message
//! inside an envelope, with tools as content blocks. **Flat** (`flat`) is a simpler form of
//! older tools: the message is a string, and a call is a record of its own.
//!
//! A record is read once, field by field. It is taken for wire until a field appears that another dialect
//! recognises as its own; from that field on it is read in that dialect ([`RecordDialect`]). So wire
//! records pay nothing for the others, and a dialect that adds keys to the client's does not repeat them.
//!
//! In any dialect, a record becomes one `Draft`, which the log turns into an entry, one
//! [`Record`] for display, and texts of the kinds of [`crate::schema`] for search.
//!
//! To add a dialect, write a file with a type that implements `Dialect`, and list it in
//! `OTHERS`. `toy` is an example for tests.

mod draft;
mod flat;
mod flat_message;
mod texts;
#[cfg(test)]
mod toy;
mod wire;

use std::fmt;

use crate::json::{Cursor, JsonResult};
use crate::record::{Record, RecordDraft};
use crate::schema::{Slot, TextKind};

use draft::{Attachment, MessageDraft, OutcomeDraft, ProgressDraft};
pub(crate) use draft::{BlockDraft, Boundary, Draft};
pub use flat_message::{FlatMessage, FlatUser};
pub use texts::{key_at, texts_of, texts_of_fragment};

/// A way of writing records.
///
/// Each method gets one field: its key, and a cursor at its value. A method that does not know
/// the field says so and leaves the cursor where it is.
pub(crate) trait Dialect: fmt::Debug + Sync {
    /// Tells whether only records of this dialect have a field. `value` begins with its value
    /// and extends to the end of the record.
    fn recognise(&self, key: &[u8], value: &[u8]) -> bool;

    /// Reads a field for the log.
    fn draft<'a>(
        &self,
        draft: &mut Draft<'a>,
        cursor: &mut Cursor<'a>,
        key: &[u8],
    ) -> JsonResult<FieldKnown>;

    /// Completes the draft of a record when all its fields are read.
    fn end_draft(&self, _draft: &mut Draft<'_>) {}

    /// Reads a field for display.
    fn content<'a>(
        &self,
        record: &mut RecordDraft<'a>,
        cursor: &mut Cursor<'a>,
        key: &[u8],
    ) -> JsonResult<FieldKnown>;

    /// Completes the displayed record when all its fields are read.
    fn end_content(&self, _record: &mut RecordDraft<'_>) {}

    /// Returns how texts of a field are treated, or `None` if the dialect does not have the field.
    fn slot(&self, key: &[u8], value: &[u8]) -> Option<Slot>;
}

/// Whether a dialect knows a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FieldKnown {
    /// The dialect knows the field and has read its value.
    Yes,
    /// The dialect does not know the field and has read nothing.
    No,
}

/// The dialects other than wire. A record is in the first one that recognises one of its fields.
const OTHERS: &[&dyn Dialect] = &[
    &flat::Flat,
    #[cfg(test)]
    &toy::Toy,
];

/// The dialect of a record, as far as its fields have shown: wire until one shows another.
#[derive(Clone, Copy, Default, Debug)]
pub struct RecordDialect(Option<&'static dyn Dialect>);

impl RecordDialect {
    /// Returns how texts of the next field of the record are treated. `value` begins with the field's value.
    #[inline]
    pub fn slot(&mut self, key: &[u8], value: &[u8]) -> Slot {
        if self.0.is_none()
            && let Some(slot) = wire::Wire.slot(key, value)
        {
            return slot;
        }
        self.other_slot(key, value)
    }

    // Out of line, to keep the path for fields of the wire dialect short.
    #[inline(never)]
    fn other_slot(&mut self, key: &[u8], value: &[u8]) -> Slot {
        self.recognise(key, value);
        let found = self.0.and_then(|other| other.slot(key, value));
        found.unwrap_or(Slot::Text(TextKind::Remark))
    }

    /// Reads the next field of the record for the log.
    #[expect(clippy::inline_always, reason = "each field of each record comes through here")]
    #[inline(always)]
    fn draft<'a>(
        &mut self,
        draft: &mut Draft<'a>,
        cursor: &mut Cursor<'a>,
        key: &[u8],
    ) -> JsonResult<()> {
        if self.0.is_none() && wire::Wire.draft(draft, cursor, key)? == FieldKnown::Yes {
            return Ok(());
        }
        self.other_draft(draft, cursor, key)
    }

    #[inline(never)]
    fn other_draft<'a>(
        &mut self,
        draft: &mut Draft<'a>,
        cursor: &mut Cursor<'a>,
        key: &[u8],
    ) -> JsonResult<()> {
        let known = match self.other(key, cursor) {
            Some(other) => other.draft(draft, cursor, key)?,
            None => FieldKnown::No,
        };
        known.or_skip(cursor)
    }

    /// Reads the next field of the record for display.
    #[expect(clippy::inline_always, reason = "each field of each record comes through here")]
    #[inline(always)]
    fn content<'a>(
        &mut self,
        record: &mut RecordDraft<'a>,
        cursor: &mut Cursor<'a>,
        key: &[u8],
    ) -> JsonResult<()> {
        if self.0.is_none() && wire::Wire.content(record, cursor, key)? == FieldKnown::Yes {
            return Ok(());
        }
        self.other_content(record, cursor, key)
    }

    #[inline(never)]
    fn other_content<'a>(
        &mut self,
        record: &mut RecordDraft<'a>,
        cursor: &mut Cursor<'a>,
        key: &[u8],
    ) -> JsonResult<()> {
        let known = match self.other(key, cursor) {
            Some(other) => other.content(record, cursor, key)?,
            None => FieldKnown::No,
        };
        known.or_skip(cursor)
    }

    /// Completes the displayed record when all its fields are read.
    fn end_content(self, record: &mut RecordDraft<'_>) {
        if let Some(other) = self.0 {
            other.end_content(record);
        }
    }

    /// Returns the other dialect of the record, for a field that wire does not have.
    fn other(&mut self, key: &[u8], cursor: &mut Cursor<'_>) -> Option<&'static dyn Dialect> {
        self.recognise(key, cursor.rest());
        self.0
    }

    /// Switches to the dialect that recognises a field that wire does not have.
    fn recognise(&mut self, key: &[u8], value: &[u8]) {
        if self.0.is_none() {
            let mut others = OTHERS.iter().copied();
            self.0 = others.find(|other| other.recognise(key, value));
        }
    }
}

impl FieldKnown {
    /// Skips the value at the cursor if no dialect has read it.
    fn or_skip(self, cursor: &mut Cursor<'_>) -> JsonResult<()> {
        match self {
            Self::Yes => Ok(()),
            Self::No => cursor.skip().map(drop),
        }
    }
}

impl<'a> Record<'a> {
    /// Reads the record at the start of `bytes`, as far as it is readable.
    pub fn read(bytes: &'a [u8]) -> Self {
        let mut draft = RecordDraft::default();
        let mut dialect = RecordDialect::default();
        // The log has read this record before. On a failure, the fields before it are kept.
        let _ = Cursor::new(bytes).object(|cursor, key| dialect.content(&mut draft, cursor, key));
        dialect.end_content(&mut draft);
        draft.finish()
    }
}

/// Reads the object at the start of `bytes` into an empty draft; returns its length.
///
/// `field` gets each key with the bytes of its value and the dialect in which it was read.
pub(crate) fn read<'a>(
    bytes: &'a [u8],
    draft: &mut Draft<'a>,
    mut field: impl FnMut(RecordDialect, &[u8], &'a [u8]),
) -> JsonResult<usize> {
    let mut cursor = Cursor::new(bytes);
    let mut dialect = RecordDialect::default();
    cursor.object(|cursor, key| {
        cursor.white();
        let start = cursor.position();
        dialect.draft(draft, cursor, key)?;
        field(dialect, key, cursor.since(start));
        Ok(())
    })?;
    if let Some(other) = dialect.0 {
        other.end_draft(draft);
    }
    Ok(cursor.position())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schema::all_keys;

    /// Returns a record with any keys of the tables, and of the toy dialect.
    fn record() -> impl Strategy<Value = String> {
        let mut keys = all_keys();
        keys.extend(["kind", "words", "tool", "new"]);
        let values = vec![
            r#""say""#,
            r#""tool_use""#,
            r#""text""#,
            "{}",
            r#"{"content":"x"}"#,
            "[]",
            "true",
            "7",
        ];
        let field = (prop::sample::select(keys), prop::sample::select(values));
        let field = field.prop_map(|(key, value)| format!("\"{key}\" : {value}"));
        let fields = prop::collection::vec(field, 0..12);
        fields.prop_map(|fields| format!("{{{}}}", fields.join(",")))
    }

    proptest! {
        #[test]
        fn all_readers_find_the_same_dialect_at_each_field(record in record()) {
            let (mut drafted, mut shown, mut searched) = (Vec::new(), Vec::new(), Vec::new());
            let bytes = record.as_bytes();
            let draft = &mut Draft::default();
            let result = read(bytes, draft, |dialect, _, _| drafted.push(format!("{dialect:?}")));
            prop_assert_eq!(result, Ok(bytes.len()));
            let (mut dialect, mut content) = (RecordDialect::default(), RecordDraft::default());
            let result = Cursor::new(bytes).object(|cursor, key| {
                dialect.content(&mut content, cursor, key)?;
                shown.push(format!("{dialect:?}"));
                Ok(())
            });
            prop_assert_eq!((result, &shown), (Ok(()), &drafted));
            let mut dialect = RecordDialect::default();
            let result = Cursor::new(bytes).object(|cursor, key| {
                dialect.slot(key, cursor.rest());
                searched.push(format!("{dialect:?}"));
                cursor.skip().map(drop)
            });
            prop_assert_eq!((result, &searched), (Ok(()), &drafted));
        }
    }
}
