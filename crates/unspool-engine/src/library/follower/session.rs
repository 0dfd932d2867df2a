//! One followed session.

use std::sync::Arc;

use unspool_model::conversation::Liveness;
use unspool_model::time::Time;

use super::agents::AgentFollowers;
use super::strand::{StrandFollower, StrandNews};
use super::{FollowStart, FollowedEvent, FollowedEventKind, FollowedSessionHead};
use crate::library::error::LibraryError;
use crate::library::feed::{FeedStatus, FeedTarget};
use crate::library::open::{OpenSession, OpenState};
use crate::ops::inbox::asked;
use crate::ops::now::{self, NowSubject, SessionNow};
use unspool_store::home::{LiveSession, LiveSessions, ProcessState};
use unspool_store::titles;

/// Follows one open session.
pub struct SessionFollower {
    open: Arc<OpenSession>,
    main: StrandFollower,
    agents: AgentFollowers,
    /// The state of the process in the last report.
    told: ToldProcess,
}

/// The last reported state of the process that owns a session.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct ToldProcess {
    pid: Option<u32>,
    state: Option<ProcessState>,
    /// The start of the state, in milliseconds since the epoch.
    since: Option<i64>,
}

impl SessionFollower {
    /// Begins to follow a session, and returns its first events.
    pub fn begin(
        open: &Arc<OpenSession>,
        start: FollowStart,
    ) -> Result<(Self, Vec<FollowedEvent>), LibraryError> {
        let view = open.view();
        let (main, news) = StrandFollower::begin(FeedTarget::active(), start, &view)?;
        let mut follower = Self {
            open: Arc::clone(open),
            main,
            agents: AgentFollowers::default(),
            told: ToldProcess::default(),
        };
        let now = session_now(&view, &news);
        follower.agents.begin(&view, &now);
        let process = news.status.as_ref().and_then(|status| status.process.as_ref());
        follower.told.pid = process.map(|process| process.pid);
        let head = FollowedEventKind::Session(head(&view, process));
        let mut events = vec![event(&view, None, None, head)];
        events.extend(follower.tell(&view, news, &now));
        drop(view);
        Ok((follower, events))
    }

    /// Returns the session.
    pub fn session(&self) -> &Arc<OpenSession> {
        &self.open
    }

    /// Reports whether a process owned the session at the last step.
    pub fn is_live(&self) -> bool {
        self.told.pid.is_some()
    }

    /// Reads what was appended to the session and returns the events. `live` contains the sessions
    /// of its home that running processes own.
    pub fn step(
        &mut self,
        live: Option<&LiveSessions>,
    ) -> Result<Vec<FollowedEvent>, LibraryError> {
        let open = Arc::clone(&self.open);
        let refreshed = open.refresh(live);
        let view = open.view();
        // A missing log is reported below as an event, and may come back.
        if !view.is_gone() {
            refreshed?;
        }
        let news = self.main.step(&view)?;
        let now = session_now(&view, &news);
        let mut events = Vec::new();
        for (agent, time, thing) in self.agents.step(&view, &now) {
            events.push(event(&view, Some(agent), time, thing));
        }
        events.extend(self.tell(&view, news, &now));
        Ok(events)
    }

    /// Returns the events of the conversation, followed by those of the process.
    fn tell(&mut self, view: &OpenState, news: StrandNews, now: &SessionNow) -> Vec<FollowedEvent> {
        let things = news.things.into_iter();
        let mut events: Vec<FollowedEvent> =
            things.map(|(time, thing)| event(view, None, time, thing)).collect();
        let status = news.status.unwrap_or_else(|| view.feed_status());
        events.extend(self.tell_process(&status, now).into_iter().map(|thing| {
            let at = status.process.as_ref().and_then(|process| process.status_at);
            event(view, None, at.map(Time::from_millis), thing)
        }));
        events
    }

    fn tell_process(&mut self, status: &FeedStatus, now: &SessionNow) -> Vec<FollowedEventKind> {
        let process = status.process.as_ref().filter(|_| status.live == Liveness::Live);
        let new = ToldProcess {
            pid: process.map(|process| process.pid),
            state: process.and_then(LiveSession::state),
            since: process.and_then(|process| process.status_at),
        };
        let old = std::mem::replace(&mut self.told, new.clone());
        let mut things = Vec::new();
        match (old.pid, new.pid) {
            (Some(_), None) => things.push(FollowedEventKind::Ended),
            (before, Some(pid)) if before != Some(pid) => {
                things.push(FollowedEventKind::Began { pid });
            }
            _ => {}
        }
        // The process may wait again, for something else, without another state in between.
        let is_again = new.state == Some(ProcessState::Waiting) && new.since != old.since;
        if new.state != old.state || is_again {
            things.extend(match new.state {
                Some(ProcessState::Waiting) => Some(FollowedEventKind::Waiting(asked(now))),
                Some(ProcessState::Busy) => Some(FollowedEventKind::Working),
                Some(ProcessState::Idle) => Some(FollowedEventKind::Idle),
                None => None,
            });
        }
        things
    }
}

fn event(
    view: &OpenState,
    agent: Option<String>,
    time: Option<Time>,
    what: FollowedEventKind,
) -> FollowedEvent {
    let session = view.session();
    FollowedEvent {
        session: session.id.clone(),
        project: session.project.clone(),
        agent,
        time,
        what,
    }
}

fn head(view: &OpenState, process: Option<&LiveSession>) -> FollowedSessionHead {
    let session = view.session();
    let log = session.log();
    let own = log.facts.cwd().map(|cwd| log.text(cwd).to_owned());
    FollowedSessionHead {
        title: titles::title(log, session.scope, session.called.as_deref()).text,
        cwd: own.or_else(|| process.and_then(|process| process.cwd.clone())),
        file: session.main.path().to_owned(),
        pid: process.map(|process| process.pid),
    }
}

/// Returns the current activity of the session; empty if the log cannot be read.
fn session_now(view: &OpenState, news: &StrandNews) -> SessionNow {
    let process = news.status.as_ref().and_then(|status| status.process.as_ref());
    let conversation = view.conversation();
    let subject = NowSubject {
        session: view.session(),
        conversation: &conversation,
        history: view.history(),
        agents: view.agents(),
        began: process.and_then(|it| it.started_at).map(Time::from_millis),
    };
    now::now(&subject).unwrap_or_default()
}
