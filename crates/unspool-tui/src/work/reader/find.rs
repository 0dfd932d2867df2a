//! A search text, and its matches in lines.

use unspool_engine::ops::find::Needle;
use unspool_text::style::{Emphasis, Line, Role, Style, TextSpan};

/// A search text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FindText {
    needle: Needle,
}

impl FindText {
    pub(crate) fn new(text: &str) -> Self {
        Self { needle: Needle::new(text) }
    }

    pub(crate) fn is_in(&self, line: &Line) -> bool {
        !self.needle.places(&line.plain()).is_empty()
    }

    /// Returns the first line with a match, also one where the match continues on the next line.
    pub(crate) fn first_line(&self, lines: &[Line]) -> Option<usize> {
        let whole = lines.iter().position(|line| self.is_in(line));
        whole.or_else(|| {
            let pairs = lines.windows(2);
            pairs.into_iter().position(|pair| {
                let (first, second) = (pair[0].plain(), pair[1].plain());
                let joined = format!("{} {}", first.trim_end(), second.trim_start());
                !self.needle.places(&joined).is_empty()
            })
        })
    }

    /// Highlights the matches in a line.
    pub(crate) fn mark(&self, line: &Line) -> Line {
        let plain = line.plain();
        let places = self.needle.places(&plain);
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
