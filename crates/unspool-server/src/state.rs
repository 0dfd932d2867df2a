//! What the server knows while it runs: the library, sessions that are open, and who may look.

use std::sync::Arc;

use tokio::sync::watch;
use unspool_drive::json::ApprovalJson;
use unspool_engine::library::{
    Library, LibraryError, LibraryWatcher, OpenSession, OpenSessions, SessionPlace, SessionRequest,
};
use unspool_model::ids::{ProjectId, SessionId};
use unspool_store::home::{LiveSessions, NameError, Resolved, SessionName, SystemProcesses};
use unspool_store::prices::PriceTable;
use unspool_store::progress::Unwatched;

use crate::access::Access;
use crate::assets::Assets;
use crate::driving::Driving;
use crate::follow::FollowedSessions;
use crate::freshness::IndexFreshness;
use crate::settings::{ServerSettings, TokenPolicy};
use crate::web::{ProblemKind, RequestProblem, WorkPool};

/// What the server knows while it runs.
pub(crate) struct ServerState {
    /// The sessions.
    pub(crate) library: Arc<Library>,
    /// Who may look.
    pub(crate) access: Access,
    /// Whether a request needs a token.
    pub(crate) tokens: TokenPolicy,
    /// Names besides those of loopback that a request may address the server by.
    pub(crate) host_names: Vec<String>,
    /// The port that it listens on, which is part of the cookie's name.
    pub(crate) port: u16,
    /// What the sessions are called as a whole.
    pub(crate) home_label: String,
    /// The folder that paths in logs are shortened by.
    pub(crate) logs_home: Option<String>,
    /// Style sheets and scripts.
    pub(crate) assets: Assets,
    /// Brings the index up to date.
    pub(crate) freshness: IndexFreshness,
    /// The sessions that are open.
    pub(crate) sessions: OpenSessions,
    /// Says what changes in the homes, while there is a connection that wants to know.
    pub(crate) watcher: LibraryWatcher,
    /// The sessions that connections follow.
    pub(crate) followed: FollowedSessions,
    /// Runs of the client; none if the server only reads.
    pub(crate) driving: Option<Driving>,
    /// Where synchronous work is done.
    pub(crate) pool: WorkPool,
    /// Turns true when the server ends. Streams end then.
    pub(crate) ending: watch::Receiver<bool>,
}

impl ServerState {
    /// Makes the state of a server that listens on a port.
    pub(crate) fn new(settings: ServerSettings, port: u16, ending: watch::Receiver<bool>) -> Self {
        Self {
            driving: settings.drive.map(Driving::new),
            freshness: IndexFreshness::new(Arc::clone(&settings.library)),
            watcher: settings.library.watcher(),
            sessions: OpenSessions::default(),
            followed: FollowedSessions::default(),
            library: settings.library,
            access: settings.access,
            tokens: settings.tokens,
            host_names: settings.host_names,
            port,
            home_label: settings.home_label,
            logs_home: settings.logs_home,
            assets: Assets::new(),
            pool: WorkPool::new(settings.limits.workers),
            ending,
        }
    }

    /// Returns what runs the client, unless the server only reads.
    pub(crate) fn driving(&self) -> Result<&Driving, RequestProblem> {
        let detail = "this server only reads; start it with `unspool serve --drive`";
        let problem = || RequestProblem::new(ProblemKind::NotDriving, detail);
        self.driving.as_ref().ok_or_else(problem)
    }

    /// Returns what waits for a person in runs of this server.
    pub(crate) fn approvals(&self) -> Vec<ApprovalJson> {
        let driving = self.driving.as_ref();
        let asked = driving.and_then(|driving| driving.drive().approvals().ok());
        asked.unwrap_or_default().iter().map(ApprovalJson::from).collect()
    }

    /// Returns what tokens cost.
    pub(crate) fn prices(&self) -> &PriceTable {
        &self.library.settings().prices
    }

    /// Returns the name of the cookie. Cookies do not know ports, so the name has the port.
    pub(crate) fn cookie_name(&self) -> String {
        format!("unspool-{}", self.port)
    }

    /// Opens the session of an id, in a project if several have it. The project is given by the name
    /// of its folder, its path, or a part of these. No path of a request reaches the file system.
    pub(crate) fn session_in(
        &self,
        id: &str,
        project: Option<&str>,
    ) -> Result<Arc<OpenSession>, RequestProblem> {
        if !is_session_id(id) {
            return Err(RequestProblem::not_found("no session has this id"));
        }
        let found = match self.find(id, project) {
            // It may be newer than what is known of the homes.
            Err(error) if error.name_error().is_some_and(is_unknown) => {
                self.freshness.freshen_surely()?;
                self.find(id, project)?
            }
            found => found?,
        };
        let opened = self.sessions.open_found(&self.library, found)?;
        let home = opened.found().home.as_ref();
        let live = home.map(|home| LiveSessions::read(home, &SystemProcesses));
        opened.refresh(live.as_ref())?;
        Ok(opened)
    }

    /// Finds a session by its id, or else by the beginning of its id or its name.
    fn find(&self, id: &str, project: Option<&str>) -> Result<Resolved, LibraryError> {
        let exact = SessionPlace {
            project: project.map(ProjectId::new),
            ..SessionPlace::of(SessionId::new(id))
        };
        match self.library.find_session(&exact) {
            Err(error) if error.name_error().is_some_and(is_unknown) => {
                let request = SessionRequest { name: id, project };
                Ok(self.library.session(&request, &Unwatched)?.found)
            }
            found => found,
        }
    }
}

fn is_unknown(error: &NameError) -> bool {
    matches!(error, NameError::Unknown { .. })
}

/// Tells whether a text can be the id of a session, or the beginning of one: whether it is only
/// compared with names, and not taken for a file or for a place in time.
pub(crate) fn is_session_id(text: &str) -> bool {
    /// The longest name that file systems have.
    const LONGEST: usize = 255;
    let is_name = matches!(SessionName::parse(text), SessionName::Prefix(_));
    let is_unsafe = |c: char| c.is_control() || matches!(c, '/' | '\\');
    is_name && !text.is_empty() && text.len() <= LONGEST && !text.contains(is_unsafe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_only_compared() {
        for id in ["5f3a", "agent-a1", "my session", "v1.2"] {
            assert!(is_session_id(id), "{id}");
        }
        let long = "x".repeat(300);
        for text in ["", "@", "@2", "a/b", "../x", "a\\b", "x.jsonl", "a\0b", &long] {
            assert!(!is_session_id(text), "{text}");
        }
    }
}
