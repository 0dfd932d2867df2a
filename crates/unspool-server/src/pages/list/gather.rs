//! Gathers the data of a list of sessions from the library.

use unspool_engine::library::{
    CollectedNotes, FilteredCursor, FilteredRequest, LibraryNote, RowsRequest,
};
use unspool_model::ids::ProjectId;
use unspool_store::rows::{SessionKind, SessionRow, Status};

use super::weeks::Weeks;
use crate::filters::row_filter;
use crate::pages::parts::most_used;
use crate::pages::zone::PageZone;
use crate::route::Call;
use crate::web::RequestProblem;

/// More sessions than a home has: the facts of a list cover all of them.
const MOST: usize = 1_000_000;
/// The number of rows on one page.
const PER_PAGE: usize = 200;

/// A list of sessions.
pub(super) struct ListData {
    /// The project; none for all projects.
    pub(super) project: Option<ProjectId>,
    /// The title of the list.
    pub(super) name: String,
    pub(super) facts: ListFacts,
    /// One page of the sessions that match the filters.
    pub(super) rows: Vec<SessionRow>,
    pub(super) next: Option<FilteredCursor>,
    pub(super) weeks: Weeks,
    pub(super) notes: Vec<LibraryNote>,
}

/// Facts about all sessions of the list, whatever the filters are.
#[derive(Default)]
pub(super) struct ListFacts {
    /// The number of sessions.
    pub(super) sessions: usize,
    pub(super) headless: usize,
    pub(super) empty: usize,
    pub(super) errors: usize,
    pub(super) interrupted: usize,
    pub(super) live: usize,
    pub(super) cost: f64,
    pub(super) tokens: u64,
    /// Folders with the number of their sessions, the most used first.
    pub(super) folders: Vec<(String, usize)>,
    /// Git branches with the number of their sessions, the most used first.
    pub(super) branches: Vec<(String, usize)>,
}

impl ListData {
    /// Gathers the page that a request names.
    pub(super) fn gather(
        call: &Call,
        zone: &PageZone,
        project: Option<ProjectId>,
    ) -> Result<Self, RequestProblem> {
        let library = &call.state.library;
        call.state.refresher.try_refresh()?;
        let notes = CollectedNotes::default();
        let now = library.settings().clock.time();
        let mut filter = row_filter(&call.query, library.settings(), &zone.zone)?;
        if filter.kinds.is_empty() {
            filter.kinds = vec![SessionKind::Main];
        }
        let request = FilteredRequest {
            filter,
            project: project.clone(),
            after: call.query.read("cursor")?,
            limit: PER_PAGE,
        };
        let page = library.filtered(&request, &notes)?;
        let all =
            RowsRequest { after: None, limit: MOST, kinds: Vec::new(), project: project.clone() };
        let all = library.rows(&all, &notes)?.rows;
        let facts = ListFacts::of(&all);
        Ok(Self {
            name: name(project.as_ref(), &facts, &all),
            weeks: Weeks::of(&all, now, &zone.zone),
            project,
            facts,
            rows: page.rows,
            next: page.next,
            notes: notes.take(),
        })
    }
}

/// Returns the title of a list: the name of the folder in which most sessions of the project began.
fn name(project: Option<&ProjectId>, facts: &ListFacts, rows: &[SessionRow]) -> String {
    let Some(project) = project else {
        return "Sessions".to_owned();
    };
    let folder = facts.folders.first().map(|(folder, _)| folder.as_str());
    let named = rows.iter().find(|row| row.cwd.as_deref() == folder && folder.is_some());
    named.map_or_else(|| project.as_str().to_owned(), |row| row.project_name().to_owned())
}

impl ListFacts {
    fn of(rows: &[SessionRow]) -> Self {
        let mut facts = Self { sessions: rows.len(), ..Self::default() };
        for row in rows {
            facts.headless += usize::from(row.kind == SessionKind::Headless);
            facts.empty += usize::from(row.kind == SessionKind::Empty);
            facts.errors += usize::from(row.status == Status::Error);
            facts.interrupted += usize::from(row.status == Status::Interrupted);
            facts.live += usize::from(row.live);
            facts.cost += row.cost_usd.unwrap_or(0.0);
            facts.tokens += row.tokens.sum();
        }
        facts.folders = most_used(rows.iter().filter_map(|row| row.cwd.as_deref()));
        facts.branches = most_used(rows.iter().flat_map(SessionRow::git_branches));
        facts
    }
}
