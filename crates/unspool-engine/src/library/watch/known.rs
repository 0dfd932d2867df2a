//! What is known of one project, and what a look at it changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use unspool_model::ids::{AgentId, SessionId};

use super::event::{LibraryEvent, WatchedSession};
use unspool_store::files::FileStamp;
use unspool_store::home::{AgentFile, FileClass, Layout, Project, ProjectGlance, SessionFile};

/// A project as it was when it was last looked at.
pub(super) struct KnownProject {
    /// The root of its home.
    home: PathBuf,
    /// Its name and its folder; what is in it is in `files`.
    pub(super) place: Project,
    /// The time of its folder.
    pub(super) modified: SystemTime,
    /// The newest time of a file in it; that of its folder if it has none.
    pub(super) newest: SystemTime,
    files: HashMap<PathBuf, KnownLog>,
    /// Whose the agents next to the logs are.
    owners: HashMap<PathBuf, (FileStamp, SessionId)>,
}

/// A log of a project.
struct KnownLog {
    session: Arc<WatchedSession>,
    agent: Option<AgentId>,
    stamp: FileStamp,
    origin: LogOrigin,
}

/// Where a log is, which decides how much must be looked at when it changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LogOrigin {
    /// The log of a session.
    Main,
    /// The place of a session's log where there is none that can be read: its agents decide what
    /// is known of it.
    Missing,
    /// The log of an agent, in the folder of a session that has a log.
    Nested,
    /// Any other log of an agent. What is in it, or which other files there are, decides whose it
    /// is.
    Other,
}

/// What looks have found: events in their order, and sessions that are gone, which come last.
#[derive(Default)]
pub(super) struct FoundChanges {
    pub(super) events: Vec<LibraryEvent>,
    pub(super) gone: Vec<WatchedSession>,
}

impl FoundChanges {
    /// Returns all of it as events.
    pub(super) fn into_events(mut self) -> Vec<LibraryEvent> {
        self.gone.sort_by(|one, other| one.file.cmp(&other.file));
        let gone = self.gone.into_iter().map(LibraryEvent::SessionGone);
        self.events.extend(gone);
        self.events
    }
}

impl KnownProject {
    /// Knows nothing yet of a project.
    pub(super) fn new(home: &Path, place: Project) -> Self {
        Self {
            home: home.to_owned(),
            place,
            modified: SystemTime::UNIX_EPOCH,
            newest: SystemTime::UNIX_EPOCH,
            files: HashMap::new(),
            owners: HashMap::new(),
        }
    }

    /// Tells whose an agent next to the logs is, if it is as it was.
    pub(super) fn owner(&self, agent: &Path, stamp: &FileStamp) -> Option<SessionId> {
        let (known, owner) = self.owners.get(agent)?;
        (known == stamp).then(|| owner.clone())
    }

    /// Returns where a log is, if it is known.
    pub(super) fn origin(&self, log: &Path) -> Option<LogOrigin> {
        self.files.get(log).map(|known| known.origin)
    }

    /// Returns the session that a log is a part of, if the log is known.
    pub(super) fn session(&self, log: &Path) -> Option<SessionId> {
        self.files.get(log).map(|known| known.session.session.clone())
    }

    /// Returns the logs that were written since a time.
    pub(super) fn written_since(&self, time: SystemTime) -> impl Iterator<Item = &Path> {
        let files = self.files.iter();
        files
            .filter(|(_, known)| known.origin != LogOrigin::Missing)
            .filter(move |(_, known)| known.stamp.modified >= time)
            .map(|(path, _)| path.as_path())
    }

    /// Takes everything that is in the project now.
    pub(super) fn compare(&mut self, now: ProjectGlance, changes: &mut FoundChanges) {
        let ProjectGlance { project, modified } = now;
        let mut before = std::mem::take(&mut self.files);
        self.owners.clear();
        for file in &project.sessions {
            let session = self.watched(file);
            let origin = match file.class {
                FileClass::AgentsOnly | FileClass::Unreadable => LogOrigin::Missing,
                FileClass::Session | FileClass::Named | FileClass::Empty => LogOrigin::Main,
            };
            let known = before.remove(&file.path);
            let own = KnownLog::new(&session, None, file.stamp, origin);
            self.take(&file.path, known, own, changes);
            for agent in &file.agents {
                let origin = match agent.layout {
                    Layout::Sibling => LogOrigin::Other,
                    _ if origin == LogOrigin::Missing => LogOrigin::Other,
                    Layout::Subagents | Layout::Workflow { .. } => LogOrigin::Nested,
                };
                let known = before.remove(&agent.path);
                let own = KnownLog::new(&session, Some(&agent.id), agent.stamp, origin);
                self.take(&agent.path, known, own, changes);
            }
        }
        self.note_owners(&project);
        changes.gone.extend(gone(before));
        self.modified = modified;
        let newest = self.files.values().map(|known| known.stamp.modified).max();
        self.newest = newest.unwrap_or(modified);
    }

