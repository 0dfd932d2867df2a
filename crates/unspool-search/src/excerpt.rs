//! A look at a text around a match.

use std::ops::Range;

use crate::hit::{CUT, Snippet, SnippetSize};
use crate::text::words::escape_length;

/// The most matches that are marked.
const MOST: usize = 64;

/// Shows a text around its first match; `find_at` returns the first match from a place on.
///
/// A match that fits is never cut: where the line would end inside of one, it ends before.
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

/// Shows a place in a text with lines before and after it, and what was found there.
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

/// Finds the matches that begin before a place, the first of which is known. Empty ones are
/// nothing to be seen.
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

/// Returns the lines that contain a match, with some before and after.
fn lines_around(text: &str, found: &Range<usize>, context: usize) -> Range<usize> {
    let before = memchr::memrchr_iter(b'\n', &text.as_bytes()[..found.start]);
    let start = before.skip(context).map(|newline| newline + 1).next();
    let following = memchr::memchr_iter(b'\n', &text.as_bytes()[found.end..]);
    let end = following.skip(context).map(|newline| found.end + newline).next();
    start.unwrap_or(0)..end.unwrap_or(text.len())
}

/// A stretch of a text that is shown in one line.
struct SnippetWindow {
    /// Where the line begins and ends that it is a part of.
    line: Range<usize>,
    /// Where it begins.
    start: usize,
    /// Where it ends, unless a match would be cut there.
    end: usize,
    /// The most characters.
    width: usize,
}

impl SnippetWindow {
    /// Chooses what is shown of a text around a match, white space taken as single spaces.
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

    /// Chooses what is shown of a line: the place where a match begins, or what is nearest to it.
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

    /// Returns where the window ends so that no match is cut that could be shown whole.
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

/// Returns how many characters are before a match of some length.
fn before(length: usize, width: usize) -> usize {
    (width / 3).min(width - length)
}

/// Counts the characters of a text, white space as single spaces, up to a limit.
fn shown(text: &str, most: usize) -> usize {
    let mut space = false;
    let counted = text.chars().filter(|c| {
        let again = c.is_whitespace() && space;
        space = c.is_whitespace();
        !again
    });
    counted.take(most).count()
}

/// Iterates over the characters of a text with their places, each run of white space taken as
/// one space or one line break, and none at the beginning.
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

/// Moves a place out of an escape sequence that it is in, to where the sequence begins.
fn before_escape(text: &str, at: usize) -> usize {
    match escape_around(text, at) {
        Some(sequence) => sequence.start,
        None => at,
    }
}

/// Moves a place out of an escape sequence that it is in, to where the sequence ends.
fn after_escape(text: &str, at: usize) -> usize {
    match escape_around(text, at) {
        Some(sequence) => sequence.end,
        None => at,
    }
}

/// Returns the escape sequence that a place is inside of.
fn escape_around(text: &str, at: usize) -> Option<Range<usize>> {
    /// Longer sequences than this do not colour anything.
    const LONGEST: usize = 32;
    let near = text.floor_char_boundary(at.saturating_sub(LONGEST));
    let start = near + memchr::memrchr(0x1b, &text.as_bytes()[near..at])?;
    let length = escape_length(&text.as_bytes()[start..]);
    (start + length > at).then_some(start..start + length)
}

/// A snippet in the making: its characters, and where in the text each of them is from.
#[derive(Default)]
struct SnippetText {
    text: String,
    origins: Vec<usize>,
    /// Which characters mark something that is left out.
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

    /// Adds the text of a window, white space taken as single spaces and line breaks.
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

    /// Adds a line of the text, or a part of it.
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

    /// Marks the matches that the snippet shows, or the parts of them that it does.
    fn mark(self, found: &[Range<usize>]) -> Snippet {
        let white: Vec<bool> = self.text.chars().map(char::is_whitespace).collect();
        let mut matches: Vec<Range<usize>> = Vec::new();
        for place in found {
            let number = |at: usize| self.origins.partition_point(|&origin| origin < at);
            let (mut start, end) = (number(place.start), number(place.end));
            if start == end && start > 0 && white[start - 1] {
                // White space that was taken together with what comes before it.
                start -= 1;
            }
            let start = start.max(matches.last().map_or(0, |last| last.end));
            matches.extend(self.without_cuts(start..end));
        }
        Snippet { text: self.text, matches }
    }

    /// Divides a range of characters into the parts between what is left out.
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

/// Returns where a line begins that has so many characters before a place, white space
/// counted once.
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
