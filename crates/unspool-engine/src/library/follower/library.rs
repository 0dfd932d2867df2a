//! All running sessions, or one, followed by the events of a watcher.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use unspool_model::ids::SessionId;

use super::session::SessionFollower;
use super::{FollowStart, FollowedEvent, FollowedEventKind};
use crate::library::error::LibraryError;
use crate::library::note::{LibraryNote, Listener};
use crate::library::open::OpenSession;
use crate::library::places::SessionPlace;
use crate::library::watch::{LibraryEvent, WatchedSession};
use crate::library::watcher::{LibraryWatcher, ViewGuard};
use crate::library::{Library, LibrarySession};
use unspool_store::home::{Home, LiveSession, LiveSessions, SystemProcesses};

/// How many sessions without a process are followed. If the log of a dropped session grows, the
/// session is opened again.
const MOST_RESTING: usize = 64;

/// Selects the sessions to follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FollowScope {
    /// Sessions that processes own, and sessions whose logs grow.
    Running,
    /// Only sessions passed to [`LibraryFollower::follow`].
    Named,
}

/// Follows the sessions of a library.
pub struct LibraryFollower<'l> {
    library: &'l Library,
    watcher: LibraryWatcher,
    scope: FollowScope,
    /// Where the report of a session begins that is already running when it is first seen.
    start: FollowStart,
    /// The followed sessions, by their logs.
    followed: BTreeMap<PathBuf, Followed>,
    /// Counts steps, to find the session without an event for the longest time.
    steps: u64,
}

struct Followed {
    follower: SessionFollower,
    home: Option<Home>,
    stepped: u64,
    _look: Option<ViewGuard>,
}

impl<'l> LibraryFollower<'l> {
    /// Returns a follower. `start` is where the reports of sessions begin that are already running.
    pub fn new(
        library: &'l Library,
        watcher: &LibraryWatcher,
        scope: FollowScope,
        start: FollowStart,
    ) -> Self {
        Self {
            library,
            watcher: watcher.clone(),
            scope,
            start,
            followed: BTreeMap::new(),
            steps: 0,
        }
    }

    /// Returns how many followed sessions a process owns.
    pub fn live_count(&self) -> usize {
        let followed = self.followed.values();
        followed.filter(|it| it.follower.is_live()).count()
    }

    /// Follows an open session, whether it is running or not.
    pub fn follow(&mut self, opened: LibrarySession) -> Result<Vec<FollowedEvent>, LibraryError> {
        let events = self.add(&Arc::new(OpenSession::new(opened)), self.start)?;
        Ok(self.timed(events))
    }

    /// Reports whether the watcher covers the home of a session; other sessions must be polled.
    pub fn is_watched(opened: &LibrarySession) -> bool {
        let home = opened.found.home.as_ref();
        WatchedSession::of(&opened.found).is_some() && !home.is_some_and(Home::is_archived)
    }

    /// Checks everything again: which sessions are running, and what was appended to the followed
    /// ones.
    pub fn look(&mut self, listener: &dyn Listener) -> Vec<FollowedEvent> {
        let live = self.live_now();
        let mut events = Vec::new();
        let logs: Vec<PathBuf> = self.followed.keys().cloned().collect();
        for log in logs {
            events.extend(self.step(&log, &live, listener));
        }
        if self.scope == FollowScope::Running {
            for (home, sessions) in &live {
                for process in &sessions.sessions {
                    events.extend(self.begin_live(home, process, listener));
                }
            }
        }
        self.timed(events)
    }

    /// Applies the events of a watcher and returns the events of the sessions.
    pub fn take(&mut self, told: &[LibraryEvent], listener: &dyn Listener) -> Vec<FollowedEvent> {
        let live = self.live_now();
        let mut events = Vec::new();
        let mut touched = BTreeSet::new();
        for event in told {
            if let Some(session) = event.session() {
                if self.followed.contains_key(&session.file) {
                    touched.insert(session.file.clone());
                } else if self.scope == FollowScope::Running {
                    events.extend(self.begin_grown(event, session, &live, listener));
                }
                continue;
            }
            let (LibraryEvent::LiveBegan(process)
            | LibraryEvent::LiveChanged(process)
            | LibraryEvent::LiveEnded(process)) = event
            else {
                continue;
            };
            let Some(home) = home_of(process) else {
                continue;
            };
            match self.log_of(&home, &process.session) {
                Some(log) => {
                    touched.insert(log);
                }
                None if self.scope == FollowScope::Running
                    && !matches!(event, LibraryEvent::LiveEnded(_)) =>
                {
                    events.extend(self.begin_live(&home, process, listener));
                }
                None => {}
            }
        }
        for log in touched {
            events.extend(self.step(&log, &live, listener));
        }
        self.timed(events)
    }

    /// Sets the current time on events without a time of their own.
    fn timed(&self, mut events: Vec<FollowedEvent>) -> Vec<FollowedEvent> {
        for event in events.iter_mut().filter(|event| event.time.is_none()) {
            event.time = Some(self.library.settings.clock.time());
        }
        events
    }

