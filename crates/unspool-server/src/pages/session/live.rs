//! `GET …/live?since=`: the changes of a session, as server-sent events with markup for an open page.
//!
//! Events come from the engine's feed: a page that was disconnected gets everything it has missed,
//! and a connected page gets what is new. Messages have the markup of the page. `poll` answers with
//! the pending events and ends, for tabs beyond the limit of connections. `live.js` describes what
//! the script does with the events.
//!
//! A page that shows the active path follows it: if another path becomes active, the page gets an
//! event (`path`) and decides what to do. A page of another path follows that path only.

use std::str::FromStr as _;
use std::sync::Arc;

use serde::Serialize;
use unspool_engine::library::{
    FeedEvent, FeedPosition, FeedStart, FeedStatus, FeedStep, FeedTarget, OpenSessionView,
};
use unspool_model::conversation::Liveness;
use unspool_model::positions::{PathNumber, TurnNumber};
use unspool_render::html::PieceForm;
use unspool_render::json::SCHEMA;

use super::chunks::ChunkPlan;
use super::drive;
use super::host::SheetHost;
use super::request::SheetRequest;
use super::sheet::SessionSheet;
use crate::driving::RunChanges;
use crate::route::{Call, StreamAnswer};
use crate::state::ServerState;
use crate::stream::{
    EventText, FeedPainter, SessionFeed, followed_session, session_events, session_stream,
};
use crate::web::{RequestProblem, WebReply};

/// A page that has missed more messages than this is told to reload.
const MOST_MESSAGES: usize = 500;
/// A page that has missed more bytes of the log than this is told to reload.
const MOST_BYTES: u64 = 8 * 1024 * 1024;

/// Streams the events of a conversation.
pub(super) fn live(call: Call) -> StreamAnswer {
    Box::pin(async move {
        let asked = SheetRequest::of(&call)?;
        let start = start(&call)?;
        let call = Arc::new(call);
        let state = &call.state;
        let feed = SessionFeed {
            followed: followed_session(&call).await?,
            target: asked.target(),
            start,
            painter: Arc::new(PageFeed { asked, state: Arc::clone(state) }),
        };
        if call.query.is_on("poll") {
            let events = state.pool.run(move || session_events(feed)).await??;
            let reply = WebReply::of("text/event-stream; charset=utf-8", events.as_str());
            return Ok(reply.into_response());
        }
        session_stream(&call, feed).await
    })
}

/// Returns the position after which the stream begins.
fn start(call: &Call) -> Result<FeedStart, RequestProblem> {
    let Some(text) = call.query.get("since") else {
        return Ok(FeedStart::Now);
    };
    let unreadable = |_| RequestProblem::parameter("since", "this is not the id of an event");
    let position = FeedPosition::from_str(text).map_err(unreadable)?;
    Ok(FeedStart::After(position))
}

/// Writes the events of a session for a page.
struct PageFeed {
    asked: SheetRequest,
    state: Arc<ServerState>,
}

#[derive(Serialize)]
struct PageHelloJson<'a> {
    schema: u32,
    position: String,
    path: Option<PathNumber>,
    messages: u32,
    assets: &'a str,
}

#[derive(Serialize)]
struct PageMessageJson<'a> {
    schema: u32,
    ordinal: u32,
    /// The first message of its chunk.
    chunk: u32,
    /// The turn, counted from one; null before the first.
    turn: Option<TurnNumber>,
    html: &'a str,
}

#[derive(Serialize)]
struct PagePathJson {
    schema: u32,
    path: Option<PathNumber>,
    keeps: u32,
    position: String,
    /// The address of the page that shows the path.
    way: String,
}

#[derive(Serialize)]
struct PageStatusJson<'a> {
    schema: u32,
    live: bool,
    state: Option<&'a str>,
    waiting_for: Option<&'a str>,
}

#[derive(Serialize)]
struct PageAgentsJson {
    schema: u32,
}

#[derive(Serialize)]
struct PageEndJson {
    schema: u32,
    position: Option<String>,
}

