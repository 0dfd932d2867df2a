//! A table index that may be missing, in four bytes.
//!
//! A log of a million records has a dozen tables with a row for each record, and most rows
//! refer to another row or to none. `Option<u32>` takes eight bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The index of a row of a table, or none. It is serialised as an `Option`.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<u32>", into = "Option<u32>")]
pub struct MaybeIndex(u32);

impl MaybeIndex {
    /// No row.
    pub const NONE: Self = Self(u32::MAX);

    /// Wraps the index of a row; tables have fewer than `u32::MAX` rows.
    pub const fn some(index: u32) -> Self {
        Self(index)
    }

    /// Returns the index, if there is one.
    pub const fn get(self) -> Option<u32> {
        match self {
            Self::NONE => None,
            Self(index) => Some(index),
        }
    }

    /// Tells whether there is no index.
    pub const fn is_none(self) -> bool {
        self.get().is_none()
    }
}

impl Default for MaybeIndex {
    fn default() -> Self {
        Self::NONE
    }
}

impl From<Option<u32>> for MaybeIndex {
    fn from(index: Option<u32>) -> Self {
        index.map_or(Self::NONE, Self::some)
    }
}

impl From<MaybeIndex> for Option<u32> {
    fn from(index: MaybeIndex) -> Self {
        index.get()
    }
}

/// Formats the index as an `Option`.
impl fmt::Debug for MaybeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_comes_back_and_none_is_none() {
        for index in [None, Some(0), Some(7), Some(u32::MAX - 1)] {
            let kept = MaybeIndex::from(index);
            assert_eq!(kept.get(), index);
            assert_eq!(kept.is_none(), index.is_none());
            assert_eq!(format!("{kept:?}"), format!("{index:?}"));
        }
        assert_eq!(MaybeIndex::default(), MaybeIndex::NONE);
        assert_eq!(size_of::<MaybeIndex>(), 4);
    }
}
