//! A look at a text around a match.

use std::ops::Range;

use super::pattern::Pattern;
use crate::ops::search::hit::Snippet;

/// How much of a text a snippet shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The most characters of a line.
    pub width: usize,
    /// How many lines of the text stand before and behind the match. With none, the snippet
    /// is one line and takes white space as a single space.
    pub context: usize,
}

impl Default for Extent {
    fn default() -> Self {
        Self {
            width: 160,
            context: 0,
        }
    }
}

/// Stands where a part of a line is left out.
const CUT: char = '…';

/// The most matches that are marked.
const MOST: usize = 64;

/// Shows a text around its first match.
pub(super) fn snippet(
    text: &str,
    first: Range<usize>,
    pattern: &Pattern,
    extent: Extent,
) -> Snippet {
    let width = extent.width.max(1);
    let mut page = Page::default();
    if extent.context == 0 {
        page.collapsed(text, first.start, width);
    } else {
        let range = lines_around(text, &first, extent.context);
        let start = range.start;
        let mut at = start;
        for line in text[range].split('\n') {
            if at > start {
                page.push('\n', at - 1);
            }
            let kept = line.strip_suffix('\r').unwrap_or(line);
            let focus = first.start.saturating_sub(at).min(kept.len());
            page.line(kept, at, focus, width);
            at += line.len() + 1;
        }
    }
    page.mark(text, first, pattern)
}

/// Returns the lines that hold a match with some before and behind.
fn lines_around(text: &str, found: &Range<usize>, context: usize) -> Range<usize> {
    let before = memchr::memrchr_iter(b'\n', &text.as_bytes()[..found.start]);
    let start = before.skip(context).map(|newline| newline + 1).next();
    let behind = memchr::memchr_iter(b'\n', &text.as_bytes()[found.end..]);
    let end = behind
        .skip(context)
        .map(|newline| found.end + newline)
        .next();
    start.unwrap_or(0)..end.unwrap_or(text.len())
}

/// A snippet in the making: its characters, and where in the text each of them is from.
#[derive(Default)]
struct Page {
    text: String,
    origins: Vec<usize>,
    end: usize,
}

impl Page {
    fn push(&mut self, c: char, origin: usize) {
        self.text.push(c);
        self.origins.push(origin);
    }

    /// Adds one line around a place, white space taken as single spaces.
    fn collapsed(&mut self, text: &str, focus: usize, width: usize) {
        let lead = lead(text[..focus].char_indices().rev(), width / 3);
        let mut space = true;
        if lead > 0 {
            self.push(CUT, lead - 1);
        }
        let mut room = width;
        for (at, c) in text[lead..].char_indices() {
            let collapses = c.is_whitespace();
            if collapses && space {
                continue;
            }
            space = collapses;
            if room == 0 {
                self.trim();
                self.end = lead + at;
                self.push(CUT, self.end);
                return;
            }
            self.push(if collapses { ' ' } else { c }, lead + at);
            room -= 1;
        }
        self.trim();
        self.end = text.len();
    }

    fn trim(&mut self) {
        if self.text.ends_with(' ') {
            self.text.pop();
            self.origins.pop();
        }
    }

    /// Adds a line of the text, or the part of it around a place.
    fn line(&mut self, line: &str, offset: usize, focus: usize, width: usize) {
        let fits = line.char_indices().nth(width).is_none();
        let back = line[..line.floor_char_boundary(focus)].char_indices();
        let start = if fits {
            0
        } else {
            let lead = back.rev().take(width / 3).last();
            lead.map_or(focus, |(at, _)| at)
        };
        if start > 0 {
            self.push(CUT, offset + start - 1);
        }
        for (count, (at, c)) in line[start..].char_indices().enumerate() {
            if count == width {
                self.push(CUT, offset + start + at);
                break;
            }
            self.push(c, offset + start + at);
        }
        self.end = offset + line.len();
    }

    /// Marks the matches that the snippet shows.
    fn mark(self, text: &str, first: Range<usize>, pattern: &Pattern) -> Snippet {
        let mut matches: Vec<Range<usize>> = Vec::new();
        let mut next = Some(first);
        while let Some(found) = next.filter(|found| found.start < self.end || found.is_empty()) {
            let place = |at: usize| self.origins.partition_point(|&origin| origin < at);
            let (start, end) = (place(found.start), place(found.end));
            // White space that was taken together with what stands before it.
            let start = start.min(end.saturating_sub(1));
            let known = matches.last().map_or(0, |last| last.end);
            if !found.is_empty() && known < end {
                matches.push(start.max(known)..end);
            }
            if matches.len() == MOST || found.start >= self.end {
                break;
            }
            let behind = if found.is_empty() {
                text.ceil_char_boundary(found.end + 1)
            } else {
                found.end
            };
            next = (behind < text.len())
                .then(|| pattern.find_at(text, behind))
                .flatten();
        }
        Snippet {
            text: self.text,
            matches,
        }
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
