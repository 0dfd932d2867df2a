//! Decides what has to be read, by comparing a walk over homes with the catalogue.
//!
//! It compares sizes, times and identities, and a few bytes where these leave a doubt; it reads no
//! log. The result is the work for [`super::refresh`], session by session.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use unspool_model::ids::{AgentId, ProjectId, SessionId};

use super::catalogue::{ByPath, CatalogueFile, CatalogueSession, FileId, KnownProjects};
use crate::files::{FileIdentity, FileStamp};
use crate::home::{AgentFile, FileClass, Home, Project, SessionFile};

/// The differences between a walk and the catalogue.
#[derive(Default)]
pub(super) struct RefreshPlan {
    /// The units to read, the largest first.
    pub(super) units: Vec<ReadUnit>,
    /// Files with another time and the same content.
    pub(super) touched: Vec<(FileId, FileStamp)>,
    /// Files that were deleted.
    pub(super) gone_files: Vec<FileId>,
    /// Sessions that were deleted, and those whose own logs were.
    pub(super) gone_sessions: Vec<i64>,
}

impl RefreshPlan {
    /// Compares the changed projects of a walk with the catalogue.
    pub(super) fn new(changes: Vec<Changed<'_>>) -> Self {
        let mut plan = Self::default();
        for changed in changes {
            Planner::new(changed).add_to(&mut plan);
        }
        plan.units.sort_by_key(|unit| std::cmp::Reverse(unit.bytes()));
        plan
    }

    /// Returns the approximate number of bytes that will be read.
    pub(super) fn bytes(&self) -> u64 {
        self.units.iter().map(ReadUnit::bytes).sum()
    }

    /// Returns whether there is nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        self.units.is_empty()
            && self.touched.is_empty()
            && self.gone_files.is_empty()
            && self.gone_sessions.is_empty()
    }
}

/// The projects of a home that have changed since they were remembered.
pub(super) struct Changed<'a> {
    pub(super) home: &'a Home,
    pub(super) projects: Vec<&'a Project>,
    /// What the catalogue has of them, and of deleted projects.
    pub(super) known: KnownProjects,
}

/// A session, or an agent without one, with files to read.
pub(super) struct ReadUnit {
    pub(super) home: Home,
    pub(super) project: ProjectId,
    pub(super) session: SessionId,
    /// The session's row; `None` for an agent without a session.
    pub(super) row: Option<UnitRow>,
    pub(super) agents: Vec<FileTask>,
}

/// The session of a unit.
pub(super) struct UnitRow {
    pub(super) path: PathBuf,
    /// The main log; `None` if only agents remain.
    pub(super) main: Option<FileTask>,
    pub(super) known: Option<CatalogueSession>,
    pub(super) modified: i64,
}

/// One file and how it compares with the catalogue.
pub(super) struct FileTask {
    pub(super) path: PathBuf,
    pub(super) agent: Option<AgentId>,
    pub(super) sidecar: Option<PathBuf>,
    pub(super) stamp: FileStamp,
    pub(super) state: FileState,
}

/// How a file compares with the catalogue.
pub(super) enum FileState {
    /// It is unchanged.
    Same(CatalogueFile),
    /// It may have grown, or was moved.
    Grown(CatalogueFile),
    /// It was rewritten.
    Replaced(CatalogueFile),
    /// It is new.
    New,
}

impl FileTask {
    fn bytes(&self) -> u64 {
        match &self.state {
            FileState::Same(_) => 0,
            FileState::Grown(known) => self.stamp.bytes.saturating_sub(known.mark.offset),
            FileState::Replaced(_) | FileState::New => self.stamp.bytes,
        }
    }

    /// Returns whether a file was indexed in its present role: texts of agents are marked as such,
    /// and an agent's sidecar is read along with its log.
    pub(super) fn reads_like(&self, known: &CatalogueFile) -> bool {
        known.is_agent == self.agent.is_some() && known.has_sidecar == self.sidecar.is_some()
    }

