//! Rows without an index: reads every log, in parallel.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use unspool_model::graph::Rule;

use super::{Listing, RowRequest};
use unspool_store::filter::{Direction, SortKey, sort};
use unspool_store::home::{Discovery, FileClass, FoundLog, LiveSessions, PlacedLog};
use unspool_store::prices::PriceTable;
use unspool_store::rows::{AgentRows, SessionKind, SessionRow, row};
use unspool_store::session::{Session, SessionFileError};
use unspool_store::tail::LogFile;
use unspool_store::titles::ProjectSummaries;

/// Reads all sessions of homes without an index; `read` counts the bytes that were read.
pub fn list(
    found: &[Discovery],
    live: &[LiveSessions],
    request: &RowRequest,
    prices: &PriceTable,
    read: &AtomicU64,
) -> Listing {
    let is_wanted = |placed: &PlacedLog<'_>| match placed.log {
        // The walk has already reported unreadable logs.
        FoundLog::Session(file) => file.class != FileClass::Unreadable,
        FoundLog::Agent(_) => request.agents == AgentRows::Listed,
    };
    let homes = found.iter().zip(live);
    let mut jobs: Vec<RowJob<'_>> = homes
        .flat_map(|(home, live)| {
            let wanted = home.logs().filter(is_wanted);
            wanted.map(move |placed| RowJob { live, placed })
        })
        .collect();
    let summaries = ProjectSummaries::new(found);
    // The largest log first, so that it does not occupy one thread at the end.
    jobs.sort_by_key(|job| std::cmp::Reverse(job.bytes()));
    let results: Vec<_> = jobs
        .par_iter()
        .map(|job| {
            let result = job.run(request.rule, prices, &summaries);
            read.fetch_add(job.bytes(), Ordering::Relaxed);
            result
        })
        .collect();
    let mut listing = Listing::default();
    for result in results {
        match result {
            Ok((row, file_errors)) => {
                listing.rows.push(row);
                listing.file_errors.extend(file_errors);
            }
            Err(file_error) => listing.file_errors.push(file_error),
        }
    }
    sort(&mut listing.rows, SortKey::default(), Direction::Usual);
    listing.file_errors.sort_by(|a, b| a.path.cmp(&b.path));
    listing
}

struct RowJob<'a> {
    live: &'a LiveSessions,
    placed: PlacedLog<'a>,
}

impl RowJob<'_> {
    fn bytes(&self) -> u64 {
        self.placed.log.stamp().bytes
    }

    fn run(
        &self,
        rule: Rule,
        prices: &PriceTable,
        summaries: &ProjectSummaries<'_>,
    ) -> Result<(SessionRow, Vec<SessionFileError>), SessionFileError> {
        let home = Some(self.placed.home.home.root.clone());
        let project = Some(self.placed.project.id.clone());
        match self.placed.log {
            FoundLog::Session(file) => {
                let mut session = Session::open_session(file, home, project, Some(self.live))?;
                summaries.name(&mut session);
                let file_errors = std::mem::take(&mut session.file_errors);
                let modified = file.stamp.modified_ms();
                Ok((row(&session, rule, modified, prices), file_errors))
            }
            FoundLog::Agent(file) => {
                let log = LogFile::open(&file.path)
                    .map_err(|error| SessionFileError { path: file.path.clone(), error })?;
                let session = Session::of_agent(file, log, home, project);
                let mut row = row(&session, rule, file.stamp.modified_ms(), prices);
                row.kind = SessionKind::Agent;
                Ok((row, Vec::new()))
            }
        }
    }
}
