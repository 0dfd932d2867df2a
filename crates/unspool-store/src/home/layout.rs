//! Where things are in a home: the names of its files and folders, and what a file is from its
//! place. No other module spells one of these names.
//!
//! ```text
//! projects/<project>/<session>.jsonl                          the log of a session
//! projects/<project>/<session>/subagents/agent-<id>.jsonl     the log of an agent
//! projects/<project>/<session>/subagents/agent-<id>.meta.json its sidecar
//! projects/<project>/<session>/subagents/workflows/<run>/…    the same of a workflow, and its journal
//! projects/<project>/<session>/tool-results/…                 outputs that are too long for a log
//! projects/<project>/agent-<id>.jsonl                         the log of an agent of older clients
//! history.jsonl                                               every prompt that was typed
//! sessions/<pid>.json                                         the processes that run
//! settings.json                                               the client's settings
//! ```
//!
//! The other folders with files of sessions are in `FOLDERS`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use unspool_model::ids::AgentId;
use unspool_model::names;

/// The variable that tells Claude Code which home it uses.
pub const HOME_VARIABLE: &str = "CLAUDE_CONFIG_DIR";
/// The home in the user's own folder.
pub const DEFAULT_HOME: &str = ".claude";
/// The folder of a home with one folder for each project.
pub const PROJECTS: &str = "projects";
/// The file of a home with every prompt that was typed.
pub const HISTORY: &str = "history.jsonl";
/// The file of a home, or of a project's own `.claude`, with the client's settings.
pub const SETTINGS: &str = "settings.json";
/// The file next to [`SETTINGS`] for one person, which the client adds rules to.
pub const LOCAL_SETTINGS: &str = "settings.local.json";
/// The folder of a home with one file for each process that runs.
pub const PROCESSES: &str = "sessions";
/// The folder of a home with one folder of tasks for each session.
pub const TASKS: &str = "tasks";
/// The folder of a home with lists of an older to-do tool.
pub const TODOS: &str = "todos";
/// The folder of a home with plans.
pub const PLANS: &str = "plans";
/// The folder of a home with what was pasted into prompts.
const PASTES: &str = "paste-cache";
/// The folder of a home with debug logs.
pub(super) const DEBUG: &str = "debug";
/// The folder of a project that is not part of any session: what is in it is sent to the model.
pub(super) const MEMORY: &str = "memory";
/// The folder of a session with the logs of its agents.
pub const SUBAGENTS: &str = "subagents";
/// The folder of a session with outputs that are too long for its log.
pub const TOOL_RESULTS: &str = "tool-results";
/// A file that is held by a process.
pub(super) const LOCK: &str = ".lock";
/// The ending of a log, with its dot.
pub(super) const LOG_SUFFIX: &str = ".jsonl";

const WORKFLOWS: &str = "workflows";
const JOURNAL: &str = "journal.jsonl";
const LOG_ENDING: &str = "jsonl";
const SIDECAR_ENDING: &str = "meta.json";
const AGENT: &str = "agent-";
/// What is between a session's id and an agent's in the name of a list of to-dos.
pub(super) const OF_AGENT: &str = "-agent-";

/// The folders of a home, apart from the projects, in which files of sessions are.
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
    /// What its files are; none if they belong to the history of prompts.
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
    /// Files that belong to all sessions together.
    Shared,
}

names! {
    /// Says what a side file is for.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum SideKind {
        /// A task of the task tools.
        Tasks = "tasks",
        /// A list of an older to-do tool.
        Todos = "todos",
        /// A plan written in plan mode.
        Plan = "plan",
        /// The debug log.
        Debug = "debug",
        /// A copy of a file from before an edit.
        FileHistory = "file_history",
        /// A part of the session's environment.
        SessionEnv = "session_env",
        /// A tool's output that was too long for the transcript.
        ToolResults = "tool_results",
        /// An attached image.
        Images = "images",
        /// An uploaded file.
        Uploads = "uploads",
    }
}

/// What the text of a side file is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SideFileKind {
    /// A tool's output that was too long for the log.
    Output,
    /// A task of the task tools, or a list of an older to-do tool.
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

    /// Tells what a side file is from its place.
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

    /// Returns the number that the index keeps.
    pub fn number(self) -> i64 {
        self as i64
    }

    /// Returns the kind of a number that the index kept.
    pub fn of_number(number: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// Tells whether a name ends like that of a log.
pub fn is_log(path: &Path) -> bool {
    path.extension() == Some(OsStr::new(LOG_ENDING))
}

/// Tells whether a file is the journal of a workflow.
pub fn is_journal(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new(JOURNAL))
}

/// Returns the name of a session's log.
pub fn log_name(session: &str) -> String {
    format!("{session}{LOG_SUFFIX}")
}

/// Returns the folder with what was pasted into the prompts of a history.
pub fn pastes_of(history: &Path) -> PathBuf {
    history.with_file_name(PASTES)
}

/// Returns the log that a session's folder is next to.
pub fn log_of_folder(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_os_string();
    name.push(LOG_SUFFIX);
    folder.with_file_name(name)
}

/// Returns the session's id from the name of its log.
pub fn session_of_log(name: &str) -> &str {
    name.strip_suffix(LOG_SUFFIX).unwrap_or(name)
}

/// Returns what an agent is named by: its log without the ending.
pub fn agent_name(id: &str) -> String {
    format!("{AGENT}{id}")
}

/// Returns the id in the name of an agent, whether or not it says that it is one.
pub fn agent_in(name: &str) -> &str {
    name.strip_prefix(AGENT).unwrap_or(name)
}

/// Tells whether a name says that it is an agent's.
pub fn is_agent_name(name: &str) -> bool {
    name.starts_with(AGENT)
}

/// Returns the agent's id from the name of its log.
pub fn agent_of_log(name: &str) -> Option<AgentId> {
    let id = name.strip_prefix(AGENT)?.strip_suffix(LOG_SUFFIX)?;
    (!id.is_empty()).then(|| AgentId::new(id))
}

/// Returns where the log of an agent may be that a session's log speaks of.
pub fn agent_logs(log: &Path, agent: &str) -> [PathBuf; 2] {
    let name = log_name(&agent_name(agent));
    [log.with_extension("").join(SUBAGENTS).join(&name), log.with_file_name(&name)]
}

/// Returns the sidecar of an agent's log.
pub fn sidecar_of(log: &Path) -> PathBuf {
    log.with_extension(SIDECAR_ENDING)
}

/// Tells whether a name is that of a sidecar.
pub fn is_sidecar(name: &str) -> bool {
    let stem = name.strip_suffix(SIDECAR_ENDING);
    stem.is_some_and(|stem| stem.ends_with('.'))
}

/// Returns the folder of the session that a file in its `subagents` belongs to.
pub fn session_folder_of(path: &Path) -> Option<&Path> {
    let mut folders = path.ancestors().skip(1);
    folders.find(|folder| folder.ends_with(SUBAGENTS))?.parent()
}

/// Returns the run of a workflow from the folders between a session's folder and a file.
pub(super) fn workflow_run(below: &[String]) -> Option<&str> {
    match below {
        [_, workflows, run, ..] if workflows == WORKFLOWS => Some(run),
        _ => None,
    }
}

/// Returns the session in a name like `<id>.json`, `<id>.txt` or `<id>-agent-<id>.json`.
pub fn session_in_name(name: &str) -> &str {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.split_once(OF_AGENT).map_or(stem, |(id, _)| id)
}