    fn is_same(&self) -> bool {
        matches!(self.state, FileState::Same(_))
    }
}

impl ReadUnit {
    pub(super) fn bytes(&self) -> u64 {
        let main = self.row.iter().filter_map(|row| row.main.as_ref());
        main.chain(&self.agents).map(FileTask::bytes).sum()
    }

    fn is_settled(&self) -> bool {
        let row = match &self.row {
            None => true,
            Some(row) => {
                row.main.as_ref().is_none_or(FileTask::is_same)
                    && row.known.is_some_and(|known| known.agents == self.agents.len())
            }
        };
        row && self.agents.iter().all(FileTask::is_same)
    }
}

/// The comparison of one home.
struct Planner<'a> {
    home: &'a Home,
    projects: Vec<&'a Project>,
    /// What the catalogue has of each log that was found, in the order of [`logs`].
    matched: std::vec::IntoIter<Option<CatalogueFile>>,
    /// The catalogue's sessions that were not found yet.
    sessions: ByPath<CatalogueSession>,
    /// Files that are missing at their paths, by their identities.
    moved: HashMap<FileIdentity, CatalogueFile>,
    gone: HashSet<FileId>,
    /// Rows of sessions whose own logs were deleted while their agents remain.
    outlived: Vec<i64>,
    touched: Vec<(FileId, FileStamp)>,
}

impl<'a> Planner<'a> {
    fn new(changed: Changed<'a>) -> Self {
        let Changed { home, projects, mut known } = changed;
        // Such a row was built from a log that is gone. It is deleted together with the log, so
        // that whatever happens then, the row is rebuilt.
        let outlived = lost_logs(&projects)
            .filter(|path| known.files.contains_key(path.as_os_str()))
            .filter_map(|path| known.sessions.remove(path.as_os_str()))
            .map(|session| session.id)
            .collect();
        let matched: Vec<_> =
            logs(&projects).map(|path| known.files.remove(path.as_os_str())).collect();
        let gone = known.files.values().map(|file| file.id).collect();
        let moved = known
            .files
            .into_values()
            .filter_map(|file| Some((file.mark.stamp.identity?, file)))
            .collect();
        Self {
            home,
            projects,
            matched: matched.into_iter(),
            sessions: known.sessions,
            moved,
            gone,
            outlived,
            touched: Vec::new(),
        }
    }

    fn add_to(mut self, plan: &mut RefreshPlan) {
        let projects = std::mem::take(&mut self.projects);
        for project in &projects {
            for session in &project.sessions {
                let unit = self.session(&project.id, session);
                plan.units.extend(unit.filter(|unit| !unit.is_settled()));
            }
        }
        for project in &projects {
            for agent in &project.loose_agents {
                let session = agent.session.clone().unwrap_or_else(|| SessionId::new(""));
                let unit = ReadUnit {
                    home: self.home.clone(),
                    project: project.id.clone(),
                    agents: vec![self.task(&agent.path, Some(agent), agent.stamp, &session)],
                    session,
                    row: None,
                };
                plan.units.extend(Some(unit).filter(|unit| !unit.is_settled()));
            }
        }
        plan.touched.append(&mut self.touched);
        plan.gone_files.extend(self.gone);
        let gone = self.sessions.values().map(|session| session.id);
        plan.gone_sessions.extend(gone.chain(self.outlived));
    }

    fn session(&mut self, project: &ProjectId, file: &SessionFile) -> Option<ReadUnit> {
        let known = self.sessions.remove(file.path.as_os_str());
        let agents: Vec<FileTask> = file
            .agents
            .iter()
            .map(|agent| self.task(&agent.path, Some(agent), agent.stamp, &file.id))
            .collect();
        let main = match file.class {
            FileClass::Session | FileClass::Named | FileClass::Empty => {
                Some(self.task(&file.path, None, file.stamp, &file.id))
            }
            FileClass::AgentsOnly => None,
            FileClass::Unreadable => {
                // The catalogue keeps what it has of the log; the walk has reported the problem.
                self.matched.next();
                return None;
            }
        };
        Some(ReadUnit {
            home: self.home.clone(),
            project: project.clone(),
            session: file.id.clone(),
            row: Some(UnitRow {
                known,
                path: file.path.clone(),
                main,
                modified: file.stamp.modified_ms(),
            }),
            agents,
        })
    }

