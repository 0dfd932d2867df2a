//! The query of a ranked search.

use unspool_model::query::{self, Bound, Clock, Is, Need, Query};
use unspool_model::time::Time;

use super::{FoundHits, HitsLeft, SearchPaths, SearchRequest};
use crate::library::error::LibraryError;
use crate::library::index::IndexView;
use crate::library::note::{LibraryNote, Listener};
use crate::library::walk::Completeness;
use unspool_search::hit::{SearchHit, SnippetSize};
use unspool_search::ranked::{self, RankedRequest};
use unspool_search::scan::HitsBeyondLimit;
use unspool_search::text::TextIndex;
use unspool_store::filter::SessionSet;

/// A parsed query with the limits for its hits.
pub(super) struct SearchQuestion {
    query: Query,
    now: Time,
    limit: usize,
    of_session: Option<usize>,
    extent: SnippetSize,
}

impl SearchQuestion {
    /// Parses the text of a request, and adds the other conditions of the request.
    pub(super) fn of(
        request: &SearchRequest,
        now: Time,
        listener: &dyn Listener,
    ) -> Result<Self, LibraryError> {
        let clock = Clock { now, zone: request.zone.clone() };
        let mut query = query::parse(&request.text, &clock)
            .map_err(|error| LibraryError::Query { text: request.text.clone(), error })?;
        for hint in &query.hints {
            listener.note(LibraryNote::QueryHint(hint.clone()));
        }
        narrow(&mut query, request);
        if query.is_empty() {
            return Err(LibraryError::EmptyQuery);
        }
        Ok(Self {
            query,
            now,
            limit: request.limit,
            of_session: request.of_session,
            extent: request.extent,
        })
    }

    /// Returns the words of the query, without filters and signs.
    pub(super) fn words(&self) -> String {
        let terms = self.query.terms.iter();
        let asked = terms.filter(|term| term.need != Need::Excluded);
        asked.map(|term| term.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Searches a full text.
    pub(super) fn ask(
        &self,
        text: &TextIndex,
        view: IndexView<'_>,
        only: Option<&SessionSet>,
    ) -> Result<FoundHits, LibraryError> {
        let request = RankedRequest {
            query: &self.query,
            now: self.now,
            limit: self.limit,
            of_session: self.of_session,
            extent: self.extent,
        };
        let places = view.known_places(only);
        let answer = ranked::search(text, &places, &request)?;
        places.check()?;
        let left = if answer.more {
            HitsLeft::Perhaps
        } else {
            HitsLeft::Counted(HitsBeyondLimit::Exactly(0))
        };
        let sessions = answer.sessions.into_iter();
        let mut hits: Vec<SearchHit> = sessions.flat_map(|session| session.hits).collect();
        if self.of_session.is_none() {
            hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        }
        Ok(FoundHits {
            rows: view.rows_of(&hits)?,
            hits,
            left,
            searched: Completeness::Whole,
            missing: answer.missing,
        })
    }
}

/// Adds the other conditions of a request to its query. Times in the query have precedence over
/// those of the request.
fn narrow(query: &mut Query, request: &SearchRequest) {
    let filters = &mut query.filters;
    filters.role.any.extend(&request.roles);
    if request.paths == SearchPaths::Active {
        filters.is.any.push(Is::Active);
    }
    let bound = |at: Time| Bound { text: at.to_string(), at };
    let time = request.filter.time;
    if filters.since.any.is_empty() {
        filters.since.any.extend(time.from.map(bound));
    }
    if filters.until.any.is_empty() {
        filters.until.any.extend(time.until.map(bound));
    }
}
