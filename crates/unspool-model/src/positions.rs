//! Positions in the tables of a log, as newtypes.
//!
//! An entry, a node, a group and a path are each identified by their row in a table. A position in one table
//! is never passed for one in another, and an `Option` of a position takes four bytes: a log of a million
//! records has a dozen tables with a row for each record, and most rows refer to another row or to none.

use std::fmt;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// Declares the type of positions in a table; `$first` is the number that the first row is shown with.
macro_rules! position {
    ($(#[$doc:meta])* $name:ident from $first:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// Returns the position at an index, counted from zero. Tables have fewer than `u32::MAX` rows.
            pub const fn at(index: usize) -> Self {
                Self(NonZeroU32::MIN.saturating_add(index as u32))
            }

            /// Returns the index of the row, counted from zero.
            pub const fn index(self) -> usize {
                self.0.get() as usize - 1
            }

            /// Returns the positions of a table with `count` rows.
            pub fn all(
                count: usize,
            ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone + use<> {
                (0..count).map(Self::at)
            }

            /// Pairs the rows of a table with their positions.
            pub fn enumerate<T: IntoIterator>(rows: T) -> impl Iterator<Item = (Self, T::Item)> {
                (0..).map(Self::at).zip(rows)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&(self.index() + $first), f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl<T> Index<$name> for [T] {
            type Output = T;

            fn index(&self, row: $name) -> &T {
                &self[row.index()]
            }
        }

        impl<T> IndexMut<$name> for [T] {
            fn index_mut(&mut self, row: $name) -> &mut T {
                &mut self[row.index()]
            }
        }

        impl<T> Index<$name> for Vec<T> {
            type Output = T;

            fn index(&self, row: $name) -> &T {
                &self[row.index()]
            }
        }

        impl<T> IndexMut<$name> for Vec<T> {
            fn index_mut(&mut self, row: $name) -> &mut T {
                &mut self[row.index()]
            }
        }
    };
}

position!(
    /// The position of an entry in [`Log::entries`](crate::log::Log::entries).
    EntryIndex from 0
);
position!(
    /// The position of a node in [`Graph::nodes`](crate::graph::Graph::nodes).
    NodeId from 0
);
position!(
    /// The position of a group in [`Paths::groups`](crate::paths::Paths::groups).
    GroupId from 0
);
position!(
    /// The position of a turn in [`Tally::turns`](crate::conversation::Tally::turns).
    TurnIndex from 0
);
position!(
    /// The position of a path in [`Paths::paths`](crate::paths::Paths::paths). People and
    /// scripts see it counted from one.
    PathNumber from 1
);

position!(
    /// The position of a turn among the shown turns of a path. People and scripts see it counted from one.
    TurnNumber from 1
);

/// Implements reading and writing of a position that people and scripts see counted from one.
macro_rules! counted_from_one {
    ($name:ident) => {
        impl $name {
            /// Returns the position with a number that counts from one, or `None` for zero.
            pub fn new(number: u32) -> Option<Self> {
                NonZeroU32::new(number).map(Self)
            }

            /// Returns the number, counted from one.
            pub const fn get(self) -> u32 {
                self.0.get()
            }
        }

        /// Serialises the number, counted from one.
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(serializer)
            }
        }

        impl From<$name> for u64 {
            fn from(number: $name) -> Self {
                Self::from(number.get())
            }
        }

        impl FromStr for $name {
            type Err = NotCounted;

            fn from_str(text: &str) -> Result<Self, NotCounted> {
                text.parse().map(Self).map_err(|_| NotCounted)
            }
        }
    };
}

/// The error for text that is not a number counted from one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("write a number, counted from 1")]
pub struct NotCounted;

counted_from_one!(PathNumber);
counted_from_one!(TurnNumber);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_comes_back_and_none_takes_no_room() {
        for index in [0, 7, u32::MAX as usize - 1] {
            assert_eq!(NodeId::at(index).index(), index);
        }
        assert_eq!(size_of::<Option<NodeId>>(), 4);
        assert!(None < Some(NodeId::at(0)) && NodeId::at(0) < NodeId::at(1));
        let listed: Vec<usize> = GroupId::all(3).rev().map(GroupId::index).collect();
        assert_eq!(listed, [2, 1, 0]);
    }

    #[test]
    fn a_path_is_counted_from_one() {
        assert_eq!(PathNumber::at(0).to_string(), "1");
        assert_eq!(PathNumber::new(2), Some(PathNumber::at(1)));
        assert_eq!(PathNumber::new(0), None);
        assert_eq!("2".parse(), Ok(PathNumber::at(1)));
        assert!("0".parse::<PathNumber>().is_err());
    }

    #[test]
    fn tables_are_read_by_position() {
        let mut rows = vec!["a", "b"];
        rows[EntryIndex::at(1)] = "c";
        let pairs: Vec<_> = EntryIndex::enumerate(&rows).collect();
        assert_eq!(pairs, [(EntryIndex::at(0), &"a"), (EntryIndex::at(1), &"c")]);
    }
}
