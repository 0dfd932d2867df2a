//! What a watch tells: one closed kind of event.

use std::path::{Path, PathBuf};

use unspool_model::ids::{AgentId, ProjectId, SessionId};

use unspool_store::files::FileStamp;
use unspool_store::home::layout::{log_name, log_of_folder, session_folder_of};
use unspool_store::home::{LiveSession, Resolved, Target};

/// The session that an event is about.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WatchedSession {
    /// The root of its home.
    pub home: PathBuf,
    /// Its project.
    pub project: ProjectId,
    /// Its id.
    pub session: SessionId,
    /// Its log.
    pub file: PathBuf,
}

impl WatchedSession {
    /// Returns the session that a name led to; for an agent, the session that the agent belongs to.
    /// A file outside every home is not watched.
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

/// Something that changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LibraryEvent {
    /// A session is new.
    SessionAdded(WatchedSession),
    /// Lines were written to the log of a session.
    SessionGrew {
        /// The session.
        session: WatchedSession,
        /// The bytes of the log before.
        from: u64,
        /// Its bytes now.
        to: u64,
    },
    /// The log of a session was changed other than at its end.
    SessionReplaced(WatchedSession),
    /// The log of a session is gone.
    SessionGone(WatchedSession),
    /// The log of an agent is new, or was changed.
    AgentChanged {
        /// The session that it belongs to.
        session: WatchedSession,
        /// The agent.
        agent: AgentId,
    },
    /// Outputs that are too long for the log of a session came or went. This is told only of
    /// sessions that are looked at.
    OutputsChanged(WatchedSession),
    /// A process owns a session that it did not own before.
    LiveBegan(Box<LiveSession>),
    /// A process says something else about its session, such as what it waits for.
    LiveChanged(Box<LiveSession>),
    /// A process that owned a session has ended.
    LiveEnded(Box<LiveSession>),
}

impl LibraryEvent {
    /// Returns the session that it is about, if it is about the files of one.
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

    /// Returns the file that was written, where the event names it. A process that was killed
    /// writes nothing.
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

    /// Says what happened to a log, by what was known of it and what is there now.
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
