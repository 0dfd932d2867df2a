//! The command that goes on with a session.

use std::path::{Path, PathBuf};

use unspool_engine::library::{OpenSession, OpenState};
use unspool_engine::ops::resume::{self, ClientHomes, ResumeRequest, ResumeSubject};
use unspool_store::home::layout::DEFAULT_HOME;

use crate::state::ServerState;

/// Returns the command for a shell: into the session's folder, then the client. The shell is one
/// that the person opens, so a home is named unless it is the usual one.
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