    fn task(
        &mut self,
        path: &Path,
        agent: Option<&AgentFile>,
        stamp: FileStamp,
        session: &SessionId,
    ) -> FileTask {
        let mut task = FileTask {
            path: path.to_owned(),
            agent: agent.map(|agent| agent.id.clone()),
            sidecar: agent.and_then(|agent| agent.sidecar.clone()),
            stamp,
            state: FileState::New,
        };
        task.state = match self.matched.next().flatten() {
            Some(known) => {
                let same_owner = known.session == session.as_str() && task.reads_like(&known);
                self.state(path, stamp, known, same_owner)
            }
            None => self.state_of_unknown(stamp),
        };
        task
    }

    fn state_of_unknown(&mut self, stamp: FileStamp) -> FileState {
        // A file with a known identity at a new path was moved; it is read on if it has not shrunk.
        let identity = stamp.identity;
        let moved = identity.and_then(|identity| self.moved.remove(&identity));
        match moved {
            Some(known) if stamp.bytes >= known.mark.offset => {
                self.gone.remove(&known.id);
                FileState::Grown(known)
            }
            _ => FileState::New,
        }
    }

    fn state(
        &mut self,
        path: &Path,
        stamp: FileStamp,
        known: CatalogueFile,
        same_owner: bool,
    ) -> FileState {
        let before = &known.mark.stamp;
        if stamp == *before && same_owner {
            return FileState::Same(known);
        }
        if stamp.identity != before.identity || stamp.bytes < known.mark.offset {
            return FileState::Replaced(known);
        }
        // The prints do not cover a last line without a newline, which may have changed.
        let is_whole = stamp.bytes == known.mark.offset;
        if stamp.bytes != before.bytes || !is_whole || !same_owner {
            return FileState::Grown(known);
        }
        if stamp.is_unsettled(before) && is_still_begun(&known, path) {
            self.touched.push((known.id, stamp));
            return FileState::Same(known);
        }
        // The prints cover only a few bytes; others may have been changed in place.
        FileState::Replaced(known)
    }
}

/// Compares the prints of a file. If it cannot be read, it counts as changed, and its reader
/// reports the error.
fn is_still_begun(known: &CatalogueFile, path: &Path) -> bool {
    let matches: io::Result<bool> = known.mark.matches(path);
    matches.unwrap_or(false)
}

/// Iterates over all logs of projects: for each session its agents' logs, then its own, if it
/// exists; then the logs of loose agents.
fn logs<'a>(projects: &[&'a Project]) -> impl Iterator<Item = &'a Path> {
    let sessions = projects.iter().flat_map(|project| &project.sessions);
    let of_sessions = sessions.flat_map(|session| {
        let agents = session.agents.iter().map(|agent| agent.path.as_path());
        let own = Some(session.path.as_path());
        agents.chain(own.filter(|_| session.class != FileClass::AgentsOnly))
    });
    let loose = projects.iter().flat_map(|project| &project.loose_agents);
    of_sessions.chain(loose.map(|agent| agent.path.as_path()))
}

/// Iterates over the paths of the missing logs of sessions that only have agents.
fn lost_logs<'a>(projects: &[&'a Project]) -> impl Iterator<Item = &'a Path> {
    let sessions = projects.iter().flat_map(|project| &project.sessions);
    sessions
        .filter(|session| session.class == FileClass::AgentsOnly)
        .map(|session| session.path.as_path())
}
