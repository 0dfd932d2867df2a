//! What the program is started with, and what it ends with.
//!
//! Every value is resolved by the binary: the program reads no environment variables and no settings
//! files. What needs other crates than those below this one (exporting, pages, resuming) is asked of the
//! binary through [`TuiHost`].

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

/// What the program is started with.
#[derive(Clone)]
pub struct TuiSettings {
    /// The sessions.
    pub library: Arc<Library>,
    /// The runs that unspool drives, or why it cannot drive any.
    pub drive: Result<Arc<Drive>, String>,
    /// The home that new sessions are in; the client's own if none.
    pub new_home: Option<PathBuf>,
    /// What the binary does for the program.
    pub host: Arc<dyn TuiHost>,
    /// The zone that times are shown in.
    pub zone: TimeZone,
    /// The user's home folder, which paths are shortened by.
    pub user_home: Option<String>,
    /// The folder that the user is in.
    pub here: PathBuf,
    /// How many colours the terminal has.
    pub depth: ColorDepth,
    /// Whether its background is dark or light, if that is known.
    pub background: Option<TerminalBackground>,
    /// Whether the mouse is taken.
    pub mouse: MouseUse,
    /// What the terminal is run in.
    pub terminal: TerminalKind,
    /// What is shown first.
    pub start: StartScreen,
    /// Keys that the settings bind to actions, as the table of keys writes them.
    pub keys: BTreeMap<String, KeyAction>,
    /// Where the homes are, in words, for a home that has no sessions.
    pub places: String,
    /// The thread that panics when F12 is pressed, for tests of the way out.
    pub fault: Option<TuiFault>,
    /// Whether the homes are looked through.
    pub refresh: CatalogueRefresh,
    /// Which sessions the picker has; all of them by default.
    pub filter: RowFilter,
}

/// Whether the program brings the catalogue up to date.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum CatalogueRefresh {
    /// After the first frame, and when files change.
    #[default]
    Walked,
    /// Never: rows are those of the catalogue without a refresh.
    Never,
}

names! {
    /// A thread that a test lets panic.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum TuiFault {
        /// The thread that takes events and paints.
        Loop = "loop",
        /// A worker.
        Worker = "worker",
        /// The thread that reads keys.
        Keys = "keys",
    }
}

/// Whether the program takes the mouse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MouseUse {
    /// Clicks, the wheel and dragging are the program's.
    Taken,
    /// The mouse is the terminal's, for selecting text.
    Left,
}

/// What a terminal is run in, as far as it matters for the clipboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TerminalKind {
    /// Nothing that is known.
    Plain,
    /// tmux, which passes a clipboard on only if it is told to.
    Tmux,
}

/// What is shown first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartScreen {
    /// The picker.
    Picker(PickerUse),
    /// A session.
    Session {
        /// Where it is.
        place: SessionPlace,
        /// Whether its end is followed while it grows.
        follows: bool,
    },
    /// The sessions that run.
    Live,
}

/// What the picker is for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum PickerUse {
    /// Looking around: Enter opens the reader.
    #[default]
    Browse,
    /// A script wants sessions: Enter chooses.
    Choose {
        /// Whether several may be marked.
        several: bool,
        /// What is typed already.
        query: String,
    },
    /// A prompt is edited: Enter puts a part of a session into it.
    Insert,
}

/// What the program ended with.
#[derive(Clone, Debug)]
pub enum TuiOutcome {
    /// It was left.
    Left,
    /// Control-C was pressed.
    Interrupted,
    /// Sessions were chosen.
    Chosen(Vec<SessionRow>),
    /// A text was chosen, for the prompt that is edited.
    Inserted(String),
    /// The prompt is to be edited in the person's own editor.
    EditElsewhere,
    /// A signal ended it.
    Ended(i32),
    /// The terminal goes to a command, which takes the place of the program.
    Replaced(TuiCommand),
}

/// A command that gets the terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TuiCommand {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The folder that it runs in; the program's own if none.
    pub folder: Option<PathBuf>,
    /// Variables that are set for it.
    pub environment: Vec<(OsString, OsString)>,
    /// Variables that it does not get.
    pub removed: Vec<OsString>,
}

impl TuiCommand {
    /// Takes a program with its arguments, in the folder and the environment of this one.
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

