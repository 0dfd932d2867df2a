//! Prints queries as text.

use crate::named::Named as _;
use std::fmt::{self, Display};

use super::field::Field;
use super::filters::{Filters, Values};
use super::lexer::filter_name;
use super::{Need, Query, Term, TermKind, trim};

impl Display for Query {
    /// Writes the terms in order and then the filters, field by field.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut space = "";
        for clause in self.clauses() {
            f.write_str(space)?;
            for (i, term) in clause.alternatives.iter().enumerate() {
                write!(f, "{}{term}", if i > 0 { " OR " } else { "" })?;
            }
            space = " ";
        }
        if !self.filters.is_empty() {
            write!(f, "{space}{}", self.filters)?;
        }
        Ok(())
    }
}

impl Display for Term {
    /// Writes the term with its sign. A phrase is required without a sign.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.need {
            Need::Excluded => "-",
            Need::Required if self.kind != TermKind::Phrase => "+",
            Need::Required | Need::Optional => "",
        })?;
        let star = match self.kind {
            TermKind::Phrase => return quoted(f, &self.text),
            TermKind::Prefix => "*",
            TermKind::Word => "",
        };
        let tick = if needs_ticks(&self.text, self.need) { "`" } else { "" };
        write!(f, "{tick}{}{star}{tick}", self.text)
    }
}

/// Tells whether a word has another meaning without ticks.
fn needs_ticks(word: &str, need: Need) -> bool {
    let doubled = word.starts_with("--") || word.starts_with("++");
    let signed = word.starts_with(['-', '+']) && !(doubled && need == Need::Optional);
    signed || word == "OR" || filter_name(word).is_some()
}

impl Display for Filters {
    /// Writes the filters field by field, in each field the excluding ones last.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Out { f, space: "" };
        for field in Field::ALL {
            match field {
                Field::Project => out.values(*field, &self.project),
                Field::Branch => out.values(*field, &self.branch),
                Field::Tool => out.values(*field, &self.tool),
                Field::Role => out.values(*field, &self.role),
                Field::Model => out.values(*field, &self.model),
                Field::File => out.values(*field, &self.file),
                Field::Since => out.values(*field, &self.since),
                Field::Until => out.values(*field, &self.until),
                Field::Is => out.values(*field, &self.is),
                Field::Has => out.values(*field, &self.has),
            }?;
        }
        Ok(())
    }
}

/// Writes words with spaces between them.
struct Out<'a, 'b> {
    f: &'a mut fmt::Formatter<'b>,
    space: &'static str,
}

impl Out<'_, '_> {
    fn values<T: Display>(&mut self, field: Field, values: &Values<T>) -> fmt::Result {
        let any = values.any.iter().map(|value| ("", value));
        let none = values.none.iter().map(|value| ("-", value));
        for (mark, value) in any.chain(none) {
            write!(self.f, "{}{mark}{field}:", self.space)?;
            self.space = " ";
            let value = value.to_string();
            if is_bare(&value) {
                self.f.write_str(&value)?;
            } else {
                quoted(self.f, &value)?;
            }
        }
        Ok(())
    }
}

/// Tells whether the value of a filter reads the same without quotes.
fn is_bare(value: &str) -> bool {
    let misread = value.starts_with(['"', '“', ':']) || value.starts_with("//");
    !misread && !value.contains(char::is_whitespace) && trim::value(value) == value
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    write!(f, "\"{escaped}\"")
}
