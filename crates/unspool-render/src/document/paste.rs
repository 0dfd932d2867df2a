//! Folds the middle of long texts of people, since most of them were pasted.

use unspool_text::human;

use super::PassagePart;

/// The assumed width of a row.
const COLUMNS: usize = 100;

/// The most rows of a text that does not fold: more than a screen.
const LONG: usize = 40;

/// Rows shown at the beginning. People write about a paste before or after it.
const HEAD: usize = 8;

/// Rows shown at the end.
const TAIL: usize = 4;

/// Splits a text that a person typed or pasted into parts.
pub(super) fn fold(text: &str) -> Vec<PassagePart> {
    let typed = |text: &str| PassagePart::Typed(text.to_owned());
    if text.trim_end().lines().map(rows).sum::<usize>() <= LONG {
        return vec![typed(text)];
    }
    let text = text.trim_end();
    let head = head_end(text);
    let tail = head + tail_start(&text[head..]);
    vec![
        typed(text[..head].trim_end_matches('\n')),
        PassagePart::Pasted(text[head..tail].trim_end_matches('\n').to_owned()),
        typed(&text[tail..]),
    ]
}

/// Returns the length of the folded middle of a text: `54 more lines`.
pub fn pasted_length(text: &str) -> String {
    match text.lines().count() {
        1 => human::plural(text.chars().count(), "more character"),
        lines => human::plural(lines, "more line"),
    }
}

/// Returns how many rows a line takes.
fn rows(line: &str) -> usize {
    line.len() / COLUMNS + 1
}

/// Returns the end of the rows shown at the beginning: after a line, or inside the first one.
fn head_end(text: &str) -> usize {
    let end: usize = within(text.split_inclusive('\n'), HEAD);
    match end {
        0 => text.floor_char_boundary(HEAD * COLUMNS),
        _ => end,
    }
}

/// Returns the start of the rows shown at the end: before a line, or inside the last one.
fn tail_start(text: &str) -> usize {
    match within(text.split_inclusive('\n').rev(), TAIL) {
        0 => text.ceil_char_boundary(text.len().saturating_sub(TAIL * COLUMNS)),
        length => text.len() - length,
    }
}

/// Returns the length of the lines that fit into `most` rows.
fn within<'t>(lines: impl Iterator<Item = &'t str>, most: usize) -> usize {
    let mut used = 0;
    let fits = lines.take_while(|line| {
        used += rows(line);
        used <= most
    });
    fits.map(str::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> (usize, usize, usize) {
        match fold(text).as_slice() {
            [PassagePart::Typed(all)] => (all.lines().count(), 0, 0),
            [PassagePart::Typed(head), PassagePart::Pasted(middle), PassagePart::Typed(tail)] => {
                let joined = format!("{head}\n{middle}\n{tail}");
                assert_eq!(joined.replace('\n', ""), text.trim_end().replace('\n', ""));
                let count = |text: &str| text.lines().count();
                (count(head), count(middle), count(tail))
            }
            parts => panic!("{parts:?}"),
        }
    }

    #[test]
    fn only_long_texts_fold_and_nothing_is_lost() {
        assert_eq!(folded(&"a\n".repeat(40)), (40, 0, 0));
        assert_eq!(folded(&"a\n".repeat(41)), (8, 29, 4));
        assert_eq!(folded(&"é".repeat(5000)), (1, 1, 1));
        let before = format!("Look:\n{}", "x".repeat(9000));
        assert_eq!(folded(&before), (1, 1, 1));
        assert_eq!(folded(""), (0, 0, 0));
    }
}
