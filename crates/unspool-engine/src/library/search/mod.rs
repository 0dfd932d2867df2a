//! One search for every kind of query.
//!
//! Ranked search queries the full text for words; a scan reads the logs for an exact text or a
//! regular expression. Both take a [`SearchRequest`] and return a [`SearchAnswer`].

mod question;
mod scan;
mod speculative;

use std::thread;

use jiff::tz::TimeZone;
use unspool_model::query::{TextRole, TimeRange};
use unspool_model::time::Time;

use self::question::SearchQuestion;
pub use self::scan::COUNTED_HITS;
use self::speculative::SpeculativeSearch;
use super::Library;
use super::error::LibraryError;
use super::index::IndexView;
use super::note::Listener;
use super::walk::{Completeness, HomesWalk};
use unspool_search::hit::{SearchHit, SnippetSize};
use unspool_search::ranked::MissingWord;
use unspool_search::scan::{CaseMode, HitsBeyondLimit};
use unspool_store::filter::{self, FilterField, RowFilter, SessionSet, Unmatched};
use unspool_store::rows::{AgentRows, SessionRow};

/// A request for [`Library::search`].
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The text that the user typed.
    pub text: String,
    /// How the text is interpreted.
    pub mode: SearchMode,
    /// The filter that sessions must match. Its time applies to texts, not to sessions: a text has
    /// one time, a session spans a range.
    pub filter: RowFilter,
    /// The roles of texts; any if empty.
    pub roles: Vec<TextRole>,
    /// The paths of sessions to search.
    pub paths: SearchPaths,
    /// The maximum number of hits.
    pub limit: usize,
    /// The maximum number of hits of one session while other sessions have hits too; `None` returns
    /// the best hits of any sessions. Only used by ranked search.
    pub of_session: Option<usize>,
    /// The size of snippets.
    pub extent: SnippetSize,
    /// The time zone of times in the query.
    pub zone: TimeZone,
    /// The time from which ages are counted; by default the time of the clock. Only used by ranked
    /// search.
    pub time: Option<Time>,
}

impl SearchRequest {
    /// Requests a ranked search of all sessions: twenty hits, at most three of one session.
    pub fn ranked(words: impl Into<String>) -> Self {
        Self {
            text: words.into(),
            mode: SearchMode::Ranked,
            filter: RowFilter::default(),
            roles: Vec::new(),
            paths: SearchPaths::All,
            limit: 20,
            of_session: Some(3),
            extent: SnippetSize::default(),
            zone: TimeZone::UTC,
            time: None,
        }
    }
}

/// The paths of sessions to search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SearchPaths {
    /// All paths.
    #[default]
    All,
    /// The active path: the one that a resume would continue.
    Active,
}

/// How the text of a search is interpreted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchMode {
    /// As a query of words and filters for the full text, best hits first.
    Ranked,
    /// As an exact text, for which the logs are scanned.
    Exact(CaseMode),
    /// As a regular expression, for which the logs are scanned.
    Regex(CaseMode),
}

/// The result of [`Library::search`].
#[derive(Debug)]
pub struct SearchAnswer {
    /// The hits: of a ranked search grouped by session, or best first if sessions have no limit; of
    /// a scan newest session first.
    pub hits: Vec<SearchHit>,
    /// Hits that are not in this answer.
    pub left: HitsLeft,
    /// The rows of the sessions that contain the hits.
    pub rows: Vec<SessionRow>,
    /// Whether all logs were searched; the full text may lack some.
    pub searched: Completeness,
    /// The words of the query, without filters and signs; empty for a regular expression.
    pub words: String,
    /// Words that no text contains.
    pub missing: Vec<MissingWord>,
    /// Names in the filter that match no session.
    pub unmatched: Vec<Unmatched>,
    /// Whether the homes were readable.
    pub reading: Completeness,
}

/// Hits that are not in an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HitsLeft {
    /// The number of further hits.
    Counted(HitsBeyondLimit),
    /// There may be further hits; they were not counted.
    Perhaps,
}

/// The result of one kind of search.
struct FoundHits {
    hits: Vec<SearchHit>,
    left: HitsLeft,
    rows: Vec<SessionRow>,
    searched: Completeness,
    missing: Vec<MissingWord>,
}

