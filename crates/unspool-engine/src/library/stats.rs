//! Totals of sessions, and the lines that they include.

use std::collections::HashSet;
use std::path::Path;

use jiff::tz::TimeZone;
use unspool_model::query::TimeRange;

use super::Library;
use super::error::LibraryError;
use super::note::Listener;
use super::resolve::SessionRequest;
use super::walk::Completeness;
use crate::ops::stats::{
    self, By, Explained, ExplainedFile, SessionMeta, Stats, Then, Totals, TotalsRequest,
};
use unspool_store::filter::{self, RowFilter, Unmatched};
use unspool_store::rows::{AgentRows, SessionRow};
use unspool_store::session::Session;

/// A request for [`Library::stats`].
#[derive(Clone, Debug)]
pub struct StatsRequest {
    /// The filter that sessions must match. Its time applies to lines of logs: a session that spans
    /// midnight counts on both days.
    pub filter: RowFilter,
    /// The key of the groups.
    pub by: By,
    /// The second key, which splits each group.
    pub then: Then,
    /// How many of the largest groups to keep.
    pub limit: Option<usize>,
    /// The time zone of the days.
    pub zone: TimeZone,
}

/// The result of [`Library::stats`].
#[derive(Debug)]
pub struct StatsAnswer {
    /// The totals.
    pub stats: Stats,
    /// Names in the filter that match no session.
    pub unmatched: Vec<Unmatched>,
    /// Whether every home and log was readable.
    pub reading: Completeness,
}

/// The result of [`Library::explain`].
#[derive(Debug)]
pub struct ExplainAnswer {
    /// The lines; `None` if the log is outside every home, and so not counted.
    pub explained: Option<Explained>,
    /// Whether every home and log was readable.
    pub reading: Completeness,
}

impl Library {
    /// Sums up sessions.
    pub fn stats(
        &self,
        request: &StatsRequest,
        listener: &dyn Listener,
    ) -> Result<StatsAnswer, LibraryError> {
        self.rebuilding(listener, || {
            let walk = self.walk();
            let (rows, reading) = self.rows_with_report(&walk, AgentRows::Folded, listener)?;
            let (sessions, unmatched) = select(rows, &request.filter);
            let asked = TotalsRequest {
                by: request.by,
                then: request.then,
                time: request.filter.time,
                limit: request.limit,
            };
            let prices = &self.settings.prices;
            let stats = self.with_index(|index| {
                let ask = |totals: &Totals<'_>| totals.stats(&asked, prices, &request.zone);
                Ok(stats::collect(index, walk.roots(), &sessions, ask)?)
            })?;
            Ok(StatsAnswer { stats, unmatched, reading })
        })
    }

    /// Returns which lines of a session count in totals, and why others do not.
    pub fn explain(
        &self,
        request: &SessionRequest<'_>,
        listener: &dyn Listener,
    ) -> Result<ExplainAnswer, LibraryError> {
        self.rebuilding(listener, || {
            let walk = self.walk();
            let (rows, reading) = self.rows_with_report(&walk, AgentRows::Folded, listener)?;
            let (_, session) = self.resolver(&walk, listener).open(request)?;
            let metas: Vec<_> = rows.iter().map(|row| SessionMeta::of(row, true)).collect();
            let explained = self.with_index(|index| {
                let ask = |totals: &Totals<'_>| {
                    let files = files(totals, &session);
                    let meta = files.first().map(|file| file.source.session);
                    let explain = |meta| totals.explain(meta, &files, &self.settings.prices);
                    meta.map(explain).transpose()
                };
                Ok(stats::collect(index, walk.roots(), &metas, ask)?)
            })?;
            Ok(ExplainAnswer { explained, reading })
        })
    }
}

/// Marks the sessions that match a filter. The others stay in the list: they decide which lines are copies.
fn select(rows: Vec<SessionRow>, filter: &RowFilter) -> (Vec<SessionMeta>, Vec<Unmatched>) {
    let mut sessions: Vec<_> = rows.iter().map(|row| SessionMeta::of(row, true)).collect();
    if filter.has_only_time() {
        return (sessions, Vec::new());
    }
    let files: Vec<_> = rows.iter().map(|row| row.file.clone()).collect();
    let of_any_time = RowFilter { time: TimeRange::default(), ..filter.clone() };
    let selection = filter::select(rows, &of_any_time);
    let kept: HashSet<&Path> = selection.rows.iter().map(|row| row.file.as_path()).collect();
    for (session, file) in sessions.iter_mut().zip(&files) {
        session.selected = kept.contains(file.as_path());
    }
    (sessions, selection.unmatched)
}

/// Pairs the logs of a session with their ledgers, its own log first. A log outside every home has no ledger.
fn files<'a>(totals: &Totals<'a>, session: &'a Session) -> Vec<ExplainedFile<'a>> {
    let agents = session.agents.iter().map(|agent| &agent.file);
    std::iter::once(&session.main)
        .chain(agents)
        .filter_map(|file| {
            let source = totals.sources().find(|source| source.file == file.path())?;
            Some(ExplainedFile { source: source.clone(), log: file.log() })
        })
        .collect()
}
