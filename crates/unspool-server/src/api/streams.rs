//! `GET /api/events` and `GET /api/sessions/{id}/stream`.

use std::str::FromStr as _;
use std::sync::Arc;

use serde::Serialize;
use unspool_engine::library::{
    FeedEvent, FeedPosition, FeedStart, FeedStatus, FeedStep, FeedTarget, OpenSessionView,
};
use unspool_model::conversation::Liveness;
use unspool_render::json::{CountsJson, MessageJson, SCHEMA};

use crate::route::{Call, StreamAnswer};
use crate::stream::{
    EventText, FeedPainter, ListWords, SessionFeed, list_stream, session_stream,
};
use crate::web::Problem;

/// Answers with events of all sessions.
pub(super) fn events(call: Call) -> StreamAnswer {
    Box::pin(async move { Ok(list_stream(&call, ListWords::Program)) })
}

/// Answers with the events of one session.
pub(super) fn stream(call: Call) -> StreamAnswer {
    Box::pin(async move {
        let start = start(&call)?;
        let target = FeedTarget {
            agent: call.query.get("agent").map(ToOwned::to_owned),
            path: call.query.read("path")?,
        };
        let call = Arc::new(call);
        let opening = Arc::clone(&call);
        let opened = call.state.pool.run(move || opening.state.session(&opening));
        let session = opened.await??;
        let state = &call.state;
        let followed = state.followed.follow(&session, &state.watcher, &state.pool);
        let feed = SessionFeed {
            followed,
            target,
            start,
            painter: Arc::new(JsonFeed),
        };
        session_stream(&call, feed).await
    })
}

/// Returns where a reader begins. What a browser remembers wins over the address.
fn start(call: &Call) -> Result<FeedStart, Problem> {
    let since = call.header_named("last-event-id");
    match since.or(call.query.get("since")) {
        None => Ok(FeedStart::Now),
        Some("start") => Ok(FeedStart::After(FeedPosition::start())),
        Some(text) => {
            let position = FeedPosition::from_str(text);
            let unreadable = |_| Problem::parameter("since", "this is not the id of an event");
            position.map(FeedStart::After).map_err(unreadable)
        }
    }
}

/// Writes events for programs.
struct JsonFeed;

#[derive(Serialize)]
struct HelloData<'a> {
    schema: u32,
    session: &'a str,
    counts: CountsJson,
    path: Option<u32>,
    messages: u32,
    position: String,
}

#[derive(Serialize)]
struct MessageData<'a> {
    schema: u32,
    ordinal: u32,
    message: MessageJson<'a>,
}

#[derive(Serialize)]
struct StatusData<'a> {
    schema: u32,
    live: bool,
    status: Option<&'a str>,
    waiting_for: Option<&'a str>,
}

#[derive(Serialize)]
struct PathData {
    schema: u32,
    path: Option<u32>,
    /// The messages before this ordinal stay.
    keeps: u32,
}

#[derive(Serialize)]
struct PlainData {
    schema: u32,
}

impl FeedPainter for JsonFeed {
    fn paint(
        &self,
        view: &OpenSessionView<'_>,
        target: &FeedTarget,
        step: &FeedStep,
        text: &mut EventText,
    ) -> Result<(), Problem> {
        let texts = view.feed_messages(target, &step.ordinals())?;
        let mut texts = texts.iter();
        for item in &step.items {
            let id = item.id.as_ref().map(ToString::to_string);
            let id = id.as_deref();
            match &item.event {
                FeedEvent::Hello(hello) => text.event(
                    "hello",
                    None,
                    &HelloData {
                        schema: SCHEMA,
                        session: view.session().id.as_str(),
                        counts: hello.counts.into(),
                        path: hello.path.map(|path| path.get()),
                        messages: hello.messages,
                        position: hello.position.to_string(),
                    },
                ),
                FeedEvent::Message { ordinal } => message("message", *ordinal, texts.next(), id, text),
                FeedEvent::Change { ordinal } => message("change", *ordinal, texts.next(), id, text),
                FeedEvent::Path { path, keeps } => text.event(
                    "path",
                    None,
                    &PathData {
                        schema: SCHEMA,
                        path: path.map(|path| path.get()),
                        keeps: *keeps,
                    },
                ),
                FeedEvent::Status(status) => text.event("status", None, &status_data(status)),
                FeedEvent::Reset => text.event("reset", None, &PlainData { schema: SCHEMA }),
                FeedEvent::Gone => text.event("gone", None, &PlainData { schema: SCHEMA }),
            }
        }
        Ok(())
    }

    /// Programs get everything.
    fn gives_up(&self, _: usize, _: u64) -> bool {
        false
    }
}

fn message(
    name: &str,
    ordinal: u32,
    message: Option<&unspool_engine::ops::message::MessageText>,
    id: Option<&str>,
    text: &mut EventText,
) {
    let Some(message) = message else {
        return;
    };
    let data = MessageData {
        schema: SCHEMA,
        ordinal,
        message: message.into(),
    };
    text.event(name, id, &data);
}

fn status_data(status: &FeedStatus) -> StatusData<'_> {
    let process = status.process.as_ref();
    StatusData {
        schema: SCHEMA,
        live: status.live == Liveness::Live,
        status: process.and_then(|process| process.status.as_deref()),
        waiting_for: process.and_then(|process| process.waiting_for.as_deref()),
    }
}
