//! The index of a library: opening, updating and querying it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::error::LibraryError;
use super::note::{LibraryNote, Listener, report_text_update};
use super::settings::{IndexPlace, RefreshPolicy};
use super::walk::{Completeness, HomesWalk};
use super::{Library, locked};
use crate::ops::list::Listing;
use unspool_search::hit::SearchHit;
use unspool_search::ranked::CatalogueLookup;
use unspool_search::text::{Coverage, TextIndex};
use unspool_store::filter::{Direction, SessionSet, SortKey, sort};
use unspool_store::home::{Home, LiveSessions};
use unspool_store::index::{Index, IndexNote, OffPath, PrefetchedRows, RefreshBasis, Refreshed};
use unspool_store::progress::Progress;
use unspool_store::rows::{AgentRows, SessionRow};
use unspool_store::session::SessionFileError;

/// The result of updating the index.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RefreshReport {
    /// The number of sessions that were read.
    pub sessions: usize,
    /// Whether every home and log was readable.
    pub reading: Completeness,
}

impl Library {
    /// Updates the catalogue from the homes.
    pub fn refresh(&self, listener: &dyn Listener) -> Result<RefreshReport, LibraryError> {
        let walk = Arc::new(HomesWalk::new(&self.settings.homes));
        let refreshed = self.refresh_now(&walk, listener)?;
        let walked = walk.report_problems(listener);
        *locked(&self.walk) = Some(walk);
        Ok(RefreshReport {
            sessions: refreshed.sessions,
            reading: walked.max(report_unreadable(refreshed.file_errors, listener)),
        })
    }

    /// Updates the full text from the catalogue.
    pub fn refresh_text(&self, listener: &dyn Listener) -> Result<(), LibraryError> {
        let walk = self.walk();
        self.updating(|index| {
            let now = self.settings.clock.now();
            let (text, report) =
                TextIndex::open(index, walk.roots(), walk.walked(), now, listener)?;
            report_text_update(report, listener);
            *locked(&self.text) = Some(Arc::new(text));
            Ok(())
        })
    }

    /// Returns when the index is updated: an index in memory begins empty, so each request updates it.
    pub(super) fn refresh_policy(&self) -> RefreshPolicy {
        match self.settings.index {
            IndexPlace::Folder(_) => self.settings.refresh,
            IndexPlace::Memory => RefreshPolicy::EachRequest,
        }
    }

    /// Returns the folder of the index, or `None` if it is in memory.
    pub(super) fn index_folder(&self) -> Option<&Path> {
        match &self.settings.index {
            IndexPlace::Folder(folder) => Some(folder),
            IndexPlace::Memory => None,
        }
    }

    /// Queries the index, which is opened if no request has needed it before.
    ///
    /// Requests that do not update the index have their own connection: they read the last
    /// committed state, and do not wait for an update in another thread.
    pub(super) fn with_index<T>(
        &self,
        ask: impl FnOnce(&mut Index) -> Result<T, LibraryError>,
    ) -> Result<T, LibraryError> {
        if self.refresh_policy() == RefreshPolicy::OnDemand {
            let mut reader = locked(&self.reader);
            let index = self.opened(&mut reader)?;
            if !self.only_connection.load(Ordering::Relaxed) {
                return ask(index);
            }
            *reader = None;
        }
        self.updating(ask)
    }

    /// Queries the index through the connection for updates.
    fn updating<T>(
        &self,
        ask: impl FnOnce(&mut Index) -> Result<T, LibraryError>,
    ) -> Result<T, LibraryError> {
        let mut kept = locked(&self.index);
        let index = self.opened(&mut kept)?;
        let answer = ask(index);
        self.notice_memory(index);
        answer
    }

