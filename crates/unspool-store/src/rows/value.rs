//! Typed values of a row's fields, which each surface formats in its own way.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use super::{SessionRow, Status};

/// Reads one field of a row.
pub type RowGetter = for<'r> fn(&'r SessionRow) -> RowValue<'r>;

/// The value of a field of a row.
#[derive(Clone, PartialEq, Debug)]
pub enum RowValue<'r> {
    /// The value is not known.
    Nothing,
    /// An id, which a surface may cut to a prefix.
    Id(&'r str),
    /// A text.
    Text(Cow<'r, str>),
    /// A file or a folder.
    Path(Cow<'r, str>),
    /// A time.
    Time(Time),
    /// A count.
    Count(u64),
    /// A duration in milliseconds.
    Millis(u64),
    /// A size in bytes.
    Bytes(u64),
    /// A cost in US dollars.
    Dollars(f64),
    /// Several texts.
    Texts(Vec<&'r str>),
    /// How often each tool was called.
    Tools(&'r BTreeMap<String, usize>),
    /// Tokens of all kinds.
    Tokens(Tokens),
    /// Yes or no.
    Flag(bool),
    /// How a session ended.
    Status(Status),
}

impl<'r> RowValue<'r> {
    /// Makes the value of a text.
    pub fn text(text: &'r str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    /// Makes the value of a path.
    pub fn path(path: &'r Path) -> Self {
        Self::Path(path.to_string_lossy())
    }

    /// Makes the value of a count.
    pub fn count(count: usize) -> Self {
        Self::Count(count as u64)
    }

    /// Makes a value with `value`, or [`Self::Nothing`] from `None`.
    pub fn maybe<T>(known: Option<T>, value: impl FnOnce(T) -> Self) -> Self {
        known.map_or(Self::Nothing, value)
    }

    /// Makes the value of a text that may not be known.
    pub fn maybe_text(text: Option<&'r str>) -> Self {
        Self::maybe(text, Self::text)
    }
}
