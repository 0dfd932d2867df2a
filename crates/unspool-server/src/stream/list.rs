//! Events of all sessions: what came, what changed, what needs a person.

use std::collections::BTreeSet;
use std::convert::Infallible;

use axum::response::Response;
use futures_util::stream;
use serde::Serialize;
use tokio::sync::watch;

use super::news::{Change, ChangeListener};
use super::sse::{self, EventText, HEARTBEAT};
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
struct NoData {}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangedData<'a> {
    project_id: &'a str,
    session_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_session_id: Option<&'a str>,
}

#[derive(Serialize)]
struct PageHello<'a> {
    assets: &'a str,
}

/// The parts of a page that are other ones now.
#[derive(Serialize)]
struct PageParts {
    parts: Vec<&'static str>,
}

/// One connection.
struct ListConnection {
    listener: ChangeListener,
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

impl ListConnection {
    /// Waits for the next events; none when the server ends.
    async fn next(&mut self) -> Option<EventText> {
        if let Some(hello) = self.hello.take() {
            return Some(hello);
        }
        let mut text = EventText::default();
        while text.is_empty() {
            tokio::select! {
                () = self.listener.changed() => self.write(&self.listener.take(), &mut text),
                () = tokio::time::sleep(HEARTBEAT) => self.beat(&mut text),
                _ = self.ending.wait_for(|ending| *ending) => return None,
            }
        }
        Some(text)
    }

    fn beat(&self, text: &mut EventText) {
        match self.words {
            ListWords::Program => text.event("heartbeat", None, &NoData {}),
            ListWords::Page => text.comment(),
        }
    }

    fn write(&self, changes: &BTreeSet<Change>, text: &mut EventText) {
        match self.words {
            ListWords::Program => changes.iter().for_each(|change| tell(change, text)),
            ListWords::Page if changes.is_empty() => {}
            ListWords::Page => {
                let is_inbox = |change: &Change| matches!(change, Change::Inbox);
                let mut parts = vec!["recent", "projects"];
                if changes.iter().any(is_inbox) || !changes.is_empty() {
                    parts.insert(0, "inbox");
                }
                text.event("changed", None, &PageParts { parts });
            }
        }
    }
}

/// Tells a program what changed.
fn tell(change: &Change, text: &mut EventText) {
    match change {
        Change::List => text.event("sessionListChanged", None, &NoData {}),
        Change::Inbox => text.event("inboxChanged", None, &NoData {}),
        // A process that says something of its session changes the inbox; its log does not change.
        Change::Session { project, .. } if project.is_empty() => {}
        Change::Session { project, session } => {
            let data = ChangedData {
                project_id: project,
                session_id: session,
                agent_session_id: None,
            };
            text.event("sessionChanged", None, &data);
        }
        Change::Agent {
            project,
            session,
            agent,
        } => {
            let data = ChangedData {
                project_id: project,
                session_id: session,
                agent_session_id: Some(agent),
            };
            text.event("agentSessionChanged", None, &data);
        }
    }
}
