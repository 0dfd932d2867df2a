//! Sessions that the index knows already, for answers that must not wait.

use unspool_model::time::Time;

use super::Library;
use super::error::LibraryError;
use unspool_store::home::Home;
use unspool_store::index::{CatalogueError, Index, PageQuery, ProjectQuery};
use unspool_store::progress::Unwatched;
use unspool_store::rows::{SessionKind, SessionRow};

/// Which known sessions are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownRequest<'a> {
    /// What their ids begin with; any if empty.
    pub beginning: &'a str,
    /// How many are wanted at most.
    pub limit: usize,
}

/// The kinds of sessions that are known: those that people and programs ran.
const KINDS: [SessionKind; 2] = [SessionKind::Main, SessionKind::Headless];

impl Library {
    /// Returns sessions that people and programs ran, newest first, as the index in its folder
    /// knows them. The index is neither made nor brought up to date: a person who presses a key
    /// waits for the answer. One in memory begins empty, so it is built first.
    pub fn known_sessions(
        &self,
        request: &KnownRequest<'_>,
    ) -> Result<Vec<SessionRow>, LibraryError> {
        self.as_known(|index, homes| {
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

    /// Returns a session of each project, in the same way: a new one that says where it was. The
    /// project in which something happened last comes first.
    pub fn known_projects(&self, limit: usize) -> Result<Vec<SessionRow>, LibraryError> {
        self.as_known(|index, homes| {
            let query =
                ProjectQuery { kinds: &KINDS, project: None, since: Time::from_millis(i64::MAX) };
            let projects = index.projects(homes, &query)?;
            let newest = projects.iter().take(limit);
            let newest = newest.filter_map(|project| index.newest_of(project).transpose());
            newest.collect()
        })
    }

    /// Asks the index without refreshing it.
    fn as_known(
        &self,
        ask: impl Fn(&Index, &[Home]) -> Result<Vec<SessionRow>, CatalogueError>,
    ) -> Result<Vec<SessionRow>, LibraryError> {
        let Some(folder) = self.index_folder() else {
            let walk = self.walk();
            self.freshen(&walk, &Unwatched)?;
            return self.with_index(|index| Ok(ask(index, walk.roots())?));
        };
        match Index::open_for_reading(folder) {
            Some(index) => Ok(ask(&index, self.homes())?),
            None => Ok(Vec::new()),
        }
    }
}
