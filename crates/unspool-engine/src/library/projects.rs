//! Projects, the most recently active first.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use jiff::tz::TimeZone;
use unspool_model::ids::ProjectId;
use unspool_model::time::Time;

use super::Library;
use super::error::{LibraryError, NotACursor};
use super::note::Listener;
use super::rows::cursor_parts;
use super::walk::{Completeness, HomesWalk, live_in};
use crate::ops::projects::{ActivityDays, ProjectRow};
use unspool_store::filter::{self, RowFilter};
use unspool_store::index::{Index, IndexedProject, ProjectQuery};
use unspool_store::rows::{AgentRows, SessionKind, SessionRow};

/// A request for [`Library::projects`].
#[derive(Clone, Debug)]
pub struct ProjectsRequest {
    /// The cursor from the previous page; `None` begins with the newest project.
    pub after: Option<ProjectCursor>,
    /// The maximum number of projects.
    pub limit: usize,
    /// The project, by the name of its folder; any if `None`.
    pub project: Option<ProjectId>,
    /// The filter that one session of each project must match; any if `None`. The numbers of a
    /// project still include all its sessions.
    pub filter: Option<RowFilter>,
    /// The time zone whose days activity is counted by.
    pub zone: TimeZone,
}

impl ProjectsRequest {
    /// Requests the most recently active projects.
    pub fn newest(limit: usize, zone: TimeZone) -> Self {
        Self { after: None, limit, project: None, filter: None, zone }
    }
}

/// A page of projects.
#[derive(Debug)]
pub struct ProjectsPage {
    /// The projects.
    pub projects: Vec<ProjectRow>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<ProjectCursor>,
    /// Whether every home and log was readable.
    pub reading: Completeness,
}

/// The end of a page of projects. Its text is opaque: a URL or a script passes it back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProjectCursor {
    last_active: Time,
    /// The index of its home among those of the library.
    home: usize,
    project: ProjectId,
}

impl fmt::Display for ProjectCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.last_active.as_millis();
        write!(f, "{millis}.{}.{}", self.home, self.project)
    }
}

impl FromStr for ProjectCursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let (last_active, home, project) = cursor_parts(text)?;
        Ok(Self { last_active, home, project: ProjectId::new(project) })
    }
}

impl Library {
    /// Returns a page of projects. Without a filter, only one session row is read per project.
    pub fn projects(
        &self,
        request: &ProjectsRequest,
        listener: &dyn Listener,
    ) -> Result<ProjectsPage, LibraryError> {
        self.rebuilding(listener, || {
            let walk = self.walk();
            self.refresh_if_due(&walk, listener)?;
            let reading = self.report_problems(&walk, listener);
            let fitting = match &request.filter {
                Some(filter) => Some(self.fitting(&walk, filter, listener)?),
                None => None,
            };
            let (projects, next) = self
                .with_index(|index| self.project_page(index, &walk, request, fitting.as_ref()))?;
            Ok(ProjectsPage { projects, next, reading })
        })
    }

    /// Returns the projects with sessions that match a filter.
    fn fitting(
        &self,
        walk: &HomesWalk,
        filter: &RowFilter,
        listener: &dyn Listener,
    ) -> Result<ProjectSet, LibraryError> {
        let rows = self.listing(walk, AgentRows::Folded, listener)?.rows;
        let rows = filter::select(rows, filter).rows.into_iter();
        Ok(rows.filter_map(|row| Some((row.home?, row.project?))).collect())
    }

    fn project_page(
        &self,
        index: &Index,
        walk: &HomesWalk,
        request: &ProjectsRequest,
        fitting: Option<&ProjectSet>,
    ) -> Result<(Vec<ProjectRow>, Option<ProjectCursor>), LibraryError> {
        let days = ActivityDays::up_to(self.settings.clock.time(), request.zone.clone());
        let query = ProjectQuery {
            kinds: &[SessionKind::Main, SessionKind::Headless],
            project: request.project.as_ref(),
            since: days.since(),
        };
        let found = index.projects(walk.roots(), &query)?;
        let after = request.after.as_ref();
        let fits = |found: &IndexedProject| {
            let place = (found.home.clone(), found.project.clone());
            fitting.is_none_or(|fitting| fitting.contains(&place))
        };
        let mut left = found
            .into_iter()
            .filter(fits)
            .skip_while(|found| after.is_some_and(|after| !self.is_after(found, after)));
        let live = live_projects(index, walk)?;
        let mut projects = Vec::new();
        for found in left.by_ref().take(request.limit) {
            let newest = index.newest_of(&found)?;
            let is_live = live.contains(&(found.home.clone(), found.project.clone()));
            projects.push(row(&found, newest.as_ref(), is_live, &days));
        }
        let next = left.next().and_then(|_| self.cursor(projects.last()?));
        Ok((projects, next))
    }

    fn cursor(&self, last: &ProjectRow) -> Option<ProjectCursor> {
        Some(ProjectCursor {
            last_active: last.last_active,
            home: self.homes().iter().position(|home| home.root == last.home)?,
            project: last.id.clone(),
        })
    }

    /// Reports whether a project comes after the end of a page.
    fn is_after(&self, found: &IndexedProject, after: &ProjectCursor) -> bool {
        let home = self.homes().get(after.home).map(|home| &home.root);
        let place = (after.last_active, &found.project, Some(&found.home));
        place > (found.last_active, &after.project, home)
    }
}

/// Projects with their homes.
type ProjectSet = HashSet<(PathBuf, ProjectId)>;

/// Returns the projects in which a process owns a session.
fn live_projects(index: &Index, walk: &HomesWalk) -> Result<ProjectSet, LibraryError> {
    let mut found = HashSet::new();
    for (home, live) in walk.roots().iter().zip(live_in(walk.roots())) {
        for process in live.sessions {
            let project = index.project_of(&home.root, &process.session)?;
            found.extend(project.map(|project| (home.root.clone(), project)));
        }
    }
    Ok(found)
}

fn row(
    found: &IndexedProject,
    newest: Option<&SessionRow>,
    live: bool,
    days: &ActivityDays,
) -> ProjectRow {
    let name = newest.map_or(found.project.as_str(), SessionRow::project_name);
    ProjectRow {
        home: found.home.clone(),
        id: found.project.clone(),
        name: name.to_owned(),
        cwd: newest.and_then(|row| row.cwd.clone()),
        sessions: found.sessions,
        last_active: found.last_active,
        live,
        activity: days.count(&found.active),
    }
}
