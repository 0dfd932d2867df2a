//! The search language: what a person types becomes terms, filters and times.
//!
//! One parser for all surfaces. Text goes in, values come out: no index, no files, and
//! the time and its zone are passed in as a [`Clock`]. Work is linear in the text.
//!
//! | written | meaning |
//! |---|---|
//! | `words like these` | wanted, none of them required: a question typed as a sentence works |
//! | `"a phrase"` | required, word after word; `\"` and `\\` mean a quote and a backslash |
//! | `+word` | required |
//! | `-word`, `-"a phrase"`, `-tool:Bash` | excluded |
//! | `pre*` | words that start like this |
//! | `a OR b` | alternatives, required together if one of them is |
//! | `project:x`, `project:"my app"` | a filter, one of [`Field`] |
//! | `` `-f` ``, `` `tool:x` `` | a word as written, neither an exclusion nor a filter |
//!
//! Several filters of one field are alternatives, and filters of different fields must
//! all match; an excluded filter excludes on its own. `OR` may be between filters of
//! one field and says nothing new there.
//!
//! **Words are taken as written**: `parse_config`, `foo::bar`, `src/main.rs`, `C++`. A
//! word that starts with two signs, such as `--no-verify`, is a word. Left out are
//! brackets, quotes and asterisks around words, punctuation after them, and words that
//! are nothing else, so that `(a OR b)` and `why, though?` mean what they seem to.
//!
//! **Only the names of filters make filters**, in lower case: `TODO:`, `https://…`,
//! `file://…` and `model::Log` are words. What looks like a mistyped filter is a word
//! too, and a [`Hint`] says so.
//!
//! Times are those of [`period`]: `since:` counts from the start of what is named,
//! `until:` to its end.

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

/// What is searched for.
///
/// Two queries are equal when they ask for the same; places and hints do not count.
/// A parsed query prints as a text that parses to an equal query under the same clock.
#[derive(Clone, Default, Debug)]
pub struct Query {
    /// What the text contains, alternatives side by side.
    pub terms: Vec<Term>,
    /// What must be true of where it is.
    pub filters: Filters,
    /// What the writer may have meant otherwise.
    pub hints: Vec<Hint>,
}

impl Query {
    /// Tells whether it asks for nothing at all.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.filters.is_empty()
    }

    /// Returns the terms clause by clause, which is how a boolean query is built.
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

/// A word, a phrase or the start of words.
///
/// Two terms are equal wherever they are.
#[derive(Clone, Debug)]
pub struct Term {
    /// The text as written, without marks, quotes and the asterisk.
    ///
    /// It contains at least one character that is more than punctuation.
    pub text: String,
    /// How the text is to be matched.
    pub kind: TermKind,
    /// Whether it must be there; the same for all terms of a clause.
    pub need: Need,
    /// The number of its clause; alternatives share one. Never falls along the terms.
    pub clause: usize,
    /// The bytes of the query that it is in, mark and quotes included.
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

/// Whether a term must be there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Need {
    /// It counts where it is there.
    Optional,
    /// It must be there.
    Required,
    /// It must not be there.
    Excluded,
}

/// Terms of which one is enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clause<'a> {
    /// Whether one of them must be there; an excluded clause has one term.
    pub need: Need,
    /// The alternatives, at least one.
    pub alternatives: &'a [Term],
}