    /// Takes the agents that are in the folder of a session now.
    pub(super) fn compare_agents(
        &mut self,
        log: &Path,
        agents: &[AgentFile],
        changes: &mut FoundChanges,
    ) {
        let Some(session) = self.files.get(log).map(|known| Arc::clone(&known.session)) else {
            return;
        };
        let folder = log.with_extension("");
        let nested: Vec<PathBuf> = self
            .files
            .iter()
            .filter(|(path, known)| known.agent.is_some() && path.starts_with(&folder))
            .map(|(path, _)| path.clone())
            .collect();
        let mut before: HashMap<PathBuf, KnownLog> =
            nested.into_iter().filter_map(|path| self.files.remove_entry(&path)).collect();
        for agent in agents {
            let known = before.remove(&agent.path);
            let own = KnownLog::new(&session, Some(&agent.id), agent.stamp, LogOrigin::Nested);
            self.take(&agent.path, known, own, changes);
        }
    }

    /// Takes the stamp that a log has now. Tells whether that is enough: a log that is gone or
    /// unknown, and a changed one that may belong to another session now, are not decided by it.
    pub(super) fn compare_log(
        &mut self,
        log: &Path,
        stamp: Option<FileStamp>,
        changes: &mut FoundChanges,
    ) -> bool {
        let (Some(known), Some(stamp)) = (self.files.get_mut(log), stamp) else {
            return false;
        };
        if known.stamp == stamp {
            return true;
        }
        if !matches!(known.origin, LogOrigin::Main | LogOrigin::Nested) {
            return false;
        }
        let before = std::mem::replace(&mut known.stamp, stamp);
        let agent = known.agent.as_ref();
        let event = LibraryEvent::of_file(&known.session, agent, Some(&before), &stamp);
        changes.events.extend(event);
        self.newest = self.newest.max(stamp.modified);
        true
    }

    /// Returns the sessions of a project that is gone.
    pub(super) fn into_gone(self) -> impl Iterator<Item = WatchedSession> {
        gone(self.files)
    }

    fn take(
        &mut self,
        path: &Path,
        known: Option<KnownLog>,
        now: KnownLog,
        changes: &mut FoundChanges,
    ) {
        let known = known.map(|known| known.stamp);
        let agent = now.agent.as_ref();
        let event = LibraryEvent::of_file(&now.session, agent, known.as_ref(), &now.stamp);
        changes.events.extend(event);
        self.newest = self.newest.max(now.stamp.modified);
        self.files.insert(path.to_owned(), now);
    }

    fn watched(&self, file: &SessionFile) -> Arc<WatchedSession> {
        Arc::new(WatchedSession {
            home: self.home.clone(),
            project: self.place.id.clone(),
            session: file.id.clone(),
            file: file.path.clone(),
        })
    }

    fn note_owners(&mut self, project: &Project) {
        let agents = project.sessions.iter().flat_map(|session| &session.agents);
        let siblings =
            agents.filter(|agent| agent.layout == Layout::Sibling).chain(&project.loose_agents);
        self.owners = siblings
            .filter_map(|agent| {
                let owner = agent.session.clone()?;
                Some((agent.path.clone(), (agent.stamp, owner)))
            })
            .collect();
    }
}

impl KnownLog {
    fn new(
        session: &Arc<WatchedSession>,
        agent: Option<&AgentId>,
        stamp: FileStamp,
        origin: LogOrigin,
    ) -> Self {
        Self { session: Arc::clone(session), agent: agent.cloned(), stamp, origin }
    }
}

/// Returns the sessions among logs that are not there any more. Nothing is told of agents that go.
fn gone(files: HashMap<PathBuf, KnownLog>) -> impl Iterator<Item = WatchedSession> {
    let sessions = files.into_values().filter(|known| known.agent.is_none());
    sessions.map(|known| (*known.session).clone())
}
