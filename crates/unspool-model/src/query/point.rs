//! Marks a place in a text that a person typed.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

/// Returns two lines: `text`, and carets under the bytes of `span`.
///
/// Characters that would move a cursor are replaced.
pub fn point(text: &str, span: &Range<usize>) -> String {
    let (mut line, mut before, mut under) = (String::new(), 0, 0);
    for (at, c) in text.char_indices() {
        let shown = shown(c);
        line.push(shown);
        if at < span.start {
            before += columns(shown);
        } else if at < span.end {
            under += columns(shown);
        }
    }
    line.push('\n');
    line.extend(std::iter::repeat_n(' ', before));
    line.extend(std::iter::repeat_n('^', under.max(1)));
    line
}

/// Returns the replacement of a character in one line of a terminal.
fn shown(c: char) -> char {
    match c {
        // Characters that change the direction of the text would move the carets.
        '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        _ if c.is_whitespace() => ' ',
        _ if c.is_control() => '\u{fffd}',
        _ => c,
    }
}

/// Returns an estimate of the terminal columns that a character takes.
fn columns(c: char) -> usize {
    match c {
        '\0'..='\u{2ff}' => 1,
        '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2064}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{1f3fb}'..='\u{1f3ff}' => 0,
        _ if is_combining_mark(c) => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1f9ff}'
        | '\u{1fa70}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}
