//! The search language: parses the text that a person types into terms, filters and times.
//!
//! All surfaces use this parser. It takes text and returns values: no index, no files; the time
//! and its zone are passed in as a [`Clock`]. Work is linear in the text.
//!
//! | written | meaning |
//! |---|---|
//! | `words like these` | optional, so a question typed as a sentence works |
//! | `"a phrase"` | required, word after word; `\"` and `\\` mean a quote and a backslash |
//! | `+word` | required |
//! | `-word`, `-"a phrase"`, `-tool:Bash` | excluded |
//! | `pre*` | words with this prefix |
//! | `a OR b` | alternatives; one of them must match if any of them is required |
//! | `project:x`, `project:"my app"` | a filter, one of [`Field`] |
//! | `` `-f` ``, `` `tool:x` `` | a word as written, neither an exclusion nor a filter |
//!
//! Filters of one field are alternatives, filters of different fields must all match, and an excluded
//! filter excludes on its own. `OR` between filters of one field is allowed and changes nothing.
//!
//! **Words are taken as written**: `parse_config`, `foo::bar`, `src/main.rs`, `C++`. A word
//! that starts with two signs, such as `--no-verify`, is a word. Brackets, quotes and asterisks
//! around words, punctuation after them, and words of nothing else are left out, so that
//! `(a OR b)` and `why, though?` mean what they seem to.
//!
//! **Only the names of filters make filters**, in lower case: `TODO:`, `https://…`, `file://…` and
//! `model::Log` are words. A text that looks like a mistyped filter is a word too, and gets a [`Hint`].
//!
//! Times are those of [`period`]: `since:` counts from the start of the period, `until:` to its end.

mod error;
mod field;
mod filters;
mod lexer;
mod parser;
mod point;
mod print;
#[cfg(test)]
mod tests;
mod trim;
mod when;

use std::ops::Range;

pub use error::{ErrorKind, Hint, HintKind, Operator, QueryError};
pub use field::{Field, Has, Is, TextRole};
pub use filters::{Bound, Filters, TimeRange, Values};
pub use parser::parse;
pub use point::point;
pub use when::{Clock, Period, TimeError, period};

/// A parsed query.
///
/// Two queries are equal if they ask for the same; spans and hints are ignored. A parsed query
/// prints as a text that parses to an equal query under the same clock.
#[derive(Clone, Default, Debug)]
pub struct Query {
    /// Terms that the text contains, with alternatives next to each other.
    pub terms: Vec<Term>,
    /// Conditions on the place of the text.
    pub filters: Filters,
    /// Hints at what the writer may have meant instead.
    pub hints: Vec<Hint>,
}

impl Query {
    /// Tells whether the query has neither terms nor filters.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.filters.is_empty()
    }

    /// Returns the terms clause by clause, as a boolean query needs them.
    pub fn clauses(&self) -> impl Iterator<Item = Clause<'_>> {
        let groups = self.terms.chunk_by(|a, b| a.clause == b.clause);
        groups.filter_map(|alternatives| {
            let need = alternatives.first()?.need;
            Some(Clause { need, alternatives })
        })
    }
}

impl PartialEq for Query {
    fn eq(&self, other: &Self) -> bool {
        self.terms == other.terms && self.filters == other.filters
    }
}

impl Eq for Query {}

/// A word, a phrase or a prefix.
///
/// Equality ignores the span.
#[derive(Clone, Debug)]
pub struct Term {
    /// The text as written, without signs, quotes and the asterisk.
    ///
    /// Contains at least one character other than punctuation.
    pub text: String,
    /// How the text is matched.
    pub kind: TermKind,
    /// Whether the term must match; the same for all terms of a clause.
    pub need: Need,
    /// The number of the clause, which alternatives share. Never decreases along the terms.
    pub clause: usize,
    /// The byte range in the query, with sign and quotes.
    pub span: Range<usize>,
}

impl PartialEq for Term {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
            && self.kind == other.kind
            && self.need == other.need
            && self.clause == other.clause
    }
}

impl Eq for Term {}

/// How a term is matched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TermKind {
    /// As a word.
    Word,
    /// As words in this order.
    Phrase,
    /// As the start of a word.
    Prefix,
}

/// Whether a term must match.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Need {
    /// A match counts, but none is needed.
    Optional,
    /// The term must match.
    Required,
    /// The term must not match.
    Excluded,
}

/// Terms, one of which is enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clause<'a> {
    /// Whether one of the terms must match; an excluded clause has one term.
    pub need: Need,
    /// The alternatives, at least one.
    pub alternatives: &'a [Term],
}