impl FeedPainter for PageFeed {
    fn paint(
        &self,
        view: &OpenSessionView<'_>,
        target: &FeedTarget,
        step: &FeedStep,
        text: &mut EventText,
    ) -> Result<(), RequestProblem> {
        let messages = if step.ordinals().is_empty() {
            Vec::new()
        } else {
            self.messages(view, target, step)?
        };
        let mut messages = messages.into_iter();
        for item in &step.items {
            let id = item.id.as_ref().map(ToString::to_string);
            let id = id.as_deref();
            match &item.event {
                FeedEvent::Hello(hello) => text.event(
                    "hello",
                    None,
                    &PageHelloJson {
                        schema: SCHEMA,
                        position: hello.position.to_string(),
                        path: hello.path,
                        messages: hello.messages,
                        assets: self.state.assets.print(),
                    },
                ),
                FeedEvent::Message { .. } => {
                    message("message", id, messages.next().flatten(), text);
                }
                FeedEvent::Change { .. } => message("change", id, messages.next().flatten(), text),
                FeedEvent::Path { path, keeps, position } => {
                    let ways = self.asked.ways();
                    let data = PagePathJson {
                        schema: SCHEMA,
                        path: *path,
                        keeps: *keeps,
                        position: position.to_string(),
                        way: ways.on_path(None).page(),
                    };
                    text.event("path", None, &data);
                }
                FeedEvent::Status(status) => text.event("status", None, &status_json(status)),
                FeedEvent::Reset { position } => {
                    text.event("reset", None, &end(Some(position.to_string())));
                }
                FeedEvent::Gone => text.event("gone", None, &end(None)),
            }
        }
        Ok(())
    }

    fn paint_drive(&self, news: &RunChanges, text: &mut EventText) {
        drive::write_events(news, text);
    }

    fn paint_agents(&self, text: &mut EventText) {
        text.event("agents", None, &PageAgentsJson { schema: SCHEMA });
    }

    fn gives_up(&self, messages: usize, bytes: u64) -> bool {
        messages > MOST_MESSAGES || bytes > MOST_BYTES
    }
}

/// A message as markup for a page.
struct PaintedMessage {
    ordinal: u32,
    chunk: u32,
    turn: Option<TurnNumber>,
    html: String,
}

impl PageFeed {
    /// Paints the messages of a step; none for messages that the path does not have.
    fn messages(
        &self,
        view: &OpenSessionView<'_>,
        target: &FeedTarget,
        step: &FeedStep,
    ) -> Result<Vec<Option<PaintedMessage>>, RequestProblem> {
        let asked = self.asked.on_path(target.path);
        let sheet = SessionSheet::new(view, &asked, self.state.prices())?;
        let plan = sheet.plan();
        let host = SheetHost::new(&sheet);
        let fragments = sheet.fragments(&host, PieceForm::Whole);
        let paint = |ordinal: u32| {
            if ordinal >= sheet.len() {
                return Ok(None);
            }
            Ok(Some(PaintedMessage {
                ordinal,
                chunk: chunk_of(&plan, ordinal),
                turn: sheet.turn_of(ordinal),
                html: fragments.html(ordinal..ordinal + 1)?,
            }))
        };
        step.ordinals().into_iter().map(paint).collect()
    }
}

fn chunk_of(plan: &ChunkPlan, ordinal: u32) -> u32 {
    let at = plan.position_of(ordinal);
    at.map_or(ordinal, |at| plan.chunks()[at].from)
}

fn message(name: &str, id: Option<&str>, message: Option<PaintedMessage>, text: &mut EventText) {
    if let Some(message) = message {
        let data = PageMessageJson {
            schema: SCHEMA,
            ordinal: message.ordinal,
            chunk: message.chunk,
            turn: message.turn,
            html: &message.html,
        };
        text.event(name, id, &data);
    }
}

fn status_json(status: &FeedStatus) -> PageStatusJson<'_> {
    let process = status.process.as_ref();
    PageStatusJson {
        schema: SCHEMA,
        live: status.live == Liveness::Live,
        state: process.and_then(|process| process.status.as_deref()),
        waiting_for: process.and_then(|process| process.waiting_for.as_deref()),
    }
}

fn end(position: Option<String>) -> PageEndJson {
    PageEndJson { schema: SCHEMA, position }
}
