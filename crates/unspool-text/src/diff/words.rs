//! Finds the words that differ between two lines.

use std::ops::Range;

use similar::{Algorithm, capture_diff_slices};

/// The most bytes of a line that is compared by words.
const MAX_BYTES: usize = 2_000;
/// The most words of a line that is compared by words.
const MAX_WORDS: usize = 300;

/// Byte ranges of one line.
pub(super) type Ranges = Vec<Range<usize>>;

/// Compares two lines word by word, and returns the ranges of each that the other lacks; `None` if
/// the lines have too little in common.
pub(super) fn changed_words(old: &str, new: &str) -> Option<(Ranges, Ranges)> {
    if old.len().max(new.len()) > MAX_BYTES {
        return None;
    }
    let (old_words, new_words) = (words(old), words(new));
    if old_words.len().max(new_words.len()) > MAX_WORDS {
        return None;
    }
    let mut common = 0;
    let (mut in_old, mut in_new) = (Ranges::new(), Ranges::new());
    let (mut old_at, mut new_at) = (0, 0);
    for op in capture_diff_slices(Algorithm::Myers, &old_words, &new_words) {
        let old_len: usize = old_words[op.old_range()].iter().map(|w| w.len()).sum();
        let new_len: usize = new_words[op.new_range()].iter().map(|w| w.len()).sum();
        if op.tag() == similar::DiffTag::Equal {
            let visible = old_words[op.old_range()].iter().map(|w| w.trim().len());
            common += visible.sum::<usize>();
        } else {
            join(&mut in_old, old_at..old_at + old_len);
            join(&mut in_new, new_at..new_at + new_len);
        }
        old_at += old_len;
        new_at += new_len;
    }
    // If less than a third of the longer line is common, marks would cover nearly all of it.
    let enough = 3 * common >= old.trim().len().max(new.trim().len());
    (enough && common > 0).then_some((in_old, in_new))
}

/// Appends a range unless it is empty; extends the last one if they touch.
fn join(ranges: &mut Ranges, range: Range<usize>) {
    if range.is_empty() {
        return;
    }
    match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    }
}

/// Splits a line into words, runs of space, and single other characters.
fn words(line: &str) -> Vec<&str> {
    #[derive(PartialEq)]
    enum Kind {
        Word,
        Space,
        Other,
    }
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => Kind::Word,
        _ if c.is_whitespace() => Kind::Space,
        _ => Kind::Other,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let current = kind(c);
        let goes_on = chars.peek().is_some_and(|(_, next)| kind(*next) == current);
        if current == Kind::Other || !goes_on {
            words.push(&line[start..end]);
            start = end;
        }
    }
    words
}
