//! Events of all sessions: additions, changes, and sessions that need a person.

use std::collections::BTreeSet;
use std::convert::Infallible;

use axum::response::Response;
use futures_util::stream;
use serde::Serialize;
use tokio::sync::watch;
use unspool_render::json::{AgentChangedJson, NothingJson, SessionChangedJson};

use super::approvals::ApprovalFollower;
use super::sse::{self, EventText, HEARTBEAT};
use crate::follow::{ChangeListener, HomeChange};
use crate::route::Call;

/// The form in which changes are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListEventFormat {
    /// For programs: one event for each change.
    Program,
    /// For pages: one event that names the parts to fetch.
    Page,
}

#[derive(Serialize)]
struct PageHello<'a> {
    assets: &'a str,
}

/// The parts of a page that have changed.
#[derive(Serialize)]
struct ChangedParts {
    parts: Vec<&'static str>,
}

/// A connection that receives events of all sessions.
struct ListConnection {
    listener: ChangeListener,
    asked: ApprovalFollower,
    words: ListEventFormat,
    ending: watch::Receiver<bool>,
    /// The first events; none after they were sent.
    hello: Option<EventText>,
}

/// Streams the events of all sessions.
pub(crate) fn list_stream(call: &Call, words: ListEventFormat) -> Response {
    let mut hello = EventText::default();
    hello.retry(1_000);
    match words {
        ListEventFormat::Program => hello.comment(),
        ListEventFormat::Page => {
            let assets = call.state.assets.print();
            hello.event("hello", None, &PageHello { assets });
        }
    }
    let connection = ListConnection {
        listener: ChangeListener::new(&call.state.watcher, |_| true),
        asked: ApprovalFollower::new(&call.state),
        words,
        ending: call.state.ending.clone(),
        hello: Some(hello),
    };
    let events = stream::unfold(connection, |mut connection| async move {
        let text = connection.next().await?;
        Some((Ok::<_, Infallible>(text), connection))
    });
    sse::answer(events)
}

/// The reason why a connection woke up.
enum ListWoken {
    /// Something changed in the homes.
    Library,
    /// Other approvals are open.
    Asked,
    /// Nothing has happened for the time of a heartbeat.
    Silence,
}

impl ListConnection {
    /// Waits for the next events; none when the server stops.
    async fn next(&mut self) -> Option<EventText> {
        if let Some(hello) = self.hello.take() {
            return Some(hello);
        }
        let mut text = EventText::default();
        while text.is_empty() {
            let woken = tokio::select! {
                () = self.listener.changed() => ListWoken::Library,
                () = self.asked.changed() => ListWoken::Asked,
                () = tokio::time::sleep(HEARTBEAT) => ListWoken::Silence,
                _ = self.ending.wait_for(|ending| *ending) => return None,
            };
            match woken {
                ListWoken::Silence => self.beat(&mut text),
                ListWoken::Asked => self.write(&BTreeSet::from([HomeChange::Inbox]), &mut text),
                ListWoken::Library => {
                    self.asked.look_again();
                    self.write(&self.listener.take(), &mut text);
                }
            }
        }
        Some(text)
    }

    fn beat(&self, text: &mut EventText) {
        match self.words {
            ListEventFormat::Program => text.event("heartbeat", None, &NothingJson::default()),
            ListEventFormat::Page => text.comment(),
        }
    }

    fn write(&self, changes: &BTreeSet<HomeChange>, text: &mut EventText) {
        match self.words {
            ListEventFormat::Program => changes.iter().for_each(|change| tell(change, text)),
            ListEventFormat::Page if changes.is_empty() => {}
            ListEventFormat::Page => {
                // New lines of a live session change its item in the inbox, too.
                let parts = if changes.iter().all(|change| *change == HomeChange::Inbox) {
                    vec!["inbox"]
                } else {
                    vec!["inbox", "recent", "projects"]
                };
                text.event("changed", None, &ChangedParts { parts });
            }
        }
    }
}

/// Writes a change as an event for programs.
fn tell(change: &HomeChange, text: &mut EventText) {
    match change {
        HomeChange::List => text.event("sessionListChanged", None, &NothingJson::default()),
        HomeChange::Inbox => text.event("inboxChanged", None, &NothingJson::default()),
        // The state of a process has changed: that is a change of the inbox, not of the log.
        HomeChange::Session { project, .. } if project.is_empty() => {}
        HomeChange::Session { project, session } => {
            let data = SessionChangedJson { project_id: project, session_id: session };
            text.event("sessionChanged", None, &data);
        }
        HomeChange::Agent { project, session, agent } => {
            let data = AgentChangedJson {
                project_id: project,
                session_id: session,
                agent_session_id: agent,
            };
            text.event("agentSessionChanged", None, &data);
        }
    }
}
