//! What has to be read: a walk over the homes compared with what is known.
//!
//! Looks at sizes, times and file numbers, and at a few bytes where those leave a doubt;
//! reads no log. What comes out is the work for [`super::refresh`], session by session.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use unspool_model::ids::{AgentId, ProjectId, SessionId};

use super::catalogue::{ByPath, CatalogueFile, CatalogueSession, FileId, KnownProjects};
use crate::files::{FileIdentity, FileStamp};
use crate::home::{AgentFile, FileClass, Home, Project, SessionFile};

/// Everything that differs from what is known.
#[derive(Default)]
pub(super) struct RefreshPlan {
    /// What is to be read, the largest first.
    pub(super) units: Vec<ReadUnit>,
    /// Files that are as they were, with times that say otherwise.
    pub(super) touched: Vec<(FileId, FileStamp)>,
    /// Files that are not there any more.
    pub(super) gone_files: Vec<FileId>,
    /// Sessions that are not there any more.
    pub(super) gone_sessions: Vec<i64>,
}

impl RefreshPlan {
    /// Compares what a walk found with what is known of the same projects.
    pub(super) fn new(changes: Vec<Changed<'_>>) -> Self {
        let mut plan = Self::default();
        for changed in changes {
            Planner::new(changed).add_to(&mut plan);
        }
        plan.units.sort_by_key(|unit| std::cmp::Reverse(unit.bytes()));
        plan
    }

    /// Returns about how many bytes will be read.
    pub(super) fn bytes(&self) -> u64 {
        self.units.iter().map(ReadUnit::bytes).sum()
    }

    /// Tells whether everything is as it is known.
    pub(super) fn is_empty(&self) -> bool {
        self.units.is_empty()
            && self.touched.is_empty()
            && self.gone_files.is_empty()
            && self.gone_sessions.is_empty()
    }
}

/// The projects of a home that are not as they were.
pub(super) struct Changed<'a> {
    pub(super) home: &'a Home,
    pub(super) projects: Vec<&'a Project>,
    /// What is known of them, and of those that are not there any more.
    pub(super) known: KnownProjects,
}

/// A session, or an agent without one, of which something is to be read.
pub(super) struct ReadUnit {
    pub(super) home: Home,
    pub(super) project: ProjectId,
    pub(super) session: SessionId,
    /// The session's row; none for an agent without a session.
    pub(super) row: Option<UnitRow>,
    pub(super) agents: Vec<FileTask>,
}

/// The session that a unit is about.
pub(super) struct UnitRow {
    pub(super) path: PathBuf,
    /// The main log; none if only agents are left.
    pub(super) main: Option<FileTask>,
    pub(super) known: Option<CatalogueSession>,
    pub(super) modified: i64,
}

/// One file and what to do about it.
pub(super) struct FileTask {
    pub(super) path: PathBuf,
    pub(super) agent: Option<AgentId>,
    pub(super) sidecar: Option<PathBuf>,
    pub(super) stamp: FileStamp,
    pub(super) state: FileState,
}

/// How a file compares with what is known of it.
pub(super) enum FileState {
    /// It is as it was.
    Same(CatalogueFile),
    /// It may have grown, or is elsewhere.
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

    /// Tells whether a file was read as what it is now: texts of agents are marked as such,
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

/// One home that is being compared.
struct Planner<'a> {
    home: &'a Home,
    projects: Vec<&'a Project>,
    /// What is known of each log that was found, in the order of [`logs`].
    matched: std::vec::IntoIter<Option<CatalogueFile>>,
    /// What is known of sessions, until they are met.
    sessions: ByPath<CatalogueSession>,
    /// Files that are not where they were, by their numbers.
    moved: HashMap<FileIdentity, CatalogueFile>,
    gone: HashSet<FileId>,
    /// Rows of sessions that have lost their own logs and go on without.
    outlived: Vec<i64>,
    touched: Vec<(FileId, FileStamp)>,
}

impl<'a> Planner<'a> {
    fn new(changed: Changed<'a>) -> Self {
        let Changed { home, projects, mut known } = changed;
        // What such a row says comes from a log that is gone. It is forgotten together with the
        // log, so that whatever happens then, the row is rebuilt.
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
                // What was known of it stays; the walk has said what is wrong.
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
        // The prints do not know a last line without an end, which may be another one now.
        let is_whole = stamp.bytes == known.mark.offset;
        if stamp.bytes != before.bytes || !is_whole || !same_owner {
            return FileState::Grown(known);
        }
        if stamp.is_unsettled(before) && is_still_begun(&known, path) {
            self.touched.push((known.id, stamp));
            return FileState::Same(known);
        }
        // The prints are of a few bytes; other bytes may have been changed in place.
        FileState::Replaced(known)
    }
}

/// A file that cannot be looked into is read, and who reads it says why it cannot.
fn is_still_begun(known: &CatalogueFile, path: &Path) -> bool {
    let matches: io::Result<bool> = known.mark.matches(path);
    matches.unwrap_or(false)
}

/// Iterates over all logs of some projects: of each session its agents, then its own, if there
/// is one; then agents without a session.
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

/// Iterates over the places of logs that sessions would have which only have agents.
fn lost_logs<'a>(projects: &[&'a Project]) -> impl Iterator<Item = &'a Path> {
    let sessions = projects.iter().flat_map(|project| &project.sessions);
    sessions
        .filter(|session| session.class == FileClass::AgentsOnly)
        .map(|session| session.path.as_path())
}
