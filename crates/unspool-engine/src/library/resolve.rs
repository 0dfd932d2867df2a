//! From a name to a session.

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

/// Which session is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionRequest<'a> {
    /// Its name: an id, the beginning of one, the name that a person gave it, `@`, `@2` …, or the
    /// path of a log.
    pub name: &'a str,
    /// The project to look in: its name, its path, or a part of these; every project if none.
    pub project: Option<&'a str>,
}

impl<'a> SessionRequest<'a> {
    /// Asks for a session by its name, in all projects.
    pub fn named(name: &'a str) -> Self {
        Self { name, project: None }
    }
}

/// One request for a session by its name.
pub(super) struct Resolver<'a> {
    pub(super) library: &'a Library,
    pub(super) walk: &'a HomesWalk,
    pub(super) listener: &'a dyn Listener,
}

/// Where a session is looked for.
enum Among<'a> {
    /// In all projects.
    All(&'a [Discovery]),
    /// In the projects that a request names.
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
    /// Finds the session that a name means.
    pub(super) fn resolve(&self, name: &str) -> Result<Resolved, LibraryError> {
        let all = Among::All(self.walk.found());
        match SessionName::parse(name) {
            SessionName::Newest(wanted) => Ok(self.newest(&all, wanted)?.0),
            name => self.find(&all, &name),
        }
    }

    /// Opens the session that a request means.
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

    /// Finds the session of an id or a file, or else the session that a person gave this name.
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
        if text.is_empty() || is_uuid(text) {
            return Err(self.unfound(error));
        }
        let names = self.given_names();
        match names.logs(text) {
            Some(logs) => Ok(home::of_logs(text, &logs, found)?),
            None => Err(self.unfound(names.add_near(error))),
        }
    }

    /// Returns the names that people gave to sessions. An index that cannot be used has none.
    fn given_names(&self) -> GivenNames {
        let listing = self.library.listing(self.walk, AgentRows::Folded, self.listener);
        GivenNames::of(listing.unwrap_or_default().rows)
    }

    /// Makes an error of a name that leads nowhere. A home that does not exist explains it.
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

    /// Opens the newest session but so many, passing over files without a conversation.
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
        match only_empty.filter(|_| met == 0 && wanted == 1) {
            Some(opened) => Ok(opened),
            None => Err(self.unfound(NameError::NotThatMany { asked: wanted, found: met })),
        }
    }
}

/// Opens a session that was found.
pub(super) fn open(walk: &HomesWalk, resolved: &Resolved) -> Result<Session, SessionFileError> {
    Session::open(resolved, walk.live_of(resolved.home.as_ref()))
}
