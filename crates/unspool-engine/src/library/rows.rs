//! Sessions by time, page by page.

use std::fmt;
use std::str::FromStr;

use unspool_model::ids::{ProjectId, SessionId};
use unspool_model::time::Time;

use super::Library;
use super::error::{LibraryError, NotACursor};
use super::index::report_index_notes;
use super::note::Listener;
use super::places::SessionPlace;
use super::walk::{Completeness, live_in};
use crate::ops::list::Listing;
use unspool_store::home::{Home, LiveSessions};
use unspool_store::index::{PageQuery, RowPage, RowPlace};
use unspool_store::rows::{SessionKind, SessionRow};

/// A request for [`Library::rows`]. The newest sessions come first, and a page costs what its own
/// rows cost, however many sessions there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowsRequest {
    /// The cursor from the previous page; `None` begins with the newest session.
    pub after: Option<RowCursor>,
    /// The maximum number of rows.
    pub limit: usize,
    /// The kinds of sessions; any if empty.
    pub kinds: Vec<SessionKind>,
    /// The project, by the name of its folder; any if `None`.
    pub project: Option<ProjectId>,
}

impl RowsRequest {
    /// Requests the newest sessions that people and programs ran.
    pub fn newest(limit: usize) -> Self {
        Self {
            after: None,
            limit,
            kinds: vec![SessionKind::Main, SessionKind::Headless],
            project: None,
        }
    }

    /// Returns the query of the catalogue.
    fn query(&self) -> PageQuery<'_> {
        PageQuery {
            after: self.after.as_ref().map(|cursor| &cursor.0),
            limit: self.limit,
            kinds: &self.kinds,
            project: self.project.as_ref(),
            beginning: "",
        }
    }
}

/// A page of sessions.
#[derive(Debug)]
pub struct RowsPage {
    /// The sessions, newest first.
    pub rows: Vec<SessionRow>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<RowCursor>,
    /// Whether every home and log was readable.
    pub reading: Completeness,
}

impl RowsPage {
    /// Converts a page of the catalogue and marks the running sessions.
    fn of(page: RowPage, homes: &[Home], live: &[LiveSessions], reading: Completeness) -> Self {
        let mut listing = Listing { rows: page.rows, file_errors: Vec::new() };
        listing.set_live(homes, live);
        Self { rows: listing.rows, next: page.last.map(RowCursor), reading }
    }
}

/// The end of a page. A cursor stays valid when sessions come and go: the next page begins with the
/// first older session. Its text is opaque: a URL or a script passes it back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowCursor(RowPlace);

impl RowCursor {
    /// Returns the time of last activity of the last session on the page.
    pub(super) fn active(&self) -> Time {
        self.0.active
    }

    /// Returns the last session on the page.
    pub(super) fn session(&self) -> &SessionId {
        &self.0.session
    }
}

impl fmt::Display for RowCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RowPlace { active, session, number } = &self.0;
        write!(f, "{}.{number}.{session}", active.as_millis())
    }
}

impl FromStr for RowCursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let (active, number, session) = cursor_parts(text)?;
        Ok(Self(RowPlace { active, session: SessionId::new(session), number }))
    }
}

/// Splits the text of a cursor into a time, a number and a name.
pub(super) fn cursor_parts<N: FromStr>(text: &str) -> Result<(Time, N, &str), NotACursor> {
    let parts = || {
        let (time, rest) = text.split_once('.')?;
        let (number, name) = rest.split_once('.')?;
        Some((Time::from_millis(time.parse().ok()?), number.parse().ok()?, name))
    };
    parts().ok_or(NotACursor)
}

impl Library {
    /// Returns a page of sessions, newest first.
    pub fn rows(
        &self,
        request: &RowsRequest,
        listener: &dyn Listener,
    ) -> Result<RowsPage, LibraryError> {
        self.rebuilding(listener, || {
            let walk = self.walk();
            self.refresh_if_due(&walk, listener)?;
            let reading = self.report_problems(&walk, listener);
            let page = self.with_index(|index| Ok(index.page(walk.roots(), &request.query())?))?;
            Ok(RowsPage::of(page, walk.roots(), walk.live(), reading))
        })
    }

    /// Returns a page of sessions from the current catalogue, newest first. The homes are not
    /// walked, so the answer costs only its rows; it may lack the newest entries.
    pub fn stored_rows(
        &self,
        request: &RowsRequest,
        listener: &dyn Listener,
    ) -> Result<RowsPage, LibraryError> {
        self.rebuilding(listener, || {
            let homes = self.homes();
            let page = self.with_index(|index| {
                let page = index.page(homes, &request.query())?;
                report_index_notes(index, listener);
                Ok(page)
            })?;
            let live = live_in(homes);
            Ok(RowsPage::of(page, homes, &live, Completeness::Whole))
        })
    }

    /// Returns the row of a session from the current catalogue; `None` if the catalogue does not
    /// have the session, or the place has no home or no project.
    pub fn stored_row(&self, place: &SessionPlace) -> Result<Option<SessionRow>, LibraryError> {
        let (Some(home), Some(project)) = (&place.home, &place.project) else {
            return Ok(None);
        };
        let row = self.with_index(|index| Ok(index.row(home, project, &place.session)?))?;
        let homes = self.homes();
        let mut listing = Listing { rows: row.into_iter().collect(), file_errors: Vec::new() };
        listing.set_live(homes, &live_in(homes));
        Ok(listing.rows.pop())
    }
}
