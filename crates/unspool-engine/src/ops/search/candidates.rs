//! The best documents, found without looking at all of them.
//!
//! The library skips documents that cannot reach a threshold. What lowers a score here (the
//! role, marks, age) only ever multiplies it by at most one, so a document below the
//! threshold stays below it, and filters simply leave documents out. The threshold is the
//! score of the last file that is still wanted; each file keeps its best few documents, so
//! that one long session does not crowd out the others.

use std::collections::{HashMap, HashSet};

use tantivy::query::{EnableScoring, Query};
use tantivy::{BitSet, DocAddress, Searcher, SegmentReader};
use unspool_model::query::Role;
use unspool_model::time::Time;

use super::filter::{Columns, Filter, SegmentFilter};
use super::lookup::Lookup;
use super::stats::Statistics;
use crate::index::text::Marks;

/// How many documents of one file are kept.
const OF_ONE_FILE: usize = 6;

/// A document that may be shown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Candidate {
    pub(super) document: DocAddress,
    pub(super) score: f32,
}

/// Keeps the best documents of the best files.
pub(super) struct Best {
    files: usize,
    found: HashMap<u64, Vec<Candidate>>,
    threshold: f32,
    /// Whether something was left out for want of room.
    full: bool,
}

impl Best {
    fn new(files: usize) -> Self {
        Self {
            files: files.max(1),
            found: HashMap::new(),
            threshold: 0.0,
            full: false,
        }
    }

    /// Takes a document; returns the score that the next one must exceed.
    fn take(&mut self, file: u64, candidate: Candidate) -> f32 {
        let kept = self.found.entry(file).or_default();
        match kept
            .iter_mut()
            .find(|kept| kept.document == candidate.document)
        {
            Some(same) => same.score = same.score.max(candidate.score),
            None => kept.push(candidate),
        }
        if kept.len() > OF_ONE_FILE {
            kept.sort_by(|a, b| b.score.total_cmp(&a.score));
            kept.truncate(OF_ONE_FILE);
        }
        if self.found.len() > self.files + self.files / 4 {
            self.shrink();
        }
        self.threshold
    }

    /// Leaves only the best files.
    fn shrink(&mut self) {
        if self.found.len() <= self.files {
            return;
        }
        let best = |kept: &[Candidate]| kept.iter().map(|c| c.score).fold(0.0, f32::max);
        let mut scores: Vec<f32> = self.found.values().map(|kept| best(kept)).collect();
        let (_, last, _) = scores.select_nth_unstable_by(self.files - 1, |a, b| b.total_cmp(a));
        let last = *last;
        self.found.retain(|_, kept| best(kept) >= last);
        self.threshold = self.threshold.max(last);
        self.full = true;
    }
}

/// Finds the best documents for the questions of a lookup; tells whether there may be more.
pub(super) fn find(
    searcher: &Searcher,
    statistics: &Statistics<'_>,
    lookup: &Lookup,
    filter: &Filter<'_>,
    files: usize,
    now: Time,
) -> tantivy::Result<(Vec<Candidate>, bool)> {
    let columns = searcher.segment_readers().iter().map(Columns::open);
    let finder = Finder {
        searcher,
        statistics,
        filter,
        excluded: excluded(searcher, &lookup.excluded)?,
        columns: columns.collect::<tantivy::Result<_>>()?,
        now,
    };
    let mut all: Vec<Candidate> = Vec::new();
    let mut full = false;
    for questions in &lookup.questions {
        let mut best = Best::new(files);
        for question in questions {
            finder.ask(&**question, &mut best)?;
        }
        best.shrink();
        full |= best.full;
        all.extend(best.found.into_values().flatten());
    }
    Ok((unique(all), full))
}

struct Finder<'f> {
    searcher: &'f Searcher,
    statistics: &'f Statistics<'f>,
    filter: &'f Filter<'f>,
    /// Documents of each segment that hold what they must not.
    excluded: Vec<Option<BitSet>>,
    columns: Vec<Columns>,
    now: Time,
}