    /// Returns the connection to the index, opening it if necessary.
    fn opened<'k>(&self, kept: &'k mut Option<Index>) -> Result<&'k mut Index, LibraryError> {
        let index = match kept.take() {
            Some(index) => index,
            None => match self.index_folder() {
                Some(folder) => Index::open_with(folder, self.settings.lock_timeouts)?,
                None => Index::in_memory()?,
            },
        };
        self.notice_memory(&index);
        Ok(kept.insert(index))
    }

    /// Records that an index fell back to memory because its folder is unusable.
    fn notice_memory(&self, index: &Index) {
        if index.is_in_memory() {
            self.only_connection.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the rows of all sessions.
    pub(super) fn listing(
        &self,
        walk: &HomesWalk,
        agents: AgentRows,
        listener: &dyn Listener,
    ) -> Result<Listing, LibraryError> {
        let roots = walk.roots();
        let mut listing = self.rebuilding(listener, || match self.refresh_policy() {
            RefreshPolicy::OnDemand => self.with_index(|index| {
                report_index_notes(index, listener);
                Ok(Listing { rows: index.rows(roots, agents)?, file_errors: Vec::new() })
            }),
            RefreshPolicy::EachRequest => self.fresh_rows(walk, agents, listener),
        })?;
        sort(&mut listing.rows, SortKey::default(), Direction::Usual);
        listing.set_live(roots, walk.live());
        Ok(listing)
    }

    /// Updates the index and returns the rows of all sessions, which another thread reads ahead in
    /// the meantime.
    fn fresh_rows(
        &self,
        walk: &HomesWalk,
        agents: AgentRows,
        listener: &dyn Listener,
    ) -> Result<Listing, LibraryError> {
        let roots = walk.roots();
        let before = self.with_index(|index| Ok(index.data_version()?))?;
        // On Windows a rebuild of a damaged index could not delete files that the thread has open.
        let is_ahead = agents == AgentRows::Folded && !cfg!(windows);
        let (refreshed, ahead) = thread::scope(|threads| {
            let folder = self.index_folder().filter(|_| is_ahead);
            let ahead =
                folder.map(|folder| threads.spawn(move || PrefetchedRows::read(folder, roots)));
            let refreshed = self.refresh_now(walk, listener);
            let ahead = ahead.and_then(|it| it.join().unwrap_or_else(|panic| resume_unwind(panic)));
            refreshed.map(|refreshed| (refreshed, ahead))
        })?;
        self.with_index(|index| {
            // Rows read ahead may be stale if another process wrote to the catalogue in between.
            let ahead = ahead.filter(|_| index.data_version().is_ok_and(|now| now == before));
            let known = match ahead {
                Some(ahead) => index.rows_after(ahead, &refreshed.changed)?,
                None => None,
            };
            let rows = match known {
                Some(rows) => rows,
                None => index.rows(roots, agents)?,
            };
            Ok(Listing { rows, file_errors: refreshed.file_errors })
        })
    }

    /// Returns the rows of all sessions and reports unreadable files.
    pub(super) fn rows_with_report(
        &self,
        walk: &HomesWalk,
        agents: AgentRows,
        listener: &dyn Listener,
    ) -> Result<(Vec<SessionRow>, Completeness), LibraryError> {
        let listing = self.listing(walk, agents, listener)?;
        let walked = self.report_problems(walk, listener);
        Ok((listing.rows, walked.max(report_unreadable(listing.file_errors, listener))))
    }

    /// Updates the index before a request, if the policy demands it; returns the number of sessions
    /// that were read.
    pub(super) fn refresh_if_due(
        &self,
        walk: &HomesWalk,
        listener: &dyn Listener,
    ) -> Result<usize, LibraryError> {
        if self.refresh_policy() == RefreshPolicy::OnDemand {
            self.with_index(|index| {
                report_index_notes(index, listener);
                Ok(())
            })?;
            return Ok(0);
        }
        let refreshed = self.refresh_now(walk, listener)?;
        let sessions = refreshed.sessions;
        report_unreadable(refreshed.file_errors, listener);
        Ok(sessions)
    }

    fn refresh_now(
        &self,
        walk: &HomesWalk,
        listener: &dyn Listener,
    ) -> Result<Refreshed, LibraryError> {
        self.updating(|index| {
            let mut refreshed = index.refresh(walk.roots(), &self.basis(), listener)?;
            walk.set_found(std::mem::take(&mut refreshed.found));
            self.tell_updated(index, listener);
            Ok(refreshed)
        })
    }

    /// Reports the problems of the homes, if the request walked them.
    pub(super) fn report_problems(
        &self,
        walk: &HomesWalk,
        listener: &dyn Listener,
    ) -> Completeness {
        match self.refresh_policy() {
            RefreshPolicy::EachRequest => walk.report_problems(listener),
            RefreshPolicy::OnDemand => Completeness::Whole,
        }
    }

    /// Returns the full text and its coverage of the logs; updates it first, if the policy demands
    /// it.
    pub(super) fn text(
        &self,
        index: &Index,
        walk: &HomesWalk,
        listener: &dyn Listener,
    ) -> Result<(Arc<TextIndex>, Coverage), LibraryError> {
        let (roots, now) = (walk.roots(), self.settings.clock.now());
        let kept = locked(&self.text).clone();
        if let Some(text) = kept.filter(|text| text.is_fresh(index, roots, walk.walked(), now)) {
            return Ok((text, Coverage::default()));
        }
        let (text, report) = match self.refresh_policy() {
            RefreshPolicy::EachRequest => {
                TextIndex::open(index, roots, walk.walked(), now, listener)?
            }
            RefreshPolicy::OnDemand => TextIndex::open_as_it_is(index, roots, now)?,
        };
        let (text, coverage) = (Arc::new(text), report.coverage);
        report_text_update(report, listener);
        *locked(&self.text) = Some(Arc::clone(&text));
        Ok((text, coverage))
    }

    /// Runs a query of the index. If the index turns out to be damaged, rebuilds it and runs the
    /// query again: a damaged page may only be found when a query reads it.
    pub(super) fn rebuilding<T>(
        &self,
        listener: &dyn Listener,
        work: impl Fn() -> Result<T, LibraryError>,
    ) -> Result<T, LibraryError> {
        match work() {
            Err(error) if error.is_damage() && self.index_folder().is_some() => {}
            done => return done,
        }
        locked(&self.text).take();
        self.updating(|index| {
            index.rebuild()?;
            self.tell_updated(index, listener);
            Ok(())
        })?;
        work()
    }

    /// Reports the notes of an updated index. After a rebuild, drops the second connection, whose
    /// files were deleted.
    fn tell_updated(&self, index: &mut Index, listener: &dyn Listener) {
        if report_index_notes(index, listener).contains(&IndexNote::Rebuilt) {
            locked(&self.reader).take();
        }
    }

    fn basis(&self) -> RefreshBasis<'_> {
        RefreshBasis { now: self.settings.clock.now(), prices: &self.settings.prices }
    }
}

