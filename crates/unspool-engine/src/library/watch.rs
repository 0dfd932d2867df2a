//! What changes in the homes.
//!
//! A [`LibraryWatch`] remembers the files and the live sessions of the homes as they were. Each
//! [`LibraryWatch::sweep`] looks at them again and says what is different, as events of one closed
//! kind. It believes what the file system says and nothing else, so a missed or doubled hint of
//! the operating system loses nothing: hints may only say when to sweep. It has no thread and
//! reads no log.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use unspool_model::ids::{AgentId, ProjectId, SessionId};

use super::Library;
use super::walk::live_in;
use unspool_store::files::FileStamp;
use unspool_store::home::{self, Discovery, Home, LiveSession, LiveSessions};

/// Watches the homes of a library.
pub struct LibraryWatch {
    homes: Vec<Home>,
    files: HashMap<PathBuf, (WatchedSession, Option<AgentId>, FileStamp)>,
    live: HashMap<(PathBuf, u32), LiveSession>,
}

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
    /// A process owns a session that it did not own before.
    LiveBegan(Box<LiveSession>),
    /// A process says something else about its session, such as what it waits for.
    LiveChanged(Box<LiveSession>),
    /// A process that owned a session has ended.
    LiveEnded(Box<LiveSession>),
}

impl Library {
    /// Watches the homes from now on. Nothing is reported of what is there already.
    pub fn watch(&self) -> LibraryWatch {
        let mut watch = LibraryWatch {
            homes: self.homes().to_vec(),
            files: HashMap::new(),
            live: HashMap::new(),
        };
        watch.sweep();
        watch
    }
}

impl LibraryWatch {
    /// Looks at everything again and returns what changed, sessions before processes.
    pub fn sweep(&mut self) -> Vec<LibraryEvent> {
        let found = home::discover_all(&self.homes);
        let mut events = self.compare_files(&found);
        events.extend(self.sweep_live());
        events
    }

    /// Looks at the running processes again and returns what changed.
    pub fn sweep_live(&mut self) -> Vec<LibraryEvent> {
        let live = live_in(&self.homes);
        self.compare_live(&live)
    }

    fn compare_files(&mut self, found: &[Discovery]) -> Vec<LibraryEvent> {
        let mut events = Vec::new();
        let mut before = std::mem::take(&mut self.files);
        for (watched, agent, path, stamp) in each_file(found) {
            let known = before.remove(path).map(|(.., known)| known);
            events.extend(file_event(&watched, agent, known.as_ref(), &stamp));
            let row = (watched, agent.cloned(), stamp);
            self.files.insert(path.to_owned(), row);
        }
        let mut gone: Vec<_> = before
            .into_values()
            .filter(|(_, a, _)| a.is_none())
            .collect();
        gone.sort_by(|one, other| one.0.file.cmp(&other.0.file));
        let gone = gone.into_iter().map(|(watched, ..)| watched);
        events.extend(gone.map(LibraryEvent::SessionGone));
        events
    }

    fn compare_live(&mut self, live: &[LiveSessions]) -> Vec<LibraryEvent> {
        let mut events = Vec::new();
        let mut before = std::mem::take(&mut self.live);
        for (home, live) in self.homes.iter().zip(live) {
            for now in &live.sessions {
                let key = (home.root.clone(), now.pid);
                let known = before.remove(&key);
                if known
                    .as_ref()
                    .is_some_and(|known| known.session != now.session)
                {
                    events.extend(known.clone().map(Box::new).map(LibraryEvent::LiveEnded));
                }
                let known = known.filter(|known| known.session == now.session);
                match known {
                    None => events.push(LibraryEvent::LiveBegan(Box::new(now.clone()))),
                    Some(known) if known != *now => {
                        events.push(LibraryEvent::LiveChanged(Box::new(now.clone())));
                    }
                    Some(_) => {}
                }
                self.live.insert(key, now.clone());
            }
        }
        let mut ended: Vec<LiveSession> = before.into_values().collect();
        ended.sort_by(|one, other| one.file.cmp(&other.file));
        events.extend(ended.into_iter().map(Box::new).map(LibraryEvent::LiveEnded));
        events
    }
}

/// Returns the logs of homes: those of sessions, and those of agents with their ids.
fn each_file(
    found: &[Discovery],
) -> impl Iterator<Item = (WatchedSession, Option<&AgentId>, &Path, FileStamp)> {
    found.iter().flat_map(|home| {
        home.projects.iter().flat_map(move |project| {
            project.sessions.iter().flat_map(move |file| {
                let watched = WatchedSession {
                    home: home.home.root.clone(),
                    project: project.id.clone(),
                    session: file.id.clone(),
                    file: file.path.clone(),
                };
                let own = (watched.clone(), None, file.path.as_path(), file.stamp);
                let agents = file.agents.iter().map(move |agent| {
                    let path = agent.path.as_path();
                    (watched.clone(), Some(&agent.id), path, agent.stamp)
                });
                std::iter::once(own).chain(agents)
            })
        })
    })
}

/// Says what happened to a log.
fn file_event(
    watched: &WatchedSession,
    agent: Option<&AgentId>,
    known: Option<&FileStamp>,
    now: &FileStamp,
) -> Option<LibraryEvent> {
    if known == Some(now) {
        return None;
    }
    let session = watched.clone();
    Some(match (agent, known) {
        (Some(agent), _) => LibraryEvent::AgentChanged {
            session,
            agent: agent.clone(),
        },
        (None, None) => LibraryEvent::SessionAdded(session),
        (None, Some(known)) if known.identity == now.identity && known.bytes < now.bytes => {
            LibraryEvent::SessionGrew {
                session,
                from: known.bytes,
                to: now.bytes,
            }
        }
        (None, Some(_)) => LibraryEvent::SessionReplaced(session),
    })
}
