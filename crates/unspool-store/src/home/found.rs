//! The result of a walk over a home, as plain data.

use std::io;
use std::path::{Path, PathBuf};

use unspool_model::ids::{AgentId, ProjectId, SessionId};

use super::Home;
use crate::files::FileStamp;

/// The class of a main log, by its name and size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileClass {
    /// A log named by a UUID.
    Session,
    /// A `.jsonl` file with another name, which may well be a log.
    Named,
    /// An empty file: the session is elsewhere, or was never written.
    Empty,
    /// No log: only agents of the session remain.
    AgentsOnly,
    /// Something with a log's name that cannot be read as a file.
    Unreadable,
}

impl FileClass {
    /// Returns whether there is a log to read.
    pub fn has_transcript(self) -> bool {
        matches!(self, Self::Session | Self::Named)
    }
}

/// Where an agent's file is relative to its session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Next to the main logs, as older releases wrote it.
    Sibling,
    /// In the session's `subagents` folder.
    Subagents,
    /// In the folder of a workflow run.
    Workflow {
        /// The name of the run's folder.
        run: String,
    },
}

/// The file of one agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentFile {
    /// The agent's id.
    pub id: AgentId,
    /// The path of its log.
    pub path: PathBuf,
    /// The `.meta.json` file next to it.
    pub sidecar: Option<PathBuf>,
    /// Where the log is relative to the session.
    pub layout: Layout,
    /// The session it belongs to: by its folder, or for a [`Layout::Sibling`] by the first
    /// `sessionId` in its log.
    pub session: Option<SessionId>,
    /// The stamp of its log.
    pub stamp: FileStamp,
}

/// One session: a main log with its agents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionFile {
    /// The name of the log without its suffix.
    pub id: SessionId,
    /// The path of the main log; for [`FileClass::AgentsOnly`] where it would be.
    pub path: PathBuf,
    /// The class of the log.
    pub class: FileClass,
    /// The stamp of the log; for [`FileClass::AgentsOnly`] zero bytes and the time of the newest
    /// agent.
    pub stamp: FileStamp,
    /// The session's agents, sorted by path.
    pub agents: Vec<AgentFile>,
    /// The folder next to the log that has its name.
    pub dir: Option<PathBuf>,
    /// The folder in it with outputs that were too long for the log.
    pub outputs: Option<PathBuf>,
}

/// A `.jsonl` file in a place where no log belongs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The stamp of the file.
    pub stamp: FileStamp,
}

/// One folder under `projects/`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Project {
    /// The folder's name.
    pub id: ProjectId,
    /// The names of links in `projects/` to the same folder.
    pub aliases: Vec<ProjectId>,
    /// The path of the folder.
    pub dir: PathBuf,
    /// The project's sessions, sorted by id.
    pub sessions: Vec<SessionFile>,
    /// Agents next to the logs whose session is not in this project.
    pub loose_agents: Vec<AgentFile>,
    /// Other `.jsonl` files in the project's folders, such as journals.
    pub foreign: Vec<ForeignFile>,
}

/// The content of one home.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Discovery {
    /// The home that was walked.
    pub home: Home,
    /// Its projects, sorted by name.
    pub projects: Vec<Project>,
    /// `.jsonl` files directly in `projects/`.
    pub foreign: Vec<ForeignFile>,
    /// What could not be read, or was skipped on purpose.
    pub problems: Vec<Problem>,
}

impl Discovery {
    /// Iterates over all sessions with their projects.
    pub fn sessions(&self) -> impl Iterator<Item = (&Project, &SessionFile)> {
        self.projects
            .iter()
            .flat_map(|project| project.sessions.iter().map(move |session| (project, session)))
    }

    /// Iterates over all agents with their projects, loose ones too.
    pub fn agents(&self) -> impl Iterator<Item = (&Project, &AgentFile)> {
        self.projects.iter().flat_map(|project| {
            let owned = project.sessions.iter().flat_map(|session| &session.agents);
            owned.chain(&project.loose_agents).map(move |agent| (project, agent))
        })
    }
}

/// A file or folder that could not be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct Problem {
    /// The path of the file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: Reason,
}

impl Problem {
    pub(crate) fn new(path: impl Into<PathBuf>, reason: Reason) -> Self {
        let path = path.into();
        Self { path, reason }
    }

    /// Reports that the system refused to read `path`.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        Self::new(path, Reason::Unreadable(error.kind()))
    }
}

/// Why a file or folder could not be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// The path does not exist.
    #[error("does not exist")]
    Missing,
    /// A folder was expected.
    #[error("is not a folder")]
    NotAFolder,
    /// A regular file was expected.
    #[error("is not a regular file")]
    NotAFile,
    /// The system refused to read it.
    #[error("cannot be read: {0}")]
    Unreadable(io::ErrorKind),
    /// The target of the link does not exist.
    #[error("is a link to something that does not exist")]
    DanglingLink,
    /// The link leads back to a folder that contains it.
    #[error("is a link to a folder that contains it")]
    Loop,
    /// The link leads to a folder that is not searched through links.
    #[error("is a link to a folder and was not followed")]
    LinkNotFollowed,
    /// The same folder was read before, through another home or link.
    #[error("was already read under another name")]
    AlreadyRead,
    /// The name cannot be shown exactly; the file or folder is listed all the same.
    #[error("has a name that is not UTF-8")]
    NotUtf8,
    /// The folders are nested deeper than any known layout.
    #[error("is nested too deeply and was not searched")]
    TooDeep,
    /// The folder contains more files than any session would.
    #[error("contains too many files and was searched only in part")]
    TooMany,
    /// The file is in an archive and not packed.
    #[error("is in an archive and was not archived")]
    NotPacked,
    /// The file is in an archive and does not belong to sessions.
    #[error("is in the archive, but is nothing that belongs to sessions; it is never written back")]
    Foreign,
    /// The manifest of an archive lists the file, and it is missing.
    #[error("was archived and is gone")]
    Gone,
    /// The manifest of an archive is unusable, so that missing files cannot be found.
    #[error("is missing or damaged; the next run of `archive` writes it again")]
    NoManifest,
    /// The file should contain a JSON object and does not.
    #[error("is not valid JSON")]
    Malformed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_the_place_and_the_reason() {
        let problem = Problem::new("/a/b", Reason::Unreadable(io::ErrorKind::PermissionDenied));
        assert_eq!(problem.to_string(), "/a/b: cannot be read: permission denied");
    }
}
