//! A text that is looked for in lines, and where it is in them.
//!
//! Capital letters do not count unless the text has some, as in `unspool_engine::ops::find`.

use std::ops::Range;

use unspool_text::style::{Emphasis, Line, Role, Style, TextSpan};

/// A text that is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FindText {
    text: String,
    is_exact: bool,
}

impl FindText {
    pub(crate) fn new(text: &str) -> Self {
        let is_exact = text.chars().any(char::is_uppercase);
        Self {
            text: if is_exact {
                text.to_owned()
            } else {
                text.to_lowercase()
            },
            is_exact,
        }
    }

    /// Returns where a text contains it, in bytes.
    pub(crate) fn places(&self, text: &str) -> Vec<Range<usize>> {
        if self.text.is_empty() {
            return Vec::new();
        }
        if self.is_exact {
            let found = text.match_indices(&self.text);
            return found.map(|(at, _)| at..at + self.text.len()).collect();
        }
        // A small letter may take more bytes than the capital one.
        let mut small = String::with_capacity(text.len());
        let mut origins = Vec::with_capacity(text.len() + 1);
        for (at, character) in text.char_indices() {
            for lower in character.to_lowercase() {
                let before = small.len();
                small.push(lower);
                origins.extend(std::iter::repeat_n(
                    (at, at + character.len_utf8()),
                    small.len() - before,
                ));
            }
        }
        let found = small.match_indices(&self.text);
        found
            .map(|(at, _)| origins[at].0..origins[at + self.text.len() - 1].1)
            .collect()
    }

    pub(crate) fn is_in(&self, line: &Line) -> bool {
        !self.places(&line.plain()).is_empty()
    }

    /// Returns the first of several lines that contains it, also where it goes on in the next one.
    pub(crate) fn first_line(&self, lines: &[Line]) -> Option<usize> {
        let whole = lines.iter().position(|line| self.is_in(line));
        whole.or_else(|| {
            let pairs = lines.windows(2);
            pairs.into_iter().position(|pair| {
                let (first, second) = (pair[0].plain(), pair[1].plain());
                let joined = format!("{} {}", first.trim_end(), second.trim_start());
                !self.places(&joined).is_empty()
            })
        })
    }

    /// Marks it in a line.
    pub(crate) fn mark(&self, line: &Line) -> Line {
        let plain = line.plain();
        let places = self.places(&plain);
        if places.is_empty() {
            return line.clone();
        }
        let marked = Style::from(Role::Match).with(Emphasis::STRONG);
        let mut out = Line::new();
        let mut at = 0;
        for span in line.spans() {
            let end = at + span.text().len();
            let mut from = at;
            for place in places.iter().filter(|it| it.start < end && it.end > at) {
                let place = place.start.max(from)..place.end.min(end);
                out.push(TextSpan::new(&plain[from..place.start], span.style()));
                out.push(TextSpan::new(&plain[place.clone()], marked));
                from = place.end;
            }
            out.push(TextSpan::new(&plain[from..end], span.style()));
            at = end;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn capital_letters_count_only_if_the_text_has_some() {
        for (needle, text, expected) in [
            ("load", "Load, reload", vec![0..4, 8..12]),
            ("Load", "Load, reLoad", vec![0..4, 8..12]),
            ("i", "İi", vec![0..2, 2..3]),
            ("", "x", vec![]),
        ] {
            assert_eq!(FindText::new(needle).places(text), expected, "{needle}");
        }
    }

    #[test]
    fn a_text_is_found_over_the_end_of_a_line() {
        let lines = ["the quick", "  brown fox"].map(Line::from);
        assert_eq!(FindText::new("quick brown").first_line(&lines), Some(0));
        assert_eq!(FindText::new("fox").first_line(&lines), Some(1));
        assert_eq!(FindText::new("cat").first_line(&lines), None);
    }

    proptest! {
        #[test]
        fn marking_keeps_the_text(text in any::<String>(), needle in "[a-zA-Z ]{0,3}") {
            let line = Line::of(text, Role::Plain);
            prop_assert_eq!(FindText::new(&needle).mark(&line).plain(), line.plain());
        }
    }
}
