//! Errors and hints about a query, with their places.

use std::fmt;
use std::ops::Range;

use super::field::Field;
use super::point::point;
use super::when::TimeError;

/// Why a text is not a query, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{kind}")]
pub struct QueryError {
    /// The byte range of the error in the query.
    pub span: Range<usize>,
    /// The kind of error.
    pub kind: ErrorKind,
}

impl QueryError {
    /// Returns two lines: the query, and carets under the place.
    ///
    /// `query` is the text that was parsed. Characters that would move a cursor are replaced.
    pub fn point(&self, query: &str) -> String {
        point(query, &self.span)
    }
}

/// The kinds of errors in a query.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ErrorKind {
    /// A quote is opened and not closed.
    #[error("this quote is not closed")]
    UnclosedQuote,
    /// A filter has no value.
    #[error("`{0}:` needs a value, such as `{0}:{example}`", example = .0.example())]
    EmptyValue(Field),
    /// A filter has an unknown value.
    #[error("`{field}:` knows no `{}`; {}", value.escape_debug(), suggested(*field, near))]
    UnknownValue {
        /// The filter.
        field: Field,
        /// The value as written.
        value: String,
        /// The nearest known values, best first.
        near: Vec<&'static str>,
    },
    /// The value of a filter of time is not a time.
    #[error("{0}")]
    BadTime(TimeError),
    /// `OR` has nothing on one of its sides.
    #[error("`OR` needs something to find on both sides")]
    LoneOr,
    /// `OR` is between things that cannot be alternatives.
    #[error("`OR` goes between words, or between filters of the same name")]
    MixedOr,
    /// An alternative is excluded.
    #[error("an alternative of `OR` cannot be excluded")]
    ExcludedOr,
    /// Everything is excluded, so nothing is searched for.
    #[error("everything here is excluded; say also what to find")]
    OnlyExclusions,
}

impl ErrorKind {
    pub(super) fn at(self, span: Range<usize>) -> QueryError {
        QueryError { span, kind: self }
    }
}

/// Returns the values to suggest for a filter: the nearest ones, else all.
fn suggested(field: Field, near: &[&str]) -> String {
    if near.is_empty() {
        format!("it knows {}", list(field.values(), " and "))
    } else {
        format!("did you mean {}?", list(near, " or "))
    }
}

/// Joins names with commas, and with `last` before the last one.
fn list(names: &[&str], last: &str) -> String {
    let mut names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let end = names.split_off(names.len().saturating_sub(2)).join(last);
    names.push(end);
    names.join(", ")
}

/// What the writer of a query may have meant instead. The query is valid without it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// The byte range in the query.
    pub span: Range<usize>,
    /// The kind of hint.
    pub kind: HintKind,
}

impl Hint {
    /// Returns two lines: the query, and carets under the place.
    pub fn point(&self, query: &str) -> String {
        point(query, &self.span)
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

/// The kinds of hints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HintKind {
    /// A word looks like a filter.
    NearFilter {
        /// The name as written.
        written: String,
        /// The filter that it looks like.
        field: Field,
    },
    /// A word is an operator in other languages.
    Operator(Operator),
    /// A quoted or required text consists of punctuation and was left out.
    OnlyPunctuation,
    /// No time matches all filters of time.
    NoTimeLeft,
}

/// An operator of other search languages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// `AND`, in place of which this language has `+`.
    And,
    /// `NOT`, in place of which this language has `-`.
    Not,
}

impl fmt::Display for HintKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NearFilter { written, field } => write!(
                f,
                "`{written}:` is not a filter and was taken as a word; did you mean `{field}:`?"
            ),
            Self::Operator(Operator::And) => {
                f.write_str("`AND` was taken as a word; write `+word` for what must be there")
            }
            Self::Operator(Operator::Not) => {
                f.write_str("`NOT` was taken as a word; write `-word` for what must not be there")
            }
            Self::OnlyPunctuation => f.write_str("nothing but punctuation here; left out"),
            Self::NoTimeLeft => f.write_str("no time is both since and until these"),
        }
    }
}
