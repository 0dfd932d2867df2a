//! Searching all logs for an exact text or a regular expression, without the index.
//!
//! A request and a list of files go in; hits come out, in an order that does not depend on
//! how the work was divided. What is matched is the decoded text: `naïve "x"` is found
//! whether the log says `naïve \"x\"` or `na\u00efve \u0022x\u0022`, and keys, ids and the
//! syntax around texts are never hits. A hit is a line of a log, which is one entry unless
//! records are glued together, a prompt of the history, or a side file, however
//! often it matches; it shows the first text that does. What is searched is what the full
//! text contains (`source`), and a hit says what a ranked one would (`origins`, `plans`).
//!
//! Two stages make this about as fast as a search of the bytes. The pattern is rewritten to
//! match the bytes that its texts are written in (`raw`), with more matches rather than
//! fewer, and so picks out lines (`pattern`); lines that are written oddly (`odd`) are
//! always picked. Of those, the texts are taken ([`unspool_model::dialect::texts_of`]), and such as may match by their
//! own bytes (`marks`) are decoded and matched (`line`). A line that is only counted is
//! decoded around the place alone.
//!
//! **Patterns** are those of the `regex` crate. `^` and `$` match at line ends of a text, `.`
//! matches no newline unless `(?s)` says so, and a pattern that names one, such as `a\nb` or
//! `a\s+b`, may match across lines of one text. Letters are matched in their case unless
//! [`CaseMode::Ignore`] is asked for.

mod keep;
mod line;
mod marks;
mod odd;
mod origins;
mod pattern;
mod plain;
mod plans;
mod raw;
mod source;
#[cfg(test)]
mod tests;
mod work;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;
use unspool_model::query::{TextRole, TimeRange, Values};

use self::keep::Keep;
use self::pattern::ScanPattern;
use self::work::{ScanWork, Worker, divide};
use crate::hit::{SearchHit, SnippetSize};
use unspool_store::session::SessionFileError;

pub use self::pattern::ScanPatternError;
pub use self::plans::only;
pub use self::source::{Content, ScanSource, sources};

/// What to look for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScanRequest {
    /// The text or the regular expression.
    pub pattern: String,
    /// Which of the two it is.
    pub kind: PatternKind,
    /// Whether case counts.
    pub case: CaseMode,
    /// Who or what texts may be from.
    pub roles: Values<TextRole>,
    /// When texts may have been written. What has no time of its own is as old as its file.
    pub time: TimeRange,
    /// The most hits to return.
    pub limit: usize,
    /// What to do about the others.
    pub rest: BeyondLimit,
    /// How much of a text to show.
    pub extent: SnippetSize,
}

/// What a pattern is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PatternKind {
    /// A text, taken as it is.
    #[default]
    Exact,
    /// A regular expression.
    Regex,
}

/// Whether case counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum CaseMode {
    /// Upper and lower case differ.
    #[default]
    Sensitive,
    /// Upper and lower case are the same.
    Ignore,
}

impl ScanRequest {
    /// Asks for all hits of a pattern.
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

/// What to do about hits beyond the limit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum BeyondLimit {
    /// They are counted.
    #[default]
    Count,
    /// They are counted, and when there are more than this, the scan ends.
    CountTo(u64),
}

/// How many hits there are beyond the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Further {
    /// So many.
    Exactly(u64),
    /// At least so many: not everything was searched.
    AtLeast(u64),
}

/// What a scan found.
#[derive(Debug)]
pub struct Scan {
    /// The first hits, newest session first, then in the order of the files and their entries.
    pub hits: Vec<SearchHit>,
    /// How many more there are.
    pub further: Further,
    /// Files that could not be read.
    pub file_errors: Vec<SessionFileError>,
}

/// Looks for a pattern in some files; `read` counts the bytes that are done.
///
/// Hits come in the order of `sources`. Memory does not grow with the files: it contains the
/// hits, and for each thread a chunk or the line that is longer than one.
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
        keep: Keep::new(request.limit),
        ended: AtomicBool::new(false),
        read,
    };
    let mut file_errors: Vec<SessionFileError> =
        (0..rayon::current_num_threads()).into_par_iter().flat_map_iter(|_| job.work()).collect();
    file_errors.sort_by(|a, b| a.path.cmp(&b.path));
    file_errors.dedup_by(|a, b| a.path == b.path);
    let ended = job.ended.into_inner();
    let (mut hits, further) = job.keep.finish();
    plans::claim_hits(&mut hits, sources);
    Ok(Scan {
        hits,
        further: if ended { Further::AtLeast(further) } else { Further::Exactly(further) },
        file_errors,
    })
}

/// A scan that several threads work on.
struct ScanJob<'a> {
    pattern: ScanPattern,
    sources: &'a [ScanSource],
    request: &'a ScanRequest,
    works: Vec<ScanWork>,
    next: AtomicUsize,
    keep: Keep,
    /// Whether the scan ended before all was searched.
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

    /// Does one piece of work after the other; returns what could not be read.
    ///
    /// Work is taken in order, so that later hits need not be built when there are enough.
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
