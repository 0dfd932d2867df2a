//! The events of a watch: one closed enum.

use std::path::{Path, PathBuf};

use unspool_model::ids::{AgentId, ProjectId, SessionId};

use unspool_store::files::FileStamp;
use unspool_store::home::layout::{log_name, log_of_folder, session_folder_of};
use unspool_store::home::{LiveSession, Resolved, Target};

/// The session of an event.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WatchedSession {
    /// The root of the home.
    pub home: PathBuf,
    /// The project.
    pub project: ProjectId,
    /// The id of the session.
    pub session: SessionId,
    /// The log of the session.
    pub file: PathBuf,
}

impl WatchedSession {
    /// Returns the session of a resolved name; for an agent, the session that has the agent. A file
    /// outside every home is not watched.
    pub fn of(found: &Resolved) -> Option<Self> {
        let (session, file) = match &found.target {
            Target::Session(session) => (session.id.clone(), session.path.clone()),
            Target::Agent(agent) => {
                let session = agent.session.clone()?;
                let file = match session_folder_of(&agent.path) {
                    Some(folder) => log_of_folder(folder),
                    None => agent.path.with_file_name(log_name(session.as_str())),
                };
                (session, file)
            }
        };
        Some(Self {
            home: found.home.as_ref()?.root.clone(),
            project: found.project.clone()?,
            session,
            file,
        })
    }
}

/// A change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LibraryEvent {
    /// A new session.
    SessionAdded(WatchedSession),
    /// Lines appended to the log of a session.
    SessionGrew {
        /// The session.
        session: WatchedSession,
        /// The previous size of the log in bytes.
        from: u64,
        /// The current size of the log in bytes.
        to: u64,
    },
    /// A log of a session that changed other than at its end.
    SessionReplaced(WatchedSession),
    /// A removed log of a session.
    SessionGone(WatchedSession),
    /// A new or changed log of an agent.
    AgentChanged {
        /// The session that has the agent.
        session: WatchedSession,
        /// The agent.
        agent: AgentId,
    },
    /// Added or removed files with outputs that are too long for the log of a session. Only
    /// reported for viewed sessions.
    OutputsChanged(WatchedSession),
    /// A process that begins to own a session.
    LiveBegan(Box<LiveSession>),
    /// A process that reports another state, such as what it waits for.
    LiveChanged(Box<LiveSession>),
    /// The end of a process that owned a session.
    LiveEnded(Box<LiveSession>),
}

impl LibraryEvent {
    /// Returns the session, if the event is about the files of one.
    pub fn session(&self) -> Option<&WatchedSession> {
        match self {
            Self::SessionAdded(session)
            | Self::SessionGrew { session, .. }
            | Self::SessionReplaced(session)
            | Self::SessionGone(session)
            | Self::AgentChanged { session, .. }
            | Self::OutputsChanged(session) => Some(session),
            Self::LiveBegan(_) | Self::LiveChanged(_) | Self::LiveEnded(_) => None,
        }
    }

    /// Returns the file that was written, if the event names it. A killed process writes none.
    pub(in crate::library) fn written(&self) -> Option<&Path> {
        match self {
            Self::SessionAdded(session)
            | Self::SessionGrew { session, .. }
            | Self::SessionReplaced(session)
            | Self::SessionGone(session) => Some(&session.file),
            Self::LiveBegan(live) | Self::LiveChanged(live) => Some(&live.file),
            Self::AgentChanged { .. } | Self::OutputsChanged(_) | Self::LiveEnded(_) => None,
        }
    }

    /// Returns the event for a log with a previous and a current stamp, if they differ.
    pub(super) fn of_file(
        session: &WatchedSession,
        agent: Option<&AgentId>,
        known: Option<&FileStamp>,
        now: &FileStamp,
    ) -> Option<Self> {
        if known == Some(now) {
            return None;
        }
        let session = session.clone();
        Some(match (agent, known) {
            (Some(agent), _) => Self::AgentChanged { session, agent: agent.clone() },
            (None, None) => Self::SessionAdded(session),
            (None, Some(known)) if known.identity == now.identity && known.bytes < now.bytes => {
                Self::SessionGrew { session, from: known.bytes, to: now.bytes }
            }
            (None, Some(_)) => Self::SessionReplaced(session),
        })
    }
}
