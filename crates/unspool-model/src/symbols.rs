//! Strings of a log, each stored once and identified by a small number.
//!
//! Uuids, message ids, tool use ids and names repeat across the entries of a file. A million
//! entries contain about two million references to them. A [`Symbol`] takes four bytes, and
//! comparing two symbols is comparing numbers.

use std::hash::BuildHasher as _;
use std::num::NonZeroU32;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use memchr::memchr;

use crate::json::Str;

/// Identifies a string of a [`Symbols`] table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(NonZeroU32);

impl Symbol {
    /// Returns the index of the string in its table, counted from zero.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// Returns the symbol at an index of a table that is known to be large enough.
    pub(crate) fn at(index: usize) -> Self {
        let number =
            u32::try_from(index + 1).expect("a log contains fewer than four billion strings");
        Self(NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN))
    }
}

/// Number of slots for recent strings.
const RECENT: usize = 64;

/// A table of strings that only grows.
#[derive(Default)]
pub struct Symbols {
    /// Recent strings, by a hash that is cheap to compute: most strings of a record are also in
    /// the record before, and comparing is faster than hashing. Strings with a backslash are
    /// left out, so that the raw bytes of a string are never mistaken for its text.
    recent: RecentSymbols,
    text: String,
    ends: Vec<u64>,
    /// Symbols with a part of their hashes, so that growing does not read the strings again.
    table: HashTable<(u32, Symbol)>,
    hasher: FixedState,
}

struct RecentSymbols([Option<Symbol>; RECENT]);

impl Default for RecentSymbols {
    fn default() -> Self {
        Self([None; RECENT])
    }
}

impl RecentSymbols {
    /// Returns the slot of a string, from its length and its last byte.
    fn slot(&mut self, bytes: &[u8]) -> &mut Option<Symbol> {
        let last = bytes.last().copied().unwrap_or_default();
        &mut self.0[(bytes.len() * 5 + usize::from(last)) % RECENT]
    }
}

impl Symbols {
    /// Returns the symbol of a raw string, adding the string if it is new.
    ///
    /// Known strings are not decoded: raw bytes without escapes that equal a known string are that string.
    pub(crate) fn add_raw(&mut self, raw: Str<'_>) -> Symbol {
        let bytes = raw.raw();
        if let Some(known) = *self.recent.slot(bytes)
            && self.text(known).as_bytes() == bytes
        {
            return known;
        }
        if memchr(b'\\', bytes).is_some() {
            return self.add(&raw.decode());
        }
        let symbol = match std::str::from_utf8(bytes) {
            Ok(text) => self.add(text),
            Err(_) => self.add(&raw.decode()),
        };
        *self.recent.slot(bytes) = Some(symbol);
        symbol
    }

    /// Returns the symbol of `text`, adding it if it is new.
    pub fn add(&mut self, text: &str) -> Symbol {
        let hash = self.hash(text.as_bytes());
        let (texts, ends) = (&mut self.text, &mut self.ends);
        let is_same = is_same(texts, ends, hash, text);
        match self.table.entry(spread(hash), is_same, |&(h, _)| spread(h)) {
            Entry::Occupied(known) => known.get().1,
            Entry::Vacant(place) => {
                let symbol = Symbol::at(ends.len());
                texts.push_str(text);
                ends.push(texts.len() as u64);
                place.insert((hash, symbol));
                symbol
            }
        }
    }

    /// Returns the symbol of `text` if the table contains it.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        let hash = self.hash(text.as_bytes());
        let is_same = is_same(&self.text, &self.ends, hash, text);
        let found = self.table.find(spread(hash), is_same);
        found.map(|&(_, symbol)| symbol)
    }

    /// Returns the string of a symbol of this table.
    pub fn text(&self, symbol: Symbol) -> &str {
        slice(&self.text, &self.ends, symbol)
    }

    /// Returns all strings, in the order of their symbols.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let text = &self.text[start..end as usize];
            start = end as usize;
            text
        })
    }

    /// Creates a table from concatenated strings; `ends` are their end offsets.
    pub(crate) fn restored(text: String, ends: Vec<u64>) -> Self {
        let hasher = FixedState::default();
        let mut table = HashTable::with_capacity(ends.len());
        let mut start = 0;
        for (index, &end) in ends.iter().enumerate() {
            let hash = hash_with(&hasher, &text.as_bytes()[start..end as usize]);
            let item = (hash, Symbol::at(index));
            table.insert_unique(spread(hash), item, |&(hash, _)| spread(hash));
            start = end as usize;
        }
        Self { recent: RecentSymbols::default(), text, ends, table, hasher }
    }

    /// Returns the number of strings; the index of every symbol is less than it.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Releases spare capacity.
    pub(crate) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Tells whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn hash(&self, text: &[u8]) -> u32 {
        hash_with(&self.hasher, text)
    }
}

/// A set of symbols of one table, with one bit for each.
pub struct SymbolSet(Vec<u64>);

impl SymbolSet {
    /// Creates an empty set for the symbols of a table.
    pub fn of(symbols: &Symbols) -> Self {
        Self(vec![0; symbols.len().div_ceil(64)])
    }

    /// Adds a symbol; returns true if the set did not contain it.
    pub fn insert(&mut self, symbol: Symbol) -> bool {
        let (word, bit) = Self::place(symbol);
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }

    /// Tells whether the set contains a symbol.
    pub fn contains(&self, symbol: Symbol) -> bool {
        let (word, bit) = Self::place(symbol);
        self.0[word] & bit != 0
    }

    fn place(symbol: Symbol) -> (usize, u64) {
        let index = symbol.index();
        (index / 64, 1 << (index % 64))
    }
}

impl Extend<Symbol> for SymbolSet {
    fn extend<I: IntoIterator<Item = Symbol>>(&mut self, symbols: I) {
        for symbol in symbols {
            self.insert(symbol);
        }
    }
}

/// Spreads 32 bits over 64: the table takes tags from the upper bits and places from the lower ones.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn hash_with(hasher: &FixedState, text: &[u8]) -> u32 {
    hasher.hash_one(text) as u32
}

/// Returns a predicate that tells whether an item of the table represents `wanted`.
fn is_same<'a>(
    texts: &'a str,
    ends: &'a [u64],
    hash: u32,
    wanted: &'a str,
) -> impl Fn(&(u32, Symbol)) -> bool + 'a {
    move |&(other, symbol)| other == hash && slice(texts, ends, symbol) == wanted
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
            (symbols.text(first), symbols.text(empty), symbols.text(second)),
            ("a", "", "bc")
        );
    }

    #[test]
    fn a_set_has_what_was_added() {
        let mut symbols = Symbols::default();
        let all: Vec<Symbol> = (0..130).map(|n| symbols.add(&n.to_string())).collect();
        let mut set = SymbolSet::of(&symbols);
        assert!(set.insert(all[63]) && set.insert(all[64]));
        assert!(!set.insert(all[64]));
        set.extend([all[129]]);
        let found = all.iter().filter(|symbol| set.contains(**symbol));
        assert!(found.eq([&all[63], &all[64], &all[129]]));
    }
}
