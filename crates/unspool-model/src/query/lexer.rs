//! Splits the text of a query into tokens.

use crate::named::Named as _;
use std::borrow::Cow;
use std::ops::Range;

use super::error::{ErrorKind, QueryError};
use super::field::Field;
use super::{TermKind, trim};

/// One token of a query.
#[derive(Debug)]
pub(super) struct QueryToken<'a> {
    /// The byte range, without the punctuation around it.
    pub(super) span: Range<usize>,
    /// The sign before the token.
    pub(super) mark: Option<TermSign>,
    pub(super) body: TokenBody<'a>,
}

/// A sign before a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TermSign {
    /// `+`
    Must,
    /// `-`
    Not,
}

/// The kind of a token.
#[derive(Debug)]
pub(super) enum TokenBody<'a> {
    /// The operator `OR`.
    Or,
    /// A word or a prefix, possibly empty.
    Word {
        text: &'a str,
        kind: TermKind,
        /// Set if ticks before the word say that it is meant as written.
        ticked: bool,
    },
    /// A phrase, possibly empty.
    Phrase(String),
    /// A filter with its value, which is not empty.
    Filter {
        field: Field,
        value: Cow<'a, str>,
        /// The byte range of the value.
        place: Range<usize>,
    },
}

/// Reads the text of a query in one pass.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Returns the text up to the next white space.
    fn run(&self) -> &'a str {
        let rest = self.rest();
        let run = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
        unspool_work::add(run.len());
        run
    }

    /// Returns the next token, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<QueryToken<'a>>, QueryError> {
        let before = self.at;
        self.at = self.text.len() - self.rest().trim_start().len();
        unspool_work::add(self.at - before + 1);
        if self.rest().is_empty() {
            return Ok(None);
        }
        if self.at_operator() {
            let span = self.at..self.at + 2;
            self.at = span.end;
            let (mark, body) = (None, TokenBody::Or);
            return Ok(Some(QueryToken { span, mark, body }));
        }
        let mut ticked = self.skip_opening();
        let start = self.at;
        let mark = if ticked { None } else { self.mark() };
        if mark.is_some() {
            ticked = self.skip_opening();
        }
        let (body, end) = self.body(ticked)?;
        let span = start..end;
        Ok(Some(QueryToken { span, mark, body }))
    }

    /// Tells whether the operator is at the current position.
    ///
    /// Reads no more of the text than necessary: tokens may follow each other without white
    /// space, and searching for white space each time would take quadratic time.
    fn at_operator(&self) -> bool {
        let following = self.rest().strip_prefix("OR");
        following.is_some_and(|rest| !rest.starts_with(|c: char| !c.is_whitespace()))
    }

    /// Skips characters that may come before a word; returns true if ticks were among them.
    fn skip_opening(&mut self) -> bool {
        let rest = self.rest();
        let kept = rest.trim_start_matches(trim::opens);
        self.at = self.text.len() - kept.len();
        let skipped = &rest[..rest.len() - kept.len()];
        unspool_work::add(skipped.len());
        skipped.contains(trim::is_tick)
    }

    /// Reads a sign, which is a single character before something: `--x` and `- x` have none.
    fn mark(&mut self) -> Option<TermSign> {
        let mut chars = self.rest().chars();
        let sign = chars.next()?;
        let mark = match sign {
            '+' => TermSign::Must,
            '-' => TermSign::Not,
            _ => return None,
        };
        let next = chars.next()?;
        if next == sign || next.is_whitespace() {
            return None;
        }
        self.at += 1;
        Some(mark)
    }

    /// Reads the body of a token; returns it with its end, without the punctuation after it.
    fn body(&mut self, ticked: bool) -> Result<(TokenBody<'a>, usize), QueryError> {
        if let Some(phrase) = self.quoted()? {
            return Ok((TokenBody::Phrase(phrase), self.at));
        }
        if !ticked && let Some(field) = filter_name(self.rest()) {
            return self.filter(field);
        }
        let run = self.run();
        let (text, kind) = trim::word(run);
        let end = self.at + text.len() + usize::from(kind == TermKind::Prefix);
        self.at += run.len();
        Ok((TokenBody::Word { text, kind, ticked }, end))
    }

    fn filter(&mut self, field: Field) -> Result<(TokenBody<'a>, usize), QueryError> {
        let name = self.at;
        self.at += field.name().len() + 1;
        let start = self.at;
        let (value, end) = if let Some(value) = self.quoted()? {
            (Cow::Owned(value), self.at)
        } else {
            let run = self.run();
            let value = trim::value(run);
            let end = self.at + value.len();
            self.at += run.len();
            (Cow::Borrowed(value), end)
        };
        if value.is_empty() {
            return Err(ErrorKind::EmptyValue(field).at(name..end));
        }
        let place = start..end;
        let body = TokenBody::Filter { field, value, place };
        Ok((body, end))
    }

    /// Reads a quoted text, if one starts here.
    fn quoted(&mut self) -> Result<Option<String>, QueryError> {
        let mut chars = self.rest().char_indices();
        let (open, close) = match chars.next() {
            Some((_, '"')) => ('"', '"'),
            Some((_, '“')) => ('“', '”'),
            _ => return Ok(None),
        };
        let mut text = String::new();
        while let Some((at, c)) = chars.next() {
            unspool_work::add(1);
            if c == close {
                self.at += at + close.len_utf8();
                return Ok(Some(text.trim().to_owned()));
            }
            let next = chars.as_str().chars().next();
            match next.filter(|next| c == '\\' && (*next == close || *next == '\\')) {
                Some(escaped) => {
                    text.push(escaped);
                    chars.next();
                }
                None => text.push(c),
            }
        }
        Err(ErrorKind::UnclosedQuote.at(self.at..self.at + open.len_utf8()))
    }
}

/// Returns the filter that a text starts with.
///
/// `file://…` is a URL, and `model::Log` is a name in code.
pub(super) fn filter_name(text: &str) -> Option<Field> {
    let starts = |field: &&Field| {
        let value = text.strip_prefix(field.name());
        let value = value.and_then(|rest| rest.strip_prefix(':'));
        value.is_some_and(|value| !value.starts_with(':') && !value.starts_with("//"))
    };
    Field::ALL.iter().find(starts).copied()
}
