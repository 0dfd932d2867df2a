//! Laws that are true of every text.

use proptest::prelude::*;

use super::{clock, query};
use crate::query::{ErrorKind, Need, QueryError, TermKind, parse};

/// Generates texts from parts with a meaning in the language.
fn any_query() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        6 => prop::sample::select(vec![
            "a", "b1", "é", "全文", "🦀", "_", "OR", "AND", "or", "--", "++", "x::y", "a/b.rs", "C++", "don't",
        ]).prop_map(str::to_owned),
        6 => prop::sample::select(vec![" ", " ", "  ", "\n", "\u{3000}"]).prop_map(str::to_owned),
        6 => prop::sample::select(vec![
            "\"", "\"", "“", "”", "'", "`", "*", "+", "-", "(", ")", "[", "]", "{", "}", ":", "//", "\\", "?", ".",
            ",", ";", "…", "。", "\u{200b}", "\0",
        ]).prop_map(str::to_owned),
        4 => prop::sample::select(vec![
            "project:", "tool:", "role:", "is:", "has:", "since:", "until:", "file:", "projct:", "Tool:",
            "is:active", "role:user", "has:errors", "since:3d", "until:2026-11", "project:x", "-tool:y",
            "since:\"3 days ago\"", "model:\"a b\"", "-until:today.",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..14).prop_map(|parts| parts.concat())
}

fn assert_error_is_sound(text: &str, error: &QueryError) {
    assert!(text.get(error.span.clone()).is_some(), "{text:?} {error:?}");
    assert!(!error.to_string().is_empty());
    assert_eq!(error.point(text).lines().count(), 2, "{text:?}");
}

#[track_caller]
fn assert_sound(text: &str) {
    let query = match parse(text, &clock()) {
        Ok(query) => query,
        Err(error) => return assert_error_is_sound(text, &error),
    };
    let printed = query.to_string();
    let again = parse(&printed, &clock());
    let again = again.unwrap_or_else(|error| panic!("{text:?} {printed:?} {error}"));
    assert_eq!(again, query, "{text:?} printed as {printed:?}");
    assert_eq!(again.to_string(), printed, "{text:?}");
    let mut end = 0;
    for term in &query.terms {
        assert!(text.get(term.span.clone()).is_some_and(|at| !at.is_empty()));
        assert!(term.span.start >= end, "{text:?}");
        end = term.span.end;
        assert!(!term.text.is_empty());
        assert!(term.kind == TermKind::Phrase || !term.text.contains(char::is_whitespace));
    }
    for clause in query.clauses() {
        assert!(clause.alternatives.iter().all(|term| term.need == clause.need));
        assert!(clause.need != Need::Excluded || clause.alternatives.len() == 1);
    }
    let clauses: usize = query.clauses().map(|c| c.alternatives.len()).sum();
    assert_eq!(clauses, query.terms.len());
    for hint in &query.hints {
        assert!(text.get(hint.span.clone()).is_some());
        assert!(!hint.to_string().is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_query_prints_as_itself(text in any_query()) {
        assert_sound(&text);
    }

    #[test]
    fn any_text_is_a_query_or_an_error(text in any::<String>()) {
        assert_sound(&text);
    }

    #[test]
    fn any_time_is_a_time_or_an_error(text in "[0-9tzTZ:+. adhmowy-]{0,24}") {
        assert_sound(&format!("since:\"{text}\""));
    }

    #[test]
    fn a_sentence_without_signs_is_never_wrong(text in "[a-zA-Z,.;!?()' ]{0,80}") {
        match parse(&text, &clock()) {
            Ok(query) => prop_assert!(query.terms.iter().all(|term| term.need == Need::Optional)),
            Err(error) => prop_assert_eq!(error.kind, ErrorKind::LoneOr),
        }
    }
}

#[test]
fn long_texts_take_linear_work() {
    for part in [
        "a",
        "a ",
        "\"\"",
        "\"a\"",
        "-",
        "-a",
        "(",
        "((a))",
        "a)",
        "*",
        "a*",
        "`",
        "`a`",
        "is:agent ",
        "is:\"agent\"",
        "a OR ",
        "\\",
        "\"\\\"",
        "projct:x ",
        "a:",
        "?",
        "a.",
        "**",
        "a**.",
        "\u{3000}",
        "全",
        "since:3d ",
        "+\"a\"",
        "project:\"a\"",
        "“a”",
        "[",
        "a]",
    ] {
        let text = format!("x {}", part.repeat(200_000 / part.len()));
        let steps = unspool_work::count(|| {
            let _ = parse(&text, &clock()).map(|query| query.to_string());
        });
        // Quadratic work would be about ten thousand million steps.
        let most = 8 * text.len() as u64;
        assert!(steps <= most, "{part:?} took {steps} steps");
    }
}

#[test]
fn equal_queries_may_be_elsewhere() {
    assert_eq!(query(" a  tool:x b"), query("(a) b, tool:\"x\""));
    assert_ne!(query("a b"), query("b a"));
    assert_ne!(query("a b"), query("a OR b"));
    assert_ne!(query("a*"), query("a"));
}
