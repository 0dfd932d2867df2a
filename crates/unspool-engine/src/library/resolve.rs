//! Resolves names to sessions.

use super::Library;
use super::error::LibraryError;
use super::names::GivenNames;
use super::note::{LibraryNote, Listener};
use super::walk::HomesWalk;
use unspool_model::ids::is_uuid;
use unspool_store::filter::{self, NamePattern};
use unspool_store::home::{self, Discovery, NameError, Resolved, SessionName};
use unspool_store::rows::AgentRows;
use unspool_store::session::{Session, SessionFileError};

/// A request for one session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionRequest<'a> {
    /// The name: an id, the prefix of one, the name that a person gave the session, `@`, `@2` …, or
    /// the path of a log.
    pub name: &'a str,
    /// The project to search: its name, its path, or a part of these; every project if `None`.
    pub project: Option<&'a str>,
}

impl<'a> SessionRequest<'a> {
    /// Requests a session by its name, in all projects.
    pub fn named(name: &'a str) -> Self {
        Self { name, project: None }
    }
}

/// Resolves the session names of one request.
pub(super) struct Resolver<'a> {
    pub(super) library: &'a Library,
    pub(super) walk: &'a HomesWalk,
    pub(super) listener: &'a dyn Listener,
}

/// The projects in which a session is searched.
enum Among<'a> {
    /// All projects.
    All(&'a [Discovery]),
    /// The projects that a request names.
    Projects(Vec<Discovery>),
}

impl Among<'_> {
    fn found(&self) -> &[Discovery] {
        match self {
            Self::All(found) => found,
            Self::Projects(found) => found,
        }
    }
}

impl Resolver<'_> {
    /// Finds the session with a name.
    pub(super) fn resolve(&self, name: &str) -> Result<Resolved, LibraryError> {
        let all = Among::All(self.walk.found());
        match SessionName::parse(name) {
            SessionName::Newest(wanted) => Ok(self.newest(&all, wanted)?.0),
            name => self.find(&all, &name),
        }
    }

    /// Opens the session that a request names.
    pub(super) fn open(
        &self,
        request: &SessionRequest<'_>,
    ) -> Result<(Resolved, Session), LibraryError> {
        let Some(project) = request.project else {
            return self.open_among(&Among::All(self.walk.found()), request.name);
        };
        let settings = &self.library.settings;
        let asked = NamePattern::path(project, &settings.here, settings.user_home.as_deref());
        let among = Among::Projects(filter::only_projects(self.walk.found(), &asked));
        self.open_among(&among, request.name).map_err(|error| LibraryError::InProjects {
            project: project.to_owned(),
            error: Box::new(error),
        })
    }

    fn open_among(
        &self,
        among: &Among<'_>,
        name: &str,
    ) -> Result<(Resolved, Session), LibraryError> {
        match SessionName::parse(name) {
            SessionName::Newest(wanted) => self.newest(among, wanted),
            name => {
                let resolved = self.find(among, &name)?;
                let session = open(self.walk, &resolved)?;
                Ok((resolved, session))
            }
        }
    }

    /// Finds the session with an id or a file, or else the session with this given name.
    fn find(&self, among: &Among<'_>, name: &SessionName) -> Result<Resolved, LibraryError> {
        let found = among.found();
        let error = match home::resolve(name, found, &self.library.settings.here) {
            Ok(resolved) => return Ok(resolved),
            Err(error) => error,
        };
        let text = match &error {
            NameError::Unknown { text, .. } | NameError::TooShort { text, .. } => text.as_str(),
            _ => "",
        };
        // A UUID is never searched among given names, which saves reading the index.
        if text.is_empty() || is_uuid(text) {
            return Err(self.unfound(error));
        }
        let names = self.given_names();
        match names.logs(text) {
            Some(logs) => Ok(home::of_logs(text, &logs, found)?),
            None => Err(self.unfound(names.add_near(error))),
        }
    }

    /// Returns the given names of sessions; none if the index is unusable.
    fn given_names(&self) -> GivenNames {
        let listing = self.library.listing(self.walk, AgentRows::Folded, self.listener);
        GivenNames::of(listing.unwrap_or_default().rows)
    }

    /// Returns the error for a name that matches nothing. If a home does not exist, the error says
    /// so, since that may be the cause.
    fn unfound(&self, name: NameError) -> LibraryError {
        let is_nowhere = matches!(
            name,
            NameError::Unknown { .. } | NameError::NotThatMany { .. } | NameError::TooShort { .. }
        );
        match self.walk.missing().filter(|_| is_nowhere) {
            Some(missing) => LibraryError::NameAndHomes { missing, name },
            None => name.into(),
        }
    }

    /// Opens the newest session, the second newest and so on, skipping files without a conversation.
    fn newest(
        &self,
        among: &Among<'_>,
        wanted: usize,
    ) -> Result<(Resolved, Session), LibraryError> {
        let recent = home::recent(among.found(), &self.library.settings.here);
        let mut only_empty = None;
        let mut met = 0;
        for resolved in recent.sessions {
            let session = open(self.walk, &resolved)?;
            if session.is_empty() {
                only_empty.get_or_insert((resolved, session));
                continue;
            }
            met += 1;
            if met == wanted {
                if recent.everywhere && matches!(among, Among::All(_)) {
                    self.listener.note(LibraryNote::CountingAllProjects);
                }
                return Ok((resolved, session));
            }
        }
        // If no session has a conversation, `@` still opens the newest file.
        match only_empty.filter(|_| met == 0 && wanted == 1) {
            Some(opened) => Ok(opened),
            None => Err(self.unfound(NameError::NotThatMany { asked: wanted, found: met })),
        }
    }
}

/// Opens a resolved session.
pub(super) fn open(walk: &HomesWalk, resolved: &Resolved) -> Result<Session, SessionFileError> {
    Session::open(resolved, walk.live_of(resolved.home.as_ref()))
}
