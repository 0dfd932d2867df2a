//! Prompts and other user lines without a tool result.
//!
//! Knows what a typed prompt looks like in each version. Does not know tool results.

use super::block::{self, BlockSpec};
use super::envelope::Envelope;
use super::fields::{JsonFields, quote};

/// A user line without a tool result.
#[derive(Clone, Debug, Default)]
pub struct User {
    pub(crate) blocks: Vec<BlockSpec>,
    pub(crate) as_blocks: bool,
    pub(crate) summary: bool,
    pub(crate) source: Option<String>,
    pub(crate) origin: Option<String>,
    pub(crate) prompt: Option<String>,
    pub(crate) interrupted: Option<String>,
}

impl User {
    /// Creates a typed prompt.
    pub fn new(text: impl Into<String>) -> Self {
        Self { blocks: vec![BlockSpec::Text(text.into())], ..Self::default() }
    }

    /// Adds a block; two or more blocks are written as an array.
    #[must_use]
    pub fn block(mut self, block: BlockSpec) -> Self {
        self.blocks.push(block);
        self
    }

    /// Marks the line as the summary that follows a compaction boundary.
    #[must_use]
    pub fn compact_summary(mut self) -> Self {
        self.summary = true;
        self
    }

    /// Sets the name that `promptId` is made from.
    #[must_use]
    pub fn prompt(mut self, name: impl Into<String>) -> Self {
        self.prompt = Some(name.into());
        self
    }

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

    /// Adds the fields that mark a prompt as typed by a person, unless the line is something else.
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

    /// Says whether the line is a prompt rather than a summary or an interruption.
    pub(crate) fn is_prompt(&self) -> bool {
        !self.summary && self.interrupted.is_none()
    }
}
