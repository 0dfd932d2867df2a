//! Recaps: what was done in a period.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::Ordering;

use jiff::tz::TimeZone;
use rayon::prelude::*;

use super::Library;
use super::error::LibraryError;
use super::export::everything;
use super::index::watched;
use super::note::{LibraryNote, Listener};
use super::resolve;
use super::stats::StatsRequest;
use super::walk::Completeness;
use crate::ops::recap::{self, Recap, RecapPart};
use crate::ops::stats::{By, Sums, Then};
use crate::ops::transcript::{Transcript, TranscriptRequest};
use unspool_store::filter::{self, RowFilter, Selection, Unmatched};
use unspool_store::home::Resolved;
use unspool_store::rows::{AgentRows, SessionKind, SessionRow};
use unspool_store::session::SessionFileError;

/// A request for [`Library::recap`].
#[derive(Clone, Debug)]
pub struct RecapRequest {
    /// The filter that sessions must match. Its time selects what happened in them: a session that
    /// spans midnight has a part on both days.
    pub filter: RowFilter,
    /// The time zone of the days.
    pub zone: TimeZone,
}

/// The result of [`Library::recap`].
#[derive(Debug)]
pub struct RecapAnswer {
    /// The recap.
    pub recap: Recap,
    /// Names in the filter that match no session.
    pub unmatched: Vec<Unmatched>,
    /// Whether every home and log was readable.
    pub reading: Completeness,
}

impl Library {
    /// Returns what was done in the period of a filter. Only sessions that were active in it are read.
    pub fn recap(
        &self,
        request: &RecapRequest,
        listener: &dyn Listener,
    ) -> Result<RecapAnswer, LibraryError> {
        let totals = self.stats(
            &StatsRequest {
                filter: request.filter.clone(),
                by: By::Session,
                then: Then::default(),
                limit: None,
                zone: request.zone.clone(),
            },
            listener,
        )?;
        let groups = totals.stats.groups.into_iter();
        let sums: BTreeMap<String, Sums> =
            groups.filter_map(|group| Some((group.key?, group.sums))).collect();
        let walk = self.walk();
        let listing = self.listing(&walk, AgentRows::Folded, listener)?;
        let Selection { rows, unmatched, .. } = filter::select(listing.rows, &request.filter);
        let rows = rows.iter().filter(|row| row.kind != SessionKind::Agent);
        let rows: HashMap<&Path, &SessionRow> = rows.map(|row| (row.file.as_path(), row)).collect();
        let found = walk.found().iter().flat_map(everything);
        let sessions: Vec<(Resolved, &SessionRow)> = found
            .filter_map(|resolved| {
                let row = *rows.get(resolved.target.path())?;
                Some((resolved, row))
            })
            .collect();
        let time = request.filter.time;
        let read = |(resolved, row): &(Resolved, &SessionRow)| {
            let failed = |error| SessionFileError { path: row.file.clone(), error };
            let session = resolve::open(&walk, resolved)?;
            // A session without a conversation has no part in the recap.
            let Ok(shown) = Transcript::new(&session, &TranscriptRequest::default()) else {
                return Ok(None);
            };
            let part = recap::recap_of((*row).clone(), &shown, time).map_err(failed)?;
            let edits = recap::edits_in(&shown, time).map_err(failed)?;
            Ok(Some((part, edits)))
        };
        let bytes = sessions.iter().map(|(_, row)| row.bytes).sum();
        let parts = watched(listener, bytes, |done| {
            let parts = sessions.par_iter().map(|session| {
                let part = read(session);
                done.fetch_add(session.1.bytes, Ordering::Relaxed);
                part
            });
            parts.collect::<Vec<Result<Option<RecapPart>, SessionFileError>>>()
        });
        let mut reading = totals.reading;
        let mut told = Vec::new();
        for part in parts.unwrap_or_default() {
            match part {
                Ok(part) => told.extend(part),
                Err(file_error) => {
                    listener.note(LibraryNote::Unreadable(file_error));
                    reading = Completeness::Partial;
                }
            }
        }
        let mut recap = recap::recap(time, told, &sums);
        // The ledger also counts lines outside the sessions of the recap.
        recap.total.sums = totals.stats.total;
        recap.unpriced_models = totals.stats.unpriced_models;
        Ok(RecapAnswer { recap, unmatched, reading })
    }
}
