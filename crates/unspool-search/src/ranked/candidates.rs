//! Finds the best documents without scoring all of them.
//!
//! Tantivy skips documents that cannot reach a threshold. The factors that are applied here (for
//! role, marks and age) are at most one, so a document below the threshold stays below it, and
//! filters only leave documents out. The threshold is the score of the last file that is kept;
//! each file keeps its best few documents, so that one long session does not crowd out the
//! others. A caller that needs more asks again with larger [`Bounds`].

use std::collections::{HashMap, HashSet};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use tantivy::query::{EnableScoring, Query, Weight};
use tantivy::{BitSet, DocAddress, Searcher, SegmentReader};
use unspool_model::query::TextRole;
use unspool_model::time::Time;

use super::filter::{ColumnFilter, Columns, DocumentFilter, SegmentFilter};
use super::lookup::Lookup;
use super::stats::Statistics;
use crate::text::DocumentFlags;

/// How many threads find documents at most, since a search is short. Chosen by judgement, because
/// only two cores were available for measurements.
const MOST_THREADS: usize = 4;

/// A document that may become a hit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct DocumentCandidate {
    pub(super) document: DocAddress,
    pub(super) score: f32,
    /// The offset of its entry in the file.
    offset: u64,
    /// The print of its text.
    print: u64,
}

impl DocumentCandidate {
    /// Orders candidates, the better one first. No two are equal, so the order in which threads
    /// find them does not matter. The address of a document differs between indexes of the same
    /// logs, so it decides only between copies.
    fn better_first(&self, other: &Self) -> std::cmp::Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score
            .then_with(|| self.offset.cmp(&other.offset))
            .then_with(|| self.print.cmp(&other.print))
            .then_with(|| self.document.cmp(&other.document))
    }

    fn is_worse_than(&self, other: &Self) -> bool {
        self.better_first(other).is_gt()
    }
}

/// How many files and documents a search keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The number of files.
    pub(super) files: usize,
    /// The number of documents of each file.
    pub(super) of_file: usize,
}

impl Bounds {
    /// Returns these bounds times eight.
    pub(super) fn more(self) -> Self {
        Self { files: self.files.saturating_mul(8), of_file: self.of_file.saturating_mul(8) }
    }
}

/// Collects the best documents of the best files.
struct BestDocuments {
    bounds: Bounds,
    /// The kept documents of each file, the best one first.
    found: HashMap<u64, Vec<DocumentCandidate>>,
    /// The best document of the last kept file; none until there were too many files.
    last: Option<DocumentCandidate>,
    /// Whether documents were dropped because of the bounds.
    full: bool,
}

impl BestDocuments {
    fn new(bounds: Bounds) -> Self {
        Self { bounds, found: HashMap::new(), last: None, full: false }
    }

    /// Returns the score that a document must exceed to be kept.
    fn threshold(&self) -> f32 {
        // A document with the same score as the last one may still come before it.
        self.last.map_or(0.0, |last| last.score.next_down())
    }

    /// Adds a document, unless it is worse than those that are kept.
    fn take(&mut self, file: u64, candidate: DocumentCandidate) {
        if self.last.is_some_and(|last| candidate.is_worse_than(&last)) {
            return;
        }
        let kept = self.found.entry(file).or_default();
        let at = kept.partition_point(|kept| candidate.is_worse_than(kept));
        kept.insert(at, candidate);
        self.full |= kept.len() > self.bounds.of_file;
        kept.truncate(self.bounds.of_file);
        let files = self.bounds.files;
        // Shrinking takes a pass over all files, so it waits for a quarter more than needed.
        if self.found.len() > files.saturating_add(files / 4) {
            self.shrink();
        }
    }

    /// Drops all but the best files.
    fn shrink(&mut self) {
        let files = self.bounds.files;
        if self.found.len() <= files {
            return;
        }
        let best = self.found.values().filter_map(|kept| kept.first().copied());
        let mut best: Vec<DocumentCandidate> = best.collect();
        let (_, last, _) = best.select_nth_unstable_by(files - 1, DocumentCandidate::better_first);
        let last = *last;
        self.found.retain(|_, kept| {
            kept.retain(|candidate| !candidate.is_worse_than(&last));
            !kept.is_empty()
        });
        self.last = Some(last);
        self.full = true;
    }
}

