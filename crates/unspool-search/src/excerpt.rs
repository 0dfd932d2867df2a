//! Cuts snippets out of texts, around matches.

use std::ops::Range;

use crate::hit::{CUT, Snippet, SnippetSize};
use crate::text::words::escape_length;

/// How many matches of a snippet are marked at most.
const MOST: usize = 64;

/// Returns a snippet around the first match of a text; `find_at` returns the next match at or
/// after an offset.
///
/// A match that fits into a line is never cut: a line that would end inside it ends before it.
pub(crate) fn snippet(
    text: &str,
    first: Range<usize>,
    extent: SnippetSize,
    find_at: impl Fn(usize) -> Option<Range<usize>>,
) -> Snippet {
    let width = extent.width.max(1);
    if extent.context == 0 {
        let line = SnippetWindow::collapsed(text, &first, width);
        let found = matches(text, first, line.end, find_at);
        let mut page = SnippetText::default();
        page.collapsed(text, &line, &found);
        return page.mark(&found).of_few_lines();
    }
    let range = lines_around(text, &first, extent.context);
    let found = matches(text, first.clone(), range.end, find_at);
    lines(text, range, &first, &found, width)
}

/// Returns a snippet of a place in a text, with the lines before and after it and the matches in them.
pub(crate) fn around(
    text: &str,
    place: &Range<usize>,
    found: &[Range<usize>],
    extent: SnippetSize,
) -> Snippet {
    let range = lines_around(text, place, extent.context);
    lines(text, range, place, found, extent.width.max(1))
}

fn lines(
    text: &str,
    range: Range<usize>,
    first: &Range<usize>,
    found: &[Range<usize>],
    width: usize,
) -> Snippet {
    let mut page = SnippetText::default();
    let mut at = range.start;
    for line in text[range.clone()].split('\n') {
        if at > range.start {
            page.push('\n', at - 1);
        }
        let kept = line.strip_suffix('\r').unwrap_or(line);
        let window = SnippetWindow::line(text, at..at + kept.len(), first, width);
        page.line(text, &window, found);
        at += line.len() + 1;
    }
    page.mark(found)
}

/// Returns the matches that begin before `end`, starting with the `first`. Empty matches are
/// left out, since they cannot be marked.
fn matches(
    text: &str,
    first: Range<usize>,
    end: usize,
    find_at: impl Fn(usize) -> Option<Range<usize>>,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut next = Some(first);
    while let Some(place) = next.filter(|place| place.start < end && found.len() < MOST) {
        let following =
            if place.is_empty() { text.ceil_char_boundary(place.end + 1) } else { place.end };
        if !place.is_empty() {
            found.push(place);
        }
        next = (following < text.len()).then(|| find_at(following)).flatten();
    }
    found
}

/// Returns the range of the lines of a match and of `context` lines before and after it.
fn lines_around(text: &str, found: &Range<usize>, context: usize) -> Range<usize> {
    let before = memchr::memrchr_iter(b'\n', &text.as_bytes()[..found.start]);
    let start = before.skip(context).map(|newline| newline + 1).next();
    let following = memchr::memchr_iter(b'\n', &text.as_bytes()[found.end..]);
    let end = following.skip(context).map(|newline| found.end + newline).next();
    start.unwrap_or(0)..end.unwrap_or(text.len())
}

/// The part of a text that one line of a snippet shows.
struct SnippetWindow {
    /// The range of the whole line.
    line: Range<usize>,
    /// Where the shown part begins.
    start: usize,
    /// Where the shown part ends, unless it would cut a match there.
    end: usize,
    /// The maximal length, in characters.
    width: usize,
}

impl SnippetWindow {
    /// Chooses the window around a match, counting each run of white space as one character.
    fn collapsed(text: &str, first: &Range<usize>, width: usize) -> Self {
        let before = before(shown(&text[first.clone()], width), width);
        let start = lead(text[..first.start].char_indices().rev(), before);
        let start = after_escape(text, start).min(first.start);
        let following = collapse(&text[start..]).nth(width);
        let end = following.map_or(text.len(), |(at, _)| start + at);
        Self {
            line: 0..text.len(),
            start,
            end: before_escape(text, end).max(first.end.min(end)),
            width,
        }
    }

    /// Chooses the window of one line, at the start of the match or as near to it as possible.
    fn line(text: &str, line: Range<usize>, first: &Range<usize>, width: usize) -> Self {
        let place = |at: usize| text.floor_char_boundary(at.clamp(line.start, line.end));
        let focus = place(first.start);
        let following = |start: usize| {
            let following = text[start..line.end].char_indices().nth(width);
            following.map(|(at, _)| start + at)
        };
        let mut start = line.start;
        if following(start).is_some() {
            let length = text[focus..place(first.end)].chars().take(width).count();
            let back = text[line.start..focus].char_indices().rev();
            let lead = back.take(before(length, width)).last();
            start = lead.map_or(focus, |(at, _)| line.start + at);
        }
        Self { end: following(start).unwrap_or(line.end), line, start, width }
    }

    /// Returns where the window ends, so that it does not cut a match that fits into a line.
    fn end(&self, text: &str, found: &[Range<usize>]) -> usize {
        let cut = found
            .iter()
            .find(|place| place.start < self.end && self.end < place.end.min(self.line.end));
        match cut {
            Some(place) if place.start > self.start => {
                let part = &text[place.start..place.end.min(self.line.end)];
                let fits = shown(part, self.width + 1) <= self.width;
                if fits { place.start } else { self.end }
            }
            _ => self.end,
        }
    }
}

