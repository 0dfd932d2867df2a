//! Ranked search: finds the best hits for a query, session by session.
//!
//! Three steps, each on fewer documents and in more detail. `candidates` finds the best documents
//! by their words without visiting all; `rank` scores them by positions too; and only the texts
//! of shown hits (and of a few more for code words) are read from the logs. Files are looked up in
//! the catalogue through [`CatalogueLookup`] alone.
//!
//! A question typed as a sentence must find its answer: no word is required unless the query
//! says so, words that every sentence has count little, and other forms of a word and other
//! names of a thing count less than the word as written.
//!
//! **How weights were found.** The test `questions_find_their_answers` runs the questions of
//! `testkit::questions`. With the weights as they are, sentences have a mean reciprocal rank of
//! 0.748 over the seeds 1 to 3, and code words come first. A note next to a weight gives the rank
//! with another value in its place. Those ranks compare with 0.747: they were measured when the
//! test did not know that a log's first entry is on its active path. Where the questions do not
//! decide, the weight was chosen by judgement.

mod answer;
mod candidates;
mod filter;
mod finder;
pub mod group;

mod joined_names;
mod known;
mod lookup;
mod missing;
mod opening;
mod rank;
mod snippet;
mod stats;
#[cfg(test)]
mod tests;
mod vocabulary;
mod wanted;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use unspool_model::ids::SessionId;
use unspool_model::query::{Need, Query};
use unspool_model::time::Time;

pub use finder::WordFinder;
pub use known::CatalogueLookup;
pub use missing::MissingWord;
pub use opening::{HitOpening, OpeningQuery};

use crate::hit::{SearchHit, SnippetSize};
use candidates::Bounds;
use filter::{Columns, DocumentFilter};
use lookup::Lookup;
use rank::{Ranked, Ranker};
use snippet::Marker;
use stats::Statistics;
use wanted::{QueryTerm, QueryTerms};

use crate::text::reread::Reread;
use crate::text::words::without_colours;
use crate::text::{TextError, TextIndex, TextPlace, TextSource};

/// How many times candidates are searched for, with larger bounds each time, if filters leave too
/// few. The questions do not decide: they have no filters. Chosen by judgement: a filter that still
/// leaves too few is rare.
const TRIES: u32 = 4;

/// How many documents of one file are kept at first. 20 gives 0.736, and 2 the same as this.
const OF_ONE_FILE: usize = 6;
/// How many hits are read to see how a code word is written. The questions do not decide: 8 and 60
/// give the same. Chosen by judgement: a page of hits and a few more.
const SHARPENED: usize = 24;
/// The factor for a hit with a code word as written. The questions do not decide: 1 and 6 give the
/// same. Chosen by judgement: it outweighs role and age.
const AS_WRITTEN: f32 = 3.0;

/// The parameters of a search.
#[derive(Clone, Debug)]
pub struct RankedRequest<'q> {
    /// The query.
    pub query: &'q Query,
    /// The current time.
    pub now: Time,
    /// How many hits are wanted at most.
    pub limit: usize,
    /// How many hits of one session are wanted while other sessions have some too; without a number,
    /// the best hits are wanted, whatever their sessions.
    pub of_session: Option<usize>,
    /// The size of snippets.
    pub extent: SnippetSize,
}

/// The result of a search.
#[derive(Clone, Default, Debug)]
pub struct RankedAnswer {
    /// Sessions, best first.
    pub sessions: Vec<SessionHits>,
    /// Whether there are more hits.
    pub more: bool,
    /// Words that no text contains.
    pub missing: Vec<MissingWord>,
}

/// The hits of one session.
#[derive(Clone, Debug)]
pub struct SessionHits {
    /// The session.
    pub session: SessionId,
    /// The score of the session.
    pub score: f32,
    /// Its hits, best first; at least one.
    pub hits: Vec<SearchHit>,
}

impl RankedAnswer {
    /// Returns the number of hits.
    fn hits(&self) -> usize {
        self.sessions.iter().map(|session| session.hits.len()).sum()
    }

    /// Clears scores that only order by time.
    fn forget_scores(&mut self) {
        for session in &mut self.sessions {
            session.score = 0.0;
            for hit in &mut session.hits {
                hit.score = 0.0;
            }
        }
    }
}

