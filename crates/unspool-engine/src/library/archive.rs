//! The selection of sessions for an archive, and titles of archived sessions.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use unspool_model::ids::{ProjectId, SessionId};

use super::Library;
use super::error::{LibraryError, NotArchivable};
use super::list::ListRequest;
use super::note::{LibraryNote, Listener};
use super::resolve::SessionRequest;
use super::walk::{Completeness, HomesWalk};
use unspool_store::archive::inventory::ArchivedSession;
use unspool_store::archive::store::WantedSessions;
use unspool_store::filter::{self, RowFilter, Unmatched};
use unspool_store::home::{self, Discovery, Resolved, Target};
use unspool_store::progress::Progress;
use unspool_store::rows::AgentRows;

/// Selects sessions for an archive: those that match both fields, or all if neither is set.
#[derive(Clone, Copy, Default, Debug)]
pub struct ArchiveChoice<'a> {
    /// Names of sessions; an empty slice allows every session.
    pub names: &'a [String],
    /// The filter that sessions must match.
    pub filter: Option<&'a RowFilter>,
}

/// The result of [`Library::archive_selection`].
pub struct ArchiveSelection {
    /// The selected sessions; `None` if no session matches.
    pub wanted: Option<WantedSessions>,
    /// Names in the filter that match no session.
    pub unmatched: Vec<Unmatched>,
    walk: Arc<HomesWalk>,
}

/// Forwards progress and notes about the index, and drops all other notes.
struct IndexNotes<'a>(&'a dyn Listener);

impl Progress for IndexNotes<'_> {
    fn watch(&self, total: u64, work: &mut dyn FnMut(&AtomicU64)) {
        self.0.watch(total, work);
    }

    fn wait(&self, waiting: &mut dyn FnMut()) {
        self.0.wait(waiting);
    }
}

impl Listener for IndexNotes<'_> {
    fn note(&self, note: LibraryNote) {
        if matches!(note, LibraryNote::Index(_)) {
            self.0.note(note);
        }
    }
}

/// A session by its home, project and id.
type SessionKey = (PathBuf, ProjectId, SessionId);

impl ArchiveSelection {
    /// Returns the walked homes.
    pub fn homes(&self) -> &[Discovery] {
        self.walk.found()
    }

    /// Reports the problems of the homes to the listener.
    pub fn report_problems(&self, listener: &dyn Listener) -> Completeness {
        self.walk.report_problems(listener)
    }
}

impl Library {
    /// Sets the titles of archived sessions whose homes are those of this library to the titles
    /// that a list shows. Problems of the homes are not reported here: the inventory of the archive
    /// has them. A session without a known title keeps `None`.
    pub fn title_archived(&self, sessions: &mut [ArchivedSession], listener: &dyn Listener) {
        let answer = self.list(&ListRequest::default(), &IndexNotes(listener));
        let rows = answer.map(|answer| answer.rows).unwrap_or_default();
        let found = rows.into_iter().filter_map(|row| {
            let folder = row.home?.file_name()?.to_owned();
            Some(((folder, row.project?, row.id), row.title?))
        });
        let mut titles: HashMap<_, _> = found.collect();
        for kept in sessions {
            let folder = OsString::from(&kept.home.folder);
            kept.title = titles.remove(&(folder, kept.project.clone(), kept.session.clone()));
        }
    }

    /// Selects the sessions that a choice names for an archive.
    pub fn archive_selection(
        &self,
        choice: ArchiveChoice<'_>,
        listener: &dyn Listener,
    ) -> Result<ArchiveSelection, LibraryError> {
        if choice.names.is_empty() && choice.filter.is_none() {
            return Ok(self.everything());
        }
        let walk = self.walk();
        let resolver = self.resolver(&walk, listener);
        let mut chosen = HashSet::new();
        for name in choice.names {
            let (found, _) = resolver.open(&SessionRequest::named(name))?;
            chosen.insert(key(name, found)?);
        }
        let mut unmatched = Vec::new();
        if let Some(filter) = choice.filter {
            let listing = self.listing(&walk, AgentRows::Folded, listener)?;
            let selection = filter::select(listing.rows, filter);
            let rows = selection.rows.into_iter();
            let fit: HashSet<SessionKey> =
                rows.filter_map(|row| Some((row.home?, row.project?, row.id))).collect();
            if choice.names.is_empty() {
                chosen = fit;
            } else {
                chosen.retain(|session| fit.contains(session));
            }
            unmatched = selection.unmatched;
        }
        Ok(ArchiveSelection {
            wanted: (!chosen.is_empty()).then_some(WantedSessions::Sessions(chosen)),
            unmatched,
            walk,
        })
    }

    /// Selects all sessions. Finds the homes without opening a log: which session an agent belongs
    /// to is irrelevant here.
    fn everything(&self) -> ArchiveSelection {
        let walk = HomesWalk::new(&self.settings.homes);
        walk.set_found(home::discover_unopened(walk.roots()).into());
        ArchiveSelection {
            wanted: Some(WantedSessions::Everything),
            unmatched: Vec::new(),
            walk: Arc::new(walk),
        }
    }
}

/// Returns the key of a resolved session, or an error if it is not a session of a home.
fn key(name: &str, resolved: Resolved) -> Result<SessionKey, LibraryError> {
    let reason = match (resolved.home, resolved.project, resolved.target) {
        (Some(home), Some(project), Target::Session(session)) => {
            return Ok((home.root, project, session.id));
        }
        (_, _, Target::Agent(_)) => NotArchivable::Agent,
        _ => NotArchivable::OutsideHomes,
    };
    Err(LibraryError::NotArchivable { name: name.to_owned(), reason })
}
