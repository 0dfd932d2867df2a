//! One line of a log: what matches in it.

use unspool_model::dialect::{texts_of, texts_of_fragment};
use unspool_model::json::{JsonResult, Malformed, Str, is_white};
use unspool_model::line::{PieceKind, pieces};
use unspool_model::schema::TextKind;

use super::marks::{MarkVerdict, MarkWalk};
use super::pattern::{MatchCandidate, ScanPattern};
use crate::hit::{Snippet, SnippetSize};

/// A text of a record that matches.
pub(super) struct Find {
    /// A place of the line that is inside of the record.
    pub(super) at: usize,
    /// The kind of the text.
    pub(super) kind: TextKind,
    /// A look at it.
    pub(super) snippet: Snippet,
}

/// What is asked of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WantedMatches {
    /// Whether anything matches.
    Any,
    /// The first match.
    First,
    /// The first match of each kind of text of each record.
    All,
}

/// Finds what matches.
pub(super) struct LineFinder<'p> {
    pattern: &'p ScanPattern,
    extent: SnippetSize,
}

impl<'p> LineFinder<'p> {
    pub(super) fn new(pattern: &'p ScanPattern, extent: SnippetSize) -> Self {
        Self { pattern, extent }
    }

    /// Finds what matches on a line.
    pub(super) fn line(
        &self,
        line: &[u8],
        candidate: MatchCandidate,
        wanted: WantedMatches,
    ) -> Vec<Find> {
        let mut look = LineLook {
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
        let whole = result.is_ok() && is_white(&line[end..]);
        if !whole && !look.is_done() {
            look.found.clear();
            look.pieces(line, candidate);
        }
        look.found
    }
}

/// A look at one line.
struct LineLook<'f, 'b> {
    finder: &'f LineFinder<'b>,
    wanted: WantedMatches,
    marks: MarkWalk<'b>,
    /// Where the piece begins that is looked at; nothing if the line is taken for one record.
    piece: Option<usize>,
    found: Vec<Find>,
    /// How many finds are of the pieces before.
    known: usize,
}

impl<'b> LineLook<'_, 'b> {
    /// Tells whether nothing more is wanted, or there.
    fn is_done(&self) -> bool {
        self.marks.is_empty() || (self.wanted != WantedMatches::All && !self.found.is_empty())
    }

    /// Looks at a line that is more, or less, than one record.
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
            // Whether the walk came to its end or was ended makes no difference.
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

    /// Looks at a text; an error says that no more texts are needed.
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
                return Err(Malformed);
            }
            let at = self.piece.or(place.map(|place| place.start)).unwrap_or(0);
            self.found.push(Find { at, kind, snippet });
        }
        if self.is_done() { Err(Malformed) } else { Ok(()) }
    }

    /// Tells whether the quote at a place ends a string. Where a record is glued to a torn
    /// one, its first quote seems to.
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