/// Finds the best documents for the queries of a lookup; tells whether there may be more.
///
/// Segments are searched in parallel, unless a filter has to look up files.
pub(super) fn find(
    searcher: &Searcher,
    columns: &[Columns],
    statistics: &Statistics<'_>,
    lookup: &Lookup,
    filter: &DocumentFilter<'_>,
    bounds: Bounds,
    now: Time,
) -> tantivy::Result<(Vec<DocumentCandidate>, bool)> {
    let scoring = EnableScoring::Enabled { searcher, statistics_provider: statistics };
    let mut tasks = Vec::new();
    for (list, questions) in lookup.questions.iter().enumerate() {
        for question in questions {
            let weight = question.weight(scoring)?;
            tasks.push((list, weight));
        }
    }
    let lists = lookup.questions.iter();
    let finder = CandidateFinder {
        searcher,
        excluded: excluded(searcher, &lookup.excluded)?,
        columns,
        tasks,
        best: lists.map(|_| Mutex::new(BestDocuments::new(bounds))).collect(),
        next: AtomicUsize::new(0),
        now,
    };
    // Lookups of files use the catalogue, which only this thread may query.
    if filter.asks_files() {
        finder.work(&filter.columns, Some(filter))?;
    } else {
        finder.work_in_parallel(&filter.columns)?;
    }
    let mut all: Vec<DocumentCandidate> = Vec::new();
    let mut full = false;
    for best in finder.best {
        let mut best = best.into_inner().unwrap_or_else(PoisonError::into_inner);
        best.shrink();
        full |= best.full;
        all.extend(best.found.into_values().flatten());
    }
    Ok((unique(all), full))
}

struct CandidateFinder<'f> {
    searcher: &'f Searcher,
    /// The documents of each segment that match an excluded term.
    excluded: Vec<Option<BitSet>>,
    columns: &'f [Columns],
    /// Queries, each with the number of its list.
    tasks: Vec<(usize, Box<dyn Weight>)>,
    /// The best documents of each list.
    best: Vec<Mutex<BestDocuments>>,
    /// The next pair of a query and a segment that no thread has taken.
    next: AtomicUsize,
    now: Time,
}

