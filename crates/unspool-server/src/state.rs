//! What the server knows while it runs: the library, sessions that are open, and who may look.

use std::sync::Arc;

use tokio::sync::watch;
use unspool_engine::library::{Library, LibraryError, OpenSession, SessionRequest};
use unspool_store::progress::Unwatched;

use crate::access::Access;
use crate::assets::Assets;
use crate::settings::{ServerSettings, TokenPolicy};
use crate::web::{Problem, WorkPool};

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
    /// Where synchronous work is done.
    pub(crate) pool: WorkPool,
    /// Turns true when the server ends. Streams end then.
    pub(crate) ending: watch::Receiver<bool>,
}

impl ServerState {
    /// Makes the state of a server that listens on a port.
    pub(crate) fn new(settings: ServerSettings, port: u16, ending: watch::Receiver<bool>) -> Self {
        Self {
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

    /// Opens the session of an id, in one project if two have it, under the title that other logs
    /// may give to it.
    pub(crate) fn session_in(
        &self,
        id: &str,
        project: Option<&str>,
    ) -> Result<Arc<OpenSession>, LibraryError> {
        let request = SessionRequest { name: id, project };
        let mut opened = self.library.session(&request, &Unwatched)?;
        self.library.add_title(&mut opened);
        Ok(Arc::new(OpenSession::new(opened)))
    }

    /// Opens the session of an id. Requests name sessions by id alone: a path never reaches the
    /// file system.
    pub(crate) fn session(&self, id: &str) -> Result<Arc<OpenSession>, Problem> {
        if !is_session_id(id) {
            return Err(Problem::not_found("there is no session of this id"));
        }
        let request = SessionRequest::named(id);
        let opened = self.library.open_session(&request, &Unwatched)?;
        Ok(opened)
    }
}

/// Tells whether a text can be the id of a session, or the beginning of one.
pub(crate) fn is_session_id(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !text.is_empty() && text.len() <= 128 && text.chars().all(is_letter)
}
