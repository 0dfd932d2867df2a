//! Types of records and content blocks that are known only by name.

use memchr::memmem;

use crate::json::Str;

/// The type of records about queued prompts.
pub(crate) const QUEUE_OPERATION: &str = "queue-operation";

/// Types of metadata records that clients and the SDK write.
const KNOWN: &[&str] = &[
    "agent-color",
    "agent-name",
    "agent-setting",
    "agent_metadata",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "attribution-snapshot",
    "bridge-session",
    "content-replacement",
    "cost-state",
    "custom-title",
    "ended-by-model",
    "file-history-delta",
    "file-history-snapshot",
    "fork-context-ref",
    "frame-link",
    "isolation-latch",
    "last-prompt",
    "mode",
    "observer-ref",
    "permission-mode",
    "pr-link",
    QUEUE_OPERATION,
    "relocated",
    "result",
    "started",
    "summary",
    "tag",
    "tools-used",
    "worktree-state",
];

/// The prefix of a family of such types.
const KNOWN_START: &str = "marble-origami-";

/// Tells whether clients or the SDK write metadata records of this type.
pub fn is_known_type(name: &str) -> bool {
    KNOWN.contains(&name) || name.starts_with(KNOWN_START)
}

/// Tells whether content blocks of this type are results of tools.
pub fn is_result_type(kind: Str<'_>) -> bool {
    kind.raw().ends_with(b"tool_result")
}

/// Returns the name of the picture or document that a content block of this type is.
pub fn picture_name(kind: Str<'_>) -> Option<&'static str> {
    match kind.raw() {
        b"image" => Some("image"),
        b"document" => Some("document"),
        _ => None,
    }
}

/// Tells whether the content of a result contains a picture.
pub fn has_image(content: &[u8]) -> bool {
    content.first() != Some(&b'"') && memmem::find(content, br#""type":"image""#).is_some()
}

/// The type of a content block, as the block states it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum BlockType {
    Text,
    Thinking,
    Call,
    Result,
    Image,
    Document,
    #[default]
    Other,
}

impl BlockType {
    /// Returns the type that a block states.
    pub(crate) fn of(name: Option<Str<'_>>) -> Self {
        match name.map(Str::raw) {
            Some(b"text") => Self::Text,
            Some(b"thinking" | b"redacted_thinking") => Self::Thinking,
            Some(b"tool_use" | b"server_tool_use") => Self::Call,
            Some(b"tool_result" | b"web_search_tool_result" | b"web_fetch_tool_result") => {
                Self::Result
            }
            Some(b"image") => Self::Image,
            Some(b"document") => Self::Document,
            _ => Self::Other,
        }
    }
}