    /// Begins to follow a session whose log is new or has grown.
    fn begin_grown(
        &mut self,
        event: &LibraryEvent,
        session: &WatchedSession,
        live: &[(Home, LiveSessions)],
        listener: &dyn Listener,
    ) -> Vec<FollowedEvent> {
        let start = match event {
            LibraryEvent::SessionGrew { from, .. } => FollowStart::Byte(*from),
            // A copied or restored log is new too, but not active.
            LibraryEvent::SessionAdded(_) if is_live(live, session) => FollowStart::BEGINNING,
            _ => return Vec::new(),
        };
        self.open(session, start, listener)
    }

    /// Begins to follow a session that a process owns, unless it has no log yet: the watcher
    /// reports the log when it is created.
    fn begin_live(
        &mut self,
        home: &Home,
        process: &LiveSession,
        listener: &dyn Listener,
    ) -> Vec<FollowedEvent> {
        if self.log_of(home, &process.session).is_some() {
            return Vec::new();
        }
        let found = self.library.find_session(&SessionPlace {
            home: Some(home.root.clone()),
            project: None,
            session: process.session.clone(),
        });
        let watched = found.ok().and_then(|found| WatchedSession::of(&found));
        match watched {
            Some(session) => self.open(&session, self.start, listener),
            None => Vec::new(),
        }
    }

    fn open(
        &mut self,
        session: &WatchedSession,
        start: FollowStart,
        listener: &dyn Listener,
    ) -> Vec<FollowedEvent> {
        let (home, project) = (Home::new(&session.home), Some(session.project.clone()));
        let opened = self.library.open_log(home, project, &session.file);
        let events = opened.and_then(|opened| self.add(&opened, start));
        said(events, listener)
    }

    fn add(
        &mut self,
        open: &Arc<OpenSession>,
        start: FollowStart,
    ) -> Result<Vec<FollowedEvent>, LibraryError> {
        let watched = WatchedSession::of(open.found());
        let home = open.found().home.clone();
        let log = match &watched {
            Some(watched) => watched.file.clone(),
            None => open.found().target.path().to_owned(),
        };
        // Watched before it is read, so that the watcher also reports lines written in the meantime.
        let look = watched.map(|watched| self.watcher.start_viewing(&watched));
        let (follower, events) = SessionFollower::begin(open, start)?;
        self.steps += 1;
        self.followed.insert(log, Followed { follower, home, stepped: self.steps, _look: look });
        self.let_go();
        Ok(events)
    }

    fn step(
        &mut self,
        log: &Path,
        live: &[(Home, LiveSessions)],
        listener: &dyn Listener,
    ) -> Vec<FollowedEvent> {
        self.steps += 1;
        let Some(followed) = self.followed.get_mut(log) else {
            return Vec::new();
        };
        followed.stepped = self.steps;
        let of_home = |(home, _): &&(Home, LiveSessions)| Some(home) == followed.home.as_ref();
        let live = live.iter().find(of_home).map(|(_, live)| live);
        let events = said(followed.follower.step(live), listener);
        let is_over = |event: &FollowedEvent| {
            matches!(event.what, FollowedEventKind::Ended | FollowedEventKind::Gone)
        };
        if self.scope == FollowScope::Running && events.iter().any(is_over) {
            self.followed.remove(log);
        }
        events
    }

    /// Drops the idle session without an event for the longest time, if there are too many.
    fn let_go(&mut self) {
        let resting = self.followed.iter().filter(|(_, it)| !it.follower.is_live());
        let resting: Vec<(u64, &PathBuf)> = resting.map(|(log, it)| (it.stepped, log)).collect();
        if resting.len() <= MOST_RESTING {
            return;
        }
        if let Some((_, log)) = resting.iter().min() {
            let log = (*log).clone();
            self.followed.remove(&log);
        }
    }

    /// Returns the log of a followed session.
    fn log_of(&self, home: &Home, session: &SessionId) -> Option<PathBuf> {
        let mut followed = self.followed.iter();
        let found = followed.find(|(_, it)| {
            it.home.as_ref() == Some(home) && it.follower.session().view().session().id == *session
        });
        found.map(|(log, _)| log.clone())
    }

    fn live_now(&self) -> Vec<(Home, LiveSessions)> {
        let homes = self.library.homes().iter();
        homes.map(|home| (home.clone(), LiveSessions::read(home, &SystemProcesses))).collect()
    }
}

/// Returns the home whose folder of processes contains the file of a process.
fn home_of(process: &LiveSession) -> Option<Home> {
    Some(Home::new(process.file.parent()?.parent()?))
}

fn is_live(live: &[(Home, LiveSessions)], session: &WatchedSession) -> bool {
    let mut homes = live.iter().filter(|(home, _)| home.root == session.home);
    homes.any(|(_, live)| live.is_live(&session.session))
}

/// Returns the events, or notes an unreadable file; the session is read again when it changes next.
fn said(
    events: Result<Vec<FollowedEvent>, LibraryError>,
    listener: &dyn Listener,
) -> Vec<FollowedEvent> {
    match events {
        Ok(events) => events,
        Err(LibraryError::Unreadable(file_error)) => {
            listener.note(LibraryNote::Unreadable(file_error));
            Vec::new()
        }
        Err(_) => Vec::new(),
    }
}
