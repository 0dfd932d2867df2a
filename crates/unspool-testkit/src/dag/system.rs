//! System lines.
//!
//! The common subtypes have their usual fields; any other is written with its content and the given fields.

use super::fields::{JsonFields, quote};
use crate::ids::uuid;

/// A system line.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    pub(crate) subtype: String,
    pub(crate) content: Option<String>,
    /// Fields of the line as key and JSON text.
    pub(crate) details: Vec<(String, String)>,
    pub(crate) compaction: CompactionSpec,
}

/// The metadata of a compaction boundary.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompactionSpec {
    /// The entry before the boundary.
    pub(crate) logical: LogicalParent,
    /// The names of the entries that were kept.
    pub(crate) kept: Vec<String>,
    /// The name of the entry that the kept ones follow; by default the entry after the boundary.
    pub(crate) anchor: Option<String>,
    /// Whether the trigger is `manual`; otherwise it is `auto`.
    pub(crate) manual: bool,
    /// The number of tokens before the compaction.
    pub(crate) before: u64,
    /// The number of tokens after the compaction.
    pub(crate) after: u64,
}

/// The value of `logicalParentUuid` in a compaction boundary.
#[derive(Clone, Debug, Default)]
pub(crate) enum LogicalParent {
    /// The entry above.
    #[default]
    Above,
    /// None: the key is missing.
    Missing,
    /// The entry of this name, which need not exist.
    Named(String),
}

impl System {
    /// Creates a line of a subtype.
    pub(crate) fn new(subtype: &str) -> Self {
        Self { subtype: subtype.to_owned(), ..Self::default() }
    }

    pub(crate) fn is_boundary(&self) -> bool {
        self.subtype == "compact_boundary"
    }

    pub(crate) fn write(&self, fields: &mut JsonFields, below: Option<&str>) {
        fields.text("type", "system").text("subtype", &self.subtype);
        let content = self.content.as_deref();
        fields.maybe("content", content.or(self.is_boundary().then_some("Conversation compacted")));
        let mut own = JsonFields::new();
        self.write_defaults(&mut own);
        for (key, json) in &self.details {
            own.replace(key, json);
        }
        fields.splice(&own.to_json());
        if self.is_boundary() {
            fields.raw("compactMetadata", self.compaction.to_json(below));
        }
    }

    /// Adds the usual fields of the subtype; [`Self::details`] may replace them.
    fn write_defaults(&self, own: &mut JsonFields) {
        match self.subtype.as_str() {
            "turn_duration" => own.number("durationMs", 1000).number("messageCount", 2),
            "api_error" => own
                .text("level", "error")
                .raw("error", r#"{"status":529}"#)
                .raw("retryInMs", "508.4")
                .number("retryAttempt", 1)
                .number("maxRetries", 10),
            "stop_hook_summary" => own
                .number("hookCount", 1)
                .raw("hookInfos", r#"[{"command":"check.sh","durationMs":20}]"#)
                .raw("hookErrors", "[]")
                .flag("preventedContinuation", false)
                .text("stopReason", "")
                .flag("hasOutput", false)
                .text("level", "suggestion"),
            "microcompact_boundary" => own.raw(
                "microcompactMetadata",
                r#"{"trigger":"auto","preTokens":90000,"tokensSaved":21000,"compactedToolIds":[]}"#,
            ),
            _ => own.text("level", "info"),
        };
    }
}

impl CompactionSpec {
    fn to_json(&self, below: Option<&str>) -> String {
        let mut data = JsonFields::new();
        data.text("trigger", if self.manual { "manual" } else { "auto" })
            .number("preTokens", self.before)
            .number("postTokens", self.after)
            .number("durationMs", 27);
        if let (Some(head), Some(tail)) = (self.kept.first(), self.kept.last()) {
            let anchor = self
                .anchor
                .as_deref()
                .or(below)
                .map_or_else(|| "null".to_owned(), |name| quote(&uuid(name)));
            let mut segment = JsonFields::new();
            segment
                .text("headUuid", &uuid(head))
                .raw("anchorUuid", anchor.as_str())
                .text("tailUuid", &uuid(tail));
            let uuids: Vec<String> = self.kept.iter().map(|name| quote(&uuid(name))).collect();
            let mut messages = JsonFields::new();
            messages.raw("anchorUuid", anchor).array("uuids", &uuids).array("allUuids", &uuids);
            data.object("preservedSegment", &segment).object("preservedMessages", &messages);
        }
        data.to_json()
    }
}
