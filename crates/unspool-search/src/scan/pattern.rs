//! A compiled pattern, for texts and for the bytes that contain them.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use grep_matcher::{LineMatchKind, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;
use unspool_model::json::Str;

use super::raw::raw;
use super::unusual::UnusualWriting;
use super::{CaseMode, PatternKind};
use crate::excerpt;
use crate::hit::{Snippet, SnippetSize};
use unspool_store::files::lines::line_around;

/// The reason why a pattern cannot be searched for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ScanPatternError {
    /// The pattern is empty.
    #[error("the pattern is empty")]
    Empty,
    /// The pattern is not a regular expression.
    #[error("{message}")]
    Syntax {
        /// The error, with the pattern and a mark under the place.
        message: String,
        /// The bytes of the pattern with the error.
        span: Range<usize>,
    },
    /// The compiled pattern would be too large.
    #[error("{0}")]
    TooLarge(String),
}

/// A compiled pattern.
pub(super) struct ScanPattern {
    /// Matches decoded texts.
    text: RegexMatcher,
    /// Finds lines of a log that may match; none if every line may.
    log: Option<RegexMatcher>,
    /// Finds matching lines of plain text; none if a match may span lines.
    line: Option<RegexMatcher>,
    /// Whether the pattern depends on the start or the end of a text.
    anchored: bool,
    /// Set once `log` is known to report matches, not lines that may match.
    confirms: AtomicBool,
    odd: UnusualWriting,
}

/// Why a line may match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MatchCandidate {
    /// Its bytes match, with no mark before this offset of the line.
    Usual {
        /// The offset.
        from: usize,
    },
    /// It is written in ways that must be decoded.
    Odd,
}

/// A sign of a match in the bytes of a log: the match, or a literal that all matches contain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MatchMark {
    /// The range of the sign, or of a part of it.
    pub(super) place: Range<usize>,
    /// The first offset at which the sign may begin.
    pub(super) first: usize,
}

impl MatchMark {
    /// Tells whether the mark is before a text that begins at `start`.
    pub(super) fn is_before(&self, start: usize) -> bool {
        self.place.start < start
    }
}

/// A bound on the length of the literals that are searched for in place of a pattern.
const LITERAL: usize = 1024;

impl ScanPattern {
    pub(super) fn new(
        pattern: &str,
        kind: PatternKind,
        case: CaseMode,
    ) -> Result<Self, ScanPatternError> {
        if pattern.is_empty() {
            return Err(ScanPatternError::Empty);
        }
        let hir = parse(pattern, kind, case)?;
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .case_insensitive(case == CaseMode::Ignore)
            .fixed_strings(kind == PatternKind::Exact);
        let text = builder
            .build(pattern)
            .map_err(|error| ScanPatternError::TooLarge(error.to_string()))?;
        let anchored = hir.properties().look_set().contains_anchor_haystack();
        let apart = text.non_matching_bytes().is_some_and(|bytes| bytes.contains(b'\n'));
        let line = builder.line_terminator(Some(b'\n')).build(pattern);
        Ok(Self {
            text,
            log: log_matcher(&hir),
            line: line.ok().filter(|_| apart && !anchored),
            anchored,
            confirms: AtomicBool::new(false),
            odd: UnusualWriting::default(),
        })
    }

    /// Finds the first match in a text at or after an offset.
    pub(super) fn find_at(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let found = self.text.find_at(text.as_bytes(), at).ok().flatten()?;
        let floor = text.floor_char_boundary(found.start());
        Some(floor..text.ceil_char_boundary(found.end()))
    }

    /// Returns a snippet of a text around its first match.
    pub(super) fn snippet(&self, text: &str, first: Range<usize>, extent: SnippetSize) -> Snippet {
        excerpt::snippet(text, first, extent, |at| self.find_at(text, at))
    }

    /// Finds the first mark in the bytes of a log at or after an offset.
    pub(super) fn mark(&self, bytes: &[u8], at: usize) -> Option<MatchMark> {
        let Some(log) = &self.log else {
            return Some(MatchMark { place: at..bytes.len(), first: at });
        };
        if !self.confirms.load(Ordering::Relaxed) {
            match log.find_candidate_line(&bytes[at..]).ok().flatten()? {
                // Only the end of a candidate is known.
                LineMatchKind::Candidate(end) => {
                    let end = at + end;
                    let first = at.max(end.saturating_sub(LITERAL));
                    let place = at.max(end.saturating_sub(1))..end;
                    return Some(MatchMark { place, first });
                }
                LineMatchKind::Confirmed(_) => self.confirms.store(true, Ordering::Relaxed),
            }
        }
        let found = log.find_at(bytes, at).ok().flatten()?;
        Some(MatchMark { place: found.start()..found.end(), first: found.start() })
    }

    /// Tells whether a text may match, from all the bytes in which it is written.
    pub(super) fn may_match(&self, raw: &[u8]) -> bool {
        let log = self.log.as_ref();
        log.is_none_or(|log| log.is_match(raw).unwrap_or(true))
    }

