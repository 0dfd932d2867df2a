//! What the program is started with, and what it returns.
//!
//! The binary resolves every value: the program reads no environment variables and no settings files. Work
//! that needs other crates than those below this one (exporting, pages, resuming) goes to the binary
//! through [`TuiHost`].

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use jiff::tz::TimeZone;
use unspool_drive::RunId;
use unspool_drive::supervisor::Drive;
use unspool_engine::library::{Library, SessionPlace};
use unspool_engine::ops::resume::ResumeBranch;
use unspool_model::ids::EntryId;
use unspool_model::names;
use unspool_render::keys::KeyAction;
use unspool_store::filter::RowFilter;
use unspool_store::rows::SessionRow;

use crate::theme::{ColorDepth, TerminalBackground};

/// Settings of the program.
#[derive(Clone)]
pub struct TuiSettings {
    /// The library that lists, searches and reads sessions.
    pub library: Arc<Library>,
    /// The access to driven runs, or why there is none.
    pub drive: Result<Arc<Drive>, String>,
    /// The home of new sessions; the client's default if `None`.
    pub new_home: Option<PathBuf>,
    /// The services of the binary.
    pub host: Arc<dyn TuiHost>,
    /// The zone that times are shown in.
    pub zone: TimeZone,
    /// The user's home folder, which paths are abbreviated with.
    pub user_home: Option<String>,
    /// The working directory.
    pub here: PathBuf,
    /// How many colours the terminal has.
    pub depth: ColorDepth,
    /// Whether the terminal's background is dark or light, if known.
    pub background: Option<TerminalBackground>,
    /// Whether the mouse is captured.
    pub mouse: MouseUse,
    /// The multiplexer that the terminal runs in, if any.
    pub terminal: TerminalKind,
    /// The first screen.
    pub start: StartScreen,
    /// Key bindings of the settings, with keys written as in the table of keys.
    pub keys: BTreeMap<String, KeyAction>,
    /// The places of the homes, in words, for a home without sessions.
    pub home_labels: String,
    /// The thread that panics when F12 is pressed, for tests of the cleanup.
    pub fault: Option<TuiFault>,
    /// Whether the homes are scanned.
    pub refresh: CatalogueRefresh,
    /// The filter of the picker; all sessions by default.
    pub filter: RowFilter,
}

/// Whether the program brings the catalogue up to date.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum CatalogueRefresh {
    /// After the first frame, and when files change.
    #[default]
    Walked,
    /// Never: rows are those of the catalogue as it is.
    Never,
}

names! {
    /// The thread that panics in a test.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum TuiFault {
        /// The event loop.
        Loop = "loop",
        /// A worker.
        Worker = "worker",
        /// The thread that reads keys.
        Keys = "keys",
    }
}

/// Whether the program captures the mouse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MouseUse {
    /// The program gets clicks, the wheel and drags.
    Taken,
    /// The terminal keeps the mouse, for selecting text.
    Released,
}

/// The multiplexer of a terminal, as far as it matters for the clipboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TerminalKind {
    /// None that is known.
    Plain,
    /// tmux, which passes clipboard sequences on only if configured to.
    Tmux,
}

/// The first screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartScreen {
    /// The picker.
    Picker(PickerUse),
    /// A session.
    Session {
        /// The session's place.
        place: SessionPlace,
        /// Set to follow the session's end while it grows.
        follows: bool,
    },
    /// The running sessions.
    Live,
}

/// The purpose of the picker.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum PickerUse {
    /// Browsing: Enter opens the reader.
    #[default]
    Browse,
    /// Choosing sessions for a script: Enter chooses.
    Choose {
        /// Set if several sessions may be marked.
        several: bool,
        /// The initial query.
        query: String,
    },
    /// Editing a prompt: Enter inserts a part of a session into it.
    Insert,
}

/// How the program ended.
#[derive(Clone, Debug)]
pub enum TuiOutcome {
    /// The user left the program.
    Left,
    /// The user pressed Control-C.
    Interrupted,
    /// The user chose these sessions.
    Chosen(Vec<SessionRow>),
    /// The user chose a text for the prompt that is being edited.
    Inserted(String),
    /// The prompt is to be edited in the user's own editor.
    EditElsewhere,
    /// A signal with this number ended the program.
    Ended(i32),
    /// A command takes the place of the program.
    Replaced(TuiCommand),
}

/// A command that gets the terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TuiCommand {
    /// The program.
    pub program: OsString,
    /// The arguments.
    pub arguments: Vec<OsString>,
    /// The folder that the command runs in; the current one if `None`.
    pub folder: Option<PathBuf>,
    /// Environment variables that are set for the command.
    pub environment: Vec<(OsString, OsString)>,
    /// Environment variables that the command does not inherit.
    pub removed: Vec<OsString>,
}

