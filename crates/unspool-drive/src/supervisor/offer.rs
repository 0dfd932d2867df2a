//! What a person who writes a prompt can choose from: slash commands, models and files.
//!
//! A client that runs is asked. Without one, what the last client said is in the store, and files are looked
//! for in the folder, which has to be trusted.

use std::path::{Path, PathBuf};

use super::{Drive, DriveError};
use crate::ids::RunId;
use crate::listing::matching_files;
use crate::socket::{HostReply, HostRequest, SocketError};
use crate::trust::TrustVerdict;
use crate::wire::ClientMenu;

impl Drive {
    /// Returns what the client of a run offers: slash commands and models. Nothing before the client
    /// has begun; known after the run ended, too.
    pub fn menu(&self, run: &RunId) -> Result<ClientMenu, DriveError> {
        self.record(run)?;
        Ok(self.store.menu(run)?)
    }

    /// Returns what the last client of a session offered, or else the last one in a folder, with its run; none
    /// if neither is known.
    pub fn last_menu(
        &self,
        session: Option<&str>,
        folder: &Path,
    ) -> Result<Option<(RunId, ClientMenu)>, DriveError> {
        let runs = self.store.runs()?;
        let of_session = runs.iter().filter(|run| session == Some(&run.session));
        let in_folder = runs.iter().filter(|run| run.plan.cwd == folder);
        for run in of_session.chain(in_folder) {
            let menu = self.store.menu(&run.id)?;
            if menu != ClientMenu::default() {
                return Ok(Some((run.id.clone(), menu)));
            }
        }
        Ok(None)
    }

    /// Asks the client of a run for files whose paths go on from a beginning, the best first.
    pub fn suggest_files(&self, run: &RunId, query: &str) -> Result<Vec<String>, DriveError> {
        let query = query.to_owned();
        match self.ask(run, &HostRequest::SuggestFiles { query })? {
            HostReply::Files { files } => Ok(files),
            _ => Err(SocketError::Garbled.into()),
        }
    }

    /// Looks in a trusted folder for files whose paths go on from a beginning, the best first: what
    /// [`Self::suggest_files`] says of a run, without a client.
    pub fn files_in(&self, folder: &Path, query: &str) -> Result<Vec<String>, DriveError> {
        Ok(matching_files(&self.trusted_folder(folder)?, query))
    }

    /// Returns a folder without links, or refuses one that is not trusted.
    pub(super) fn trusted_folder(&self, folder: &Path) -> Result<PathBuf, DriveError> {
        match self.trust_of(folder)? {
            (TrustVerdict::Trusted, report) => Ok(report.folder),
            (_, report) => Err(DriveError::Untrusted(Box::new(report))),
        }
    }
}