/// The sessions to search.
struct SearchScope {
    /// The sessions that match the filter; `None` if all do.
    only: Option<SessionSet>,
    /// Names in the filter that match no session.
    unmatched: Vec<Unmatched>,
    /// The number of sessions that were read to update the index.
    refreshed_sessions: usize,
}

impl Library {
    /// Searches sessions.
    pub fn search(
        &self,
        request: &SearchRequest,
        listener: &dyn Listener,
    ) -> Result<SearchAnswer, LibraryError> {
        let question = match request.mode {
            SearchMode::Ranked => {
                let now = || self.settings.clock.time();
                let now = request.time.unwrap_or_else(now);
                Some(SearchQuestion::of(request, now, listener)?)
            }
            SearchMode::Exact(_) | SearchMode::Regex(_) => None,
        };
        self.rebuilding(listener, || self.search_once(request, question.as_ref(), listener))
    }

    fn search_once(
        &self,
        request: &SearchRequest,
        question: Option<&SearchQuestion>,
        listener: &dyn Listener,
    ) -> Result<SearchAnswer, LibraryError> {
        let walk = self.walk();
        thread::scope(|threads| {
            let of_all = question.filter(|_| request.filter.has_only_time());
            let early =
                of_all.and_then(|question| SpeculativeSearch::begin(threads, question, self));
            let scope = self.search_scope(&request.filter, &walk, listener)?;
            let reading = self.report_problems(&walk, listener);
            let early = early.and_then(|early| early.take(&scope, self, &walk));
            let found = match (early, question) {
                (Some(found), _) => found,
                (None, Some(question)) => self.ranked(question, &scope, &walk, listener)?,
                (None, None) => self.scan(request, &scope, &walk, listener)?,
            };
            let words = question.map_or_else(|| scan::words(request), SearchQuestion::words);
            Ok(answer(found, words, scope, reading))
        })
    }

    /// Selects the sessions to search, and updates the index.
    fn search_scope(
        &self,
        filter: &RowFilter,
        walk: &HomesWalk,
        listener: &dyn Listener,
    ) -> Result<SearchScope, LibraryError> {
        if filter.has_only_time() {
            return Ok(SearchScope {
                only: None,
                unmatched: Vec::new(),
                refreshed_sessions: self.refresh_if_due(walk, listener)?,
            });
        }
        let rows = self.listing(walk, AgentRows::Folded, listener)?.rows;
        let of_any_time = RowFilter { time: TimeRange::default(), ..filter.clone() };
        let selection = filter::select(rows, &of_any_time);
        let key = |row: SessionRow| (row.home, row.id);
        let only = SessionSet {
            there: selection.rows.into_iter().map(key).collect(),
            folders: selection.folders,
        };
        Ok(SearchScope { only: Some(only), unmatched: selection.unmatched, refreshed_sessions: 0 })
    }

    /// Searches the full text.
    fn ranked(
        &self,
        question: &SearchQuestion,
        scope: &SearchScope,
        walk: &HomesWalk,
        listener: &dyn Listener,
    ) -> Result<FoundHits, LibraryError> {
        self.with_index(|index| {
            let (text, coverage) = self.text(index, walk, listener)?;
            let view = IndexView::of(index, walk);
            let found = question.ask(&text, view, scope.only.as_ref())?;
            Ok(FoundHits {
                searched: if coverage.is_whole() && index.is_complete()? {
                    Completeness::Whole
                } else {
                    Completeness::Partial
                },
                ..found
            })
        })
    }
}

fn answer(
    found: FoundHits,
    words: String,
    scope: SearchScope,
    reading: Completeness,
) -> SearchAnswer {
    // A project name without a session may match sessions whose logs are gone.
    let is_past = found.hits.iter().any(|hit| hit.gone);
    let mut unmatched = scope.unmatched;
    unmatched.retain(|unmatched| !is_past || unmatched.field != FilterField::Project);
    SearchAnswer {
        hits: found.hits,
        left: found.left,
        rows: found.rows,
        searched: found.searched,
        words,
        missing: found.missing,
        unmatched,
        reading,
    }
}
