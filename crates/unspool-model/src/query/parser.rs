//! Parses the tokens of a query.

use std::ops::Range;

use super::error::{ErrorKind, Hint, HintKind, Operator, QueryError};
use super::field::Field;
use super::filters::{Bound, Values};
use super::lexer::{Lexer, QueryToken, TermSign, TokenBody};
use super::when::{Clock, Period, period};
use super::{Need, Query, Term, TermKind, trim};
use crate::named::Named;
use crate::near::{few_slips, near};
use crate::time::Time;

/// Parses a query.
///
/// A text with nothing to search for is an empty query, not an error.
pub fn parse(text: &str, clock: &Clock) -> Result<Query, QueryError> {
    let mut parser = Parser {
        clock,
        query: Query::default(),
        last: None,
        or: None,
        clauses: 0,
        asks: false,
        time: None,
    };
    let mut lexer = Lexer::new(text);
    let mut whole: Option<Range<usize>> = None;
    while let Some(token) = lexer.next()? {
        let start = whole.map_or(token.span.start, |whole| whole.start);
        whole = Some(start..token.span.end);
        parser.token(token)?;
    }
    parser.finish(whole.unwrap_or_default())
}

/// The left operand of an `OR`.
#[derive(Clone)]
struct Operand {
    span: Range<usize>,
    kind: OperandKind,
    mark: Option<TermSign>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OperandKind {
    Term,
    Filter(Field),
}

struct Parser<'c> {
    clock: &'c Clock,
    query: Query,
    /// The last term or filter.
    last: Option<Operand>,
    /// An `OR` that waits for its right operand.
    or: Option<Range<usize>>,
    /// Number of clauses.
    clauses: usize,
    /// Set if anything is searched for, and not only excluded.
    asks: bool,
    /// The byte range of the last filter of time.
    time: Option<Range<usize>>,
}

impl Parser<'_> {
    fn token(&mut self, token: QueryToken<'_>) -> Result<(), QueryError> {
        let QueryToken { span, mark, body } = token;
        match body {
            TokenBody::Or => self.operator(span),
            TokenBody::Word { text, kind, ticked } => {
                if !ticked && mark.is_none() {
                    self.hint_at_operator(text, &span);
                }
                if !ticked {
                    self.hint_at_filter(text, &span);
                }
                self.term(text.to_owned(), kind, mark, span)
            }
            TokenBody::Phrase(text) => self.term(text, TermKind::Phrase, mark, span),
            TokenBody::Filter { field, value, place } => {
                if matches!(field, Field::Since | Field::Until) {
                    self.time = Some(span.clone());
                }
                self.operand(OperandKind::Filter(field), mark, span)?;
                self.filter(field, &value, mark, place)
            }
        }
    }

    fn operator(&mut self, span: Range<usize>) -> Result<(), QueryError> {
        if self.last.is_none() || self.or.is_some() {
            return Err(ErrorKind::LoneOr.at(span));
        }
        self.or = Some(span);
        Ok(())
    }

    /// Records a term or filter; returns true if it is an alternative to the one before.
    fn operand(
        &mut self,
        kind: OperandKind,
        mark: Option<TermSign>,
        span: Range<usize>,
    ) -> Result<bool, QueryError> {
        self.asks |= mark != Some(TermSign::Not);
        let operand = Operand { span, kind, mark };
        let last = self.last.replace(operand.clone());
        let (Some(or), Some(last)) = (self.or.take(), last) else {
            return Ok(false);
        };
        if last.kind != kind {
            return Err(ErrorKind::MixedOr.at(or));
        }
        match [last, operand].into_iter().find(|side| side.mark == Some(TermSign::Not)) {
            Some(excluded) => Err(ErrorKind::ExcludedOr.at(excluded.span)),
            None => Ok(true),
        }
    }

    fn term(
        &mut self,
        text: String,
        kind: TermKind,
        mark: Option<TermSign>,
        span: Range<usize>,
    ) -> Result<(), QueryError> {
        if !trim::says_something(&text) {
            if kind == TermKind::Phrase || mark == Some(TermSign::Must) {
                self.hint(HintKind::OnlyPunctuation, span);
            }
            return Ok(());
        }
        if !self.operand(OperandKind::Term, mark, span.clone())? {
            self.clauses += 1;
        }
        let need = match mark {
            Some(TermSign::Not) => Need::Excluded,
            Some(TermSign::Must) => Need::Required,
            None if kind == TermKind::Phrase => Need::Required,
            None => Need::Optional,
        };
        self.query.terms.push(Term { text, kind, need, clause: self.clauses - 1, span });
        Ok(())
    }

    fn filter(
        &mut self,
        field: Field,
        value: &str,
        mark: Option<TermSign>,
        place: Range<usize>,
    ) -> Result<(), QueryError> {
        let filters = &mut self.query.filters;
        match field {
            Field::Project => add(&mut filters.project, value.to_owned(), mark),
            Field::Branch => add(&mut filters.branch, value.to_owned(), mark),
            Field::Tool => add(&mut filters.tool, value.to_owned(), mark),
            Field::Model => add(&mut filters.model, value.to_owned(), mark),
            Field::File => add(&mut filters.file, value.to_owned(), mark),
            Field::Role => add(&mut filters.role, known(field, value, place)?, mark),
            Field::Is => add(&mut filters.is, known(field, value, place)?, mark),
            Field::Has => add(&mut filters.has, known(field, value, place)?, mark),
            Field::Since => {
                let start = bound(value, self.clock, |period| period.from);
                add(&mut filters.since, start.map_err(|e| e.at(place))?, mark);
            }
            Field::Until => {
                let end = bound(value, self.clock, |period| period.until);
                add(&mut filters.until, end.map_err(|e| e.at(place))?, mark);
            }
        }
        Ok(())
    }

    fn hint(&mut self, kind: HintKind, span: Range<usize>) {
        self.query.hints.push(Hint { span, kind });
    }

    /// Adds a hint if a word is an operator in other languages.
    fn hint_at_operator(&mut self, word: &str, span: &Range<usize>) {
        let operator = match word {
            "AND" => Operator::And,
            "NOT" => Operator::Not,
            _ => return,
        };
        self.hint(HintKind::Operator(operator), span.clone());
    }

    /// Adds a hint if a word is nearly a filter.
    fn hint_at_filter(&mut self, word: &str, span: &Range<usize>) {
        if let Some((name, field)) = near_filter(word) {
            let written = name.to_owned();
            self.hint(HintKind::NearFilter { written, field }, span.clone());
        }
    }

    /// Completes a query with the byte range `whole`.
    fn finish(mut self, whole: Range<usize>) -> Result<Query, QueryError> {
        if let Some(or) = self.or {
            return Err(ErrorKind::LoneOr.at(or));
        }
        if !self.asks && !self.query.is_empty() {
            return Err(ErrorKind::OnlyExclusions.at(whole));
        }
        // One required alternative makes the clause required.
        let terms = &mut self.query.terms;
        for clause in terms.chunk_by_mut(|a, b| a.clause == b.clause) {
            if clause.iter().any(|term| term.need == Need::Required) {
                for term in clause {
                    term.need = Need::Required;
                }
            }
        }
        if self.query.filters.time().is_empty()
            && let Some(span) = self.time.take()
        {
            self.hint(HintKind::NoTimeLeft, span);
        }
        Ok(self.query)
    }
}