/// Runs a function under a progress listener; returns `None` if the listener did not call it.
pub(super) fn watched<T>(
    progress: &dyn Progress,
    total: u64,
    work: impl FnOnce(&AtomicU64) -> T,
) -> Option<T> {
    let (mut work, mut done) = (Some(work), None);
    progress.watch(total, &mut |read| {
        if let Some(work) = work.take() {
            done = Some(work(read));
        }
    });
    done
}

/// Reports the notes of an index.
pub(super) fn report_index_notes(index: &mut Index, listener: &dyn Listener) -> Vec<IndexNote> {
    let notes = index.take_notes();
    for note in &notes {
        listener.note(LibraryNote::Index(note.clone()));
    }
    notes
}

/// Reports the files that could not be read.
pub(super) fn report_unreadable(
    file_errors: Vec<SessionFileError>,
    listener: &dyn Listener,
) -> Completeness {
    let mut reading = Completeness::Whole;
    for file_error in file_errors {
        listener.note(LibraryNote::Unreadable(file_error));
        reading = Completeness::Partial;
    }
    reading
}

/// An index and the homes of a query.
#[derive(Clone, Copy)]
pub(super) struct IndexView<'a> {
    pub(super) index: &'a Index,
    pub(super) homes: &'a [Home],
    pub(super) live: &'a [LiveSessions],
}

impl<'a> IndexView<'a> {
    /// Returns the index with the homes of one request.
    pub(super) fn of(index: &'a Index, walk: &'a HomesWalk) -> Self {
        Self { index, homes: walk.roots(), live: walk.live() }
    }

    /// Returns the facts about files that a search needs.
    pub(super) fn known_places(self, only: Option<&'a SessionSet>) -> CatalogueLookup<'a> {
        CatalogueLookup::new(self.index, self.homes, self.live, only)
    }

    /// Returns the rows of the sessions that contain hits.
    pub(super) fn rows_of(self, hits: &[SearchHit]) -> Result<Vec<SessionRow>, LibraryError> {
        let mut listing = Listing::default();
        for hit in hits {
            let known = |row: &SessionRow| row.home == hit.home && row.id == hit.session;
            let (Some(home), Some(project)) = (&hit.home, &hit.project) else {
                continue;
            };
            if !listing.rows.iter().any(known) {
                let row = self.index.row(home, project, &hit.session)?;
                listing.rows.extend(row);
            }
        }
        listing.set_live(self.homes, self.live);
        Ok(listing.rows)
    }

    /// Sets on each hit whether it is on the active path; left `None` if its file is not a known log.
    pub(super) fn mark_active(self, hits: &mut [SearchHit]) -> Result<(), LibraryError> {
        let mut files: HashMap<PathBuf, Option<OffPath>> = HashMap::new();
        for hit in hits {
            let (Some(home), Some(project)) = (&hit.home, &hit.project) else {
                continue;
            };
            let off_path = match files.entry(hit.file.clone()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    let id = self.index.file_at(home, project, &hit.file)?;
                    unknown.insert(id.map(|id| self.index.off_path(id)).transpose()?)
                }
            };
            hit.active = off_path.as_ref().map(|off_path| !off_path.contains(hit.offset));
        }
        Ok(())
    }
}
