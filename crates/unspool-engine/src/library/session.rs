//! Opening sessions for requests.

use std::sync::Arc;

use unspool_model::ids::EntryId;

use super::Library;
use super::error::LibraryError;
use super::note::{LibraryNote, Listener};
use super::resolve::{self, Resolver, SessionRequest};
use super::settings::RefreshPolicy;
use super::walk::HomesWalk;
use crate::ops::anywhere::{FoundEntry, PastSession, find_entry, find_past};
use crate::ops::lineage::{self, RelatedSession};
use crate::ops::transcript::{Transcript, TranscriptRequest};
use unspool_store::home::{Discovery, MIN_PREFIX, NameError, Resolved, SessionFile};
use unspool_store::index::Index;
use unspool_store::rows::SessionRow;
use unspool_store::session::Session;
use unspool_store::titles::{ProjectSummaries, TitleOrigin};

/// What a name may match other than a session with a log.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NameReach {
    /// Whether the id of an entry matches the session that contains it.
    pub entries: bool,
    /// Whether the id of a session without a log matches its prompts.
    pub past: bool,
}

/// The thing that a name matches.
pub enum NameMatch {
    /// A session.
    Session(Box<LibrarySession>),
    /// The prompts of a session whose log is gone.
    Past(PastSession),
}

/// An open session with its location.
pub struct LibrarySession {
    /// The location of the session.
    pub found: Resolved,
    /// The session.
    pub session: Session,
    /// The entry that the name matched, if the name was that of an entry.
    pub entry: Option<EntryId>,
    /// The homes in which the session was found.
    pub(super) walk: Arc<HomesWalk>,
}

impl LibrarySession {
    /// Lays out the session with the path, view and turns of a request.
    pub fn transcript(&self, request: &TranscriptRequest) -> Result<Transcript<'_>, LibraryError> {
        Ok(Transcript::new(&self.session, request)?)
    }

    /// Returns the sessions of its project that share entries with this session.
    pub fn lineage(&self) -> Vec<RelatedSession> {
        lineage::lineage(&self.session, &siblings(&self.found, self.walk.found()))
    }
}

/// Lists the sessions of a session's project, which may share entries with it.
pub(super) fn siblings(resolved: &Resolved, found: &[Discovery]) -> Vec<SessionFile> {
    let projects = found.iter().flat_map(|home| &home.projects);
    projects
        .filter(|project| Some(&project.id) == resolved.project.as_ref())
        .flat_map(|project| project.sessions.iter().cloned())
        .collect()
}

impl Library {
    /// Finds the session with a name, opening no more logs than necessary.
    pub fn resolve(&self, name: &str, listener: &dyn Listener) -> Result<Resolved, LibraryError> {
        let walk = self.walk();
        self.resolver(&walk, listener).resolve(name)
    }

    /// Opens the session that a request names.
    pub fn session(
        &self,
        request: &SessionRequest<'_>,
        listener: &dyn Listener,
    ) -> Result<LibrarySession, LibraryError> {
        let walk = self.walk();
        let (found, session) = self.resolver(&walk, listener).open(request)?;
        Ok(LibrarySession { found, session, entry: None, walk })
    }

    /// Opens a resolved session or agent.
    pub fn open_found(&self, found: Resolved) -> Result<LibrarySession, LibraryError> {
        let walk = self.walk();
        Ok(LibrarySession { session: resolve::open(&walk, &found)?, found, entry: None, walk })
    }

    /// Opens the thing that a name matches: a session, or else what `reach` allows.
    pub fn named(
        &self,
        request: &SessionRequest<'_>,
        reach: NameReach,
        listener: &dyn Listener,
    ) -> Result<NameMatch, LibraryError> {
        let walk = self.walk();
        let resolver = self.resolver(&walk, listener);
        let error = match resolver.open(request) {
            Ok((found, session)) => {
                let opened = LibrarySession { found, session, entry: None, walk };
                return Ok(NameMatch::Session(Box::new(opened)));
            }
            Err(error) => error,
        };
        if !matches!(error.name_error(), Some(NameError::Unknown { .. })) {
            return Err(error);
        }
        if reach.past
            && let Some(past) = past(request.name, &walk)
        {
            return Ok(NameMatch::Past(past));
        }
        if !reach.entries {
            return Err(error);
        }
        let Some(FoundEntry { log, entry, others }) = find_entry(walk.found(), request.name)?
        else {
            return Err(error);
        };
        if others > 0 {
            listener.note(LibraryNote::EntryInOthers(others));
        }
        let found = resolver.resolve(&log.display().to_string())?;
        let session = resolve::open(&walk, &found)?;
        let opened = LibrarySession { found, session, entry: Some(entry), walk };
        Ok(NameMatch::Session(Box::new(opened)))
    }

    /// Sets the title of a session from other logs of its project, for a surface that shows it.
    ///
    /// Under [`RefreshPolicy::OnDemand`] the title comes from the catalogue, otherwise from the
    /// logs: a session can be shown before the index of a large home is built, and a session with a
    /// title in its own log costs nothing.
    pub fn add_title(&self, opened: &mut LibrarySession) {
        match self.known_row(opened) {
            Some(row) if row.title_origin == TitleOrigin::OtherLog => {
                opened.session.called = row.title;
            }
            Some(_) => {}
            None => ProjectSummaries::new(opened.walk.found()).name(&mut opened.session),
        }
    }

    /// Returns the catalogue's row of a session, if the policy allows a query without a refresh.
    fn known_row(&self, opened: &LibrarySession) -> Option<SessionRow> {
        if self.refresh_policy() == RefreshPolicy::EachRequest {
            return None;
        }
        let (home, project) = (opened.found.home.as_ref()?, opened.found.project.as_ref()?);
        let row = |index: &mut Index| Ok(index.row(&home.root, project, &opened.session.id)?);
        self.with_index(row).ok().flatten()
    }

    pub(super) fn resolver<'a>(
        &'a self,
        walk: &'a HomesWalk,
        listener: &'a dyn Listener,
    ) -> Resolver<'a> {
        Resolver { library: self, walk, listener }
    }
}

/// Returns the past session that a name identifies in the prompt histories, unless the name is too
/// short or ambiguous.
fn past(name: &str, walk: &HomesWalk) -> Option<PastSession> {
    let mut found = find_past(walk.roots(), name);
    let one = found.pop().filter(|_| name.len() >= MIN_PREFIX)?;
    found.is_empty().then_some(one)
}
