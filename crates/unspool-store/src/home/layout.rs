//! The names of files and folders in a home, and the meaning of a file by its path. No other module
//! spells out these names.
//!
//! ```text
//! projects/<project>/<session>.jsonl                          the log of a session
//! projects/<project>/<session>/subagents/agent-<id>.jsonl     the log of an agent
//! projects/<project>/<session>/subagents/agent-<id>.meta.json its sidecar
//! projects/<project>/<session>/subagents/workflows/<run>/…    the same for a workflow, and its
//! journal
//! projects/<project>/<session>/tool-results/…                 outputs that are too long for a log
//! projects/<project>/agent-<id>.jsonl                         the log of an agent of older clients
//! history.jsonl                                               the history of prompts
//! sessions/<pid>.json                                         the running processes
//! settings.json                                               the client's settings
//! ```
//!
//! The other folders with files of sessions are listed in `FOLDERS`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use unspool_model::ids::AgentId;
use unspool_model::names;

/// The environment variable that names Claude Code's home.
pub const HOME_VARIABLE: &str = "CLAUDE_CONFIG_DIR";
/// The name of the default home in the user's home folder.
pub const DEFAULT_HOME: &str = ".claude";
/// The folder of a home that contains the projects.
pub const PROJECTS: &str = "projects";
/// The file of a home with the history of prompts.
pub const HISTORY: &str = "history.jsonl";
/// The file of a home, or of a project's own `.claude`, with the client's settings.
pub const SETTINGS: &str = "settings.json";
/// The file next to [`SETTINGS`] with the settings of one person, to which the client adds rules.
pub const LOCAL_SETTINGS: &str = "settings.local.json";
/// The folder of a home with one file for each running process.
pub const PROCESSES: &str = "sessions";
/// The folder of a home with one folder of tasks for each session.
pub const TASKS: &str = "tasks";
/// The folder of a home with lists of the older to-do tool.
pub const TODOS: &str = "todos";
/// The folder of a home with plans.
pub const PLANS: &str = "plans";
/// The folder of a home with texts that were pasted into prompts.
const PASTES: &str = "paste-cache";
/// The folder of a home with debug logs.
pub(super) const DEBUG: &str = "debug";
/// The folder of a project with its memory, which is sent to the model and belongs to no session.
pub(super) const MEMORY: &str = "memory";
/// The folder of a session with the logs of its agents.
pub const SUBAGENTS: &str = "subagents";
/// The folder of a session with outputs that are too long for its log.
pub const TOOL_RESULTS: &str = "tool-results";
/// A lock file of a process.
pub(super) const LOCK: &str = ".lock";
/// The suffix of a log's name, with its dot.
pub(super) const LOG_SUFFIX: &str = ".jsonl";

const WORKFLOWS: &str = "workflows";
const JOURNAL: &str = "journal.jsonl";
const LOG_ENDING: &str = "jsonl";
const SIDECAR_ENDING: &str = "meta.json";
const AGENT: &str = "agent-";
/// The text between a session's id and an agent's in the name of a to-do list.
pub(super) const OF_AGENT: &str = "-agent-";

/// The folders of a home with files of sessions, apart from the projects.
pub(super) const FOLDERS: [HomeFolder; 9] = [
    HomeFolder::new(TASKS, Contents::Folders, Some(SideKind::Tasks)),
    HomeFolder::new("file-history", Contents::Folders, Some(SideKind::FileHistory)),
    HomeFolder::new("session-env", Contents::Folders, Some(SideKind::SessionEnv)),
    HomeFolder::new("image-cache", Contents::Folders, Some(SideKind::Images)),
    HomeFolder::new("uploads", Contents::Folders, Some(SideKind::Uploads)),
    HomeFolder::new(TODOS, Contents::Named, Some(SideKind::Todos)),
    HomeFolder::new(DEBUG, Contents::Named, Some(SideKind::Debug)),
    HomeFolder::new(PLANS, Contents::Shared, Some(SideKind::Plan)),
    HomeFolder::new(PASTES, Contents::Shared, None),
];

/// A folder of a home.
#[derive(Clone, Copy, Debug)]
pub(super) struct HomeFolder {
    /// Its name.
    pub(super) name: &'static str,
    /// How its files belong to sessions.
    pub(super) contents: Contents,
    /// The kind of its files; `None` if they belong to the history of prompts.
    pub(super) kind: Option<SideKind>,
}

impl HomeFolder {
    const fn new(name: &'static str, contents: Contents, kind: Option<SideKind>) -> Self {
        Self { name, contents, kind }
    }
}

/// What a folder of a home contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Contents {
    /// One folder for each session.
    Folders,
    /// Files whose names begin with a session's id.
    Named,
    /// Files that all sessions share.
    Shared,
}

