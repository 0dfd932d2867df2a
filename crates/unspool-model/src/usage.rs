//! The token ledger: the tokens of each answer, counted once.
//!
//! One answer is written as several lines, each with its usage so far, and forks, resumes and copies
//! repeat it in other files. Rows are keyed by the id of the API message. A request id separates two rows
//! only if both have one and they differ, because copies lose theirs. Of several rows, the one with the
//! most output tokens counts, with ties broken by the larger sum, so totals do not depend on the order.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::AddAssign;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use crate::maybe::MaybeIndex;
use crate::time::Time;

/// Numbers of tokens, by price category.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize,
)]
pub struct Tokens {
    /// Tokens read without the cache.
    pub input: u64,
    /// Tokens that the model wrote.
    pub output: u64,
    /// Tokens written to the cache for five minutes; a write without a duration counts here.
    pub cache_write_5m: u64,
    /// Tokens written to the cache for an hour.
    pub cache_write_1h: u64,
    /// Tokens read from the cache.
    pub cache_read: u64,
}

impl Tokens {
    /// Returns the sum of all categories.
    pub fn sum(self) -> u64 {
        let parts = self.parts().into_iter();
        parts.fold(0, |sum: u64, (_, part)| sum.saturating_add(part))
    }

    /// Returns the size of the context of an answer: all tokens that the model read.
    pub fn context(self) -> u64 {
        Self { output: 0, ..self }.sum()
    }

    /// Returns each category with the name that scripts see.
    pub fn parts(self) -> [(&'static str, u64); 5] {
        [
            ("input", self.input),
            ("output", self.output),
            ("cache_write_5m", self.cache_write_5m),
            ("cache_write_1h", self.cache_write_1h),
            ("cache_read", self.cache_read),
        ]
    }

    /// Returns the sort key of a row: of several rows of one answer, the largest counts.
    pub fn rank(self) -> (u64, u64, Self) {
        (self.output, self.sum(), self)
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_write_5m = self.cache_write_5m.saturating_add(other.cache_write_5m);
        self.cache_write_1h = self.cache_write_1h.saturating_add(other.cache_write_1h);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
    }
}

/// The usage of one answer, as one line states it. Ids are texts, or keys that represent them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim<K, M = K> {
    /// The id of the API message; without one, the uuid of the entry or of its original.
    pub message: K,
    /// The id of the API request.
    pub request: Option<K>,
    /// The model, or other data that the caller needs about rows that count.
    pub model: M,
    /// The tokens that the line states.
    pub tokens: Tokens,
}

/// The model and the time of an answer, which determine its price.
pub type ModelAt<'l> = (&'l str, Option<Time>);

/// Claims of any number of logs, each answer counted once.
///
/// Ids are borrowed from the logs, or hashes of them.
#[derive(Clone, Debug)]
pub struct Ledger<K, M = K> {
    /// The first row of each message.
    first: HashMap<K, u32, FixedState>,
    rows: Vec<ClaimRow<K, M>>,
}

#[derive(Clone, Copy, Debug)]
struct ClaimRow<K, M> {
    request: Option<K>,
    model: M,
    tokens: Tokens,
    /// The next row of the same message, which has another request.
    next: MaybeIndex,
}

impl<K, M> Default for Ledger<K, M> {
    fn default() -> Self {
        Self { first: HashMap::default(), rows: Vec::new() }
    }
}

impl<K: Copy + Ord + Hash, M: Copy + Ord> Ledger<K, M> {
    /// Adds a claim.
    pub fn add(&mut self, claim: &Claim<K, M>) {
        let new = ClaimRow {
            request: claim.request,
            model: claim.model,
            tokens: claim.tokens,
            next: MaybeIndex::NONE,
        };
        let end = self.rows.len() as u32;
        let mut at = *self.first.entry(claim.message).or_insert(end);
        // The rows of a message are a linked list, with one row for each request.
        while let Some(row) = self.rows.get_mut(at as usize) {
            if row.request == new.request {
                return row.merge(new);
            }
            at = row.next.get().unwrap_or(end);
            if at == end {
                row.next = MaybeIndex::some(end);
            }
        }
        self.rows.push(new);
    }

    /// Returns the rows of a message, starting with its first.
    fn rows_from(
        &self,
        first: u32,
    ) -> impl Iterator<Item = ClaimRow<K, M>> + Clone + use<'_, K, M> {
        let row = |at: u32| self.rows[at as usize];
        let next = move |before: &ClaimRow<K, M>| before.next.get().map(row);
        std::iter::successors(Some(row(first)), next)
    }

    /// Returns the total, counting each answer once.
    pub fn total(&self) -> Tokens {
        let mut total = Tokens::default();
        for (_, tokens) in self.counted() {
            total += tokens;
        }
        total
    }

    /// Returns the model and the tokens of every answer that counts.
    ///
    /// A row without a request id is a copy of a row that has one. It joins the row with the
    /// most tokens, chosen among all rows so that their order does not matter.
    pub fn counted(&self) -> impl Iterator<Item = (M, Tokens)> {
        self.first.values().flat_map(|&first| {
            let rows = self.rows_from(first);
            let nameless = rows.clone().find(|row| row.request.is_none());
            let named = rows.filter(|row| row.request.is_some());
            let best = named.clone().max_by_key(|row| row.rank());
            let joined = match (nameless, best) {
                (Some(copy), Some(best)) if copy.tokens.rank() > best.tokens.rank() => Some(copy),
                (Some(copy), None) => Some(copy),
                (_, best) => best,
            };
            let others = named.filter(move |row| Some(row.request) != best.map(|b| b.request));
            joined.into_iter().chain(others).map(|row| (row.model, row.tokens))
        })
    }
}

impl<K: Copy + Ord, M: Copy + Ord> ClaimRow<K, M> {
    /// Compares the request last, so that hashes of request ids choose the same models as the ids.
    fn rank(self) -> ((u64, u64, Tokens), M, Option<K>) {
        (self.tokens.rank(), self.model, self.request)
    }

    fn merge(&mut self, other: Self) {
        if (other.tokens.rank(), other.model) > (self.tokens.rank(), self.model) {
            let next = self.next;
            *self = Self { next, ..other };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim<'a>(message: &'a str, request: Option<&'a str>, output: u64) -> Claim<&'a str> {
        Claim { message, request, model: "m", tokens: Tokens { output, ..Tokens::default() } }
    }

    fn total(claims: &[Claim<&str>]) -> u64 {
        let mut ledger = Ledger::default();
        for claim in claims {
            ledger.add(claim);
        }
        ledger.total().output
    }

    #[test]
    fn an_answer_counts_once_in_any_order() {
        let cases = [
            (vec![claim("a", Some("r"), 1), claim("a", Some("r"), 90)], 90),
            (vec![claim("a", None, 5), claim("a", Some("r"), 90)], 90),
            (vec![claim("a", None, 95), claim("a", Some("r"), 90)], 95),
            (vec![claim("a", Some("q"), 10), claim("a", Some("r"), 90)], 100),
            (vec![claim("a", Some("q"), 10), claim("a", None, 90), claim("a", Some("r"), 90)], 100),
            (vec![claim("a", None, 1), claim("b", None, 2)], 3),
        ];
        for (mut claims, expected) in cases {
            assert_eq!(total(&claims), expected, "{claims:?}");
            claims.reverse();
            assert_eq!(total(&claims), expected, "{claims:?}");
        }
    }
}