/// Searches the full text.
pub fn search(
    text: &TextIndex,
    places: &CatalogueLookup<'_>,
    request: &RankedRequest<'_>,
) -> Result<RankedAnswer, TextError> {
    let mut wanted = QueryTerms::of(request.query);
    joined_names::take_apart(text, &mut wanted);
    let filter = DocumentFilter::new(&request.query.filters, places);
    let segments = text.searcher.segment_readers().iter();
    let search = RunningSearch {
        text,
        columns: segments.map(Columns::open).collect::<tantivy::Result<_>>()?,
        places,
        request,
        filter: &filter,
        marker: Marker::of(&wanted),
        strict: strict(&wanted),
        wanted: &wanted,
        texts: RefCell::default(),
    };
    if wanted.asked().next().is_none() {
        return search.browse();
    }
    Ok(RankedAnswer { missing: missing::missing(text, &wanted)?, ..search.run()? })
}

/// Returns the terms that a text must contain as written, including signs.
fn strict(wanted: &QueryTerms) -> Vec<&QueryTerm> {
    let terms = wanted.terms.iter();
    terms
        .filter(|term| term.need == Need::Required && (term.has_signs() || term.is_code()))
        .collect()
}

/// Returns a text as it is compared with a typed term: in lower case, without colours, and
/// with one space for each run of white space.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in without_colours(text).split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.extend(word.chars().flat_map(char::to_lowercase));
    }
    plain
}

/// Texts by their places; none if a text could not be read.
type TextsByPlace = HashMap<(TextSource, TextPlace), Option<Rc<Reread>>>;

/// A search with its data.
struct RunningSearch<'s> {
    text: &'s TextIndex,
    /// The columns of each segment.
    columns: Vec<Columns>,
    places: &'s CatalogueLookup<'s>,
    request: &'s RankedRequest<'s>,
    filter: &'s DocumentFilter<'s>,
    marker: Marker,
    strict: Vec<&'s QueryTerm>,
    wanted: &'s QueryTerms,
    /// Texts that were read from the logs.
    texts: RefCell<TextsByPlace>,
}

impl RunningSearch<'_> {
    fn run(&self) -> Result<RankedAnswer, TextError> {
        let searcher = &self.text.searcher;
        let statistics = Statistics::of(searcher, self.text.fields)?;
        let lookup = Lookup::of(self.text, self.wanted)?;
        let now = self.request.now;
        let columns = &self.columns;
        let ranker = Ranker::new(self.text, columns, &statistics, self.wanted, &lookup, now)?;
        let mut bounds = self.bounds();
        for attempt in 1.. {
            let (candidates, full) = candidates::find(
                searcher,
                columns,
                &statistics,
                &lookup,
                self.filter,
                bounds,
                now,
            )?;
            let mut hits = ranker.rank(&candidates)?;
            self.sharpen(&mut hits);
            let answer = self.answer(hits, full);
            if !full || answer.hits() >= self.request.limit || attempt == TRIES {
                return Ok(answer);
            }
            bounds = bounds.more();
        }
        Ok(RankedAnswer::default())
    }

    /// Returns the bounds of the first attempt. The index has the parts of a code word, not its
    /// spelling, so more documents are kept for one.
    fn bounds(&self) -> Bounds {
        let is_code = self.wanted.asked().any(QueryTerm::is_code);
        Bounds {
            files: self.request.limit.saturating_mul(2).saturating_add(20),
            of_file: if is_code { SHARPENED } else { OF_ONE_FILE },
        }
    }

    /// Raises the scores of texts that contain a code word as written: the index has its parts only.
    fn sharpen(&self, ranked: &mut [Ranked]) {
        let code: Vec<_> = self.wanted.asked().filter(|term| term.is_code()).collect();
        if code.is_empty() {
            return;
        }
        for hit in ranked.iter_mut().take(SHARPENED) {
            let Some(place) = self.places.place(hit.facts.source) else {
                continue;
            };
            let Some(found) = self.text(&place, &hit.facts) else {
                continue;
            };
            let text = plain(&found.text);
            if code.iter().any(|term| text.contains(&term.written)) {
                hit.score *= AS_WRITTEN;
            }
        }
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    }

    /// Answers a query without words: with the newest texts.
    fn browse(&self) -> Result<RankedAnswer, TextError> {
        let searcher = &self.text.searcher;
        let mut bounds = self.bounds();
        for attempt in 1.. {
            let (candidates, full) =
                candidates::newest(searcher, &self.columns, self.filter, bounds)?;
            let ranked = candidates.into_iter().map(|candidate| {
                let columns = &self.columns[candidate.document.segment_ord as usize];
                Ranked {
                    facts: columns.facts(candidate.document.doc_id),
                    score: candidate.score,
                    held: Vec::new(),
                }
            });
            let mut answer = self.answer(ranked.collect(), full);
            if !full || answer.hits() >= self.request.limit || attempt == TRIES {
                answer.forget_scores();
                return Ok(answer);
            }
            bounds = bounds.more();
        }
        Ok(RankedAnswer::default())
    }
}
