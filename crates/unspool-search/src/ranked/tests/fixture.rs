//! A home with its index and full text, to be searched.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use jiff::tz::TimeZone;
use tempfile::TempDir;
use unspool_model::query::{Clock, Field, Has, Is, parse};
use unspool_store::home::{Discovery, Home};
use unspool_store::index::{Index, RefreshBasis};
use unspool_store::prices::PriceTable;
use unspool_store::progress::Unwatched;
use unspool_testkit::{TestHome, session, uuid};

use super::super::*;
use crate::text::{TextFile, TextOrigin};

/// The folder that sessions are in.
pub(super) const CWD: &str = "/srv/demo";

/// The files of an index, as far as these tests need them.
struct TestFiles<'k> {
    index: &'k Index,
    sessions: HashSet<String>,
}

impl IndexedFiles for TestFiles<'_> {
    fn all_shown(&self) -> bool {
        true
    }

    fn place(&self, source: TextSource) -> Option<IndexedFile> {
        let file = TextFile::of(self.index, source).expect("a table")?;
        let kind = match &file.agent {
            Some(_) => PlaceKind::Agent,
            None => PlaceKind::Main,
        };
        Some(IndexedFile {
            gone: !self.sessions.contains(file.session.as_str()),
            home: Some(file.home),
            project: file.project,
            session: file.session,
            agent: file.agent,
            path: file.path,
            kind,
        })
    }

    fn matches(&self, source: TextSource, field: Field, value: &str) -> bool {
        let project = self.place(source).and_then(|place| place.project);
        field == Field::Project && project.is_some_and(|name| name.as_str().ends_with(value))
    }

    fn is(&self, source: TextSource, is: Is) -> bool {
        let place = self.place(source);
        match is {
            Is::Agent => place.is_some_and(|place| place.agent.is_some()),
            Is::Gone => place.is_some_and(|place| place.gone),
            _ => false,
        }
    }

    fn has(&self, _: TextSource, _: Has) -> bool {
        false
    }

    fn origin(&self, source: TextSource) -> Option<(PathBuf, u64)> {
        let origin = TextOrigin::of(self.index, source).expect("a table")?;
        Some((origin.path, origin.offset))
    }

    fn active(&self, source: TextSource, offset: u64) -> Option<bool> {
        matches!(source, TextSource::Log(_)).then_some(offset > 0)
    }
}

/// Makes a home with one session.
pub(super) fn home_of(notation: &str) -> TestHome {
    let home = TestHome::new();
    home.add_session(CWD, &uuid("s"), session(notation));
    home
}

/// A home, its index, and the full text of it.
pub(super) struct SearchFixture<'h> {
    /// Kept as long as hits are read from it.
    _home: &'h TestHome,
    cache: TempDir,
    index: Index,
    text: TextIndex,
    sessions: HashSet<String>,
    clock: Clock,
}

impl<'h> SearchFixture<'h> {
    pub(super) fn new(home: &'h TestHome) -> Self {
        Self::with_cache(home, tempfile::tempdir().expect("a folder"))
    }

    /// Goes on with the index in a folder.
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
        let sessions = found.iter().flat_map(Discovery::sessions);
        let sessions = sessions.map(|(_, session)| session.id.to_string()).collect();
        let millis = now.duration_since(SystemTime::UNIX_EPOCH).expect("a time");
        Self {
            _home: home,
            cache,
            index,
            text,
            sessions,
            clock: Clock { now: Time::from_millis(millis.as_millis() as i64), zone: TimeZone::UTC },
        }
    }

    /// Asks for sessions with one hit each.
    pub(super) fn search(&self, query: &str, sessions: usize) -> RankedAnswer {
        self.ask(query, sessions, Some(1))
    }

    pub(super) fn ask(&self, query: &str, limit: usize, of_session: Option<usize>) -> RankedAnswer {
        let query = parse(query, &self.clock).expect("a query");
        let places = TestFiles { index: &self.index, sessions: self.sessions.clone() };
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

    /// Returns the folder of the index, to go on with it when the home has changed.
    pub(super) fn into_cache(self) -> TempDir {
        self.cache
    }

    /// Returns where all hits are, best first.
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
