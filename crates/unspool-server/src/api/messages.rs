//! `GET /api/sessions/{id}/messages`: a page of messages, before or after an entry.
//!
//! The open session keeps the history of the active path, so a page of it costs only its own
//! messages. Another path, view or agent is laid out for the request.

use std::io;
use std::ops::Range;

use unspool_engine::library::OpenSessionView;
use unspool_engine::ops::message::{MessageText, Unanswered};
use unspool_engine::ops::transcript::{LeftOutMessages, Transcript, TranscriptRequest, ViewKind};
use unspool_model::ids::EntryId;
use unspool_render::json::MessagesPageJson;

use super::opened::unless_not_modified;
use super::parameters::{AGENT, INTERRUPTED, LEFT_OUT, PATH, VIEW, left_out, unanswered, view};
use crate::route::Call;
use crate::web::{Parameter, ParameterForm, RequestProblem, WebReply};

/// The default number of messages on a page.
const MESSAGES: u64 = 100;
/// The maximum number of messages on a page.
const MOST_MESSAGES: u64 = 1_000;

/// The parameters that select messages.
pub(super) const MESSAGE_PARAMETERS: &[Parameter] = &[
    PATH,
    VIEW,
    AGENT,
    Parameter::one(
        "before",
        ParameterForm::Text,
        "The uuid of an entry: the messages before the one that it belongs to",
    ),
    Parameter::one(
        "after",
        ParameterForm::Text,
        "The uuid of an entry: the messages after the one that it belongs to",
    ),
    Parameter::one(
        "limit",
        ParameterForm::Integer { least: 1, most: MOST_MESSAGES, usual: Some(MESSAGES) },
        "How many messages are wanted at most",
    ),
    INTERRUPTED,
    LEFT_OUT,
];

/// The source of a page of messages.
enum MessageSource<'v> {
    /// The history of the active path, which the open session keeps.
    History(&'v OpenSessionView<'v>, Unanswered),
    /// A path that was laid out for this request.
    Laid(Box<Transcript<'v>>),
}

impl MessageSource<'_> {
    fn count(&self) -> usize {
        match self {
            Self::History(view, _) => view.history().messages.len(),
            Self::Laid(shown) => shown.view.messages.len(),
        }
    }

    fn position_of(&self, entry: &EntryId) -> Option<usize> {
        match self {
            Self::History(view, _) => view.position_of(entry),
            Self::Laid(shown) => shown.position_of(entry),
        }
    }

    fn read(&self, range: Range<usize>) -> io::Result<Vec<MessageText>> {
        match self {
            Self::History(view, unanswered) => view.messages_with(range, *unanswered),
            Self::Laid(shown) => shown.messages_in(range),
        }
    }
}

/// `GET /api/sessions/{id}/messages`
pub(super) fn messages(call: &Call) -> Result<WebReply, RequestProblem> {
    let opened = call.session()?;
    let view = opened.view();
    unless_not_modified(call, &view, || {
        let source = source(call, &view)?;
        let range = range(call, &source)?;
        let texts = source.read(range.clone())?;
        let first = texts.first().filter(|_| range.start > 0);
        let last = texts.last().filter(|_| range.end < source.count());
        let before = first.and_then(|message| message.entries.first());
        let after = last.and_then(|message| message.entries.last());
        WebReply::json(&MessagesPageJson::new(&texts, before, after))
    })
}

fn source<'v>(
    call: &Call,
    opened: &'v OpenSessionView<'_>,
) -> Result<MessageSource<'v>, RequestProblem> {
    let request = TranscriptRequest {
        view: view(call)?,
        path: call.query.read("path")?,
        agent: call.query.get("agent").map(str::to_owned),
        unanswered: unanswered(call)?,
        left_out: left_out(call)?,
        ..TranscriptRequest::default()
    };
    let conversation = opened.conversation();
    let active = conversation.paths.active().map(|path| path.index);
    let is_active = request.path.is_none() || request.path == active;
    let is_kept = is_active
        && request.view == ViewKind::History
        && request.agent.is_none()
        && request.left_out == LeftOutMessages::Show;
    Ok(if is_kept {
        MessageSource::History(opened, request.unanswered)
    } else {
        MessageSource::Laid(Box::new(opened.transcript(&request)?))
    })
}

/// Returns the range of requested messages: the newest, unless an entry is given.
fn range(call: &Call, source: &MessageSource<'_>) -> Result<Range<usize>, RequestProblem> {
    let limit = call.query.read("limit")?.unwrap_or(MESSAGES as usize);
    let (before, after) = (call.query.get("before"), call.query.get("after"));
    let find = |entry: &str| {
        let none = || {
            let detail = format!("{entry:?} is not the uuid of an entry on this path");
            RequestProblem::not_found(detail)
        };
        source.position_of(&EntryId::new(entry)).ok_or_else(none)
    };
    let count = source.count();
    Ok(match (before, after) {
        (Some(_), Some(_)) => {
            let detail = "messages are before one entry or after one, not both";
            return Err(RequestProblem::parameter("before", detail));
        }
        (Some(entry), None) => {
            let end = find(entry)?;
            end.saturating_sub(limit)..end
        }
        (None, Some(entry)) => {
            let start = find(entry)? + 1;
            start..start.saturating_add(limit).min(count)
        }
        (None, None) => count.saturating_sub(limit)..count,
    })
}
