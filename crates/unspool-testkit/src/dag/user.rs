//! Prompts and other user lines without a tool result.
//!
//! Knows the fields of a typed prompt in each version.

use super::block::{self, BlockSpec};
use super::envelope::Envelope;
use super::fields::{JsonFields, quote};

/// A user line without a tool result.
#[derive(Clone, Debug, Default)]
pub(crate) struct User {
    pub(crate) blocks: Vec<BlockSpec>,
    pub(crate) as_blocks: bool,
    pub(crate) summary: bool,
    pub(crate) source: Option<String>,
    pub(crate) origin: Option<String>,
    pub(crate) prompt: Option<String>,
    pub(crate) interrupted: Option<String>,
}

impl User {
    pub(crate) fn write_message(&self, fields: &mut JsonFields) {
        let content = match self.blocks.as_slice() {
            [] => quote(""),
            [BlockSpec::Text(text)] if !self.as_blocks => quote(text),
            blocks => block::content(blocks),
        };
        fields.text("type", "user");
        fields.raw("message", format!(r#"{{"role":"user","content":{content}}}"#));
        if self.summary {
            fields.flag("isVisibleInTranscriptOnly", true).flag("isCompactSummary", true);
        }
    }

    /// Adds the fields that mark a prompt as typed by a person if `typed` is set, and fields that were given.
    pub(crate) fn write_marks(&self, fields: &mut JsonFields, envelope: &Envelope, typed: bool) {
        if typed && envelope.since(2, 1, 15) {
            fields.text("permissionMode", "default");
        }
        fields.maybe("interruptedMessageId", self.interrupted.as_deref());
        let kind = self.origin.as_deref();
        if let Some(kind) = kind.or((typed && envelope.since(2, 1, 92)).then_some("human")) {
            fields.raw("origin", format!(r#"{{"kind":{}}}"#, quote(kind)));
        }
        let source = self.source.as_deref();
        fields.maybe(
            "promptSource",
            source.or((typed && envelope.since(2, 1, 207)).then_some("typed")),
        );
    }

    /// Tells whether the line is a prompt and not a summary or an interruption.
    pub(crate) fn is_prompt(&self) -> bool {
        !self.summary && self.interrupted.is_none()
    }
}
