//! Events of all sessions: what came, what changed, what needs a person.

use std::collections::BTreeSet;
use std::convert::Infallible;

use axum::response::Response;
use futures_util::stream;
use serde::Serialize;
use tokio::sync::watch;
use unspool_render::json::{AgentChangedJson, NothingJson, SessionChangedJson};

use super::asked::AskedTail;
use super::sse::{self, EventText, HEARTBEAT};
use crate::follow::{ChangeListener, ListedChange};
use crate::route::Call;

/// In which words changes are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListWords {
    /// To programs, one event for each change.
    Program,
    /// To a page, one event that names the parts to fetch.
    Page,
}

#[derive(Serialize)]
struct PageHello<'a> {
    assets: &'a str,
}

/// The parts of a page that are other ones now.
#[derive(Serialize)]
struct ChangedParts {
    parts: Vec<&'static str>,
}

/// One connection.
struct ListConnection {
    listener: ChangeListener,
    asked: AskedTail,
    words: ListWords,
    ending: watch::Receiver<bool>,
    /// What is sent before anything changes; none when it was sent.
    hello: Option<EventText>,
}

/// Answers with events of all sessions.
pub(crate) fn list_stream(call: &Call, words: ListWords) -> Response {
    let mut hello = EventText::default();
    hello.retry(1_000);
    match words {
        ListWords::Program => hello.comment(),
        ListWords::Page => {
            let assets = call.state.assets.print();
            hello.event("hello", None, &PageHello { assets });
        }
    }
    let connection = ListConnection {
        listener: ChangeListener::new(&call.state.watcher, |_| true),
        asked: AskedTail::new(&call.state),
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

/// Why a connection woke up.
enum ListWoken {
    /// Something changed in the homes.
    Library,
    /// Something else waits for a person.
    Asked,
    /// Nothing happened for a while.
    Silence,
}

impl ListConnection {
    /// Waits for the next events; none when the server ends.
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
                ListWoken::Asked => self.write(&BTreeSet::from([ListedChange::Inbox]), &mut text),
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
            ListWords::Program => text.event("heartbeat", None, &NothingJson::default()),
            ListWords::Page => text.comment(),
        }
    }

    fn write(&self, changes: &BTreeSet<ListedChange>, text: &mut EventText) {
        match self.words {
            ListWords::Program => changes.iter().for_each(|change| tell(change, text)),
            ListWords::Page if changes.is_empty() => {}
            ListWords::Page => {
                // What a live session writes changes what the inbox says of it, too.
                let parts = if changes.iter().all(|change| *change == ListedChange::Inbox) {
                    vec!["inbox"]
                } else {
                    vec!["inbox", "recent", "projects"]
                };
                text.event("changed", None, &ChangedParts { parts });
            }
        }
    }
}

/// Tells a program what changed.
fn tell(change: &ListedChange, text: &mut EventText) {
    match change {
        ListedChange::List => text.event("sessionListChanged", None, &NothingJson::default()),
        ListedChange::Inbox => text.event("inboxChanged", None, &NothingJson::default()),
        // A process that says something of its session changes the inbox; its log does not change.
        ListedChange::Session { project, .. } if project.is_empty() => {}
        ListedChange::Session { project, session } => {
            let data = SessionChangedJson { project_id: project, session_id: session };
            text.event("sessionChanged", None, &data);
        }
        ListedChange::Agent { project, session, agent } => {
            let data = AgentChangedJson {
                project_id: project,
                session_id: session,
                agent_session_id: agent,
            };
            text.event("agentSessionChanged", None, &data);
        }
    }
}
