//! Painting for served pages, whose server provides further content.
//!
//! An exported page contains everything that it shows. A served page links to it: pictures, long outputs and
//! the conversations of agents are fetched on demand, and the page itself decides what surrounds messages. A
//! [`FragmentHost`] knows the addresses; messages look the same as in exported pages.
//!
//! This module knows no addresses or sessions. An address from a host is escaped like any text.

use std::cell::Cell;

use unspool_model::ids::EntryId;
use unspool_text::diff::{Diff, DiffHunk};
use unspool_text::html::{Html, Painting};
use unspool_text::human;

use crate::document::{AgentHead, OtherPaths, Passage};

/// The most lines of a text that a served page shows at once.
pub const INLINE_LINES: usize = 200;
/// The most bytes of a text that a served page shows at once.
pub const INLINE_BYTES: usize = 16 * 1024;

/// Writes what surrounds messages on a served page, and knows the addresses of further content.
pub trait FragmentHost {
    /// Writes the controls of a message at the end of its header.
    fn tools(&self, passage: &Passage, html: &mut Html);

    /// Writes the content after a message of the conversation, outside of the message.
    fn after(&self, message: u32, html: &mut Html);

    /// Returns the address of a picture or document: the message's entry, and the index among the
    /// pictures and documents of the message.
    fn media(&self, entry: &EntryId, number: u32) -> String;

    /// Returns the address of a whole detail of a call, given by its index.
    fn detail(&self, call: &str, number: usize) -> String;

    /// Returns the address of the whole text of a message.
    fn whole(&self, entry: &EntryId) -> String;

    /// Writes an agent inside the call that started it.
    fn agent(&self, agent: &AgentHead, html: &mut Html);

    /// Writes that other paths leave the shown one after the last message.
    fn branches(&self, others: &OtherPaths, html: &mut Html);
}

/// How a piece treats turns that it contains in part.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PieceForm {
    /// A piece continues the one before it, so a turn may be open at either end.
    #[default]
    Continuous,
    /// Each turn of a piece is a whole element; a turn that began earlier is marked as continued.
    Whole,
    /// Messages without turns, to be put into another conversation.
    Bare,
}

/// How contents are painted, and the host that knows the addresses of further content.
#[derive(Clone, Copy)]
pub(super) struct PaintContext<'b> {
    pub(super) painting: Painting,
    pub(super) host: Option<&'b dyn FragmentHost>,
    /// The message that is being painted.
    pub(super) message: Option<&'b PieceMessage>,
}

/// A message that is being painted, with the number of its pictures so far.
#[derive(Debug)]
pub(super) struct PieceMessage {
    pub(super) entry: Option<EntryId>,
    /// The position in the painted conversation; `None` inside an agent.
    pub(super) at: Option<u32>,
    media: Cell<u32>,
}

impl PieceMessage {
    pub(super) fn new(passage: &Passage, at: Option<u32>) -> Self {
        Self { entry: passage.entries.first().cloned(), at, media: Cell::new(0) }
    }
}

impl PaintContext<'_> {
    /// Creates a brush for a file, which contains everything.
    pub(super) fn in_file(painting: Painting) -> Self {
        Self { painting, host: None, message: None }
    }

    /// Returns the address of the next picture or document of the message; `None` in a file.
    pub(super) fn media_way(&self) -> Option<String> {
        let message = self.message?;
        let number = message.media.replace(message.media.get() + 1);
        Some(self.host?.media(message.entry.as_ref()?, number))
    }

    /// Returns the address of a whole detail of a call; `None` in a file.
    pub(super) fn detail_way(&self, call: Option<&str>, number: usize) -> Option<String> {
        Some(self.host?.detail(call?, number))
    }

    /// Returns the address of the whole message; `None` in a file.
    pub(super) fn whole_way(&self) -> Option<String> {
        Some(self.host?.whole(self.message?.entry.as_ref()?))
    }
}

/// Paints a link to a whole text, next to the part of it that is shown.
pub(super) fn link_to_all(way: &str, lines: usize, html: &mut Html) {
    html.tag("<p class=\"rest\"><a class=\"all\"").attribute("href", way);
    html.tag(">Show all ").text(&human::plural(lines, "line")).tag("</a></p>\n");
}

/// Returns the beginning of a text that is too long to show at once; `None` for a short one.
pub(super) fn cut(text: &str) -> Option<&str> {
    let mut ends = text.match_indices('\n').map(|(at, _)| at);
    let end = ends.nth(INLINE_LINES - 1).filter(|end| end + 1 < text.len());
    let end = end.unwrap_or(text.len()).min(INLINE_BYTES);
    if end == text.len() {
        return None;
    }
    let is_by_bytes = end == INLINE_BYTES;
    let end = text.floor_char_boundary(end);
    // A line is cut only if it is the first one.
    let line = text[..end].rfind('\n').filter(|_| is_by_bytes);
    Some(&text[..line.unwrap_or(end)])
}

/// Returns the beginning of a change that is too long to show at once; `None` for a short one.
pub(super) fn cut_change(change: &Diff) -> Option<Diff> {
    let (mut lines, mut bytes) = (0, 0);
    let mut kept = Vec::new();
    for hunk in change.hunks() {
        let fits = |line: &&String| {
            lines += 1;
            bytes += line.len();
            lines <= INLINE_LINES && (bytes <= INLINE_BYTES || lines == 1)
        };
        let shown: Vec<String> = hunk.lines.iter().take_while(fits).cloned().collect();
        let is_whole = shown.len() == hunk.lines.len();
        if !shown.is_empty() {
            kept.push(DiffHunk { lines: shown, ..hunk.clone() });
        }
        if !is_whole {
            return Some(Diff::from_hunks(kept));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_lines() {
        assert_eq!(cut("a\nb"), None);
        let lines = |count: usize| "line\n".repeat(count);
        assert_eq!(cut(&lines(INLINE_LINES)), None);
        let long = lines(INLINE_LINES + 1);
        let head = cut(&long).expect("it is too long");
        assert_eq!(head.lines().count(), INLINE_LINES);
        let wide = format!("{}\n{}", "x".repeat(100), "\u{e9}".repeat(INLINE_BYTES));
        assert_eq!(cut(&wide).expect("it is too long").len(), 100);
        let one = "\u{e9}".repeat(INLINE_BYTES);
        assert_eq!(cut(&one).expect("it is too long").len(), INLINE_BYTES);
    }

    #[test]
    fn a_change_is_cut_at_its_lines() {
        let new = |lines: usize| Diff::between("", &"line\n".repeat(lines));
        assert!(cut_change(&new(INLINE_LINES)).is_none());
        let cut = cut_change(&new(1000)).expect("it is too long");
        assert_eq!(cut.hunks()[0].lines.len(), INLINE_LINES);
        let wide = Diff::between("", &"x".repeat(3 * INLINE_BYTES));
        assert_eq!(cut_change(&wide).map(|cut| cut.hunks().len()), None, "one line is never cut");
    }
}
