//! The snippets of hits.

use super::*;
use crate::hit::SnippetSize;
use crate::scan::CaseMode;

/// Returns the snippet of a text with its matches in brackets.
fn shown(text: &str, pattern: &str, width: usize, context: usize) -> String {
    let pattern =
        ScanPattern::new(pattern, PatternKind::Regex, CaseMode::Sensitive).expect("valid");
    let first = pattern.find_at(text, 0).expect("a match");
    let snippet = pattern.snippet(text, first, SnippetSize { width, context });
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
        ("  a\n\n needle\t b \n", "needle", "a\n[needle] b"),
        ("one two three four needle five six seven", "needle", "…e four [needle] five si…"),
        ("needle and more than fits here", "needle", "[needle] and more than…"),
        ("what is left of it before needle", "needle", "…before [needle]"),
        ("日本語日本語日本語 針 日本", "針", "…日本語日本語 [針] 日本"),
        ("a needle, a needle", "needle", "a [needle], a [needle]"),
        ("a\n\nb", r"\n\n", "a[\n]b"),
        ("a \n b", r"\n", "a[\n]b"),
        ("abc", "x*", "abc"),
        ("ab", r"\b|b", "a[b]"),
    ] {
        assert_eq!(shown(text, pattern, 21, 0), expected, "{pattern} in {text:?}");
    }
}

#[test]
fn lines_before_and_after_are_kept_as_they_are() {
    let text = "zero\n  one\n\ttwo needle\r\nthree\nfour needle\nfive";
    for (context, expected) in [
        (1, "  one\n\ttwo [needle]\nthree"),
        (2, "zero\n  one\n\ttwo [needle]\nthree\nfour [needle]"),
        (9, "zero\n  one\n\ttwo [needle]\nthree\nfour [needle]\nfive"),
    ] {
        assert_eq!(shown(text, "needle", 80, context), expected);
    }
    assert_eq!(shown(text, r"one\n\ttwo", 80, 1), "zero\n  [one\n\ttwo] needle\nthree");
    assert_eq!(shown(text, "five", 80, 1), "four needle\n[five]");
    assert_eq!(shown(text, "zero", 80, 1), "[zero]\n  one");
    assert_eq!(
        shown("short\n0123456789 needle 0123456789\n0123456789abcdef", "needle", 12, 1),
        "short\n…789 [needle] 0…\n0123456789ab…"
    );
    assert_eq!(shown("\n\nneedle\n\n", "needle", 9, 1), "\n[needle]\n");
}

#[test]
fn a_match_is_cut_only_if_it_does_not_fit() {
    for (text, pattern, width, expected) in [
        // The line would end inside the second match.
        ("a file is a file", "file", 14, "a [file] is a…"),
        ("one two three four needle five", "four needle", 12, "…[four needle]…"),
        ("one needlessly long", r"\w{6,}", 8, "…[needless]…"),
        ("a \n", r"\n", 8, "a"),
    ] {
        assert_eq!(shown(text, pattern, width, 0), expected, "{pattern} in {text:?}");
    }
    assert_eq!(
        shown("0123\nalong\nsecond file file\n", "along", 10, 1),
        "0123\n[along]\nsecond fil…"
    );
    assert_eq!(shown("x\nfile a file file\nb", "file", 12, 1), "x\n[file] a [file] …\nb");
    assert_eq!(shown("aaaaaaaaaa\nbbbbbbbbbb", r"a+\nb+", 4, 1), "[aaaa]…[\nbbbb]…");
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

proptest::proptest! {
    #[test]
    fn marks_are_inside_and_say_what_was_found(
        text in "([a-c ]{0,3}(\n|  |é|日|file|…|\t|\r\n)){0,24}",
        pattern in proptest::sample::select(&[
            "file", "f", "a+", r"\s+", r"file\s+", r"(?s)a.*b", "日|é", r"[a-z]+\n[a-z]*", r"…", r"\b",
        ][..]),
        width in 1usize..40,
        context in 0usize..3,
    ) {
        let pattern = ScanPattern::new(pattern, PatternKind::Regex, CaseMode::Sensitive).expect("valid");
        let Some(first) = pattern.find_at(&text, 0) else {
            return Ok(());
        };
        let snippet = pattern.snippet(&text, first.clone(), SnippetSize { width, context });
        let shown: Vec<char> = snippet.text.chars().collect();
        let longest = snippet.text.split('\n').map(|line| line.chars().count()).max();
        proptest::prop_assert!(longest.unwrap_or(0) <= width + 2);
        let mut found = Vec::new();
        let mut next = Some(first.clone());
        while let Some(place) = next {
            found.push(collapsed(&text[place.clone()]));
            let following = if place.is_empty() { place.end + 1 } else { place.end };
            next = (following < text.len()).then(|| pattern.find_at(&text, following)).flatten();
        }
        let mut known = 0;
        for range in &snippet.matches {
            proptest::prop_assert!(known <= range.start && range.start < range.end);
            proptest::prop_assert!(range.end <= shown.len());
            known = range.end;
            let marked: String = shown[range.clone()].iter().collect();
            proptest::prop_assert!(
                found.iter().any(|found| found.contains(&collapsed(&marked))),
                "{marked:?} of {:?}", snippet
            );
        }
        let whole = collapsed(&text[first.clone()]);
        let length = text[first.clone()].chars().count();
        if length <= width && !whole.is_empty() && !text[first].contains('\n') {
            let range = snippet.matches[0].clone();
            let marked: String = shown[range].iter().collect();
            proptest::prop_assert_eq!(collapsed(&marked), whole, "{:?}", snippet);
        }
    }
}

#[test]
fn an_escape_sequence_is_never_cut() {
    let text =
        format!("{}needle{}", "\u{1b}[38;5;208mred ".repeat(9), " \u{1b}[38;5;208mred".repeat(9));
    for width in 8..60 {
        let shown = shown(&text, "needle", width, 0);
        let rest = shown.replace("\u{1b}[38;5;208m", "");
        assert!(!rest.contains(['\u{1b}', ';', '8']), "{width}: {shown:?}");
    }
}
