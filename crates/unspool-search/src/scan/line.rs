//! Finds matches in one line of a log.

use unspool_model::dialect::{texts_of, texts_of_fragment};
use unspool_model::json::{JsonResult, Malformed, Str, is_white};
use unspool_model::line::{PieceKind, pieces};
use unspool_model::schema::TextKind;

use super::marks::{MarkVerdict, MarkWalk};
use super::pattern::{MatchCandidate, ScanPattern};
use crate::hit::{Snippet, SnippetSize};

/// A text of a record with a match.
pub(super) struct LineMatch {
    /// An offset in the line that is inside the record.
    pub(super) at: usize,
    /// The kind of the text.
    pub(super) kind: TextKind,
    /// The part of the text around the match.
    pub(super) snippet: Snippet,
}

/// Which matches of a line are needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WantedMatches {
    /// Whether there is a match.
    Any,
    /// The first match.
    First,
    /// The first match of each kind of text of each record.
    All,
}

/// Finds matches in lines.
pub(super) struct LineFinder<'p> {
    pattern: &'p ScanPattern,
    extent: SnippetSize,
}

impl<'p> LineFinder<'p> {
    pub(super) fn new(pattern: &'p ScanPattern, extent: SnippetSize) -> Self {
        Self { pattern, extent }
    }

    /// Finds the matches in a line.
    pub(super) fn line(
        &self,
        line: &[u8],
        candidate: MatchCandidate,
        wanted: WantedMatches,
    ) -> Vec<LineMatch> {
        let mut look = LineSearch {
            finder: self,
            wanted,
            marks: MarkWalk::new(line, self.pattern, candidate),
            piece: None,
            found: Vec::new(),
            known: 0,
        };
        if look.marks.is_empty() {
            return look.found;
        }
        let (end, result) = texts_of(line, &mut |kind, text| look.text(kind, text));
        // A walk that stopped at a match ends with an error too, but is done.
        let whole = result.is_ok() && is_white(&line[end..]);
        if !whole && !look.is_done() {
            look.found.clear();
            look.pieces(line, candidate);
        }
        look.found
    }
}

/// The search of one line.
struct LineSearch<'f, 'b> {
    finder: &'f LineFinder<'b>,
    wanted: WantedMatches,
    marks: MarkWalk<'b>,
    /// Where the current piece begins; none while the line is read as one record.
    piece: Option<usize>,
    found: Vec<LineMatch>,
    /// How many finds are from earlier pieces.
    known: usize,
}

impl<'b> LineSearch<'_, 'b> {
    /// Tells whether no more matches are needed or possible.
    fn is_done(&self) -> bool {
        self.marks.is_empty() || (self.wanted != WantedMatches::All && !self.found.is_empty())
    }

    /// Searches a line that is not exactly one record, piece by piece.
    fn pieces(&mut self, line: &'b [u8], candidate: MatchCandidate) {
        let candidate = match candidate {
            MatchCandidate::Usual { .. } => MatchCandidate::Usual { from: 0 },
            MatchCandidate::Odd => MatchCandidate::Odd,
        };
        for piece in pieces(line) {
            let bytes = &line[piece.start..piece.end];
            self.marks = MarkWalk::new(bytes, self.finder.pattern, candidate);
            self.piece = Some(piece.start);
            self.known = self.found.len();
            let mut each = |kind, text: Str<'_>| self.text(kind, text);
            // A walk that was stopped is as good as one that reached the end.
            let _ = match piece.kind {
                PieceKind::Blank => Ok(()),
                PieceKind::Record => texts_of(bytes, &mut each).1,
                PieceKind::Fragment => texts_of_fragment(bytes, &mut each),
            };
            if self.wanted != WantedMatches::All && !self.found.is_empty() {
                return;
            }
        }
    }

    /// Matches a text; returns an error to stop the walk if no more texts are needed.
    fn text(&mut self, kind: TextKind, text: Str<'_>) -> JsonResult<()> {
        let verdict = self.marks.judge(text);
        if self.is_done() {
            return Err(Malformed);
        }
        let known = &self.found[self.known..];
        if !known.iter().any(|find| find.kind == kind)
            && let Some(snippet) = self.matches(text, &verdict)
        {
            let place = self.marks.place(text);
            if self.piece.is_none() && !place.as_ref().is_none_or(|place| self.closes(place.end)) {
                // A record may be glued to a torn one; after this error the line is read in pieces.
                return Err(Malformed);
            }
            let at = self.piece.or(place.map(|place| place.start)).unwrap_or(0);
            self.found.push(LineMatch { at, kind, snippet });
        }
        if self.is_done() { Err(Malformed) } else { Ok(()) }
    }

    /// Tells whether the quote at an offset ends a string. In a torn record with another record
    /// glued to it, the other record's first quote looks like the end of a string.
    fn closes(&self, quote: usize) -> bool {
        let following = self.marks.bytes.get(quote + 1..).unwrap_or_default();
        matches!(following.trim_ascii_start().first(), Some(b',' | b'}' | b']'))
    }

    fn matches(&self, text: Str<'_>, verdict: &MarkVerdict) -> Option<Snippet> {
        let pattern = self.finder.pattern;
        match verdict {
            MarkVerdict::No => return None,
            MarkVerdict::Maybe(place)
                if self.wanted == WantedMatches::Any
                    && pattern.surely_matches(text.raw(), place) =>
            {
                return Some(Snippet::default());
            }
            MarkVerdict::Maybe(_) if !pattern.may_match(text.raw()) => return None,
            MarkVerdict::Maybe(_) | MarkVerdict::Unknown => {}
        }
        let text = text.decode();
        let first = pattern.find_at(&text, 0)?;
        Some(match self.wanted {
            WantedMatches::Any => Snippet::default(),
            WantedMatches::First | WantedMatches::All => {
                pattern.snippet(&text, first, self.finder.extent)
            }
        })
    }
}
