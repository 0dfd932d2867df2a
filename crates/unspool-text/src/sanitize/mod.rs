//! Makes text from outside safe for a terminal.
//!
//! The content of a log was written by programs, web pages and models, so it may contain escape
//! sequences, characters that reorder a line, and invisible characters. [`clean`] removes what has
//! an effect and shows what would be hidden; the other functions fit cleaned text into a given
//! space.

mod cleaner;

use std::borrow::Cow;

use memchr::memchr;

use self::cleaner::Motion;
use super::width::{units, width};

/// The columns between tab stops.
pub const TAB: usize = 4;

/// Makes text safe for a terminal. The result contains no control characters but line breaks and
/// tabs; it is borrowed if and only if nothing changed.
///
/// - Escape sequences (CSI, OSC, DCS, SOS, PM, APC, charsets, shifts; 7-bit and 8-bit) are removed.
///   An introducer without a complete sequence is shown as a picture and the text after it stays,
///   so that nothing can hide the rest of a text.
/// - `\r\n` becomes `\n`, and so does a carriage return alone.
/// - Other control characters become control pictures or U+FFFD, and so do bidirectional overrides,
///   embeddings and isolates.
/// - Invisible characters are dropped. Joiners stay between emoji and in scripts that need them;
///   variation selectors stay.
pub fn clean(text: &str) -> Cow<'_, str> {
    clean_with(text, Motion::Ignored)
}

/// Makes the output of a program safe, like [`clean`], but replays motion: a carriage return lets
/// later text overwrite the line, and a backspace removes the character before it.
pub fn output(text: &str) -> Cow<'_, str> {
    clean_with(text, Motion::Replayed)
}

fn clean_with(text: &str, motion: Motion) -> Cow<'_, str> {
    let Some(at) = cleaner::first_unsafe(text) else {
        return Cow::Borrowed(text);
    };
    let cleaned = cleaner::Cleaner::new(text, at, motion).run();
    if cleaned == text { Cow::Borrowed(text) } else { Cow::Owned(cleaned) }
}

/// Returns the length of the complete escape sequence at the start of a text, if there is one.
pub fn sequence_len(text: &str) -> Option<usize> {
    cleaner::sequence_len(text)
}

/// Makes text safe and puts it on one line: line breaks become spaces, tabs are expanded.
pub fn inline(text: &str) -> Cow<'_, str> {
    let cleaned = clean(text);
    if !cleaned.contains(['\n', '\t']) {
        return cleaned;
    }
    Cow::Owned(expand_tabs(&cleaned.replace('\n', " "), TAB).into_owned())
}

/// Replaces tabs by spaces up to the next multiple of `tab` columns from the start of each line.
pub fn expand_tabs(text: &str, tab: usize) -> Cow<'_, str> {
    if memchr(b'\t', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let tab = tab.max(1);
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let mut column = 0;
        let mut parts = line.split('\t').peekable();
        while let Some(part) = parts.next() {
            out.push_str(part);
            column += width(part);
            if parts.peek().is_some() {
                let fill = tab - column % tab;
                out.extend(std::iter::repeat_n(' ', fill));
                column += fill;
            }
        }
    }
    Cow::Owned(out)
}

/// Cuts text to at most `max` columns, with `…` at the end if something was cut. The text should be
/// clean and on one line.
pub fn truncate_width(text: &str, max: usize) -> Cow<'_, str> {
    // Where to cut if the text turns out to be too wide.
    let mut cut = 0;
    let mut at = 0;
    let mut total = 0;
    for unit in units(text) {
        total += unit.width;
        at += unit.text.len();
        if total > max {
            let ellipsis = if max == 0 { "" } else { "…" };
            return Cow::Owned(format!("{}{ellipsis}", &text[..cut]));
        }
        if total < max {
            cut = at;
        }
    }
    Cow::Borrowed(text)
}

/// Returns the first meaningful line of a text, cleaned, with its white space collapsed, and cut to
/// at most `max` columns.
///
/// A line is meaningful if it contains a letter or a digit; if none does, the first line that is
/// not blank is taken.
pub fn one_line(text: &str, max: usize) -> String {
    let mut fallback = None;
    for raw in text.split('\n') {
        let cleaned = clean(raw);
        for line in cleaned.split('\n') {
            if line.chars().any(char::is_alphanumeric) {
                return collapse(line, max);
            }
            if fallback.is_none() && !line.trim().is_empty() {
                fallback = Some(collapse(line, max));
            }
        }
    }
    fallback.unwrap_or_default()
}

/// Joins the words of a line with single spaces, up to `max` columns.
fn collapse(line: &str, max: usize) -> String {
    let mut out = String::new();
    let mut total = 0;
    for word in line.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
            total += 1;
        }
        out.push_str(word);
        total += width(word);
        if total > max {
            break;
        }
    }
    truncate_width(&out, max).into_owned()
}

#[cfg(test)]
mod tests;
