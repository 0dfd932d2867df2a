//! `GET /api/events` and `GET /api/sessions/{id}/stream`.

use std::str::FromStr as _;
use std::sync::Arc;

use unspool_engine::library::{
    FeedEvent, FeedPosition, FeedStart, FeedStatus, FeedStep, FeedTarget, OpenSessionView,
};
use unspool_render::json::{
    StreamEndJson, StreamHelloJson, StreamMessageJson, StreamPathJson, StreamResetJson,
    StreamStatusJson,
};

use super::drive;
use super::parameters::{AGENT, PATH};
use crate::driving::RunChanges;
use crate::route::{Call, StreamAnswer};
use crate::stream::{
    EventText, FeedPainter, ListEventFormat, SessionFeed, followed_session, list_stream,
    session_stream,
};
use crate::web::{Parameter, ParameterForm, RequestProblem};

/// The parameters that select a conversation and the start of its stream.
pub(super) const STREAM_PARAMETERS: &[Parameter] = &[
    PATH,
    AGENT,
    Parameter::one(
        "since",
        ParameterForm::Text,
        "The id of an event, to go on after it; `start` for everything; only what is new if \
         none. The header Last-Event-ID comes before it",
    ),
];

/// Streams the changes of all sessions.
pub(super) fn events(call: Call) -> StreamAnswer {
    Box::pin(async move { Ok(list_stream(&call, ListEventFormat::Program)) })
}

/// Streams the events of one session.
pub(super) fn stream(call: Call) -> StreamAnswer {
    Box::pin(async move {
        let start = start(&call)?;
        let target = FeedTarget {
            agent: call.query.get("agent").map(ToOwned::to_owned),
            path: call.query.read("path")?,
        };
        let call = Arc::new(call);
        let feed = SessionFeed {
            followed: followed_session(&call).await?,
            target,
            start,
            painter: Arc::new(JsonFeed),
        };
        session_stream(&call, feed).await
    })
}

/// Returns the position after which the stream begins. A browser's `Last-Event-ID` overrides `since`.
fn start(call: &Call) -> Result<FeedStart, RequestProblem> {
    let since = call.header("last-event-id");
    match since.or(call.query.get("since")) {
        None => Ok(FeedStart::Now),
        Some("start") => Ok(FeedStart::After(FeedPosition::start())),
        Some(text) => {
            let position = FeedPosition::from_str(text);
            let unreadable =
                |_| RequestProblem::parameter("since", "this is not the id of an event");
            position.map(FeedStart::After).map_err(unreadable)
        }
    }
}

/// Writes the events of a session as JSON.
struct JsonFeed;

impl FeedPainter for JsonFeed {
    fn paint(
        &self,
        view: &OpenSessionView<'_>,
        target: &FeedTarget,
        step: &FeedStep,
        text: &mut EventText,
    ) -> Result<(), RequestProblem> {
        let texts = view.feed_messages(target, &step.ordinals())?;
        let mut texts = texts.iter();
        for item in &step.items {
            let id = item.id.as_ref().map(ToString::to_string);
            let id = id.as_deref();
            match &item.event {
                FeedEvent::Hello(hello) => text.event(
                    "hello",
                    None,
                    &StreamHelloJson::new(
                        &view.session().id,
                        hello.counts,
                        hello.path,
                        hello.messages,
                        hello.position.to_string(),
                    ),
                ),
                FeedEvent::Message { ordinal } => {
                    message("message", *ordinal, texts.next(), id, text);
                }
                FeedEvent::Change { ordinal } => {
                    message("change", *ordinal, texts.next(), id, text);
                }
                FeedEvent::Path { path, keeps, position } => {
                    let data = StreamPathJson::new(*path, *keeps, position.to_string());
                    text.event("path", None, &data);
                }
                FeedEvent::Status(status) => text.event("status", None, &status_data(status)),
                FeedEvent::Reset { position } => {
                    text.event("reset", None, &StreamResetJson::new(position.to_string()));
                }
                FeedEvent::Gone => text.event("gone", None, &StreamEndJson::default()),
            }
        }
        Ok(())
    }

    fn paint_drive(&self, news: &RunChanges, text: &mut EventText) {
        drive::write_events(news, text);
    }

    fn paint_agents(&self, _: &mut EventText) {
        // Nothing: `/api/events` names the agents whose logs change.
    }

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
    text.event(name, id, &StreamMessageJson::new(ordinal, message));
}

fn status_data(status: &FeedStatus) -> StreamStatusJson<'_> {
    let process = status.process.as_ref();
    StreamStatusJson::new(
        status.live,
        process.and_then(|process| process.status.as_deref()),
        process.and_then(|process| process.waiting_for.as_deref()),
    )
}
