//! The state of a running server: the library, open sessions, and access control.

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
use crate::refresher::IndexRefresher;
use crate::settings::{ServerSettings, TokenPolicy};
use crate::web::{ProblemKind, RequestProblem, WorkPool};

/// The state of a running server.
pub(crate) struct ServerState {
    /// The library of the served sessions.
    pub(crate) library: Arc<Library>,
    /// The tokens and the codes of one-time links.
    pub(crate) access: Access,
    /// Whether a request needs a token.
    pub(crate) tokens: TokenPolicy,
    /// Host names of the server, in addition to those of loopback.
    pub(crate) host_names: Vec<String>,
    /// The port that the server listens on, which is part of the cookie's name.
    pub(crate) port: u16,
    /// A label for all sessions.
    pub(crate) home_label: String,
    /// The folder that is abbreviated to `~` in paths from logs.
    pub(crate) logs_home: Option<String>,
    /// Style sheets, scripts and icons.
    pub(crate) assets: Assets,
    /// Updates the index.
    pub(crate) refresher: IndexRefresher,
    /// The open sessions.
    pub(crate) sessions: OpenSessions,
    /// Reports changes in the homes, while a connection listens.
    pub(crate) watcher: LibraryWatcher,
    /// The sessions that connections follow.
    pub(crate) followed: FollowedSessions,
    /// Runs of the client; none if the server only reads.
    pub(crate) driving: Option<Driving>,
    /// Runs synchronous work.
    pub(crate) pool: WorkPool,
    /// Becomes true when the server stops, which ends streams.
    pub(crate) ending: watch::Receiver<bool>,
}

impl ServerState {
    /// Creates the state of a server that listens on a port.
    pub(crate) fn new(settings: ServerSettings, port: u16, ending: watch::Receiver<bool>) -> Self {
        Self {
            driving: settings.drive.map(Driving::new),
            refresher: IndexRefresher::new(Arc::clone(&settings.library)),
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

    /// Returns the runs of the client, or a problem if the server only reads.
    pub(crate) fn driving(&self) -> Result<&Driving, RequestProblem> {
        let detail = "this server only reads; start it with `unspool serve --drive`";
        let problem = || RequestProblem::new(ProblemKind::NotDriving, detail);
        self.driving.as_ref().ok_or_else(problem)
    }

    /// Returns the open approvals of all runs.
    pub(crate) fn approvals(&self) -> Vec<ApprovalJson> {
        let driving = self.driving.as_ref();
        let asked = driving.and_then(|driving| driving.drive().approvals().ok());
        asked.unwrap_or_default().iter().map(ApprovalJson::from).collect()
    }

    /// Returns the prices of tokens.
    pub(crate) fn prices(&self) -> &PriceTable {
        &self.library.settings().prices
    }

    /// Returns the name of the cookie. It contains the port, since browsers send a cookie to all
    /// ports of a host.
    pub(crate) fn cookie_name(&self) -> String {
        format!("unspool-{}", self.port)
    }

    /// Opens a session by its id, in a project if several have the id. The project is given by the name of
    /// its folder, its path, or a part of these. No path in a request reaches the file system.
    pub(crate) fn session_in(
        &self,
        id: &str,
        project: Option<&str>,
    ) -> Result<Arc<OpenSession>, RequestProblem> {
        if !is_session_id(id) {
            return Err(RequestProblem::not_found("no session has this id"));
        }
        let found = match self.find(id, project) {
            // The session may be newer than the index.
            Err(error) if error.name_error().is_some_and(is_unknown) => {
                self.refresher.refresh()?;
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

    /// Finds a session by its id, or else by a prefix of its id or by its name.
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

/// Returns whether a text can be the id of a session, or a prefix of one: whether it is only
/// compared with names, and is not read as a file or as a position like `@2`.
pub(crate) fn is_session_id(text: &str) -> bool {
    /// The longest name that file systems allow.
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
