//! Suggestions for a prompt: slash commands, models and files.
//!
//! A running client is asked. Otherwise the store has the menu that the last client reported, and files are
//! searched in the folder, which must be trusted.

use std::path::{Path, PathBuf};

use super::{Drive, DriveError};
use crate::ids::RunId;
use crate::listing::matching_files;
use crate::socket::{HostReply, HostRequest, SocketError};
use crate::trust::TrustVerdict;
use crate::wire::ClientMenu;

impl Drive {
    /// Returns the commands and models of a run's client, also after the run ended. Empty before the client
    /// has reported them.
    pub fn menu(&self, run: &RunId) -> Result<ClientMenu, DriveError> {
        self.record(run)?;
        Ok(self.store.menu(run)?)
    }

    /// Returns the menu of the last client of a session, or else of the last one in a folder, with its run;
    /// `None` if neither is known.
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

    /// Asks the client of a run for files that match a typed path, the best match first.
    pub fn suggest_files(&self, run: &RunId, query: &str) -> Result<Vec<String>, DriveError> {
        let query = query.to_owned();
        match self.ask(run, &HostRequest::SuggestFiles { query })? {
            HostReply::Files { files } => Ok(files),
            _ => Err(SocketError::Garbled.into()),
        }
    }

    /// Searches a trusted folder for files that match a typed path, the best match first; like
    /// [`Self::suggest_files`], but without a client.
    pub fn files_in(&self, folder: &Path, query: &str) -> Result<Vec<String>, DriveError> {
        Ok(matching_files(&self.trusted_folder(folder)?, query))
    }

    /// Returns the resolved path of a folder; an error if it is not trusted.
    pub(super) fn trusted_folder(&self, folder: &Path) -> Result<PathBuf, DriveError> {
        match self.trust_of(folder)? {
            (TrustVerdict::Trusted, report) => Ok(report.folder),
            (_, report) => Err(DriveError::Untrusted(Box::new(report))),
        }
    }
}
