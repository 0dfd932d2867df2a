//! The services of the binary for the full-screen program.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use tempfile::{TempDir, TempPath};
use unspool_drive::RunId;
use unspool_engine::library::Library;
use unspool_model::ids::{EntryId, ProjectId};
use unspool_server::session_page;
use unspool_tui::{
    ExportKind, PageRefusal, ResumeOffer, ResumeRefusal, ResumeWay, SessionSubject, TuiCommand,
    TuiHost,
};

use super::{drafts, export, tools};
use crate::driving::notify;
use crate::opener::browser;
use crate::server_address::ServerAddress;
use crate::settings::Settings;

/// The file in the data folder with the saved state of the program.
const KEPT: &str = "terminal.json";

/// Implements the services that need other crates than the program's own.
pub(super) struct ProgramHost {
    library: Arc<Library>,
    settings: Settings,
    /// Texts that editors show; deleted with the host.
    texts: TempDir,
    /// Files that redirect a browser to a page. They must exist until the browser has read them.
    pages: Mutex<Vec<TempPath>>,
}

impl ProgramHost {
    #[expect(clippy::disallowed_methods, reason = "texts that an editor reads")]
    pub(super) fn new(library: Arc<Library>, settings: &Settings) -> Result<Self> {
        let texts = tempfile::Builder::new().prefix("unspool-").tempdir();
        Ok(Self {
            library,
            settings: settings.clone(),
            texts: texts.context("no folder for texts can be made")?,
            pages: Mutex::default(),
        })
    }

    fn state_file(&self) -> Option<PathBuf> {
        Some(self.library.data_folder().ok()?.join(KEPT))
    }

    /// Returns the URL of a session's page on a running server.
    fn page(&self, session: &SessionSubject) -> Result<String, PageRefusal> {
        let state = self.settings.data.as_deref();
        let place = state.and_then(|state| ServerAddress::of_running(state, None));
        let Some(place) = place else {
            return Err(tools::server_offer(&self.settings));
        };
        let at = session.place.clone();
        // If several projects have a session with this id, the URL names the project.
        let shared = self.library.shared_ids([&at.session]).unwrap_or_default();
        let project = at.project.filter(|_| shared.contains(&at.session));
        let project = project.as_ref().map(ProjectId::as_str);
        let entry = session.entry.as_ref().map(EntryId::as_str);
        Ok(place.url(&session_page(at.session.as_str(), project, entry)))
    }
}

impl TuiHost for ProgramHost {
    fn resume(
        &self,
        session: &SessionSubject,
        way: &ResumeWay,
    ) -> Result<ResumeOffer, ResumeRefusal> {
        tools::resume(&self.library, &self.settings, session, way)
    }

    fn export(&self, sessions: &[SessionSubject], kind: ExportKind) -> Result<String, String> {
        let written = export::export(&self.library, sessions, kind, &self.settings.here);
        written.map_err(|error| format!("{error:#}"))
    }

    fn browse(&self, session: &SessionSubject) -> Result<String, PageRefusal> {
        let page = self.page(session)?;
        if !self.settings.has_screen {
            let words = format!("there is no screen to open a browser on: {page}");
            return Err(PageRefusal::Other(words));
        }
        match browser::start(&page, &self.settings) {
            Ok((file, true)) => {
                let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
                pages.push(file);
                Ok(format!("opened {page}"))
            }
            Ok((_, false)) => {
                let words = format!("no program opens the browser: {page}");
                Err(PageRefusal::Other(words))
            }
            Err(error) => Err(PageRefusal::Other(format!("{error:#}"))),
        }
    }

    fn link(&self, session: &SessionSubject) -> Result<String, PageRefusal> {
        self.page(session)
    }

    fn editor(&self, text: &str, line: usize) -> Result<TuiCommand, String> {
        let editor = self.settings.terminal.editor.as_deref();
        tools::editor(editor, self.texts.path(), text, line).map_err(|error| error.to_string())
    }

    fn copy(&self, text: &str) -> bool {
        self.settings.has_screen && tools::copy(text)
    }

    fn load(&self) -> Option<String> {
        std::fs::read_to_string(self.state_file()?).ok()
    }

    fn save(&self, kept: &str) {
        // State that could not be saved gets its defaults in the next run.
        let _ = self.state_file().map(|file| tools::replace_file(&file, kept));
    }

    fn draft(&self, session: &str) -> Option<String> {
        drafts::read(self.library.data_folder().ok()?, session)
    }

    fn keep_draft(&self, session: &str, text: &str) {
        // A draft that could not be saved is still on the screen.
        let state = self.library.data_folder();
        let _ = state.map(|state| drafts::save(state, session, text));
    }

    fn run_began(&self, run: &RunId) {
        // A run does not depend on the user's command.
        let _ = notify::begin(run, &self.settings);
    }
}
