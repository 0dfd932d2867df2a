//! The message that contains the requested entry, folded around the words of the search.
//!
//! This module works on drawn lines, so it marks the words in any kind of message, and folds a long
//! message around them. If the words are in a part of the record that no message shows, that part
//! is shown below the message.

use std::io;
use std::ops::Range;

use unspool_model::dialect::texts_of;
use unspool_text::style::{Emphasis, Line, Role, Style, TextSpan};
use unspool_text::{human, sanitize, wrap};

use super::hits::snippet;
use super::surface::TerminalSurface;
use unspool_search::hit::SnippetSize;
use unspool_search::ranked::WordFinder;

/// A message with at most this many lines is shown whole.
const WHOLE: usize = 60;
/// Lines shown of the beginning of a longer message.
const HEAD: usize = 4;
/// Lines shown before and after a line with a word.
const AROUND: usize = 6;
/// The most places shown of a long message.
const PLACES: usize = 6;

impl TerminalSurface<'_> {
    /// Paints the message that contains the requested entry.
    pub(super) fn focused(&mut self, lines: Vec<Line>) -> io::Result<()> {
        let Some(find) = &self.options.find else {
            return self.emit_all(&Line::new(), lines);
        };
        let marked: Vec<(Line, bool)> = lines.into_iter().map(|line| mark(line, find)).collect();
        let is_found = marked.iter().any(|(_, is_marked)| *is_marked);
        self.emit_all(&Line::new(), folded(marked))?;
        if !is_found {
            self.excerpt(find)?;
        }
        Ok(())
    }

    /// Paints the text of the record that contains the words, if its message does not show it.
    fn excerpt(&mut self, find: &WordFinder) -> io::Result<()> {
        let Some(record) = self.shown.record_at()? else {
            return Ok(());
        };
        let mut best: Option<(usize, String)> = None;
        // A damaged record yields the texts before the damage.
        let _ = texts_of(&record, &mut |_, text| {
            let text = text.decode();
            let count = find.find(&text).len();
            if count > best.as_ref().map_or(0, |(most, _)| *most) {
                best = Some((count, text.into_owned()));
            }
            Ok(())
        });
        let Some((_, text)) = best else {
            return Ok(());
        };
        let extent = SnippetSize { width: 1000, context: AROUND };
        let lead = Line::of("  ┆ ", Role::Match);
        self.emit(&Line::new(), Line::of("○ in its record:", Role::Muted))?;
        for line in snippet(&find.cut(&text, extent)) {
            let room = self.options.width.saturating_sub(lead.width()).max(20);
            self.emit_all(&lead, wrap(&line, room))?;
        }
        self.blank(&Line::new())
    }
}

/// Marks the words in a line; returns whether the line contains any.
fn mark(line: Line, find: &WordFinder) -> (Line, bool) {
    let plain = line.plain();
    let places = find.find(&plain);
    if places.is_empty() {
        return (line, false);
    }
    let mut marked = Line::new();
    let mut at = 0;
    for span in line.spans() {
        let end = at + span.text().len();
        let mut from = at;
        for place in places.iter().filter(|place| place.start < end && place.end > at) {
            let place = place.start.max(from)..place.end.min(end);
            push(&mut marked, &plain[from..place.start], span.style());
            push(
                &mut marked,
                &plain[place.clone()],
                Style::from(Role::Match).with(Emphasis::STRONG),
            );
            from = place.end;
        }
        push(&mut marked, &plain[from..end], span.style());
        at = end;
    }
    (marked, true)
}

fn push(line: &mut Line, text: &str, style: Style) {
    if !text.is_empty() {
        line.push(TextSpan::new(text, style));
    }
}

/// Omits the lines of a long message that are far from the words.
fn folded(lines: Vec<(Line, bool)>) -> Vec<Line> {
    let count = lines.len();
    let places: Vec<usize> = (0..count).filter(|&at| lines[at].1).collect();
    if count <= WHOLE || places.is_empty() {
        return lines.into_iter().map(|(line, _)| line).collect();
    }
    let mut kept: Vec<Range<usize>> = Vec::from_iter(Some(0..HEAD));
    for at in places {
        let near = at.saturating_sub(AROUND)..(at + AROUND + 1).min(count);
        let is_full = kept.len() > PLACES;
        match kept.last_mut() {
            Some(last) if near.start <= last.end => last.end = last.end.max(near.end),
            _ if is_full => break,
            _ => kept.push(near),
        }
    }
    let mut lines: Vec<Option<Line>> = lines.into_iter().map(|(line, _)| Some(line)).collect();
    let mut out = Vec::new();
    let mut end = 0;
    for range in kept.into_iter().chain(Some(count..count)) {
        if range.start > end {
            out.push(left_out(range.start - end));
        }
        end = range.end;
        out.extend(lines[range].iter_mut().filter_map(Option::take));
    }
    out
}

fn left_out(count: usize) -> Line {
    let words = format!("  … {}, --full shows all", human::plural(count, "line"));
    Line::of(sanitize::clean(&words).into_owned(), Role::Muted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_folded_around_the_words() {
        let lines: Vec<(Line, bool)> =
            (0..200).map(|at| (Line::of(format!("line {at}"), Role::Plain), at == 100)).collect();
        let shown: Vec<String> = folded(lines).iter().map(Line::plain).collect();
        assert_eq!(
            shown[..5],
            ["line 0", "line 1", "line 2", "line 3", "  … 90 lines, --full shows all"]
        );
        assert_eq!(shown[5], "line 94");
        assert_eq!(shown[11], "line 100");
        assert_eq!(shown[18], "  … 93 lines, --full shows all");
        assert_eq!(shown.len(), 19);
    }
}