names! {
    /// The kind of a side file.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum SideKind {
        /// A task of the task tools.
        Tasks = "tasks",
        /// A list of the older to-do tool.
        Todos = "todos",
        /// A plan written in plan mode.
        Plan = "plan",
        /// The debug log.
        Debug = "debug",
        /// A copy of a file from before an edit.
        FileHistory = "file_history",
        /// A part of the session's environment.
        SessionEnv = "session_env",
        /// A tool's output that was too long for the log.
        ToolResults = "tool_results",
        /// An attached image.
        Images = "images",
        /// An uploaded file.
        Uploads = "uploads",
    }
}

/// The kind of a side file's text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SideFileKind {
    /// A tool's output that was too long for the log.
    Output,
    /// A task of the task tools, or a list of the older to-do tool.
    Task,
    /// A plan.
    Plan,
    /// The journal of a workflow.
    Journal,
    /// The history of prompts.
    History,
}

impl SideFileKind {
    const ALL: [Self; 5] = [Self::Output, Self::Task, Self::Plan, Self::Journal, Self::History];

    /// Returns the kind of a side file, by its path.
    pub fn of_path(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default();
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        if folder == TOOL_RESULTS {
            Self::Output
        } else if folder == PLANS {
            Self::Plan
        } else if name == HISTORY {
            Self::History
        } else if is_log(path) {
            Self::Journal
        } else {
            Self::Task
        }
    }

    /// Returns the number that the index stores.
    pub fn number(self) -> i64 {
        self as i64
    }

    /// Returns the kind for a stored number.
    pub fn of_number(number: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// Returns whether a path has the extension of logs.
pub fn is_log(path: &Path) -> bool {
    path.extension() == Some(OsStr::new(LOG_ENDING))
}

/// Returns whether a file is the journal of a workflow.
pub fn is_journal(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new(JOURNAL))
}

/// Returns the file name of a session's log.
pub fn log_name(session: &str) -> String {
    format!("{session}{LOG_SUFFIX}")
}

/// Returns the folder of texts that were pasted into the prompts of a history.
pub fn pastes_of(history: &Path) -> PathBuf {
    history.with_file_name(PASTES)
}

/// Returns the log next to a session's folder.
pub fn log_of_folder(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_os_string();
    name.push(LOG_SUFFIX);
    folder.with_file_name(name)
}

/// Returns the session's id from the file name of its log.
pub fn session_of_log(name: &str) -> &str {
    name.strip_suffix(LOG_SUFFIX).unwrap_or(name)
}

/// Returns the name of an agent: the file name of its log without the suffix.
pub fn agent_name(id: &str) -> String {
    format!("{AGENT}{id}")
}

/// Returns the id in an agent's name, or the whole text if it lacks the prefix of agents.
pub fn agent_in(name: &str) -> &str {
    name.strip_prefix(AGENT).unwrap_or(name)
}

/// Returns whether a name has the prefix of agents.
pub fn is_agent_name(name: &str) -> bool {
    name.starts_with(AGENT)
}

/// Returns the agent's id from the file name of its log.
pub fn agent_of_log(name: &str) -> Option<AgentId> {
    let id = name.strip_prefix(AGENT)?.strip_suffix(LOG_SUFFIX)?;
    (!id.is_empty()).then(|| AgentId::new(id))
}

/// Returns the possible paths of the log of an agent that a session's log mentions.
pub fn agent_logs(log: &Path, agent: &str) -> [PathBuf; 2] {
    let name = log_name(&agent_name(agent));
    [log.with_extension("").join(SUBAGENTS).join(&name), log.with_file_name(&name)]
}

/// Returns the sidecar of an agent's log.
pub fn sidecar_of(log: &Path) -> PathBuf {
    log.with_extension(SIDECAR_ENDING)
}

/// Returns whether a file name is that of a sidecar.
pub fn is_sidecar(name: &str) -> bool {
    let stem = name.strip_suffix(SIDECAR_ENDING);
    stem.is_some_and(|stem| stem.ends_with('.'))
}

/// Returns the folder of the session whose `subagents` contain a file.
pub fn session_folder_of(path: &Path) -> Option<&Path> {
    let mut folders = path.ancestors().skip(1);
    folders.find(|folder| folder.ends_with(SUBAGENTS))?.parent()
}

/// Returns the workflow run in the folders between a session's folder and a file.
pub(super) fn workflow_run(below: &[String]) -> Option<&str> {
    match below {
        [_, workflows, run, ..] if workflows == WORKFLOWS => Some(run),
        _ => None,
    }
}

/// Returns the session's id in a name like `<id>.json`, `<id>.txt` or `<id>-agent-<id>.json`.
pub fn session_in_name(name: &str) -> &str {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.split_once(OF_AGENT).map_or(stem, |(id, _)| id)
}