impl CandidateFinder<'_> {
    fn work_in_parallel(&self, filter: &ColumnFilter<'_>) -> tantivy::Result<()> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let others = cores.min(self.tasks.len() * self.columns.len()).min(MOST_THREADS);
        thread::scope(|scope| {
            let work = || self.work(filter, None);
            let others: Vec<_> = (1..others).map(|_| scope.spawn(work)).collect();
            let mut result = work();
            for other in others {
                result = result.and(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            result
        })
    }

    /// Searches pairs of a query and a segment until none are left.
    fn work(
        &self,
        filter: &ColumnFilter<'_>,
        files: Option<&DocumentFilter<'_>>,
    ) -> tantivy::Result<()> {
        let segments = self.columns.len();
        loop {
            // All segments of one query come in a row, the most promising query first, so that the
            // threshold rises early.
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            let Some((list, weight)) = next.checked_div(segments).and_then(|n| self.tasks.get(n))
            else {
                return Ok(());
            };
            self.ask(&**weight, &self.best[*list], next % segments, filter, files)?;
        }
    }

    fn ask(
        &self,
        weight: &dyn Weight,
        best: &Mutex<BestDocuments>,
        number: usize,
        filter: &ColumnFilter<'_>,
        files: Option<&DocumentFilter<'_>>,
    ) -> tantivy::Result<()> {
        let segment = self.searcher.segment_reader(number as u32);
        let columns = &self.columns[number];
        let excluded = self.excluded[number].as_ref();
        let filter = filter.segment(columns)?;
        let first = lock(best).threshold();
        let mut threshold = first;
        let mut take = |document: u32, score: f32| {
            let score = score * worth(columns, document, self.now);
            let is_out = || excluded.is_some_and(|set| set.contains(document));
            if score > threshold && !is_out() && shown(segment, &filter, files, document) {
                let candidate = DocumentCandidate {
                    document: DocAddress::new(number as u32, document),
                    score,
                    offset: columns.offset(document),
                    print: columns.print(document),
                };
                let mut best = lock(best);
                best.take(columns.source(document), candidate);
                threshold = best.threshold();
            }
            threshold
        };
        weight.for_each_pruning(first, segment, &mut take)
    }
}

fn lock(best: &Mutex<BestDocuments>) -> MutexGuard<'_, BestDocuments> {
    best.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Finds the newest documents that pass the filters, for a query without words.
pub(super) fn newest(
    searcher: &Searcher,
    columns: &[Columns],
    filter: &DocumentFilter<'_>,
    bounds: Bounds,
) -> tantivy::Result<(Vec<DocumentCandidate>, bool)> {
    let mut best = BestDocuments::new(bounds);
    for (number, segment) in (0u32..).zip(searcher.segment_readers()) {
        let columns = &columns[number as usize];
        let of_segment = filter.columns.segment(columns)?;
        for document in 0..segment.max_doc() {
            let seconds = columns.time(document).map_or(0, |time| time.as_millis() / 1000);
            let score = (seconds as f32).max(1.0);
            if score > best.threshold() && shown(segment, &of_segment, Some(filter), document) {
                let candidate = DocumentCandidate {
                    document: DocAddress::new(number, document),
                    score,
                    offset: columns.offset(document),
                    print: columns.print(document),
                };
                best.take(columns.source(document), candidate);
            }
        }
    }
    best.shrink();
    let full = best.full;
    Ok((unique(best.found.into_values().flatten().collect()), full))
}

fn shown(
    segment: &SegmentReader,
    filter: &SegmentFilter<'_>,
    files: Option<&DocumentFilter<'_>>,
    document: u32,
) -> bool {
    segment.alive_bitset().is_none_or(|alive| alive.is_alive(document))
        && filter.allows(document, files)
}

/// Returns the documents of each segment that match an excluded term.
fn excluded(
    searcher: &Searcher,
    queries: &[Box<dyn Query>],
) -> tantivy::Result<Vec<Option<BitSet>>> {
    let mut excluded: Vec<Option<BitSet>> = Vec::new();
    for segment in searcher.segment_readers() {
        let mut set = None;
        for query in queries {
            let weight = query.weight(EnableScoring::disabled_from_searcher(searcher))?;
            let set = set.get_or_insert_with(|| BitSet::with_max_value(segment.max_doc()));
            weight.for_each_no_score(segment, &mut |documents| {
                for document in documents {
                    set.insert(*document);
                }
            })?;
        }
        excluded.push(set);
    }
    Ok(excluded)
}

/// Keeps each document once, best first.
fn unique(mut all: Vec<DocumentCandidate>) -> Vec<DocumentCandidate> {
    all.sort_by(DocumentCandidate::better_first);
    let mut seen = HashSet::new();
    all.retain(|candidate| seen.insert(candidate.document));
    all
}

/// Returns the factor for a document, at most one.
fn worth(columns: &Columns, document: u32, now: Time) -> f32 {
    let (role, marks) = columns.role_and_flags(document);
    role_worth(role) * flags_factor(marks) * age_worth(columns.time(document), now)
}

/// Returns the factor for a role: what people typed and read ranks above what machines did. Answers
/// at 0.8 give a mean reciprocal rank of 0.761 and at 1.1 0.729, results at 1 0.771, thinking at 0.4
/// 0.737. The questions do not decide the other factors, which were chosen by judgement.
pub(super) fn role_worth(role: TextRole) -> f32 {
    match role {
        TextRole::User | TextRole::Title => 1.0,
        TextRole::Assistant => 0.95,
        TextRole::Summary => 0.85,
        TextRole::Tool => 0.8,
        TextRole::Thinking => 0.7,
        TextRole::Result => 0.75,
        TextRole::System => 0.5,
    }
}

/// Returns the factor for flags: what an agent said, what unspool printed and what repeats another
/// text rank lower. The questions do not decide how much; chosen by judgement.
pub(super) fn flags_factor(marks: DocumentFlags) -> f32 {
    let mut worth = 1.0;
    for (mark, factor) in
        [(DocumentFlags::AGENT, 0.75), (DocumentFlags::OWN, 0.2), (DocumentFlags::REPEAT, 0.7)]
    {
        if marks.has(mark) {
            worth *= factor;
        }
    }
    worth
}

/// Returns the factor for age: newer texts rank a little higher. The questions do not decide how much;
/// chosen by judgement: a text of today is worth an eighth more than one of last year.
///
/// Whole days count, so the order of two texts does not depend on the time of the search.
pub(super) fn age_worth(time: Option<Time>, now: Time) -> f32 {
    const MILLIS_OF_A_DAY: i64 = 86_400_000;
    let day = |time: Time| time.as_millis().div_euclid(MILLIS_OF_A_DAY);
    let days = time.map_or(f32::MAX, |time| day(now).saturating_sub(day(time)).max(0) as f32);
    0.88 + 0.12 * (-days / 45.0).exp()
}
