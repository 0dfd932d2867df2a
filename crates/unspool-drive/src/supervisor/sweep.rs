//! Removes old spools and runs.
//!
//! A spool with an answer that the log lacks is kept longer: the client died before it wrote the answer, and
//! the spool has the only copy.

use std::fs;
use std::path::PathBuf;

use memchr::memmem;
use unspool_model::ids::is_uuid;
use unspool_store::home::Home;
use unspool_store::home::layout::log_name;

use super::follow::frame_of;
use super::{Drive, DriveError, leftovers};
use crate::ids::RunId;
use crate::spool::last_in_spool;
use crate::store::{RunRecord, StoreChange};
use crate::wire::ClientMessage;

/// How long a spool is kept after the end of its run, if the log has its last answer.
const KEPT_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// How long a run is kept after its end. By judgement: long enough to continue it or to review its requests
/// and answers, and short enough to keep the store small.
const KNOWN_MILLIS: i64 = 30 * 24 * 60 * 60 * 1000;

impl Drive {
    /// Removes the spools of runs that ended a day ago and whose last answer is in the log, and deletes runs
    /// that ended 30 days ago. Returns the number of runs from which something was removed.
    pub fn sweep(&self) -> Result<usize, DriveError> {
        let now = self.now().as_millis();
        let mut removed = 0;
        for run in self.store.runs()? {
            let Some(ended) = run.end.as_ref().map(|end| end.at.as_millis()) else {
                continue;
            };
            let has_spool = now - ended >= KEPT_MILLIS && self.folders.run(&run.id).exists();
            let is_removed = has_spool && self.is_logged(&run);
            if is_removed {
                self.remove_folder(&run.id)?;
            }
            let is_old = now - ended >= KNOWN_MILLIS && leftovers(&run).is_empty();
            if is_old {
                self.forget(&run.id)?;
            }
            removed += usize::from(is_removed || is_old);
        }
        Ok(removed)
    }

    /// Deletes a run that is over, with its prompts and approvals. Its session is not touched. Its id becomes
    /// unknown, so starting a run with the same id makes another run.
    pub fn forget(&self, id: &RunId) -> Result<(), DriveError> {
        let run = self.settle(self.record(id)?)?;
        if !run.state.is_over() {
            return Err(DriveError::NotOver(run.state));
        }
        self.remove_folder(id)?;
        Ok(self.store.write(&[StoreChange::Forget(id.clone())])?)
    }

    fn remove_folder(&self, id: &RunId) -> Result<(), DriveError> {
        let gone = self.folders.remove_run(id);
        gone.map_err(|error| DriveError::file(&self.folders.run(id), error))
    }

    /// Tells whether the log of a run has the last answer of its spool; true if the spool has no answer.
    fn is_logged(&self, run: &RunRecord) -> bool {
        let last = last_in_spool(&self.folders.spool(&run.id), |line| {
            let frame = frame_of(line)?;
            match frame.said {
                ClientMessage::Answer { message } => Some((frame.session?, message)),
                _ => None,
            }
        });
        let Ok(Some((session, message))) = last else {
            return true;
        };
        let has = |log: PathBuf| {
            fs::read(log).is_ok_and(|log| memmem::find(&log, message.as_bytes()).is_some())
        };
        let logs = logs_of(&Home::new(&run.plan.home), &session);
        logs.into_iter().any(has)
    }
}

/// Returns the logs of a session in a home. The id comes from the client and becomes a path, so only a uuid
/// is accepted.
pub(super) fn logs_of(home: &Home, session: &str) -> Vec<PathBuf> {
    if !is_uuid(session) {
        return Vec::new();
    }
    let projects = fs::read_dir(home.projects_dir()).into_iter().flatten();
    let logs = projects.flatten().map(|project| project.path().join(log_name(session)));
    logs.filter(|log| log.is_file()).collect()
}
