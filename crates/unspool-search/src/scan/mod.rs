//! Scans: search all logs for an exact text or a regular expression, without the index.
//!
//! A scan takes a request and a list of files and returns hits, in an order that does not depend
//! on how the work was divided. Patterns match decoded text: `naïve "x"` is found whether the log
//! has `naïve \"x\"` or `na\u00efve \u0022x\u0022`, and keys, ids and the syntax around texts are
//! never hits. A hit is a line of a log (one entry, unless records are glued together), a prompt of
//! the history, or a side file, however often it matches; it shows the first text that does. A
//! scan covers the same texts as the full text (`source`), and its hits have the same sessions and
//! entries as ranked ones (`origins`, `plans`).
//!
//! Two stages make a scan about as fast as a search of the bytes. `raw` rewrites the pattern to
//! match the bytes in which its texts are written, with more matches rather than fewer, and
//! `pattern` uses it to select lines. Lines that are written oddly (`odd`) are always selected. Of
//! the texts in a selected line ([`unspool_model::dialect::texts_of`]), those that may match by
//! their own bytes (`marks`) are decoded and matched (`line`). For a line that is only counted,
//! decoding is limited to the bytes around the mark.
//!
//! **Patterns** are those of the `regex` crate. `^` and `$` match at line ends of a text, `.` does
//! not match a newline without `(?s)`, and a pattern that contains newlines, such as `a\nb` or
//! `a\s+b`, may match across lines of one text. Case matters unless [`CaseMode::Ignore`] is
//! requested.

mod keep;
mod line;
mod marks;
mod origins;
mod pattern;
mod plain;
mod plans;
mod raw;
mod source;
#[cfg(test)]
mod tests;
mod unusual;
mod work;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;
use unspool_model::query::{TextRole, TimeRange, Values};

use self::keep::FirstHits;
use self::pattern::ScanPattern;
use self::work::{ScanWork, Worker, divide};
use crate::hit::{SearchHit, SnippetSize};
use unspool_store::session::SessionFileError;

pub use self::pattern::ScanPatternError;
pub use self::plans::only;
pub use self::source::{Content, ScanSource, sources};

/// The parameters of a scan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScanRequest {
    /// The text or the regular expression.
    pub pattern: String,
    /// Whether the pattern is a text or a regular expression.
    pub kind: PatternKind,
    /// Whether case matters.
    pub case: CaseMode,
    /// The allowed roles of texts.
    pub roles: Values<TextRole>,
    /// The allowed times of texts. A text without a time has the time of its file.
    pub time: TimeRange,
    /// The maximal number of hits to return.
    pub limit: usize,
    /// What happens to hits beyond the limit.
    pub rest: BeyondLimit,
    /// The size of snippets.
    pub extent: SnippetSize,
}

/// The kind of a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PatternKind {
    /// A literal text.
    #[default]
    Exact,
    /// A regular expression.
    Regex,
}

/// Whether case matters.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum CaseMode {
    /// Upper and lower case are different.
    #[default]
    Sensitive,
    /// Upper and lower case are the same.
    Ignore,
}

impl ScanRequest {
    /// Creates a request for all hits of a pattern.
    pub fn new(pattern: impl Into<String>, kind: PatternKind) -> Self {
        Self {
            pattern: pattern.into(),
            kind,
            case: CaseMode::default(),
            roles: Values::default(),
            time: TimeRange::default(),
            limit: usize::MAX,
            rest: BeyondLimit::default(),
            extent: SnippetSize::default(),
        }
    }
}

/// What happens to hits beyond the limit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum BeyondLimit {
    /// They are counted.
    #[default]
    Count,
    /// They are counted; the scan ends when the count exceeds this number.
    CountTo(u64),
}

/// The number of hits beyond the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HitsBeyondLimit {
    /// The exact number.
    Exactly(u64),
    /// A lower bound: the scan ended early.
    AtLeast(u64),
}

/// The result of a scan.
#[derive(Debug)]
pub struct Scan {
    /// The first hits, newest session first, then in the order of the files and their entries.
    pub hits: Vec<SearchHit>,
    /// How many more there are.
    pub further: HitsBeyondLimit,
    /// Files that could not be read.
    pub file_errors: Vec<SessionFileError>,
}

/// Searches files for a pattern; `read` counts the bytes that are done.
///
/// Hits are in the order of `sources`. Memory does not grow with the files: it contains the hits, and
/// for each thread a chunk, or a line that is longer than a chunk.
pub fn scan(
    sources: &[ScanSource],
    request: &ScanRequest,
    read: &AtomicU64,
) -> Result<Scan, ScanPatternError> {
    let job = ScanJob {
        pattern: ScanPattern::new(&request.pattern, request.kind, request.case)?,
        sources,
        request,
        works: divide(sources),
        next: AtomicUsize::new(0),
        keep: FirstHits::new(request.limit),
        ended: AtomicBool::new(false),
        read,
    };
    // One worker for each thread; each takes the next piece of work when it is done with one.
    let mut file_errors: Vec<SessionFileError> =
        (0..rayon::current_num_threads()).into_par_iter().flat_map_iter(|_| job.work()).collect();
    file_errors.sort_by(|a, b| a.path.cmp(&b.path));
    file_errors.dedup_by(|a, b| a.path == b.path);
    let ended = job.ended.into_inner();
    let (mut hits, further) = job.keep.finish();
    plans::claim_hits(&mut hits, sources);
    Ok(Scan {
        hits,
        further: if ended {
            HitsBeyondLimit::AtLeast(further)
        } else {
            HitsBeyondLimit::Exactly(further)
        },
        file_errors,
    })
}

/// A scan that is shared by several threads.
struct ScanJob<'a> {
    pattern: ScanPattern,
    sources: &'a [ScanSource],
    request: &'a ScanRequest,
    works: Vec<ScanWork>,
    next: AtomicUsize,
    keep: FirstHits,
    /// Whether the scan ended before all files were searched.
    ended: AtomicBool,
    read: &'a AtomicU64,
}

impl ScanJob<'_> {
    /// Tells whether more hits were counted than the request asks for.
    fn is_enough(&self) -> bool {
        match self.request.rest {
            BeyondLimit::Count => false,
            BeyondLimit::CountTo(most) => self.keep.further() > most,
        }
    }

    /// Does pieces of work until none are left; returns files that could not be read.
    ///
    /// Work is taken in order, so that later hits are not built once there are enough.
    fn work(&self) -> Vec<SessionFileError> {
        let mut worker = Worker::new(self.sources, &self.pattern, self.request);
        let mut file_errors = Vec::new();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(work) = self.works.get(number) else {
                return file_errors;
            };
            let room = self.keep.room(number);
            if room == 0 && self.is_enough() {
                self.ended.store(true, Ordering::Relaxed);
                return file_errors;
            }
            let source = &self.sources[work.source];
            if let Err(error) = worker.run(work, room) {
                let path = source.path.clone();
                file_errors.push(SessionFileError { path, error });
            }
            let (hits, further) = worker.take();
            self.keep.add(number, hits, further);
            self.read.fetch_add(work.bytes(source), Ordering::Relaxed);
        }
    }
}
