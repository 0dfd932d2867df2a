//! Queries as people type them, as pasted text contains them, and at random.

mod errors;
mod filters;
mod laws;
mod times;
mod words;

use jiff::tz::TimeZone;

use super::{Clock, Need, Query, Term, TermKind, parse};
use crate::time::Time;

/// A Wednesday afternoon in Berlin, one hour ahead of UTC.
fn clock() -> Clock {
    Clock {
        now: Time::parse("2026-11-11T14:30:00Z").expect("a time"),
        zone: TimeZone::get("Europe/Berlin").expect("a zone"),
    }
}

#[track_caller]
fn query(text: &str) -> Query {
    parse(text, &clock()).unwrap_or_else(|error| panic!("{error}\n{}", error.point(text)))
}

/// Writes terms in a plain notation: kind and text, with `!` for required, `¬` for excluded and
/// `|` between alternatives.
fn plain(query: &Query) -> String {
    let term = |term: &Term| {
        let need = match term.need {
            Need::Optional => "",
            Need::Required => "!",
            Need::Excluded => "¬",
        };
        match term.kind {
            TermKind::Word => format!("{need}{}", term.text),
            TermKind::Phrase => format!("{need}<{}>", term.text),
            TermKind::Prefix => format!("{need}{}…", term.text),
        }
    };
    let clauses = query.clauses().map(|clause| {
        assert!(clause.alternatives.iter().all(|t| t.need == clause.need));
        let terms: Vec<String> = clause.alternatives.iter().map(term).collect();
        terms.join("|")
    });
    clauses.collect::<Vec<_>>().join(" ")
}