    /// Makes the process, which is not started yet.
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

/// The session that an action is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionSubject {
    /// Where it is.
    pub place: SessionPlace,
    /// Its title.
    pub title: String,
    /// Its log.
    pub file: PathBuf,
    /// The entry that is looked at, if one is.
    pub entry: Option<EntryId>,
}

impl SessionSubject {
    /// Takes the session of a row.
    pub fn of_row(row: &SessionRow) -> Self {
        Self {
            place: place_of(row),
            title: row.title.clone().unwrap_or_else(|| row.short_id()),
            file: row.file.clone(),
            entry: None,
        }
    }
}

/// Returns where the session of a row is.
pub(crate) fn place_of(row: &SessionRow) -> SessionPlace {
    SessionPlace { home: row.home.clone(), project: row.project.clone(), session: row.id.clone() }
}

/// How a session is resumed: as it is, unless something else is asked for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ResumeWay {
    /// Whether it goes on itself, or a copy of it.
    pub branch: ResumeBranch,
    /// Another folder than its own.
    pub folder: Option<PathBuf>,
}

impl ResumeWay {
    /// Resumes a copy.
    pub fn fork() -> Self {
        Self { branch: ResumeBranch::Fork, folder: None }
    }
}

/// How a session can be resumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResumeOffer {
    /// The command, or why it cannot be run here.
    pub command: Result<TuiCommand, MissingClient>,
    /// The command as a line for a shell.
    pub line: String,
    /// What a person should know before.
    pub remarks: Vec<String>,
}

/// Why the client cannot be run, and what a person can do about it: a sentence each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingClient {
    /// Why.
    pub words: String,
    /// What can be done.
    pub advice: Option<String>,
}

/// Why a session is not resumed, and what a person can do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResumeRefusal {
    /// Why, as a sentence.
    pub words: String,
    /// What can be done, a sentence each.
    pub remarks: Vec<String>,
    /// What can be done from here.
    pub ways_out: Vec<ResumeWayOut>,
}

/// Something that helps where a session is not resumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResumeWayOut {
    /// It is resumed in this way instead.
    Resume(ResumeWay),
    /// A command for a shell is copied.
    Copy(String),
}

/// Why the page of a place cannot be opened or linked to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PageRefusal {
    /// No server runs.
    NoServer {
        /// The command that starts one and opens its first page.
        start: Box<TuiCommand>,
        /// The command as a line for a shell.
        line: String,
    },
    /// Something else, as a sentence.
    Other(String),
}

/// What sessions are exported as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportKind {
    /// Markdown.
    Markdown,
    /// A page.
    Html,
    /// Plain text.
    Text,
    /// JSON.
    Json,
}

/// What the binary does for the program. Each function may read and write files and is called by a
/// worker, never by the thread that paints. An error is a sentence for the person.
pub trait TuiHost: Send + Sync {
    /// Says how a session is resumed.
    fn resume(
        &self,
        session: &SessionSubject,
        way: &ResumeWay,
    ) -> Result<ResumeOffer, ResumeRefusal>;

    /// Exports sessions into the folder that the user is in, and says what was written.
    fn export(&self, sessions: &[SessionSubject], kind: ExportKind) -> Result<String, String>;

    /// Opens the place in a browser, and says how.
    fn browse(&self, session: &SessionSubject) -> Result<String, PageRefusal>;

    /// Returns the address of the place in a server that runs, if one does.
    fn link(&self, session: &SessionSubject) -> Result<String, PageRefusal>;

    /// Makes a command that opens a text in the person's editor at a line, counted from one.
    fn editor(&self, text: &str, line: usize) -> Result<TuiCommand, String>;

    /// Gives a text to a clipboard of the system; tells whether there was one that took it.
    fn copy(&self, text: &str) -> bool;

    /// Reads what the program kept of the last run.
    fn load(&self) -> Option<String>;

    /// Keeps something for the next run.
    fn save(&self, kept: &str);

    /// Reads the prompt that was begun for a session.
    fn draft(&self, session: &str) -> Option<String>;

    /// Keeps the prompt that was begun for a session; an empty one is forgotten.
    fn keep_draft(&self, session: &str, text: &str);

    /// Hears that a run began, so that a person is told when it needs one.
    fn run_began(&self, run: &RunId);
}

impl fmt::Debug for TuiSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TuiSettings").field("start", &self.start).finish_non_exhaustive()
    }
}
