//! Texts that are not queries, with the place and the message.

use super::clock;
use crate::query::parse;

/// Checks the message and, under the query, the carets.
#[track_caller]
fn check(text: &str, carets: &str, message: &str) {
    let error = parse(text, &clock()).expect_err(text);
    assert_eq!(error.to_string(), message, "{text}");
    let pointed = error.point(text);
    let (line, under) = pointed.split_once('\n').expect("two lines");
    assert_eq!((line, under), (text, carets), "{text}");
}

#[test]
fn quotes_are_closed() {
    let message = "this quote is not closed";
    check("a \"b c", "  ^", message);
    check("\"", "^", message);
    check("“a\"", "^", message);
    check("a project:\"x", "          ^", message);
    check("全文検索 \"b", "         ^", message);
    check("\"a\\\"", "^", message);
}

#[test]
fn filters_have_values_that_they_know() {
    let empty = "`project:` needs a value, such as `project:my-app`";
    check("a project: b", "  ^^^^^^^^", empty);
    check("-project:", " ^^^^^^^^", empty);
    check("project:\"\"", "^^^^^^^^^^", empty);
    check("project:\" \"", "^^^^^^^^^^^", empty);
    check("project:?", "^^^^^^^^", empty);
    check("a is:activ b", "     ^^^^^", "`is:` knows no `activ`; did you mean `active`?");
    check("is:agnet", "   ^^^^^", "`is:` knows no `agnet`; did you mean `agent`?");
    check(
        "role:t",
        "     ^",
        "`role:` knows no `t`; it knows `user`, `assistant`, `thinking`, `tool`, `result`, `title`, `summary` and `system`",
    );
    check("-has:\"th\"", "     ^^^^", "`has:` knows no `th`; did you mean `thinking`?");
    check("role:ti", "     ^^", "`role:` knows no `ti`; did you mean `title`?");
}

#[test]
fn times_are_times() {
    check(
        "since:yesterdy",
        "      ^^^^^^^^",
        "`yesterdy` is not a time; did you mean `yesterday`?",
    );
    check(
        "until:3",
        "      ^",
        "`3` is not a time; write `3d`, `2h`, `10:00`, `yesterday`, `monday`, `nov 1` or `2026-11-01`",
    );
    check("a -since:2026-02-30", "         ^^^^^^^^^^", "2026-02-30 does not exist");
    check("since:9999999d", "      ^^^^^^^^", "9999999d is too far away");
}

#[test]
fn alternatives_have_two_sides_of_one_kind() {
    let lone = "`OR` needs something to find on both sides";
    check("OR", "^^", lone);
    check("OR a", "^^", lone);
    check("a OR", "  ^^", lone);
    check("a OR OR b", "     ^^", lone);
    check("a OR ?", "  ^^", lone);
    check("? OR a", "  ^^", lone);
    let mixed = "`OR` goes between words, or between filters of the same name";
    check("a OR tool:x", "  ^^", mixed);
    check("tool:x OR a", "       ^^", mixed);
    check("tool:x OR file:y", "       ^^", mixed);
    let excluded = "an alternative of `OR` cannot be excluded";
    check("a OR -b", "     ^^", excluded);
    check("-a OR b", "^^", excluded);
    check("a OR b OR -\"c d\"", "          ^^^^^^", excluded);
    check("tool:x OR -tool:y", "          ^^^^^^^", excluded);
}

#[test]
fn something_is_asked_for() {
    let message = "everything here is excluded; say also what to find";
    check("-a", "^^", message);
    check("-a -\"b\"", "^^^^^^^", message);
    check(" -tool:x ", " ^^^^^^^", message);
}

#[test]
fn carets_keep_to_their_columns() {
    check("検索 is:x", "        ^", &parse("is:x", &clock()).expect_err("x").to_string());
    let error = parse("a\tb\u{1b}[31m\n\u{202e} OR", &clock()).expect_err("lone");
    let pointed = error.point("a\tb\u{1b}[31m\n\u{202e} OR");
    assert_eq!(pointed, "a b\u{fffd}[31m \u{fffd} OR\n           ^^");
    // A text other than the one that was parsed is accepted.
    assert_eq!(error.point("é"), "é\n ^");
    assert_eq!(error.point(""), "\n^");
}
