//! Filtered sessions, newest first, page by page.
//!
//! A page that is filtered only by kinds and a project costs what its own rows cost, see
//! [`Library::rows`]. Any other filter reads all rows, as [`Library::list`] does: how well a name
//! matches one session depends on the others. In both cases a cursor is a position in time, so a
//! new or updated session moves no other session to another page.

use std::fmt;
use std::str::FromStr;

use unspool_model::ids::{ProjectId, SessionId};
use unspool_model::time::Time;

use super::Library;
use super::error::{LibraryError, NotACursor};
use super::note::Listener;
use super::rows::{RowCursor, RowsPage, RowsRequest, cursor_parts};
use super::walk::Completeness;
use unspool_store::filter::{self, Direction, RowFilter, SortKey, sort};
use unspool_store::rows::{AgentRows, SessionKind, SessionRow};

/// A request for [`Library::filtered`].
#[derive(Clone, Default, Debug)]
pub struct FilteredRequest {
    /// The filter that sessions must match. Agents are listed if the filter includes their kind.
    pub filter: RowFilter,
    /// The project, by the name of its folder; any if `None`.
    pub project: Option<ProjectId>,
    /// The cursor from the previous page; `None` begins with the newest session.
    pub after: Option<FilteredCursor>,
    /// The maximum number of rows.
    pub limit: usize,
}

/// A page of filtered sessions.
#[derive(Debug)]
pub struct FilteredPage {
    /// The sessions, newest first.
    pub rows: Vec<SessionRow>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<FilteredCursor>,
    /// Whether every home and log was readable.
    pub reading: Completeness,
}

/// The end of a page of filtered sessions. Its text is opaque: a URL or a script passes it back
/// with the same filters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilteredCursor(CursorPlace);

#[derive(Clone, PartialEq, Eq, Debug)]
enum CursorPlace {
    /// A row of the catalogue.
    Catalogue(RowCursor),
    /// A row of a list.
    List {
        active: Time,
        session: SessionId,
        /// The number of this row among the rows with this time and id: a session may be in several
        /// places.
        nth: usize,
    },
}

impl fmt::Display for FilteredCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            CursorPlace::Catalogue(cursor) => write!(f, "c.{cursor}"),
            CursorPlace::List { active, session, nth } => {
                write!(f, "l.{}.{nth}.{session}", active.as_millis())
            }
        }
    }
}

impl FromStr for FilteredCursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        match text.split_once('.') {
            Some(("c", cursor)) => Ok(Self(CursorPlace::Catalogue(cursor.parse()?))),
            Some(("l", place)) => {
                let (active, nth, session) = cursor_parts(place)?;
                let session = SessionId::new(session);
                Ok(Self(CursorPlace::List { active, session, nth }))
            }
            _ => Err(NotACursor),
        }
    }
}

impl Library {
    /// Returns a page of the sessions that match a filter, newest first.
    pub fn filtered(
        &self,
        request: &FilteredRequest,
        listener: &dyn Listener,
    ) -> Result<FilteredPage, LibraryError> {
        let asks_for_agents = request.filter.kinds.contains(&SessionKind::Agent);
        if request.filter.has_only_kinds() && !asks_for_agents {
            return self.filtered_by_catalogue(request, listener);
        }
        let agents = if asks_for_agents { AgentRows::Listed } else { AgentRows::Folded };
        let walk = self.walk();
        let (mut rows, reading) = self.rows_with_report(&walk, agents, listener)?;
        if let Some(project) = &request.project {
            rows.retain(|row| row.project.as_ref() == Some(project));
        }
        let mut rows = filter::select(rows, &request.filter).rows;
        sort(&mut rows, SortKey::default(), Direction::Usual);
        let (rows, next) = cut(rows, request);
        Ok(FilteredPage { rows, next, reading })
    }

    fn filtered_by_catalogue(
        &self,
        request: &FilteredRequest,
        listener: &dyn Listener,
    ) -> Result<FilteredPage, LibraryError> {
        let after = match &request.after {
            Some(FilteredCursor(CursorPlace::Catalogue(cursor))) => Some(cursor.clone()),
            Some(FilteredCursor(CursorPlace::List { .. })) => return Err(NotACursor.into()),
            None => None,
        };
        let asked = RowsRequest {
            after,
            limit: request.limit,
            kinds: request.filter.kinds.clone(),
            project: request.project.clone(),
        };
        let RowsPage { rows, next, reading } = self.rows(&asked, listener)?;
        Ok(FilteredPage {
            rows,
            next: next.map(|next| FilteredCursor(CursorPlace::Catalogue(next))),
            reading,
        })
    }

    /// Reports whether a home has a project with this id.
    pub fn has_project(&self, project: &ProjectId) -> bool {
        let walk = self.walk();
        let mut projects = walk.found().iter().flat_map(|home| &home.projects);
        projects.any(|known| known.id == *project)
    }
}

/// Cuts a page out of sorted rows.
fn cut(
    mut rows: Vec<SessionRow>,
    request: &FilteredRequest,
) -> (Vec<SessionRow>, Option<FilteredCursor>) {
    let start = request.after.as_ref().map_or(0, |cursor| start(&rows, cursor));
    let end = start.saturating_add(request.limit).min(rows.len());
    let next = (end < rows.len() && end > start).then(|| cursor_of(&rows, end - 1));
    rows.truncate(end);
    rows.drain(..start);
    (rows, next)
}

/// Returns the number of sorted rows up to the position of a cursor.
fn start(rows: &[SessionRow], FilteredCursor(place): &FilteredCursor) -> usize {
    let (active, session, nth) = match place {
        CursorPlace::List { active, session, nth } => (*active, session, *nth),
        // This list lacks the row number of the catalogue, but has its time and id.
        CursorPlace::Catalogue(cursor) => (cursor.active(), cursor.session(), usize::MAX),
    };
    let order = |row: &SessionRow| {
        let by_time = active.cmp(&row.last_active());
        by_time.then_with(|| row.id.cmp(session))
    };
    let first = rows.partition_point(|row| order(row).is_lt());
    let same = rows[first..].partition_point(|row| order(row).is_eq());
    first + same.min(nth)
}

fn cursor_of(rows: &[SessionRow], at: usize) -> FilteredCursor {
    let row = &rows[at];
    let is_same =
        |other: &&SessionRow| other.id == row.id && other.last_active() == row.last_active();
    FilteredCursor(CursorPlace::List {
        active: row.last_active(),
        session: row.id.clone(),
        nth: rows[..=at].iter().rev().take_while(is_same).count(),
    })
}
