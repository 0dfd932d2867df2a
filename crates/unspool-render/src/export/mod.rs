//! Sessions as self-contained files.
//!
//! The input is an [`ExportRequest`]: sessions, a format, a layout. [`plan()`] reads every session
//! once and decides which paths become files, and their names; [`write()`] writes the files into a
//! folder or a site, one session at a time on each thread; [`write_one()`] writes a single
//! transcript to a writer. The results are data: what was written, and what was left out and why.
//!
//! # Which paths are left out
//!
//! A path is left out if all its entries are on a path of *another session* of the selection; it is
//! listed with the path that contains it. Of two equal paths, the one of the session that began
//! first stays, and then the one with the smaller id. Within a session nothing is left out: each
//! ending is a path, and the active path is written even if an abandoned one continues it. So a
//! session that a fork or an older resume copied is exported once, inside the copy.

mod head;
pub mod json;
mod listed;
mod names;
mod paper;
mod people;
mod plan;
mod site;
mod subset;
mod survey;
mod write;

use std::io;
use std::path::PathBuf;

use unspool_model::ids::SessionId;
use unspool_model::positions::PathNumber;
use unspool_redact::{Redactor, SessionRedactor, Treatment};
use unspool_text::html::Painting;

pub use self::people::people;
pub use self::plan::{ExportPlan, PlannedAgent, PlannedPath, PlannedSession, SkippedPath, plan};
pub use self::write::{ExportReport, WrittenTranscript, write, write_one};
use crate::document::{AgentLayout, PathStatus};
pub use crate::html::SITE_START;
use unspool_engine::ops::transcript::ViewKind;
use unspool_store::home::{Resolved, SessionFile};
use unspool_store::prices::PriceTable;
use unspool_store::session::{Session, SessionFileError};

/// What to export.
pub struct ExportRequest<'a> {
    /// The sessions, in the order in which they get their names.
    pub sources: &'a [Resolved],
    /// Opens a session.
    pub open: &'a (dyn Fn(&Resolved) -> Result<Session, SessionFileError> + Sync),
    /// Lists the sessions that a session may share entries with.
    pub relatives: &'a (dyn Fn(&Resolved) -> Vec<SessionFile> + Sync),
    /// The format of the files.
    pub format: Format,
    /// The paths to export of each session.
    pub paths: PathChoice,
    /// Where agents are shown.
    pub agents: AgentLayout,
    /// Whole histories, or the context that the model would be sent, which is of the active path.
    pub view: ViewKind,
    /// The prices of tokens.
    pub prices: &'a PriceTable,
    /// Whether transcripts are standalone or in a site.
    pub setting: OutputSetting,
    /// The detector of secrets and the treatment of what it finds; `None` changes nothing.
    pub redaction: Option<(&'a Redactor, Treatment)>,
}

/// Where the file of a transcript is put.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OutputSetting {
    /// A folder that the user chose.
    #[default]
    Folder,
    /// A site with lists and a search; its transcripts are pages.
    Site,
}

impl ExportRequest<'_> {
    /// Creates the lens through which all texts of one session are read.
    fn lens(&self) -> Option<SessionRedactor<'_>> {
        let (redactor, treatment) = self.redaction?;
        Some(SessionRedactor::new(redactor, treatment))
    }

    /// Returns an id as file names may show it.
    fn shown_id(&self, id: &str) -> String {
        match self.redaction {
            Some((redactor, Treatment::Replace)) => redactor.id(id).into_owned(),
            _ => id.to_owned(),
        }
    }

    /// Returns whether only the active path of each session is exported.
    fn only_active(&self) -> bool {
        self.paths == PathChoice::Active || self.view == ViewKind::Context
    }
}

/// The format of a transcript's file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Format {
    /// Markdown.
    #[default]
    Markdown,
    /// Self-contained pages.
    Html(Painting),
    /// One JSON object, as of `show --json`.
    Json,
    /// The original lines of the path.
    Jsonl,
    /// Plain text.
    Text,
}

impl Format {
    /// Returns the extension of file names.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html(_) => "html",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Text => "txt",
        }
    }
}

/// Which paths of a session are exported.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PathChoice {
    /// All of them, one for each ending.
    #[default]
    All,
    /// The path that a resume would continue.
    Active,
}

/// A path of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathRef {
    /// The session.
    pub session: SessionId,
    /// The home of the session.
    pub home: Option<PathBuf>,
    /// The number of the path.
    pub number: PathNumber,
    /// Whether a resume would continue the path.
    pub status: PathStatus,
}

/// A file or folder that an export could not write.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// The cause.
    #[source]
    pub error: io::Error,
}
