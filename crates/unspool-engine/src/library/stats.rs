//! Totals of sessions, and which lines they are made of.

use std::collections::HashSet;
use std::path::Path;

use jiff::tz::TimeZone;
use unspool_model::ids::AgentId;
use unspool_model::log::Log;
use unspool_model::query::TimeRange;

use super::Library;
use super::error::LibraryError;
use super::index::tell_unreadable;
use super::note::Listener;
use super::session::SessionRequest;
use super::walk::{HomesWalk, Reading};
use crate::ops::stats::{
    self, By, Explained, ExplainedFile, Request, SessionMeta, Source, Stats, Then, Totals,
};
use unspool_store::filter::{self, Filter, Unmatched};
use unspool_store::index::{Index, LedgerRow};
use unspool_store::rows::{Agents, Row};
use unspool_store::session::Session;

/// What to sum up.
#[derive(Clone, Debug)]
pub struct StatsRequest {
    /// Which sessions. Its time is about lines of logs: a session that spans midnight counts on
    /// both days.
    pub filter: Filter,
    /// What groups are made of.
    pub by: By,
    /// What each of these groups is parted by further.
    pub then: Then,
    /// How many groups to keep, the largest ones.
    pub limit: Option<usize>,
    /// The zone whose days are meant.
    pub zone: TimeZone,
}

/// Totals.
#[derive(Debug)]
pub struct StatsAnswer {
    /// The totals.
    pub stats: Stats,
    /// Names in the filter that fit no session.
    pub unmatched: Vec<Unmatched>,
    /// Whether everything could be read.
    pub reading: Reading,
}

/// Which lines of a session count.
#[derive(Debug)]
pub struct ExplainAnswer {
    /// The lines; none if the log is outside every home, and so not counted.
    pub explained: Option<Explained>,
    /// Whether everything could be read.
    pub reading: Reading,
}

impl Library {
    /// Sums sessions up.
    pub fn stats(
        &self,
        request: &StatsRequest,
        listener: &dyn Listener,
    ) -> Result<StatsAnswer, LibraryError> {
        self.rebuilding(listener, || {
            let walk = self.walk();
            let (rows, reading) = self.all_rows(&walk, listener)?;
            let (sessions, unmatched) = select(rows, &request.filter);
            let totals = self.with_index(|index| {
                Ok(stats::collect(index, walk.roots(), &sessions, |_, _| {})?)
            })?;
            let asked = Request {
                by: request.by,
                then: request.then,
                time: request.filter.time,
                limit: request.limit,
            };
            Ok(StatsAnswer {
                stats: totals.stats(&asked, &self.settings.prices, &request.zone),
                unmatched,
                reading,
            })
        })
    }

    /// Shows which lines of a session count in totals, and why others do not.
    pub fn explain(
        &self,
        request: &SessionRequest<'_>,
        listener: &dyn Listener,
    ) -> Result<ExplainAnswer, LibraryError> {
        self.rebuilding(listener, || {
            let walk = self.walk();
            let (rows, reading) = self.all_rows(&walk, listener)?;
            let (_, session) = self.resolver(&walk, listener).open(request)?;
            let logs = logs(&session);
            let (totals, counted) = self.with_index(|index| {
                let metas: Vec<_> = rows.iter().map(|row| SessionMeta::of(row, true)).collect();
                ledgers_of(&logs, index, &walk, &metas)
            })?;
            let explained = counted.first().map(|(meta, _)| {
                let agents = agents(&counted);
                let files = files(&counted, &agents, &logs);
                totals.explain(meta, &files, &self.settings.prices)
            });
            Ok(ExplainAnswer { explained, reading })
        })
    }

    /// Returns the rows of all sessions, and tells what could not be read.
    fn all_rows(
        &self,
        walk: &HomesWalk,
        listener: &dyn Listener,
    ) -> Result<(Vec<Row>, Reading), LibraryError> {
        let listing = self.listing(walk, Agents::Folded, listener)?;
        let walked = self.tell_problems(walk, listener);
        let reading = walked.max(tell_unreadable(listing.troubles, listener));
        Ok((listing.rows, reading))
    }
}

/// Marks the sessions that a filter admits. The others stay: they decide what is a copy.
fn select(rows: Vec<Row>, filter: &Filter) -> (Vec<SessionMeta>, Vec<Unmatched>) {
    let mut sessions: Vec<_> = rows.iter().map(|row| SessionMeta::of(row, true)).collect();
    if filter.asks_only_when() {
        return (sessions, Vec::new());
    }
    let files: Vec<_> = rows.iter().map(|row| row.file.clone()).collect();
    let of_any_time = Filter {
        time: TimeRange::default(),
        ..filter.clone()
    };
    let selection = filter::select(rows, &of_any_time);
    let kept: HashSet<&Path> = selection
        .rows
        .iter()
        .map(|row| row.file.as_path())
        .collect();
    for (session, file) in sessions.iter_mut().zip(&files) {
        session.selected = kept.contains(file.as_path());
    }
    (sessions, selection.unmatched)
}

/// A ledger and the session that it counts for.
type CountedLedger = (SessionMeta, LedgerRow);

/// Lays all ledgers side by side, and returns those of some logs in the order of the logs.
fn ledgers_of(
    logs: &[(&Path, &Log)],
    index: &Index,
    walk: &HomesWalk,
    sessions: &[SessionMeta],
) -> Result<(Totals, Vec<CountedLedger>), LibraryError> {
    let mut counted: Vec<CountedLedger> = Vec::new();
    let place = |row: &LedgerRow| logs.iter().position(|(path, _)| *path == row.path);
    let totals = stats::collect(index, walk.roots(), sessions, |session, row| {
        if place(&row).is_some() {
            counted.push((session.clone(), row));
        }
    })?;
    counted.sort_by_key(|(_, row)| place(row));
    Ok((totals, counted))
}

fn agents(counted: &[CountedLedger]) -> Vec<Option<AgentId>> {
    let names = counted.iter().map(|(_, row)| row.agent.as_deref());
    names.map(|name| name.map(AgentId::new)).collect()
}

/// Pairs ledgers with the logs that they were made of.
fn files<'a>(
    counted: &'a [CountedLedger],
    agents: &'a [Option<AgentId>],
    logs: &'a [(&Path, &'a Log)],
) -> Vec<ExplainedFile<'a>> {
    let counted = counted.iter().zip(agents);
    counted
        .filter_map(|((session, row), agent)| {
            let (_, log) = logs.iter().find(|(path, _)| *path == row.path)?;
            let source = Source {
                session,
                agent: agent.as_ref(),
                file: &row.path,
                ledger: &row.ledger,
            };
            Some(ExplainedFile { source, log })
        })
        .collect()
}

/// Returns the logs of a session, its own first.
fn logs(session: &Session) -> Vec<(&Path, &Log)> {
    let own = (session.main.path(), session.log());
    let agents = session.agents.iter().map(|agent| &agent.file);
    std::iter::once(own)
        .chain(agents.map(|file| (file.path(), file.log())))
        .collect()
}
