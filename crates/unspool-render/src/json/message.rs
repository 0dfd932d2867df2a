//! Messages as scripts see them.

use serde::Serialize;
use serde_json::value::RawValue;
use unspool_model::ids::EntryId;
use unspool_model::record::MediaKind;

use super::time;
use unspool_engine::ops::message::{BlockText, CallText, MessageText, ResultText};

/// A message as scripts see it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MessageJson<'a> {
    role: &'static str,
    kind: &'static str,
    entries: Vec<&'a str>,
    time: Option<String>,
    model: Option<&'a str>,
    deleted: bool,
    blocks: Vec<BlockJson<'a>>,
    left_out: bool,
}

impl<'a> From<&'a MessageText> for MessageJson<'a> {
    fn from(message: &'a MessageText) -> Self {
        Self {
            role: message.speaker.name(),
            kind: message.kind.name(),
            entries: message.entries.iter().map(EntryId::as_str).collect(),
            time: time(message.time),
            model: message.model.as_deref(),
            deleted: message.deleted,
            blocks: message.blocks.iter().map(BlockJson::from).collect(),
            left_out: message.left_out,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
enum BlockJson<'a> {
    Text { text: &'a str },
    Thinking { text: &'a str },
    Call(CallJson<'a>),
    Image { media_type: Option<&'a str>, bytes: Option<u64> },
    Document { media_type: Option<&'a str>, bytes: Option<u64> },
    Other { name: Option<&'a str> },
}

/// Returns a text, or nothing for one that says nothing.
fn known(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CallJson<'a> {
    id: Option<&'a str>,
    name: Option<&'a str>,
    input: Option<&'a RawValue>,
    status: &'static str,
    result: Option<ResultJson<'a>>,
    agent: Option<&'a str>,
    duration_ms: Option<u64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ResultJson<'a> {
    entry: Option<&'a str>,
    text: &'a str,
    is_error: bool,
    deleted: bool,
}

impl<'a> From<&'a BlockText> for BlockJson<'a> {
    fn from(block: &'a BlockText) -> Self {
        match block {
            BlockText::Text(text) => Self::Text { text },
            BlockText::Thinking(text) => Self::Thinking { text },
            BlockText::Call(call) => Self::Call(CallJson::from(&**call)),
            BlockText::Media(media) => {
                let media_type = known(&media.media_type);
                let bytes = media.bytes;
                match media.kind {
                    MediaKind::Image => Self::Image { media_type, bytes },
                    MediaKind::Document => Self::Document { media_type, bytes },
                }
            }
            BlockText::Other { name } => Self::Other { name: known(name) },
        }
    }
}

impl<'a> From<&'a CallText> for CallJson<'a> {
    fn from(call: &'a CallText) -> Self {
        Self {
            id: call.id.as_deref(),
            name: known(&call.name),
            input: serde_json::from_str(&call.input).ok(),
            status: call.status.name(),
            result: call.result.as_ref().map(
                |ResultText { entry, text, is_error, deleted, .. }| ResultJson {
                    entry: entry.as_ref().map(EntryId::as_str),
                    text,
                    is_error: *is_error,
                    deleted: *deleted,
                },
            ),
            agent: call.agent.as_deref(),
            duration_ms: call.duration_ms,
        }
    }
}