impl Finder<'_> {
    fn ask(&self, question: &dyn Query, best: &mut Best) -> tantivy::Result<()> {
        let weight = question.weight(EnableScoring::Enabled {
            searcher: self.searcher,
            statistics_provider: self.statistics,
        })?;
        for (number, segment) in (0u32..).zip(self.searcher.segment_readers()) {
            let columns = &self.columns[number as usize];
            let excluded = self.excluded[number as usize].as_ref();
            let filter = self.filter.segment(columns)?;
            let threshold = best.threshold;
            let mut take = |document: u32, score: f32| {
                let score = score * worth(columns, document, self.now);
                let is_out = || excluded.is_some_and(|set| set.contains(document));
                if score <= best.threshold || is_out() || !shown(segment, &filter, document) {
                    return best.threshold;
                }
                let candidate = Candidate {
                    document: DocAddress::new(number, document),
                    score,
                };
                best.take(columns.source(document), candidate)
            };
            weight.for_each_pruning(threshold, segment, &mut take)?;
        }
        Ok(())
    }
}

/// Finds the newest documents that the filters let through, for a query without words.
pub(super) fn newest(
    searcher: &Searcher,
    filter: &Filter<'_>,
    files: usize,
) -> tantivy::Result<(Vec<Candidate>, bool)> {
    let mut best = Best::new(files);
    for (number, segment) in (0u32..).zip(searcher.segment_readers()) {
        let columns = Columns::open(segment)?;
        let filter = filter.segment(&columns)?;
        for document in 0..segment.max_doc() {
            let seconds = columns
                .time(document)
                .map_or(0, |time| time.as_millis() / 1000);
            let score = (seconds as f32).max(1.0);
            if score > best.threshold && shown(segment, &filter, document) {
                let document_at = DocAddress::new(number, document);
                let candidate = Candidate {
                    document: document_at,
                    score,
                };
                best.take(columns.source(document), candidate);
            }
        }
    }
    best.shrink();
    let full = best.full;
    Ok((unique(best.found.into_values().flatten().collect()), full))
}

fn shown(segment: &SegmentReader, filter: &SegmentFilter<'_>, document: u32) -> bool {
    segment
        .alive_bitset()
        .is_none_or(|alive| alive.is_alive(document))
        && filter.allows(document)
}

/// Returns the documents of each segment that hold what they must not.
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
fn unique(mut all: Vec<Candidate>) -> Vec<Candidate> {
    all.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then(a.document.cmp(&b.document))
    });
    let mut seen = HashSet::new();
    all.retain(|candidate| seen.insert(candidate.document));
    all
}

/// Says how much of its score a document is worth, at most one.
fn worth(columns: &Columns, document: u32, now: Time) -> f32 {
    let (role, marks) = columns.role_and_marks(document);
    role_worth(role) * marks_worth(marks) * age_worth(columns.time(document), now)
}

/// What people typed and read comes before what machines did.
pub(super) fn role_worth(role: Role) -> f32 {
    match role {
        Role::User | Role::Title => 1.0,
        Role::Assistant => 0.95,
        Role::Summary => 0.85,
        Role::Tool => 0.8,
        Role::Thinking => 0.7,
        Role::Result => 0.75,
        Role::System => 0.5,
    }
}

pub(super) fn marks_worth(marks: Marks) -> f32 {
    let mut worth = 1.0;
    for (mark, factor) in [
        (Marks::AGENT, 0.75),
        (Marks::OWN, 0.2),
        (Marks::REPEAT, 0.7),
    ] {
        if marks.has(mark) {
            worth *= factor;
        }
    }
    worth
}

/// What is newer comes a little before what is older.
pub(super) fn age_worth(time: Option<Time>, now: Time) -> f32 {
    const MILLIS_OF_A_DAY: f32 = 86_400_000.0;
    let days = time.map_or(f32::MAX, |time| now.since(time) as f32 / MILLIS_OF_A_DAY);
    0.88 + 0.12 * (-days / 45.0).exp()
}
