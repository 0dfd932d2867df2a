//! One search for every way of asking.
//!
//! Ranked search asks the full text for words; a scan reads the logs for an exact text or a
//! regular expression. Both take a [`SearchRequest`] and give a [`SearchAnswer`].

mod early;
mod question;
mod scan;

use std::thread;

use jiff::tz::TimeZone;
use unspool_model::query::{TextRole, TimeRange};
use unspool_model::time::Time;

use self::early::EarlyAnswer;
use self::question::SearchQuestion;
pub use self::scan::COUNTED_HITS;
use super::Library;
use super::error::LibraryError;
use super::index::IndexView;
use super::note::Listener;
use super::walk::{Completeness, HomesWalk};
use unspool_search::hit::{SearchHit, SnippetSize};
use unspool_search::ranked::MissingWord;
use unspool_search::scan::{CaseMode, Further};
use unspool_store::filter::{self, FilterField, RowFilter, SessionSet, Unmatched};
use unspool_store::rows::{AgentRows, SessionRow};

/// What is looked for, and where.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// What was typed.
    pub text: String,
    /// How it is taken.
    pub mode: SearchMode,
    /// Which sessions are searched. Its time is about texts, not about sessions: a text is in a
    /// time or not, a session only touches it.
    pub filter: RowFilter,
    /// Who or what texts may be from; any if empty.
    pub roles: Vec<TextRole>,
    /// Which paths of sessions are searched.
    pub paths: SearchPaths,
    /// How many hits are wanted at most.
    pub limit: usize,
    /// How many of them are of one session as long as others have some too; without a number the
    /// best ones are wanted, whatever sessions they are of. Only ranked search asks.
    pub of_session: Option<usize>,
    /// How much of a text is shown.
    pub extent: SnippetSize,
    /// The zone that times in the query are of.
    pub zone: TimeZone,
    /// The time that ages are counted from; that of the clock if none is given. Only ranked search
    /// asks.
    pub time: Option<Time>,
}

impl SearchRequest {
    /// Asks for words in all sessions: twenty hits, three of one session at most.
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

/// Which paths of sessions are searched.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SearchPaths {
    /// All of them.
    #[default]
    All,
    /// The active one: what a resume would continue.
    Active,
}

/// How the text of a search is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchMode {
    /// As a query of words and filters, which the full text answers, best hits first.
    Ranked,
    /// As an exact text, which the logs are read for.
    Exact(CaseMode),
    /// As a regular expression, which the logs are read for.
    Regex(CaseMode),
}

/// What a search found.
#[derive(Debug)]
pub struct SearchAnswer {
    /// The hits: of a ranked search session by session, or best first if none was limited; of a
    /// scan newest session first.
    pub hits: Vec<SearchHit>,
    /// What there is besides them.
    pub left: HitsLeft,
    /// The rows of the sessions that the hits are in.
    pub rows: Vec<SessionRow>,
    /// Whether all logs could be searched; the full text may lack some.
    pub searched: Completeness,
    /// The words that were looked for, without filters and signs; nothing for a regular
    /// expression.
    pub words: String,
    /// Words that no text contains.
    pub missing: Vec<MissingWord>,
    /// Names in the filter that fit no session.
    pub unmatched: Vec<Unmatched>,
    /// Whether the homes could be read.
    pub reading: Completeness,
}

/// Hits that are not in an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HitsLeft {
    /// They were counted.
    Counted(Further),
    /// There may be some; they were not counted.
    Perhaps,
}

/// What one way of searching found.
struct FoundHits {
    hits: Vec<SearchHit>,
    left: HitsLeft,
    rows: Vec<SessionRow>,
    searched: Completeness,
    missing: Vec<MissingWord>,
}

/// The sessions that are searched.
struct SearchScope {
    /// Those that the filter leaves; none if it leaves all.
    only: Option<SessionSet>,
    /// Names in the filter that fit no session.
    unmatched: Vec<Unmatched>,
    /// How many sessions were read when the index was brought up to date.
    news: usize,
}

impl Library {
    /// Searches.
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
            let of_all = question.filter(|_| request.filter.asks_only_when());
            let early = of_all.and_then(|question| EarlyAnswer::begin(threads, question, self));
            let scope = self.search_scope(&request.filter, &walk, listener)?;
            let reading = self.tell_problems(&walk, listener);
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

    /// Finds the sessions that are searched, and brings the index up to date.
    fn search_scope(
        &self,
        filter: &RowFilter,
        walk: &HomesWalk,
        listener: &dyn Listener,
    ) -> Result<SearchScope, LibraryError> {
        if filter.asks_only_when() {
            return Ok(SearchScope {
                only: None,
                unmatched: Vec::new(),
                news: self.freshen(walk, listener)?,
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
        Ok(SearchScope { only: Some(only), unmatched: selection.unmatched, news: 0 })
    }

    /// Asks the full text.
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
    // A project that no session fits may be that of sessions whose logs are gone.
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
