//! Rows without an index: every log is read, in parallel.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use unspool_model::graph::Rule;
use unspool_model::ids::ProjectId;

use super::{Listing, RowRequest};
use unspool_store::filter::{Direction, SortKey, sort};
use unspool_store::home::{AgentFile, Discovery, FileClass, LiveSessions, SessionFile};
use unspool_store::prices::PriceTable;
use unspool_store::rows::{AgentRows, SessionKind, SessionRow, row};
use unspool_store::session::{Session, SessionFileError};
use unspool_store::tail::LogFile;
use unspool_store::titles::ProjectSummaries;

/// Reads all sessions of some homes without an index; `read` counts the bytes that are done.
pub fn list(
    found: &[Discovery],
    live: &[LiveSessions],
    request: &RowRequest,
    prices: &PriceTable,
    read: &AtomicU64,
) -> Listing {
    let mut jobs: Vec<RowJob<'_>> =
        found
            .iter()
            .zip(live)
            .flat_map(|(home, live)| {
                // What cannot be read was said by the walk.
                let readable = |(_, file): &(_, &SessionFile)| file.class != FileClass::Unreadable;
                let sessions = home.sessions().filter(readable).map(move |(project, file)| {
                    RowJob { home, live, project: &project.id, file: JobFile::Session(file) }
                });
                let agents = home.agents().filter(|_| request.agents == AgentRows::Listed).map(
                    move |(project, file)| RowJob {
                        home,
                        live,
                        project: &project.id,
                        file: JobFile::Agent(file),
                    },
                );
                sessions.chain(agents)
            })
            .collect();
    let summaries = ProjectSummaries::new(found);
    // The largest first, so that no thread is left alone with it at the end.
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
    home: &'a Discovery,
    live: &'a LiveSessions,
    project: &'a ProjectId,
    file: JobFile<'a>,
}

enum JobFile<'a> {
    Session(&'a SessionFile),
    Agent(&'a AgentFile),
}

impl RowJob<'_> {
    fn bytes(&self) -> u64 {
        match self.file {
            JobFile::Session(file) => file.stamp.bytes,
            JobFile::Agent(file) => file.stamp.bytes,
        }
    }

    fn run(
        &self,
        rule: Rule,
        prices: &PriceTable,
        summaries: &ProjectSummaries<'_>,
    ) -> Result<(SessionRow, Vec<SessionFileError>), SessionFileError> {
        let home = Some(self.home.home.root.clone());
        let project = Some(self.project.clone());
        match self.file {
            JobFile::Session(file) => {
                let mut session = Session::open_session(file, home, project, Some(self.live))?;
                summaries.name(&mut session);
                let file_errors = std::mem::take(&mut session.file_errors);
                let modified = file.stamp.modified_ms();
                Ok((row(&session, rule, modified, prices), file_errors))
            }
            JobFile::Agent(file) => {
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
