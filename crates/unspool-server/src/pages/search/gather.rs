//! Gathers the data of the search page from the library.

use unspool_engine::library::{CollectedNotes, HitsLeft, LibraryError, LibraryNote};
use unspool_search::hit::SearchHit;
use unspool_search::ranked::MissingWord;
use unspool_store::rows::SessionRow;

use super::facets::SearchFacets;
use super::request;
use super::widen::{self, WiderQuery};
use crate::pages::parts::SessionUrls;
use crate::pages::zone::PageZone;
use crate::route::Call;
use crate::web::RequestProblem;

/// The maximum number of hits on the page. Facets count only these.
const HITS: usize = 120;
/// The maximum length of a query, in characters.
const LONGEST: usize = 1_000;

/// A query and its results.
pub(super) struct SearchData {
    pub(super) asked: String,
    /// The words of the query, without filters and operators.
    pub(super) words: String,
    pub(super) sessions: Vec<HitsOfSession>,
    pub(super) ways: SessionUrls,
    pub(super) hits: usize,
    /// Whether there may be more hits.
    pub(super) more: bool,
    pub(super) missing: Vec<MissingWord>,
    pub(super) facets: SearchFacets,
    /// Wider queries that have hits, if this one has none.
    pub(super) wider: Vec<WiderQuery>,
    pub(super) notes: Vec<LibraryNote>,
    /// Why the query is not valid.
    pub(super) error: Option<String>,
}

/// The hits of one session.
pub(super) struct HitsOfSession {
    /// The row of the session; none if its log is gone.
    pub(super) row: Option<SessionRow>,
    pub(super) hits: Vec<SearchHit>,
}

impl SearchData {
    /// Runs the query of a request.
    pub(super) fn gather(call: &Call, zone: &PageZone) -> Result<Self, RequestProblem> {
        let asked: String = call.query.get("q").unwrap_or_default().trim().into();
        let mut data = Self {
            words: String::new(),
            sessions: Vec::new(),
            ways: SessionUrls::default(),
            hits: 0,
            more: false,
            missing: Vec::new(),
            facets: SearchFacets::default(),
            wider: Vec::new(),
            notes: Vec::new(),
            error: None,
            asked,
        };
        if data.asked.is_empty() {
            return Ok(data);
        }
        if data.asked.chars().count() > LONGEST {
            return Err(RequestProblem::parameter("q", "the question is too long"));
        }
        call.state.refresher.try_refresh_text()?;
        let notes = CollectedNotes::default();
        let request = request(&data.asked, zone, HITS);
        match call.state.library.search(&request, &notes) {
            Ok(answer) => {
                data.words = answer.words;
                data.hits = answer.hits.len();
                data.more = answer.left == HitsLeft::Perhaps;
                data.missing = answer.missing;
                let ids = answer.hits.iter().map(|hit| &hit.session);
                data.ways = SessionUrls::of(&call.state, ids);
                data.facets = SearchFacets::of(&answer.hits, &answer.rows, zone);
                data.sessions = grouped(answer.hits, &answer.rows);
            }
            Err(error @ (LibraryError::Query { .. } | LibraryError::EmptyQuery)) => {
                data.error = Some(error.to_string());
            }
            Err(error) => return Err(error.into()),
        }
        data.notes = notes.take();
        if data.hits == 0 && data.error.is_none() {
            data.wider = widen::wider(call, zone, &data.asked);
        }
        Ok(data)
    }
}

/// Groups hits by session; the sessions keep the order of their best hits.
fn grouped(hits: Vec<SearchHit>, rows: &[SessionRow]) -> Vec<HitsOfSession> {
    let mut sessions: Vec<HitsOfSession> = Vec::new();
    for hit in hits {
        let is_same = |other: &SearchHit| {
            other.session == hit.session && other.home == hit.home && other.project == hit.project
        };
        let known = sessions.iter_mut().find(|known| known.hits.first().is_some_and(is_same));
        if let Some(known) = known {
            known.hits.push(hit);
            continue;
        }
        // Several projects may have a session with this id; the row of the hit's project comes first.
        let is_its = |row: &&SessionRow| row.id == hit.session && row.home == hit.home;
        let row = rows.iter().filter(is_its);
        let row = row.max_by_key(|row| row.project == hit.project);
        sessions.push(HitsOfSession { row: row.cloned(), hits: vec![hit] });
    }
    sessions
}
