//! Display width: how many terminal columns a text takes.
//!
//! Text is measured in *units*, the pieces that a layout may separate. Units are grapheme clusters;
//! the rare clusters that are wider than two columns or overlong (unknown emoji sequences, stacked
//! conjuncts) are split, since no terminal draws those as one glyph. The width of a text is the sum
//! over its units, so cutting between two units never changes the sum.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The widest unit, in columns.
const UNIT_MAX: usize = 2;
/// The most bytes of a cluster that may be one glyph: a family with skin tones has 41.
const CLUSTER_MAX: usize = 64;

/// Returns the width of a text in columns. Control characters count as one column each.
pub fn width(text: &str) -> usize {
    let mut units = units(text);
    let mut total = units.skip_simple();
    while let Some(unit) = units.next() {
        total += unit.width + units.skip_simple();
    }
    total
}

/// A piece of text that a layout keeps together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextUnit<'a> {
    /// The characters of the piece.
    pub text: &'a str,
    /// Its width in columns: 0, 1 or 2.
    pub width: usize,
}

/// Splits a text into its units, in order and without gaps.
pub fn units(text: &str) -> Units<'_> {
    Units { rest: text, cluster: "" }
}

/// The iterator that [`units`] returns.
#[derive(Clone, Debug)]
pub struct Units<'a> {
    rest: &'a str,
    /// The rest of a cluster that is being split.
    cluster: &'a str,
}

impl<'a> Iterator for Units<'a> {
    type Item = TextUnit<'a>;

    fn next(&mut self) -> Option<TextUnit<'a>> {
        if !self.cluster.is_empty() {
            return Some(self.next_of_cluster());
        }
        let ascii = match self.rest.as_bytes() {
            [] => return None,
            [first] => first.is_ascii(),
            [first, second, ..] => first.is_ascii() && second.is_ascii(),
        };
        if ascii {
            let (text, rest) = self.rest.split_at(1);
            self.rest = rest;
            return Some(TextUnit { text, width: 1 });
        }
        let cluster = self.rest.graphemes(true).next()?;
        self.rest = &self.rest[cluster.len()..];
        let width = cluster.width();
        if width > UNIT_MAX || cluster.len() > CLUSTER_MAX {
            self.cluster = cluster;
            return Some(self.next_of_cluster());
        }
        Some(TextUnit { text: cluster, width })
    }
}

impl<'a> Units<'a> {
    /// Skips ASCII characters, except for one that may form a unit with the next character; returns
    /// how many were skipped.
    fn skip_simple(&mut self) -> usize {
        if !self.cluster.is_empty() {
            return 0;
        }
        let ascii = self.rest.bytes().position(|byte| !byte.is_ascii());
        let simple = ascii.map_or(self.rest.len(), |ascii| ascii.saturating_sub(1));
        self.rest = &self.rest[simple..];
        simple
    }

    /// Takes one character of the cluster, with the zero-width characters after it.
    fn next_of_cluster(&mut self) -> TextUnit<'a> {
        let mut chars = self.cluster.char_indices();
        chars.next();
        let end = chars
            .find(|(at, c)| self.cluster[*at..at + c.len_utf8()].width() > 0)
            .map_or(self.cluster.len(), |(at, _)| at);
        let (text, rest) = self.cluster.split_at(end);
        self.cluster = rest;
        TextUnit { text, width: text.width().min(UNIT_MAX) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn widths() {
        let cases = [
            ("", 0),
            ("abc", 3),
            ("é", 1),
            ("e\u{301}", 1),
            ("漢字", 4),
            ("ｱ", 1),
            ("👩\u{200d}👩\u{200d}👧", 2),
            ("👍🏽", 2),
            ("☺\u{fe0f}", 2),
            ("🇩🇪🇫🇷", 4),
            ("a漢b", 4),
            ("ᄀᄀᄀ", 6),
            ("\u{17d8}", 2),
        ];
        for (text, expected) in cases {
            assert_eq!(width(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn units_give_the_text_back_in_small_pieces(text in "([ -~]{0,6}|\\PC)*") {
            let joined: String = units(&text).map(|unit| unit.text).collect();
            prop_assert_eq!(&joined, &text);
            prop_assert!(units(&text).all(|unit| unit.width <= 2 && !unit.text.is_empty()));
            prop_assert_eq!(width(&text), units(&text).map(|unit| unit.width).sum::<usize>());
        }

        #[test]
        fn cutting_between_units_never_widens(text in "[a👩\u{200d}☺\u{fe0f}\u{301}漢ᄀक्🇩🇪]{0,12}", cut in 0usize..12) {
            let at = units(&text).take(cut).map(|unit| unit.text.len()).sum::<usize>();
            let (left, right) = text.split_at(at);
            prop_assert!(width(left) + width(right) <= width(&text));
        }
    }
}
