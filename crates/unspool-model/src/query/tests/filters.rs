//! Filters and hints.

use super::{plain, query};
use crate::named::Named as _;
use crate::query::{Field, Has, Is, TextRole, Values};

/// Checks terms and canonical filters.
#[track_caller]
fn check(text: &str, terms: &str, filters: &str) {
    let query = query(text);
    assert_eq!(plain(&query), terms, "{text}");
    assert_eq!(query.filters.to_string(), filters, "{text}");
}

fn hints(text: &str) -> Vec<String> {
    query(text).hints.iter().map(ToString::to_string).collect()
}

#[test]
fn filters_are_told_from_words() {
    for (text, terms, filters) in [
        ("project:x", "", "project:x"),
        ("a project:x b", "a b", "project:x"),
        ("project:\"my app\"", "", "project:\"my app\""),
        ("project:“my app”", "", "project:\"my app\""),
        ("project:\"x\"", "", "project:x"),
        ("project:\"a\"b", "b", "project:a"),
        ("project:C:\\x", "", "project:C:\\x"),
        ("project:. project:..", "", "project:. project:.."),
        ("file:/etc/hosts file:*.rs", "", "file:/etc/hosts file:*.rs"),
        ("(project:x OR project:y)", "", "project:x project:y"),
        ("a -project:x", "a", "-project:x"),
        ("+project:x", "", "project:x"),
        ("branch:feature/x", "", "branch:feature/x"),
        ("what failed in project:x?", "what failed in", "project:x"),
        ("project:\"x?\"", "", "project:\"x?\""),
        ("project:\":x\"", "", "project:\":x\""),
        ("project:\"//x\"", "", "project:\"//x\""),
        ("role:USER is:active.", "", "role:user is:active"),
        ("role:prompt", "", "role:user"),
        ("has:errors has:images", "", "has:error has:image"),
        (
            "is:live model:opus a role:user -tool:Bash tool:Edit since:3d",
            "a",
            "tool:Edit -tool:Bash role:user model:opus since:3d is:live",
        ),
        ("until:\"3 days ago\" since:2026", "", "since:2026 until:\"3 days ago\""),
        ("xproject:x", "xproject:x", ""),
        ("`project:x`", "project:x", ""),
        ("--project:x", "--project:x", ""),
        ("\"project:x\"", "!<project:x>", ""),
        ("foo=project:x", "foo=project:x", ""),
    ] {
        check(text, terms, filters);
    }
}

#[test]
fn a_word_that_is_nearly_a_filter_gets_a_hint() {
    for (text, written, name) in [
        ("projct:x", "projct", "project"),
        ("porject:x", "porject", "project"),
        ("projects:x", "projects", "project"),
        ("Project:x", "Project", "project"),
        ("tools:Bash", "tools", "tool"),
        ("-brnach:x a", "brnach", "branch"),
        ("tol:Bash", "tol", "tool"),
        ("fil:main.rs", "fil", "file"),
        ("after:2026", "after", "since"),
        ("before:2026", "before", "until"),
        ("path:x", "path", "file"),
    ] {
        let expected = format!(
            "`{written}:` is not a filter and was taken as a word; did you mean `{name}:`?"
        );
        assert_eq!(hints(text), [expected], "{text}");
    }
}

#[test]
fn other_colons_get_no_hint() {
    for text in [
        "TODO:x",
        "TODO: x",
        "Tool: x",
        "https://x.org",
        "std::fs",
        "tools::x",
        "localhost:80",
        "12:30",
        "a:b",
        "as:x",
        "note:x",
        "error:x",
        "`projct:x`",
        "\"projct:x\"",
        "main.rs:4",
        "a => b",
        "+AND",
    ] {
        assert_eq!(query(text).hints, [], "{text}");
    }
}

#[test]
fn other_hints() {
    for (text, terms, filters, hint) in [
        (
            "a AND b",
            "a AND b",
            "",
            "`AND` was taken as a word; write `+word` for what must be there",
        ),
        (
            "a NOT b",
            "a NOT b",
            "",
            "`NOT` was taken as a word; write `-word` for what must not be there",
        ),
        ("a \"=>\"", "a", "", "nothing but punctuation here; left out"),
        ("a \"\"", "a", "", "nothing but punctuation here; left out"),
        ("a +?", "a", "", "nothing but punctuation here; left out"),
        (
            "since:today until:yesterday",
            "",
            "since:today until:yesterday",
            "no time is both since and until these",
        ),
    ] {
        check(text, terms, filters);
        assert_eq!(hints(text), [hint], "{text}");
    }
}

#[test]
fn hints_point_at_their_place() {
    let text = "fix -projct:x now";
    let places: Vec<String> = query(text).hints.iter().map(|h| h.point(text)).collect();
    assert_eq!(places, ["fix -projct:x now\n    ^^^^^^^^^"]);
}

#[test]
fn values_of_one_field_are_alternatives() {
    let filters = query("role:user role:tool -role:tool is:active has:error -has:image").filters;
    assert_eq!(filters.role.any, [TextRole::User, TextRole::Tool]);
    assert_eq!(filters.role.none, [TextRole::Tool]);
    assert_eq!(filters.is.any, [Is::Active]);
    assert_eq!(filters.has.any, [Has::Error]);
    assert_eq!(filters.has.none, [Has::Image]);
    assert!(filters.role.allow(|role| *role == TextRole::User));
    assert!(!filters.role.allow(|role| *role == TextRole::Tool));
    assert!(!filters.role.allow(|role| *role == TextRole::Title));
    assert!(Values::<TextRole>::default().allow(|_| false));
}

#[test]
fn every_name_is_read_back() {
    for field in Field::ALL {
        for value in field.values() {
            let text = format!("{field}:{value}");
            assert_eq!(query(&text).to_string(), text);
        }
    }
}
