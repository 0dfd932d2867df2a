//! Messages as JSON.

use serde::Serialize;
use serde_json::value::RawValue;
use unspool_model::ids::EntryId;
use unspool_model::record::MediaKind;

use super::{time, wire};
use unspool_engine::ops::message::{BlockText, CallText, MessageText, ResultText};

wire! {
    /// A message.
    pub struct MessageJson<'a> from(message: &'a MessageText) {
        role: &'static str = message.speaker.name(),
        kind: &'static str = message.kind.name(),
        entries: Vec<&'a str> = message.entries.iter().map(EntryId::as_str).collect(),
        time: Option<String> = time(message.time),
        model: Option<&'a str> = message.model.as_deref(),
        deleted: bool = message.deleted,
        blocks: Vec<BlockJson<'a>> = message.blocks.iter().map(BlockJson::from).collect(),
        left_out: bool = message.left_out,
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

/// Returns a text, or `None` if it is empty.
fn known(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

wire! {
    struct CallJson<'a> from(call: &'a CallText) {
        id: Option<&'a str> = call.id.as_deref(),
        name: Option<&'a str> = known(&call.name),
        input: Option<&'a RawValue> = serde_json::from_str(&call.input).ok(),
        status: &'static str = call.status.name(),
        result: Option<ResultJson<'a>> = call.result.as_ref().map(
            |ResultText { entry, text, is_error, deleted, .. }| ResultJson {
                entry: entry.as_ref().map(EntryId::as_str),
                text,
                is_error: *is_error,
                deleted: *deleted,
            },
        ),
        agent: Option<&'a str> = call.agent.as_deref(),
        duration_ms: Option<u64> = call.duration_ms,
    }
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
