//! What a hit shows.

use super::*;
use crate::ops::scan::snippet::snippet;
use crate::ops::scan::{Case, Extent};

/// Shows a text with its matches in brackets.
fn shown(text: &str, pattern: &str, width: usize, context: usize) -> String {
    let pattern = Pattern::new(pattern, Kind::Regex, Case::Sensitive).expect("valid");
    let first = pattern.find_at(text, 0).expect("a match");
    let snippet = snippet(text, first, &pattern, Extent { width, context });
    let mut marked = String::new();
    let mut matches = snippet.matches.iter().peekable();
    for (at, c) in snippet.text.chars().chain(['\0']).enumerate() {
        if matches.peek().is_some_and(|range| range.end == at) {
            marked.push(']');
            matches.next();
        }
        if matches.peek().is_some_and(|range| range.start == at) {
            marked.push('[');
        }
        marked.push(c);
    }
    assert!(matches.next().is_none(), "{marked} {:?}", snippet.matches);
    marked.trim_end_matches('\0').to_owned()
}

#[test]
fn a_line_around_the_match_with_white_space_collapsed() {
    for (text, pattern, expected) in [
        ("needle", "needle", "[needle]"),
        ("  a\n\n needle\t b \n", "needle", "a [needle] b"),
        (
            "one two three four needle five six seven",
            "needle",
            "…e four [needle] five si…",
        ),
        (
            "needle and more than fits here",
            "needle",
            "[needle] and more than…",
        ),
        (
            "what is left of it before needle",
            "needle",
            "…before [needle]",
        ),
        (
            "日本語日本語日本語 針 日本",
            "針",
            "…日本語日本語 [針] 日本",
        ),
        ("a needle, a needle", "needle", "a [needle], a [needle]"),
        ("a\n\nb", r"\n\n", "a[ ]b"),
        ("a \n b", r"\n", "a[ ]b"),
        ("abc", "x*", "abc"),
        ("ab", r"\b|b", "a[b]"),
    ] {
        assert_eq!(
            shown(text, pattern, 21, 0),
            expected,
            "{pattern} in {text:?}"
        );
    }
}

#[test]
fn lines_before_and_behind_are_kept_as_they_are() {
    let text = "zero\n  one\n\ttwo needle\r\nthree\nfour needle\nfive";
    for (context, expected) in [
        (1, "  one\n\ttwo [needle]\nthree"),
        (2, "zero\n  one\n\ttwo [needle]\nthree\nfour [needle]"),
        (9, "zero\n  one\n\ttwo [needle]\nthree\nfour [needle]\nfive"),
    ] {
        assert_eq!(shown(text, "needle", 80, context), expected);
    }
    assert_eq!(
        shown(text, r"one\n\ttwo", 80, 1),
        "zero\n  [one\n\ttwo] needle\nthree"
    );
    assert_eq!(shown(text, "five", 80, 1), "four needle\n[five]");
    assert_eq!(shown(text, "zero", 80, 1), "[zero]\n  one");
    assert_eq!(
        shown(
            "short\n0123456789 needle 0123456789\n0123456789abcdef",
            "needle",
            12,
            1
        ),
        "short\n…789 [needle] 0…\n0123456789ab…"
    );
    assert_eq!(shown("\n\nneedle\n\n", "needle", 9, 1), "\n[needle]\n");
}
