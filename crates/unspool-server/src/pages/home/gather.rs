//! What the home page shows, gathered from the library.

use std::collections::HashMap;

use jiff::civil::Date;
use unspool_engine::library::{
    CollectedNotes, InboxRequest, LibraryNote, ListRequest, StatsRequest,
};
use unspool_engine::ops::inbox::Inbox;
use unspool_engine::ops::stats::{By, Sums};
use unspool_model::ids::ProjectId;
use unspool_model::query::TimeRange;
use unspool_model::time::Time;
use unspool_store::filter::RowFilter;
use unspool_store::rows::{SessionKind, SessionRow};

use crate::pages::parts::PageParts;
use crate::pages::zone::PageZone;
use crate::route::Call;
use crate::web::Problem;

/// How many recent sessions the page has; the page of all sessions has the others.
const RECENT: usize = 40;
/// How many days the strip of a project has.
pub(super) const STRIP_DAYS: i64 = 14;
/// The days of the week that is summed up.
const WEEK: i64 = 7;

/// What the home page shows; none of what was not asked for.
pub(super) struct HomeData {
    pub(super) inbox: Option<Inbox>,
    pub(super) recent: Option<RecentSessions>,
    pub(super) side: Option<HomeSide>,
    /// How many sessions there are at all.
    pub(super) sessions: usize,
    pub(super) notes: Vec<LibraryNote>,
}

/// The newest sessions, and how many of which kind there are.
pub(super) struct RecentSessions {
    pub(super) rows: Vec<SessionRow>,
    pub(super) shown: ShownKinds,
    /// How many sessions of the kinds that are shown there are.
    pub(super) listed: usize,
    pub(super) headless: usize,
    pub(super) empty: usize,
}

/// Which kinds of sessions are listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShownKinds {
    /// Those of people.
    People,
    /// Those of programs too.
    Headless,
    /// All, also those without a conversation.
    All,
}

impl ShownKinds {
    /// The names that addresses have.
    pub(super) const NAMES: [(&'static str, Self); 3] = [
        ("people", Self::People),
        ("headless", Self::Headless),
        ("all", Self::All),
    ];

    fn has(self, kind: SessionKind) -> bool {
        match kind {
            SessionKind::Main => true,
            SessionKind::Headless => self != Self::People,
            SessionKind::Agent | SessionKind::Empty => self == Self::All,
        }
    }
}

/// The projects, and what this week came to.
pub(super) struct HomeSide {
    pub(super) projects: Vec<ProjectLine>,
    pub(super) week: Sums,
}

/// A project.
pub(super) struct ProjectLine {
    pub(super) id: ProjectId,
    pub(super) name: String,
    pub(super) path: Option<String>,
    pub(super) sessions: usize,
    pub(super) last_active: Time,
    /// Sessions by day, the oldest first.
    pub(super) days: Vec<(Date, u64)>,
}

impl HomeData {
    /// Gathers what is asked for.
    pub(super) fn gather(
        call: &Call,
        parts: &PageParts<'_>,
        zone: &PageZone,
    ) -> Result<Self, Problem> {
        let library = &call.state.library;
        call.state.freshness.freshen()?;
        let notes = CollectedNotes::default();
        let shown = call.query.choose("show", &ShownKinds::NAMES)?;
        let shown = shown.unwrap_or(ShownKinds::People);
        let answer = library.list(&ListRequest::default(), &notes)?;
        let rows = answer.rows;
        let inbox = if parts.wants("inbox") {
            Some(library.inbox(&InboxRequest::default(), &notes)?)
        } else {
            None
        };
        Ok(Self {
            inbox,
            recent: parts.wants("recent").then(|| recent(&rows, shown)),
            side: if parts.wants("projects") {
                Some(HomeSide::gather(call, zone, &rows)?)
            } else {
                None
            },
            sessions: rows.len(),
            notes: notes.take(),
        })
    }
}

fn recent(rows: &[SessionRow], shown: ShownKinds) -> RecentSessions {
    let of = |kind: SessionKind| rows.iter().filter(|row| row.kind == kind).count();
    let mut listed: Vec<&SessionRow> = rows.iter().filter(|row| shown.has(row.kind)).collect();
    listed.sort_by_key(|row| std::cmp::Reverse(row.last_active()));
    RecentSessions {
        listed: listed.len(),
        rows: listed.into_iter().take(RECENT).cloned().collect(),
        shown,
        headless: of(SessionKind::Headless),
        empty: of(SessionKind::Empty),
    }
}

impl HomeSide {
    fn gather(call: &Call, zone: &PageZone, rows: &[SessionRow]) -> Result<Self, Problem> {
        let clock = &call.state.library.settings().clock;
        let today = day_of(clock.time(), zone);
        Ok(Self {
            projects: project_lines(rows, today, zone),
            week: week(call, zone, today)?,
        })
    }
}

fn project_lines(rows: &[SessionRow], today: Date, zone: &PageZone) -> Vec<ProjectLine> {
    let days: Vec<Date> = (0..STRIP_DAYS)
        .rev()
        .filter_map(|back| today.checked_sub(jiff::Span::new().days(back)).ok())
        .collect();
    let mut lines: HashMap<&ProjectId, ProjectLine> = HashMap::new();
    for row in rows {
        let Some(project) = &row.project else {
            continue;
        };
        let line = lines.entry(project).or_insert_with(|| ProjectLine {
            id: project.clone(),
            name: row.project_name().to_owned(),
            path: row.cwd.clone(),
            sessions: 0,
            last_active: row.last_active(),
            days: days.iter().map(|&day| (day, 0)).collect(),
        });
        line.sessions += 1;
        line.last_active = line.last_active.max(row.last_active());
        let day = day_of(row.last_active(), zone);
        if let Some((_, count)) = line.days.iter_mut().find(|(known, _)| *known == day) {
            *count += 1;
        }
    }
    let mut lines: Vec<ProjectLine> = lines.into_values().collect();
    lines.sort_by(|a, b| b.last_active.cmp(&a.last_active).then(a.id.cmp(&b.id)));
    lines
}

/// Returns the day of a time in a zone.
pub(super) fn day_of(time: Time, zone: &PageZone) -> Date {
    let instant = jiff::Timestamp::from_millisecond(time.as_millis()).unwrap_or_default();
    instant.to_zoned(zone.zone.clone()).date()
}

/// Sums up the last seven days, today included.
fn week(call: &Call, zone: &PageZone, today: Date) -> Result<Sums, Problem> {
    let first = today
        .checked_sub(jiff::Span::new().days(WEEK - 1))
        .unwrap_or(today);
    let from = first.to_zoned(zone.zone.clone()).ok();
    let from = from.map(|from| Time::from_millis(from.timestamp().as_millisecond()));
    let request = StatsRequest {
        filter: RowFilter {
            time: TimeRange { from, until: None },
            ..RowFilter::default()
        },
        by: By::Nothing,
        then: [By::Nothing; 2],
        limit: None,
        zone: zone.zone.clone(),
    };
    let notes = CollectedNotes::default();
    let answer = call.state.library.stats(&request, &notes)?;
    Ok(answer.stats.total)
}