impl TuiCommand {
    /// Creates a command that runs in the current folder and environment.
    pub fn new<A: Into<OsString>>(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            folder: None,
            environment: Vec::new(),
            removed: Vec::new(),
        }
    }

    /// Builds the process without starting it.
    pub fn process(&self) -> Command {
        let mut process = Command::new(&self.program);
        process.args(&self.arguments).envs(self.environment.iter().cloned());
        for name in &self.removed {
            process.env_remove(name);
        }
        if let Some(folder) = &self.folder {
            process.current_dir(folder);
        }
        process
    }
}

/// The session that an action applies to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionSubject {
    /// The session's place.
    pub place: SessionPlace,
    /// The title.
    pub title: String,
    /// The log.
    pub file: PathBuf,
    /// The current entry, if one is selected.
    pub entry: Option<EntryId>,
}

impl SessionSubject {
    /// Returns the session of a row.
    pub fn of_row(row: &SessionRow) -> Self {
        Self {
            place: place_of(row),
            title: row.title.clone().unwrap_or_else(|| row.short_id()),
            file: row.file.clone(),
            entry: None,
        }
    }
}

/// Returns the place of a row's session.
pub(crate) fn place_of(row: &SessionRow) -> SessionPlace {
    SessionPlace { home: row.home.clone(), project: row.project.clone(), session: row.id.clone() }
}

/// How a session is resumed; the default resumes it unchanged.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ResumeWay {
    /// Whether the session itself is continued, or a fork.
    pub branch: ResumeBranch,
    /// Another working directory than the session's own.
    pub folder: Option<PathBuf>,
}

impl ResumeWay {
    /// Resumes a fork.
    pub fn fork() -> Self {
        Self { branch: ResumeBranch::Fork, folder: None }
    }
}

/// How a session can be resumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResumeOffer {
    /// The command, or why the client cannot be run here.
    pub command: Result<TuiCommand, MissingClient>,
    /// The command as a line for a shell.
    pub line: String,
    /// Remarks for the person who is about to resume.
    pub remarks: Vec<String>,
}

/// Why the client cannot be run, and what the person can do, a sentence each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingClient {
    /// The reason.
    pub words: String,
    /// The advice.
    pub advice: Option<String>,
}

/// Why a session cannot be resumed, and what the person can do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResumeRefusal {
    /// The reason, as a sentence.
    pub words: String,
    /// Advice, a sentence each.
    pub remarks: Vec<String>,
    /// Actions that the program can offer.
    pub remedies: Vec<ResumeWayOut>,
}

/// An action to offer when a session cannot be resumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResumeWayOut {
    /// Resumes the session in this way instead.
    Resume(ResumeWay),
    /// Copies a command for a shell.
    Copy(String),
}

/// Why the page of a session cannot be opened or linked to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PageRefusal {
    /// No server is running.
    NoServer {
        /// The command that starts a server and opens its first page.
        start: Box<TuiCommand>,
        /// The command as a line for a shell.
        line: String,
    },
    /// Another reason, as a sentence.
    Other(String),
}

/// A format of exports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportKind {
    /// Markdown.
    Markdown,
    /// An HTML page.
    Html,
    /// Plain text.
    Text,
    /// JSON.
    Json,
}

/// The services of the binary. Each function may read and write files, so only workers call it, never the
/// thread that paints. Errors are sentences for the person.
pub trait TuiHost: Send + Sync {
    /// Returns how a session can be resumed.
    fn resume(
        &self,
        session: &SessionSubject,
        way: &ResumeWay,
    ) -> Result<ResumeOffer, ResumeRefusal>;

    /// Exports sessions into the working directory, and reports what was written.
    fn export(&self, sessions: &[SessionSubject], kind: ExportKind) -> Result<String, String>;

    /// Opens the page of a session in a browser, and reports how.
    fn browse(&self, session: &SessionSubject) -> Result<String, PageRefusal>;

    /// Returns the address of a session's page on a running server.
    fn link(&self, session: &SessionSubject) -> Result<String, PageRefusal>;

    /// Returns a command that opens a text in the person's editor at a line, counted from one.
    fn editor(&self, text: &str, line: usize) -> Result<TuiCommand, String>;

    /// Copies a text to a clipboard of the system; returns whether one accepted it.
    fn copy(&self, text: &str) -> bool;

    /// Reads the state that the last run of the program saved.
    fn load(&self) -> Option<String>;

    /// Saves state for the next run of the program.
    fn save(&self, kept: &str);

    /// Reads the saved draft of a prompt to a session.
    fn draft(&self, session: &str) -> Option<String>;

    /// Saves the draft of a prompt to a session; an empty text deletes it.
    fn keep_draft(&self, session: &str, text: &str);

    /// Called when a run began, so that the binary can notify the person when the run needs them.
    fn run_began(&self, run: &RunId);
}

impl fmt::Debug for TuiSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TuiSettings").field("start", &self.start).finish_non_exhaustive()
    }
}
