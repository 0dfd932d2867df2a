//! What is wrong with a query, or odd, with its place.

use std::fmt;
use std::ops::Range;

use super::field::Field;
use super::point::point;
use super::when::TimeError;

/// Says why a text is not a query, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{kind}")]
pub struct QueryError {
    /// The bytes of the query that are wrong.
    pub span: Range<usize>,
    /// What is wrong with them.
    pub kind: ErrorKind,
}

impl QueryError {
    /// Returns two lines: the query, and carets under the place.
    ///
    /// `query` is the text that was parsed. What would move a cursor is replaced.
    pub fn point(&self, query: &str) -> String {
        point(query, &self.span)
    }
}

/// What can be wrong with a query.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ErrorKind {
    /// A quote is opened and not closed.
    #[error("this quote is not closed")]
    UnclosedQuote,
    /// A filter has no value.
    #[error("`{0}:` needs a value, such as `{0}:{example}`", example = .0.example())]
    EmptyValue(Field),
    /// A filter does not know its value.
    #[error("`{field}:` knows no `{}`; {}", value.escape_debug(), suggested(*field, near))]
    UnknownValue {
        /// The filter.
        field: Field,
        /// The value as written.
        value: String,
        /// The nearest values that it knows, best first.
        near: Vec<&'static str>,
    },
    /// A filter of time names no time.
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
    /// Everything is excluded, nothing is asked for.
    #[error("everything here is excluded; say also what to find")]
    OnlyExclusions,
}

impl ErrorKind {
    pub(super) fn at(self, span: Range<usize>) -> QueryError {
        QueryError { span, kind: self }
    }
}

/// Says which values a filter knows: the nearest ones, else all.
fn suggested(field: Field, near: &[&str]) -> String {
    if near.is_empty() {
        format!("it knows {}", list(field.values(), " and "))
    } else {
        format!("did you mean {}?", list(near, " or "))
    }
}

/// Writes names with commas, and `last` before the last one.
fn list(names: &[&str], last: &str) -> String {
    let mut names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let end = names.split_off(names.len().saturating_sub(2)).join(last);
    names.push(end);
    names.join(", ")
}

/// Says what the writer of a query may have meant otherwise. The query works without it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// The bytes of the query it is about.
    pub span: Range<usize>,
    /// What it says.
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

/// What a hint can say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HintKind {
    /// A word looks like a filter.
    NearFilter {
        /// The name as written.
        written: String,
        /// The filter that it looks like.
        field: Field,
    },
    /// A word is an operator elsewhere.
    Operator(Operator),
    /// A quoted or required text is nothing but punctuation and was left out.
    OnlyPunctuation,
    /// The filters of time leave no time.
    NoTimeLeft,
}

/// An operator of other search languages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// `AND`, for which this language has `+`.
    And,
    /// `NOT`, for which this language has `-`.
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