    /// Tells whether a text is known to match from the bytes around a mark.
    ///
    /// Saves decoding the whole text if it is not shown. Returns false if these bytes do not decide.
    pub(super) fn surely_matches(&self, raw: &[u8], place: &Range<usize>) -> bool {
        const BEFORE: usize = 64;
        const FOLLOWING: usize = 64;
        const MARGIN: usize = 16;
        if self.anchored {
            return false;
        }
        let mut starts = place.start.saturating_sub(BEFORE)..place.start;
        let start = match place.start {
            0 => Some(0),
            _ => starts.find(|&at| begins_character(raw, at)),
        };
        let Some(start) = start else {
            return false;
        };
        let end = raw.len().min(place.end + FOLLOWING);
        let text = Str::new(&raw[start..end]).decode();
        // The first character is only context, for assertions about what comes before a match.
        let skipped = text.chars().next().filter(|_| start > 0);
        let found = self.find_at(&text, skipped.map_or(0, char::len_utf8));
        // A match near the end of the decoded part may depend on the bytes after it.
        found.is_some_and(|found| end == raw.len() || found.end + MARGIN <= text.len())
    }

    /// Tells whether matches never span lines, so that plain text can be read by lines.
    pub(super) fn stays_in_line(&self) -> bool {
        self.line.is_some()
    }

    /// Finds the first matching line of plain text, for patterns that stay in a line.
    pub(super) fn find_line(&self, lines: &[u8]) -> Option<Range<usize>> {
        let matcher = self.line.as_ref()?;
        let mut start = 0;
        while start < lines.len() {
            let rest = &lines[start..];
            let found = matcher.find_candidate_line(rest).ok().flatten()?;
            let (LineMatchKind::Confirmed(at) | LineMatchKind::Candidate(at)) = found;
            let line = line_around(lines, start + at);
            if matcher.is_match(&lines[line.clone()]).unwrap_or(true) {
                return Some(line);
            }
            start = line.end;
        }
        None
    }

    /// Passes each line that may match to `each`, in order. `lines` begins with a line.
    pub(super) fn candidates(
        &self,
        lines: &[u8],
        mut each: impl FnMut(Range<usize>, MatchCandidate),
    ) {
        if self.log.is_none() {
            return each_line(lines, |line| each(line, MatchCandidate::Odd));
        }
        let first = |bytes: &[u8]| self.mark(bytes, 0).map(|mark| mark.place.start);
        let mut usual = PatternSearch::new(lines, first);
        let mut escape = PatternSearch::new(lines, |bytes| self.odd.escape(bytes));
        let mut spread = PatternSearch::new(lines, |bytes| self.odd.spread(bytes));
        let mut start = 0;
        while start < lines.len() {
            let odd = escape.following(start).into_iter().chain(spread.following(start)).min();
            let Some(at) = odd.into_iter().chain(usual.following(start)).min() else {
                return;
            };
            let line = line_around(lines, at);
            let candidate = match odd {
                Some(odd) if odd < line.end => MatchCandidate::Odd,
                _ if self.confirms.load(Ordering::Relaxed) => {
                    MatchCandidate::Usual { from: at - line.start }
                }
                // Only the end of the mark is known: it may begin anywhere before.
                _ => MatchCandidate::Usual { from: 0 },
            };
            start = line.end;
            each(line, candidate);
        }
    }
}

/// Caches the next place that a search finds, so that each part of the lines is searched once.
struct PatternSearch<'l, F> {
    lines: &'l [u8],
    find: F,
    next: Option<usize>,
}

impl<'l, F: FnMut(&[u8]) -> Option<usize>> PatternSearch<'l, F> {
    fn new(lines: &'l [u8], mut find: F) -> Self {
        let next = find(lines);
        Self { lines, find, next }
    }

    /// Returns the first place at or after the start of a line.
    fn following(&mut self, start: usize) -> Option<usize> {
        if self.next? < start {
            self.next = (self.find)(&self.lines[start..]).map(|at| start + at);
        }
        self.next
    }
}

fn each_line(lines: &[u8], mut each: impl FnMut(Range<usize>)) {
    let mut start = 0;
    while start < lines.len() {
        let line = line_around(lines, start);
        start = line.end;
        each(line);
    }
}

/// Tells whether a character surely begins at an offset of a raw text: no escape is near.
fn begins_character(raw: &[u8], at: usize) -> bool {
    const LONGEST_ESCAPE: usize = 12;
    let before = &raw[at.saturating_sub(LONGEST_ESCAPE - 1)..at];
    (raw[at] & 0xC0) != 0x80 && memchr::memchr(b'\\', before).is_none()
}

fn parse(pattern: &str, kind: PatternKind, case: CaseMode) -> Result<Hir, ScanPatternError> {
    let escaped;
    let pattern = match kind {
        PatternKind::Regex => pattern,
        PatternKind::Exact => {
            escaped = regex_syntax::escape(pattern);
            &escaped
        }
    };
    let parsed = ParserBuilder::new()
        .multi_line(true)
        .case_insensitive(case == CaseMode::Ignore)
        .build()
        .parse(pattern);
    parsed.map_err(|error| ScanPatternError::Syntax {
        span: span(&error).unwrap_or(0..pattern.len()),
        message: error.to_string(),
    })
}

/// Returns the bytes of a pattern with an error.
fn span(error: &regex_syntax::Error) -> Option<Range<usize>> {
    let span = match error {
        regex_syntax::Error::Parse(error) => error.span(),
        regex_syntax::Error::Translate(error) => error.span(),
        _ => return None,
    };
    Some(span.start.offset..span.end.offset)
}

/// Compiles the matcher for lines of a log; none if it would match every line or be too large.
fn log_matcher(hir: &Hir) -> Option<RegexMatcher> {
    let raw = raw(hir);
    if raw.properties().minimum_len() == Some(0) {
        return None;
    }
    let pattern = raw.to_string();
    RegexMatcherBuilder::new().line_terminator(Some(b'\n')).build(&pattern).ok()
}
