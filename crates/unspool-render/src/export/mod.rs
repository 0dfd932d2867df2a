//! Sessions as self-contained files.
//!
//! What goes in is a [`ExportRequest`]: sessions, a format, a layout. [`plan()`] reads every session
//! once and decides which paths become files and what they are called; [`write()`] makes the
//! files, one session at a time on each thread, in a folder or in a site; [`write_one()`] puts a
//! single transcript on a writer. What comes out is data: what was written, and what was left out and why.
//!
//! # Which paths are left out
//!
//! A path whose entries are all in a path of *another session* of the selection is left out
//! and listed with the one that contains it; of two that are the same, the one of the session
//! that began first stays, and of those the one with the smaller id. Within a session nothing is
//! left out: each ending is a path, and the active path is written also when an abandoned one goes
//! on from where it ends. So the session that a fork or an older resume was copied from is
//! exported once, inside the copy.

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
use unspool_redact::{Lens, Redactor, Treatment};
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
    /// Opens one of them.
    pub open: &'a (dyn Fn(&Resolved) -> Result<Session, SessionFileError> + Sync),
    /// Lists the sessions that one of them may share entries with.
    pub relatives: &'a (dyn Fn(&Resolved) -> Vec<SessionFile> + Sync),
    /// What the files are.
    pub format: Format,
    /// Which paths of each session.
    pub paths: PathChoice,
    /// Where agents go.
    pub agents: AgentLayout,
    /// Whole histories, or what the model would be sent; that is of the active path.
    pub view: ViewKind,
    /// What tokens cost.
    pub prices: &'a PriceTable,
    /// Whether transcripts are standalone or in a site.
    pub setting: OutputSetting,
    /// What finds secrets, and what becomes of them.
    pub redaction: Option<(&'a Redactor, Treatment)>,
}

/// What a transcript's file is in.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OutputSetting {
    /// A folder of the user's.
    #[default]
    Folder,
    /// A site with lists and a search; its transcripts are pages.
    Site,
}

impl ExportRequest<'_> {
    /// Makes a lens that everything of one session is read through.
    fn lens(&self) -> Option<Lens<'_>> {
        let (redactor, treatment) = self.redaction?;
        Some(Lens::new(redactor, treatment))
    }

    /// Returns an id as the name of a file may show it.
    fn shown_id(&self, id: &str) -> String {
        match self.redaction {
            Some((redactor, Treatment::Replace)) => redactor.id(id).into_owned(),
            _ => id.to_owned(),
        }
    }

    /// Tells whether only the active path of each session is wanted.
    fn only_active(&self) -> bool {
        self.paths == PathChoice::Active || self.view == ViewKind::Context
    }
}

/// What a transcript's file is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Format {
    /// Markdown.
    #[default]
    Markdown,
    /// Pages that need nothing else.
    Html(Painting),
    /// One JSON object, that of `show --json`.
    Json,
    /// The original lines of the path.
    Jsonl,
    /// Plain text.
    Text,
}

impl Format {
    /// Returns the ending of the file's name.
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
    /// One for each ending.
    #[default]
    All,
    /// The one that a resume would go on from.
    Active,
}

/// One path of one session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathRef {
    /// The session.
    pub session: SessionId,
    /// The home that the session is in.
    pub home: Option<PathBuf>,
    /// The path's number.
    pub number: PathNumber,
    /// Whether a resume would go on from it.
    pub status: PathStatus,
}

/// Why an export could not go on.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// What went wrong.
    #[source]
    pub error: io::Error,
}
