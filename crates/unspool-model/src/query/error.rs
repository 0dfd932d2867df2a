//! What is wrong with a query, or odd, with its place.

use std::fmt;
use std::ops::Range;

use super::field::Field;
use super::point::point;
use super::when::TimeError;

/// Says why a text is not a query, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
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

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for QueryError {}

/// What can be wrong with a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// A quote is opened and not closed.
    UnclosedQuote,
    /// A filter has no value.
    EmptyValue(Field),
    /// A filter does not know its value.
    UnknownValue {
        /// The filter.
        field: Field,
        /// The value as written.
        value: String,
        /// The nearest values that it knows, best first.
        near: Vec<&'static str>,
    },
    /// A filter of time names no time.
    BadTime(TimeError),
    /// `OR` has nothing on one of its sides.
    LoneOr,
    /// `OR` is between things that cannot be alternatives.
    MixedOr,
    /// An alternative is excluded.
    ExcludedOr,
    /// Everything is excluded, nothing is asked for.
    OnlyExclusions,
}

impl ErrorKind {
    pub(super) fn at(self, span: Range<usize>) -> QueryError {
        QueryError { span, kind: self }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnclosedQuote => f.write_str("this quote is not closed"),
            Self::EmptyValue(field) => {
                let example = field.example();
                write!(f, "`{field}:` needs a value, such as `{field}:{example}`")
            }
            Self::UnknownValue { field, value, near } => {
                write!(f, "`{field}:` knows no `{}`; ", value.escape_debug())?;
                if near.is_empty() {
                    f.write_str("it knows ")?;
                    return list(f, field.values(), " and ");
                }
                f.write_str("did you mean ")?;
                list(f, near, " or ")?;
                f.write_str("?")
            }
            Self::BadTime(error) => error.fmt(f),
            Self::LoneOr => f.write_str("`OR` needs something to find on both sides"),
            Self::MixedOr => {
                f.write_str("`OR` goes between words, or between filters of the same name")
            }
            Self::ExcludedOr => f.write_str("an alternative of `OR` cannot be excluded"),
            Self::OnlyExclusions => {
                f.write_str("everything here is excluded; say also what to find")
            }
        }
    }
}

/// Writes names with commas, and `last` before the last one.
fn list(f: &mut fmt::Formatter<'_>, names: &[&str], last: &str) -> fmt::Result {
    for (i, name) in names.iter().enumerate() {
        let between = match i {
            0 => "",
            _ if i + 1 == names.len() => last,
            _ => ", ",
        };
        write!(f, "{between}`{name}`")?;
    }
    Ok(())
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
