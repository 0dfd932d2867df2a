//! The known state of one project, and its changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use unspool_model::ids::{AgentId, SessionId};

use super::event::{LibraryEvent, WatchedSession};
use unspool_store::files::FileStamp;
use unspool_store::home::{AgentFile, FileClass, Layout, Project, ProjectListing, SessionFile};

/// The state of a project at the last check.
pub(super) struct KnownProject {
    /// The root of its home.
    home: PathBuf,
    /// Its name and folder; its content is in `files`.
    pub(super) place: Project,
    /// The modification time of its folder.
    pub(super) modified: SystemTime,
    /// The newest modification time of its files; that of its folder if it has none.
    pub(super) newest: SystemTime,
    files: HashMap<PathBuf, KnownLog>,
    /// The owning sessions of agents next to the logs.
    owners: HashMap<PathBuf, (FileStamp, SessionId)>,
}

/// A log of a project.
struct KnownLog {
    session: Arc<WatchedSession>,
    agent: Option<AgentId>,
    stamp: FileStamp,
    origin: LogOrigin,
}

/// The kind of place a log is in, which decides how much to check when it changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LogOrigin {
    /// The log of a session.
    Main,
    /// The place of a session's log that is missing or unreadable: the session is known by its
    /// agents.
    Missing,
    /// The log of an agent, in the folder of a session that has a log.
    Nested,
    /// Any other log of an agent. Its content, or which other files exist, decides which session
    /// owns it.
    Other,
}

/// The collected changes: events in order, and removed sessions, which come last.
#[derive(Default)]
pub(super) struct FoundChanges {
    pub(super) events: Vec<LibraryEvent>,
    pub(super) gone: Vec<WatchedSession>,
}

impl FoundChanges {
    /// Returns all changes as events.
    pub(super) fn into_events(mut self) -> Vec<LibraryEvent> {
        self.gone.sort_by(|one, other| one.file.cmp(&other.file));
        let gone = self.gone.into_iter().map(LibraryEvent::SessionGone);
        self.events.extend(gone);
        self.events
    }
}

impl KnownProject {
    /// Returns a project without known files.
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

    /// Returns the session that owns an agent next to the logs, if the agent's log is unchanged.
    pub(super) fn owner(&self, agent: &Path, stamp: &FileStamp) -> Option<SessionId> {
        let (known, owner) = self.owners.get(agent)?;
        (known == stamp).then(|| owner.clone())
    }

    /// Returns the kind of place a log is in, if the log is known.
    pub(super) fn origin(&self, log: &Path) -> Option<LogOrigin> {
        self.files.get(log).map(|known| known.origin)
    }

    /// Returns the session of a log, if the log is known.
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

    /// Updates the project to its current content.
    pub(super) fn compare(&mut self, now: ProjectListing, changes: &mut FoundChanges) {
        let ProjectListing { project, modified } = now;
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

    /// Updates the agents in the folder of a session.
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

    /// Updates the stamp of a log. Returns false if the stamp does not decide the change: the log
    /// is missing or unknown, or it has changed and may now belong to another session.
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

    /// Returns the sessions of a removed project.
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

/// Returns the sessions among removed logs. Removed agents are not reported.
fn gone(files: HashMap<PathBuf, KnownLog>) -> impl Iterator<Item = WatchedSession> {
    let sessions = files.into_values().filter(|known| known.agent.is_none());
    sessions.map(|known| (*known.session).clone())
}
