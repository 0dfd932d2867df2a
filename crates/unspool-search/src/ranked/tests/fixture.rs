//! A home with its index and full text, to be searched.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use jiff::tz::TimeZone;
use tempfile::TempDir;
use unspool_model::query::{Clock, parse};
use unspool_store::home::{Home, LiveSessions};
use unspool_store::index::{Index, RefreshBasis};
use unspool_store::prices::PriceTable;
use unspool_store::progress::Unwatched;
use unspool_testkit::{TestHome, session, uuid};

use super::super::*;

/// The working folder of the sessions.
pub(super) const CWD: &str = "/srv/demo";

/// Makes a home with one session.
pub(super) fn home_of(notation: &str) -> TestHome {
    let home = TestHome::new();
    home.add_session(CWD, &uuid("s"), session(notation));
    home
}

/// A home, its index, and the full text of it.
pub(super) struct SearchFixture<'h> {
    /// Kept while hits are read from it.
    _home: &'h TestHome,
    cache: TempDir,
    index: Index,
    text: TextIndex,
    homes: [Home; 1],
    live: [LiveSessions; 1],
    clock: Clock,
}

impl<'h> SearchFixture<'h> {
    pub(super) fn new(home: &'h TestHome) -> Self {
        Self::with_cache(home, tempfile::tempdir().expect("a folder"))
    }

    /// Opens the index that an earlier fixture left.
    pub(super) fn with_cache(home: &'h TestHome, cache: TempDir) -> Self {
        let mut index = Index::open(cache.path()).expect("an index");
        let homes = [Home::new(home.path())];
        let now = SystemTime::now() + Duration::from_mins(1);
        let found = index
            .refresh(&homes, &RefreshBasis { now, prices: &PriceTable::built_in() }, &Unwatched)
            .expect("a catalogue")
            .found;
        let (text, report) =
            TextIndex::open(&index, &homes, &found, now, &Unwatched).expect("a text");
        assert!(report.coverage.is_whole());
        let millis = now.duration_since(SystemTime::UNIX_EPOCH).expect("a time");
        Self {
            _home: home,
            cache,
            index,
            text,
            homes,
            live: Default::default(),
            clock: Clock { now: Time::from_millis(millis.as_millis() as i64), zone: TimeZone::UTC },
        }
    }

    /// Searches for sessions, with one hit each.
    pub(super) fn search(&self, query: &str, sessions: usize) -> RankedAnswer {
        self.ask(query, sessions, Some(1))
    }

    pub(super) fn ask(&self, query: &str, limit: usize, of_session: Option<usize>) -> RankedAnswer {
        let query = parse(query, &self.clock).expect("a query");
        let places = CatalogueLookup::new(&self.index, &self.homes, &self.live, None);
        let request = RankedRequest {
            query: &query,
            now: self.clock.now,
            limit,
            of_session,
            extent: SnippetSize::default(),
        };
        search(&self.text, &places, &request).expect("an answer")
    }

    pub(super) fn hits(&self, query: &str) -> Vec<SearchHit> {
        let sessions = self.ask(query, 200, Some(10)).sessions;
        sessions.into_iter().flat_map(|found| found.hits).collect()
    }

    /// Returns the folder of the index, for a fixture of the changed home.
    pub(super) fn into_cache(self) -> TempDir {
        self.cache
    }

    /// Returns the places of all hits, best first.
    pub(super) fn order(&self, query: &str) -> Vec<(PathBuf, u64)> {
        let hits = self.hits(query).into_iter();
        hits.map(|hit| (hit.file, hit.offset)).collect()
    }

    /// Returns the snippets of all hits, best first.
    pub(super) fn texts(&self, query: &str) -> Vec<String> {
        let hits = self.hits(query).into_iter();
        hits.map(|hit| hit.snippet.text).collect()
    }
}
