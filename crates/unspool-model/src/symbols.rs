//! Strings of a log, each kept once and named by a small number.
//!
//! Uuids, message ids, tool-use ids and names repeat across the entries of a file. A
//! million entries hold some two million references to them; as [`Symbol`]s each
//! reference costs four bytes and comparing two of them is comparing numbers.

use std::num::NonZeroU32;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// A string of a [`Symbols`] table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(NonZeroU32);

impl Symbol {
    /// Returns the symbol's place in its table, counted from zero.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// Returns the symbol at a place of a table that is known to hold so many.
    pub(crate) fn at(index: usize) -> Self {
        let number = u32::try_from(index + 1).expect("a log holds fewer than four billion strings");
        Self(NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN))
    }
}

/// A table of strings that only grows.
#[derive(Default)]
pub struct Symbols {
    text: String,
    ends: Vec<u64>,
    /// Symbols with a part of their hashes, so that growing reads no string again.
    table: HashTable<(u32, Symbol)>,
    hasher: FixedState,
}

impl Symbols {
    /// Returns the symbol of `text`, adding it when it is new.
    pub fn add(&mut self, text: &str) -> Symbol {
        let hash = self.hash(text);
        let (all, ends) = (&self.text, &self.ends);
        if let Some(&(_, known)) = self.table.find(spread(hash), |&(h, s)| {
            h == hash && slice(all, ends, s) == text
        }) {
            return known;
        }
        let symbol = Symbol::at(self.ends.len());
        self.text.push_str(text);
        self.ends.push(self.text.len() as u64);
        self.table
            .insert_unique(spread(hash), (hash, symbol), |&(h, _)| spread(h));
        symbol
    }

    /// Returns the symbol of `text` if the table holds it.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        let hash = self.hash(text);
        self.table
            .find(spread(hash), |&(h, s)| h == hash && self.text(s) == text)
            .map(|&(_, s)| s)
    }

    /// Returns the string behind a symbol of this table.
    pub fn text(&self, symbol: Symbol) -> &str {
        slice(&self.text, &self.ends, symbol)
    }

    /// Returns all strings, in the order of their symbols.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let text = &self.text[start..end as usize];
            start = end as usize;
            text
        })
    }

    /// Makes a table of strings that stand one behind the other; each of `ends` is the end of one.
    pub(crate) fn restored(text: String, ends: Vec<u64>) -> Self {
        let hasher = FixedState::default();
        let mut table = HashTable::with_capacity(ends.len());
        let mut start = 0;
        for (index, &end) in ends.iter().enumerate() {
            let hash = hash_with(&hasher, &text[start..end as usize]) as u32;
            let item = (hash, Symbol::at(index));
            table.insert_unique(spread(hash), item, |&(hash, _)| spread(hash));
            start = end as usize;
        }
        Self {
            text,
            ends,
            table,
            hasher,
        }
    }

    /// Returns how many strings the table holds; every symbol's index is below it.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Gives back memory that was set aside for growth.
    pub(crate) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Tells whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn hash(&self, text: &str) -> u32 {
        hash_with(&self.hasher, text) as u32
    }
}

/// The table takes its tags from the upper bits and its places from the lower ones.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn hash_with(hasher: &FixedState, text: &str) -> u64 {
    use std::hash::BuildHasher as _;
    hasher.hash_one(text)
}

fn slice<'a>(text: &'a str, ends: &[u64], symbol: Symbol) -> &'a str {
    let index = symbol.index();
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &text[start as usize..ends[index] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_has_one_symbol() {
        let mut symbols = Symbols::default();
        let first = symbols.add("a");
        let empty = symbols.add("");
        let second = symbols.add("bc");
        assert_eq!(symbols.add("a"), first);
        assert_eq!(symbols.add(""), empty);
        assert_eq!(symbols.find("bc"), Some(second));
        assert_eq!(symbols.find("c"), None);
        assert_eq!(
            (
                symbols.text(first),
                symbols.text(empty),
                symbols.text(second)
            ),
            ("a", "", "bc")
        );
    }
}
