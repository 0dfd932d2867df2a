//! The command that continues a session.

use std::path::{Path, PathBuf};

use unspool_engine::library::{OpenSession, OpenState};
use unspool_engine::ops::resume::{self, ClientHomes, ResumeRequest, ResumeSubject};
use unspool_store::home::layout::DEFAULT_HOME;

use crate::state::ServerState;

/// Returns the shell command that changes to the session's folder and starts the client. A person
/// runs it in a new shell, so it names the home unless that is the default one.
pub(super) fn resume_command(open: &OpenSession, view: &OpenState, state: &ServerState) -> String {
    let usual = state.logs_home.as_deref().map(Path::new);
    let homes = ClientHomes {
        usual: usual.map(|home| home.join(DEFAULT_HOME)),
        named: None,
        here: PathBuf::new(),
    };
    let subject = ResumeSubject::of(open.found(), view.session(), &homes);
    resume::plan(&subject, &ResumeRequest::default()).shell_line(&["claude"])
}
