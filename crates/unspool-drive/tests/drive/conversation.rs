//! A conversation that a separate program has with the library, so that tests can kill the program.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use unspool_drive::{
    ClientProgram, Drive, DriveError, DriveSettings, HostCommand, PersonChoice, PromptContent,
    PromptId, RunId, RunLimits, RunNeed, RunRequest, SendWhen,
};
use unspool_store::home::ClientHomes;

use crate::test_clock::FileClock;

/// The folders and programs of a test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TestPlace {
    pub(crate) state: PathBuf,
    pub(crate) sockets: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) cwd: PathBuf,
    pub(crate) client: ClientProgram,
    /// The command that starts a host.
    pub(crate) host: Vec<String>,
}

impl TestPlace {
    pub(crate) fn open(&self) -> Result<Arc<Drive>, DriveError> {
        let drive = Drive::open(DriveSettings {
            state: self.state.clone(),
            sockets: self.sockets.clone(),
            home: self.state.join("no-home"),
            client_homes: ClientHomes {
                usual: Some(self.state.join("no-home")),
                ..ClientHomes::default()
            },
            client: self.client.clone(),
            host: HostCommand {
                program: self.host[0].clone().into(),
                arguments: self.host[1..].to_vec(),
            },
            may_bypass: false,
            limits: RunLimits::default(),
            clock: Arc::new(FileClock::in_folder(&self.state)),
        })?;
        Ok(Arc::new(drive))
    }

    pub(crate) fn request(&self, run: &RunId) -> RunRequest {
        let mut request = RunRequest::new(run.clone(), &self.cwd, "test");
        request.home = Some(self.home.clone());
        request
    }
}

/// A conversation with fixed ids, so that it can be repeated.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TestConversation {
    pub(crate) place: TestPlace,
    pub(crate) run: RunId,
    pub(crate) prompts: Vec<(PromptId, String)>,
}

impl TestConversation {
    /// Starts the run, adds the prompts, and allows all requests until the run is idle or over. Repeating
    /// this has no further effect.
    pub(crate) fn hold(&self) -> Result<(), DriveError> {
        let drive = self.place.open()?;
        let report = drive.scan_folder(&self.place.cwd)?;
        drive.trust(&self.place.cwd, &report.print, "test")?;
        drive.start(&self.place.request(&self.run))?;
        for (id, text) in &self.prompts {
            let content = PromptContent::text(text.as_str());
            drive.put_prompt(&self.run, id, &content, SendWhen::Idle, "test")?;
        }
        answer_all(&drive, &self.run)
    }
}

/// Allows all requests of a run until it is idle or over.
pub(crate) fn answer_all(drive: &Arc<Drive>, run: &RunId) -> Result<(), DriveError> {
    loop {
        let found = drive.wait(std::slice::from_ref(run), |view| view.need().is_some())?;
        if found.iter().all(|view| view.need() != Some(RunNeed::Answer)) {
            return Ok(());
        }
        let open = found.iter().flat_map(|view| &view.approvals);
        for approval in open.filter(|approval| approval.resolution.is_none()) {
            match drive.answer(&approval.id, &PersonChoice::allow(), "test") {
                Ok(_) | Err(DriveError::ApprovalOver(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }
}