/// Returns how many characters to show before a match of a given length.
fn before(length: usize, width: usize) -> usize {
    (width / 3).min(width - length)
}

/// Counts the characters of a text up to a limit, each run of white space as one.
fn shown(text: &str, most: usize) -> usize {
    let mut space = false;
    let counted = text.chars().filter(|c| {
        let again = c.is_whitespace() && space;
        space = c.is_whitespace();
        !again
    });
    counted.take(most).count()
}

/// Iterates over the characters of a text with their offsets. Each run of white space becomes
/// one space or one line break; white space at the beginning is dropped.
fn collapse(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut space = true;
    text.char_indices().filter_map(move |(at, c)| {
        let collapses = c.is_whitespace();
        let again = collapses && space;
        space = collapses;
        let white = || {
            let run = text[at..].chars().take_while(|c| c.is_whitespace());
            if run.clone().any(|c| c == '\n') { '\n' } else { ' ' }
        };
        (!again).then(|| (at, if collapses { white() } else { c }))
    })
}

/// Moves an offset inside an escape sequence to the start of the sequence.
fn before_escape(text: &str, at: usize) -> usize {
    match escape_around(text, at) {
        Some(sequence) => sequence.start,
        None => at,
    }
}

/// Moves an offset inside an escape sequence to the end of the sequence.
fn after_escape(text: &str, at: usize) -> usize {
    match escape_around(text, at) {
        Some(sequence) => sequence.end,
        None => at,
    }
}

/// Returns the escape sequence that contains an offset.
fn escape_around(text: &str, at: usize) -> Option<Range<usize>> {
    /// How far back to look for the start; sequences that set colours are shorter.
    const LONGEST: usize = 32;
    let near = text.floor_char_boundary(at.saturating_sub(LONGEST));
    let start = near + memchr::memrchr(0x1b, &text.as_bytes()[near..at])?;
    let length = escape_length(&text.as_bytes()[start..]);
    (start + length > at).then_some(start..start + length)
}

/// A snippet under construction: its characters, and the offset in the text of each of them.
#[derive(Default)]
struct SnippetText {
    text: String,
    origins: Vec<usize>,
    /// Indices of the characters that are ellipses.
    cuts: Vec<usize>,
}

impl SnippetText {
    fn push(&mut self, c: char, origin: usize) {
        self.text.push(c);
        self.origins.push(origin);
    }

    fn cut(&mut self, origin: usize) {
        self.cuts.push(self.origins.len());
        self.push(CUT, origin);
    }

    /// Adds the text of a window, with each run of white space as one space or line break.
    fn collapsed(&mut self, text: &str, window: &SnippetWindow, found: &[Range<usize>]) {
        let (start, end) = (window.start, window.end(text, found));
        if start > 0 {
            self.cut(start - 1);
        }
        for (at, c) in collapse(&text[start..end]) {
            self.push(c, start + at);
        }
        if self.text.ends_with([' ', '\n']) {
            self.text.pop();
            self.origins.pop();
        }
        if end < text.len() {
            self.cut(end);
        }
    }

    /// Adds the window of one line.
    fn line(&mut self, text: &str, window: &SnippetWindow, found: &[Range<usize>]) {
        let (start, end) = (window.start, window.end(text, found));
        if start > window.line.start {
            self.cut(start - 1);
        }
        for (at, c) in text[start..end].char_indices() {
            self.push(c, start + at);
        }
        if end < window.line.end {
            self.cut(end);
        }
    }

    /// Marks the parts of matches that the snippet shows.
    fn mark(self, found: &[Range<usize>]) -> Snippet {
        let white: Vec<bool> = self.text.chars().map(char::is_whitespace).collect();
        let mut matches: Vec<Range<usize>> = Vec::new();
        for place in found {
            let number = |at: usize| self.origins.partition_point(|&origin| origin < at);
            let (mut start, end) = (number(place.start), number(place.end));
            if start == end && start > 0 && white[start - 1] {
                // The match is white space that was collapsed into the character before it.
                start -= 1;
            }
            let start = start.max(matches.last().map_or(0, |last| last.end));
            matches.extend(self.without_cuts(start..end));
        }
        Snippet { text: self.text, matches }
    }

    /// Splits a range of characters at the ellipses in it.
    fn without_cuts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let inside = self.cuts.iter().filter(|cut| range.contains(cut));
        let mut parts = Vec::new();
        let mut start = range.start;
        for &cut in inside {
            parts.push(start..cut);
            start = cut + 1;
        }
        parts.push(start..range.end);
        parts.retain(|part| !part.is_empty());
        parts
    }
}

/// Returns the start of a window that shows `room` characters before a place, each run of white
/// space counted as one.
fn lead(back: impl Iterator<Item = (usize, char)>, room: usize) -> usize {
    let mut left = room;
    let mut space = false;
    let mut start = None;
    for (at, c) in back {
        let collapses = c.is_whitespace();
        if !(collapses && space) {
            if left == 0 {
                return start.unwrap_or(at + c.len_utf8());
            }
            left -= 1;
        }
        space = collapses;
        start = Some(at);
    }
    0
}
