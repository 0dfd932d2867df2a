//! What a walk over a home finds, as plain data.

use std::io;
use std::path::{Path, PathBuf};

use unspool_model::ids::{AgentId, ProjectId, SessionId};

use super::Home;
use crate::files::FileStamp;

/// Sorts the main transcripts of a project by what their names and sizes say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileClass {
    /// A transcript named by a uuid.
    Session,
    /// A `.jsonl` file with another name, which may well be a transcript.
    Named,
    /// A file of zero bytes: the session is elsewhere, or was never written.
    Empty,
    /// No transcript, but agents of the session are left.
    AgentsOnly,
    /// Something with a transcript's name that cannot be read as a file.
    Unreadable,
}

impl FileClass {
    /// Tells whether there is something to read.
    pub fn has_transcript(self) -> bool {
        matches!(self, Self::Session | Self::Named)
    }
}

/// Says where an agent's file is relative to its session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Next to the main transcripts, as older releases wrote it.
    Sibling,
    /// In the session's `subagents` folder.
    Subagents,
    /// In the folder of a workflow's run.
    Workflow {
        /// The name of the run's folder.
        run: String,
    },
}

/// Describes the file of one agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentFile {
    /// The agent's name.
    pub id: AgentId,
    /// The agent's transcript.
    pub path: PathBuf,
    /// The `.meta.json` file next to it.
    pub sidecar: Option<PathBuf>,
    /// Where the file is.
    pub layout: Layout,
    /// The session it belongs to: by its folder, or for a [`Layout::Sibling`] by the
    /// first `sessionId` inside.
    pub session: Option<SessionId>,
    /// The file's size and time.
    pub stamp: FileStamp,
}

/// Describes one session: a main transcript with its agents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionFile {
    /// The stem of the transcript's name.
    pub id: SessionId,
    /// The main transcript; for [`FileClass::AgentsOnly`] where it would be.
    pub path: PathBuf,
    /// What kind of file it is.
    pub class: FileClass,
    /// The transcript's size and time; for [`FileClass::AgentsOnly`] zero bytes and
    /// the time of the newest agent.
    pub stamp: FileStamp,
    /// The session's agents, by path.
    pub agents: Vec<AgentFile>,
    /// The folder next to the transcript that has its name.
    pub dir: Option<PathBuf>,
    /// The folder in it with outputs that were too long for the transcript.
    pub outputs: Option<PathBuf>,
}

/// Describes a `.jsonl` file in a place where no transcript belongs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignFile {
    /// The file.
    pub path: PathBuf,
    /// The file's size and time.
    pub stamp: FileStamp,
}

/// Describes one folder under `projects/`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Project {
    /// The folder's name.
    pub id: ProjectId,
    /// Names of links in `projects/` that lead to the same folder.
    pub aliases: Vec<ProjectId>,
    /// The folder.
    pub dir: PathBuf,
    /// The project's sessions, by id.
    pub sessions: Vec<SessionFile>,
    /// Agents next to the transcripts whose session is not in this project.
    pub loose_agents: Vec<AgentFile>,
    /// Other `.jsonl` files in the project's folders, such as journals.
    pub foreign: Vec<ForeignFile>,
}

/// Everything that was found in one home.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Discovery {
    /// The home that was walked.
    pub home: Home,
    /// Its projects, by name.
    pub projects: Vec<Project>,
    /// `.jsonl` files directly in `projects/`.
    pub foreign: Vec<ForeignFile>,
    /// What could not be read, or was left out on purpose.
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

/// Reports one thing on disk that could not be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct Problem {
    /// The file or folder.
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

/// Says why a file or folder could not be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// It is not there.
    #[error("does not exist")]
    Missing,
    /// A folder was expected.
    #[error("is not a folder")]
    NotAFolder,
    /// A regular file was expected.
    #[error("is not a regular file")]
    NotAFile,
    /// The system does not let it be read.
    #[error("cannot be read: {0}")]
    Unreadable(io::ErrorKind),
    /// The link leads to nothing.
    #[error("is a link to something that does not exist")]
    DanglingLink,
    /// The link leads back to a folder that contains it.
    #[error("is a link to a folder that contains it")]
    Loop,
    /// The link leads to a folder that is not searched through links.
    #[error("is a link to a folder and was not followed")]
    LinkNotFollowed,
    /// Another home or link led to the same folder before.
    #[error("was already read under another name")]
    AlreadyRead,
    /// The name cannot be shown as it is; what it names is still listed.
    #[error("has a name that is not UTF-8")]
    NotUtf8,
    /// The folders nest deeper than any known layout.
    #[error("is nested too deeply and was not searched")]
    TooDeep,
    /// The folder contains more than any session would.
    #[error("contains too many files and was searched only in part")]
    TooMany,
    /// It is in an archive and no packed file.
    #[error("is in an archive and was not archived")]
    NotPacked,
    /// It is in an archive and nothing that belongs to sessions.
    #[error("is in the archive, but is nothing that belongs to sessions; it is never written back")]
    Foreign,
    /// The manifest of an archive says that it is there.
    #[error("was archived and is gone")]
    Gone,
    /// Without the manifest of an archive it is unknown what is gone.
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
