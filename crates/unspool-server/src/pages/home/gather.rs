//! Gathers the data of the home page from the library.

use jiff::civil::Date;
use unspool_engine::library::{
    CollectedNotes, InboxRequest, LibraryNote, ListRequest, ProjectsRequest, StatsRequest,
};
use unspool_engine::ops::inbox::Inbox;
use unspool_engine::ops::projects::ProjectRow;
use unspool_engine::ops::stats::{By, Sums};
use unspool_model::names;
use unspool_model::query::TimeRange;
use unspool_model::time::Time;
use unspool_store::filter::RowFilter;
use unspool_store::rows::{SessionKind, SessionRow};

use crate::pages::parts::PageParts;
use crate::pages::zone::{PageZone, day_of};
use crate::route::Call;
use crate::web::RequestProblem;

/// The maximum number of recent sessions on the page; the page of all sessions lists the others.
const RECENT: usize = 40;
/// The number of days in the activity strip of a project.
pub(super) const STRIP_DAYS: usize = 14;
/// The maximum number of projects on the page.
const PROJECTS: usize = 200;
/// The number of days that the totals cover.
const WEEK: i64 = 7;

/// The data of the home page; none for parts that the request does not want.
pub(super) struct HomeData {
    pub(super) inbox: Option<Inbox>,
    pub(super) recent: Option<RecentRows>,
    pub(super) side: Option<HomeSidebar>,
    /// The number of all sessions.
    pub(super) sessions: usize,
    pub(super) notes: Vec<LibraryNote>,
}

/// The newest sessions, and the number of sessions by kind.
pub(super) struct RecentRows {
    pub(super) rows: Vec<SessionRow>,
    pub(super) shown: ShownKinds,
    /// The number of live sessions of the shown kinds, which are in the inbox instead.
    pub(super) live: usize,
    /// The number of other sessions of the shown kinds.
    pub(super) listed: usize,
    pub(super) headless: usize,
    pub(super) empty: usize,
}

names! {
    /// The kinds of sessions that are listed.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) enum ShownKinds {
        /// Sessions of people.
        People = "people",
        /// Also sessions of programs.
        Headless = "headless",
        /// All sessions, even those without a conversation.
        All = "all",
    }
}

impl ShownKinds {
    fn has(self, kind: SessionKind) -> bool {
        match kind {
            SessionKind::Main => true,
            SessionKind::Headless => self != Self::People,
            SessionKind::Agent | SessionKind::Empty => self == Self::All,
        }
    }
}

/// The projects, and the totals of this week.
pub(super) struct HomeSidebar {
    pub(super) projects: Vec<ProjectRow>,
    pub(super) week: Sums,
}

impl HomeData {
    /// Gathers the parts that the request wants.
    pub(super) fn gather(
        call: &Call,
        parts: &PageParts<'_>,
        zone: &PageZone,
    ) -> Result<Self, RequestProblem> {
        let library = &call.state.library;
        call.state.refresher.try_refresh()?;
        let notes = CollectedNotes::default();
        let shown = call.query.named("show")?.unwrap_or(ShownKinds::People);
        let answer = library.list(&ListRequest::default(), &notes)?;
        let rows = answer.rows;
        let inbox = || library.inbox(&InboxRequest::default(), &notes);
        Ok(Self {
            inbox: parts.wants("inbox").then(inbox).transpose()?,
            recent: parts.wants("recent").then(|| recent(&rows, shown)),
            side: if parts.wants("projects") {
                Some(HomeSidebar::gather(call, zone, &notes)?)
            } else {
                None
            },
            sessions: rows.len(),
            notes: notes.take(),
        })
    }
}

fn recent(rows: &[SessionRow], shown: ShownKinds) -> RecentRows {
    let of = |kind: SessionKind| rows.iter().filter(|row| row.kind == kind).count();
    let (live, mut listed): (Vec<&SessionRow>, Vec<&SessionRow>) =
        rows.iter().filter(|row| shown.has(row.kind)).partition(|row| row.live);
    listed.sort_by_key(|row| std::cmp::Reverse(row.last_active()));
    RecentRows {
        live: live.len(),
        listed: listed.len(),
        rows: listed.into_iter().take(RECENT).cloned().collect(),
        shown,
        headless: of(SessionKind::Headless),
        empty: of(SessionKind::Empty),
    }
}

impl HomeSidebar {
    fn gather(
        call: &Call,
        zone: &PageZone,
        notes: &CollectedNotes,
    ) -> Result<Self, RequestProblem> {
        let library = &call.state.library;
        let today = day_of(library.settings().clock.time(), &zone.zone).unwrap_or_default();
        let request = ProjectsRequest::newest(PROJECTS, zone.zone.clone());
        Ok(Self {
            projects: library.projects(&request, notes)?.projects,
            week: week(call, zone, today)?,
        })
    }
}

/// Sums up the last seven days, including today.
fn week(call: &Call, zone: &PageZone, today: Date) -> Result<Sums, RequestProblem> {
    let first = today.checked_sub(jiff::Span::new().days(WEEK - 1)).unwrap_or(today);
    let from = first.to_zoned(zone.zone.clone()).ok();
    let from = from.map(|from| Time::from_millis(from.timestamp().as_millisecond()));
    let request = StatsRequest {
        filter: RowFilter { time: TimeRange { from, until: None }, ..RowFilter::default() },
        by: By::Nothing,
        then: [By::Nothing; 2],
        limit: None,
        zone: zone.zone.clone(),
    };
    let notes = CollectedNotes::default();
    let answer = call.state.library.stats(&request, &notes)?;
    Ok(answer.stats.total)
}
