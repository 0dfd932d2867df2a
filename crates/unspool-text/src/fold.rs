//! Folds long output to its beginning and its end.

use memchr::{memchr_iter, memrchr_iter};

use super::human::plural;

/// The shown lines of a text, and the number of hidden ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folded<'a> {
    /// Lines of the beginning.
    pub head: Vec<&'a str>,
    /// How many lines are hidden between them.
    pub hidden: usize,
    /// Lines of the end.
    pub tail: Vec<&'a str>,
}

impl Folded<'_> {
    /// Returns a note of the hidden lines, if there are any: `… 120 more lines`.
    pub fn note(&self) -> Option<String> {
        (self.hidden > 0).then(|| format!("… {}", plural(self.hidden, "more line")))
    }
}

/// Folds a text to `head` lines of its beginning and `tail` lines of its end.
///
/// A line break at the very end does not begin another line. A single line is never hidden, since
/// the note would take its place.
pub fn fold(text: &str, head: usize, tail: usize) -> Folded<'_> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    if text.is_empty() {
        return Folded { head: Vec::new(), hidden: 0, tail: Vec::new() };
    }
    let bytes = text.as_bytes();
    let total = memchr_iter(b'\n', bytes).count() + 1;
    let shown = head.saturating_add(tail);
    if total <= shown.saturating_add(1) {
        return Folded { head: text.split('\n').collect(), hidden: 0, tail: Vec::new() };
    }
    let mut tail_lines = Vec::new();
    if tail > 0 {
        let newline = memrchr_iter(b'\n', bytes).nth(tail - 1);
        tail_lines.extend(text[newline.map_or(0, |at| at + 1)..].split('\n'));
    }
    Folded { head: text.split('\n').take(head).collect(), hidden: total - shown, tail: tail_lines }
}

/// The shown characters of a long line, and the number of hidden ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldedChars<'a> {
    /// Characters of the beginning.
    pub head: &'a str,
    /// How many characters are hidden between them.
    pub hidden: usize,
    /// Characters of the end.
    pub tail: &'a str,
}

impl FoldedChars<'_> {
    /// Returns a note of the hidden characters, if there are any: `… 5000 more characters …`.
    pub fn note(&self) -> Option<String> {
        (self.hidden > 0).then(|| format!("… {} …", plural(self.hidden, "more character")))
    }
}

/// Folds a line to `head` characters of its beginning and `tail` characters of its end.
///
/// Characters are not hidden if the note would be as long as they are.
pub fn fold_chars(text: &str, head: usize, tail: usize) -> FoldedChars<'_> {
    const NOTE: usize = 32;
    let whole = FoldedChars { head: text, hidden: 0, tail: "" };
    if text.len() <= head.saturating_add(tail) {
        return whole;
    }
    let hidden = text.chars().count().saturating_sub(head.saturating_add(tail));
    if hidden <= NOTE {
        return whole;
    }
    let head_end = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let tail_start = match tail {
        0 => text.len(),
        _ => text.char_indices().nth_back(tail - 1).map_or(0, |(at, _)| at),
    };
    FoldedChars { head: &text[..head_end], hidden, tail: &text[tail_start..] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn folds_lines() {
        let cases = [
            ("", 1, 1, "", 0, ""),
            ("\n", 1, 1, "", 0, ""),
            ("a\nb\nc", 1, 1, "a b c", 0, ""),
            ("a\nb\nc\nd", 1, 1, "a", 2, "d"),
            ("a\nb\nc\nd\n", 1, 1, "a", 2, "d"),
            ("a\nb\nc\nd", 2, 0, "a b", 2, ""),
            ("a\nb\nc\nd", 0, 2, "", 2, "c d"),
            ("a\nb\nc\nd", 0, 0, "", 4, ""),
            ("a\nb", usize::MAX, usize::MAX, "a b", 0, ""),
        ];
        for (text, head, tail, first, hidden, last) in cases {
            let folded = fold(text, head, tail);
            let got = (folded.head.join(" "), folded.hidden, folded.tail.join(" "));
            assert_eq!(got, (first.into(), hidden, last.into()), "{text:?}");
        }
    }

    #[test]
    fn notes_say_how_much() {
        let text = "x\n".repeat(130);
        assert_eq!(fold(&text, 5, 5).note().as_deref(), Some("… 120 more lines"));
        assert_eq!(fold(&text, 500, 5).note(), None);
        let text = "é".repeat(100);
        let folded = fold_chars(&text, 10, 5);
        assert_eq!(folded.note().as_deref(), Some("… 85 more characters …"));
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[a-cé\n]{0,60}", head in 0usize..9, tail in 0usize..9) {
            let lines = fold(&text, head, tail);
            let shown = lines.head.len() + lines.tail.len();
            let total = if text.trim_end_matches('\n').is_empty() && text.len() < 2 {
                0
            } else {
                text.strip_suffix('\n').unwrap_or(&text).split('\n').count()
            };
            prop_assert_eq!(shown + lines.hidden, total);
            prop_assert!(lines.hidden != 1);

            let chars = fold_chars(&text, head, tail);
            let count = |s: &str| s.chars().count();
            prop_assert_eq!(count(chars.head) + chars.hidden + count(chars.tail), count(&text));
            prop_assert!(text.starts_with(chars.head) && text.ends_with(chars.tail));
        }
    }
}
