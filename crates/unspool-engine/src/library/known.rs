//! Sessions that are already in the index, for answers that must not wait.

use unspool_model::time::Time;

use super::Library;
use super::error::LibraryError;
use unspool_store::home::Home;
use unspool_store::index::{CatalogueError, Index, PageQuery, ProjectQuery};
use unspool_store::progress::Unwatched;
use unspool_store::rows::{SessionKind, SessionRow};

/// A request for [`Library::stored_sessions`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownRequest<'a> {
    /// The prefix of the sessions' ids; any id if empty.
    pub beginning: &'a str,
    /// The maximum number of sessions.
    pub limit: usize,
}

/// The kinds of sessions to return: those that people and programs ran.
const KINDS: [SessionKind; 2] = [SessionKind::Main, SessionKind::Headless];

impl Library {
    /// Returns sessions that people and programs ran, newest first, as stored in the index folder.
    /// The index is neither created nor updated: a person who presses a key waits for the answer.
    /// An index in memory begins empty, so it is built first.
    pub fn stored_sessions(
        &self,
        request: &KnownRequest<'_>,
    ) -> Result<Vec<SessionRow>, LibraryError> {
        self.query_stored(|index, homes| {
            let query = PageQuery {
                after: None,
                limit: request.limit,
                kinds: &KINDS,
                project: None,
                beginning: request.beginning,
            };
            Ok(index.page(homes, &query)?.rows)
        })
    }

    /// Returns the newest session of each project in the same way, with the most recently active
    /// project first.
    pub fn known_projects(&self, limit: usize) -> Result<Vec<SessionRow>, LibraryError> {
        self.query_stored(|index, homes| {
            let query =
                ProjectQuery { kinds: &KINDS, project: None, since: Time::from_millis(i64::MAX) };
            let projects = index.projects(homes, &query)?;
            let newest = projects.iter().take(limit);
            let newest = newest.filter_map(|project| index.newest_of(project).transpose());
            newest.collect()
        })
    }

    /// Queries the index without refreshing it.
    fn query_stored(
        &self,
        ask: impl Fn(&Index, &[Home]) -> Result<Vec<SessionRow>, CatalogueError>,
    ) -> Result<Vec<SessionRow>, LibraryError> {
        let Some(folder) = self.index_folder() else {
            let walk = self.walk();
            self.refresh_if_due(&walk, &Unwatched)?;
            return self.with_index(|index| Ok(ask(index, walk.roots())?));
        };
        match Index::open_for_reading(folder) {
            Some(index) => Ok(ask(&index, self.homes())?),
            None => Ok(Vec::new()),
        }
    }
}