fn add<T>(values: &mut Values<T>, value: T, mark: Option<TermSign>) {
    match mark {
        Some(TermSign::Not) => values.none.push(value),
        Some(TermSign::Must) | None => values.any.push(value),
    }
}

/// Parses a value of a closed set, ignoring case, with or without a full stop after it.
fn known<T: Named>(field: Field, value: &str, place: Range<usize>) -> Result<T, QueryError> {
    let name = value.trim_end_matches('.').to_ascii_lowercase();
    if let Some(found) = T::from_name(&name) {
        return Ok(found);
    }
    let unknown = ErrorKind::UnknownValue {
        field,
        value: value.to_owned(),
        near: near(&name, field.values()),
    };
    Err(unknown.at(place))
}

/// Parses one end of a time range, with or without a full stop after it.
fn bound(value: &str, clock: &Clock, end: fn(Period) -> Time) -> Result<Bound, ErrorKind> {
    let text = value.trim_end_matches('.').trim_end();
    let period = period(text, clock).map_err(ErrorKind::BadTime)?;
    let (text, at) = (text.to_owned(), end(period));
    Ok(Bound { text, at })
}

/// Words that people write in place of the names of filters.
const OTHER_NAMES: [(&str, Field); 6] = [
    ("after", Field::Since),
    ("before", Field::Until),
    ("path", Field::File),
    ("repo", Field::Project),
    ("folder", Field::Project),
    ("cwd", Field::Project),
];

/// Returns the name that a word starts with, and the filter that it may mean.
fn near_filter(word: &str) -> Option<(&str, Field)> {
    let (name, value) = word.split_once(':')?;
    let letters = name.bytes().all(|b| b.is_ascii_alphabetic());
    if !letters || name.len() > 12 || value.starts_with(':') || value.starts_with("//") {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == lower);
    let field = other
        .map(|(_, field)| *field)
        .or_else(|| Field::from_name(&lower))
        .or_else(|| nearest(&lower))?;
    Some((name, field))
}

/// Returns the filter of which `name` is a mistyped name.
fn nearest(name: &str) -> Option<Field> {
    let near = |field: &Field| Some((few_slips(name, field.name())?, *field));
    let ranked = Field::ALL.iter().filter_map(near);
    let (_, best) = ranked.min_by_key(|(slips, _)| *slips)?;
    // Three letters are near too many words, unless a name of four letters lost one.
    let is_mistyped = match name.len() {
        0..3 => false,
        3 => best.name().len() == 4,
        _ => true,
    };
    is_mistyped.then_some(best)
}
