//! Content blocks of a message that the notation can write.

use super::fields::{JsonFields, quote};

/// An image of one pixel, as base64.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A content block.
#[derive(Clone, Debug)]
pub(crate) enum BlockSpec {
    /// A text.
    Text(String),
    /// Thinking. An empty text with a signature is common in real logs.
    Thinking(String),
    /// A tool call.
    Call {
        /// The name of the tool.
        tool: String,
        /// The id of the call, which the result repeats.
        id: String,
        /// The input as JSON text.
        input: String,
    },
    /// An image of one pixel.
    Image,
}

impl BlockSpec {
    pub(crate) fn to_json(&self) -> String {
        let mut fields = JsonFields::new();
        match self {
            Self::Text(text) => fields.text("type", "text").text("text", text),
            Self::Thinking(text) => fields
                .text("type", "thinking")
                .text("thinking", text)
                .text("signature", "c2lnbmVkIGJ5IHRoZSBtb2RlbA=="),
            Self::Call { tool, id, input } => fields
                .text("type", "tool_use")
                .text("id", id)
                .text("name", tool)
                .raw("input", input.as_str()),
            Self::Image => fields.text("type", "image").raw(
                "source",
                format!(r#"{{"type":"base64","media_type":"image/png","data":{}}}"#, quote(PIXEL)),
            ),
        };
        fields.to_json()
    }
}

/// Formats blocks as the `content` of a message.
pub(crate) fn content(blocks: &[BlockSpec]) -> String {
    let blocks: Vec<String> = blocks.iter().map(BlockSpec::to_json).collect();
    super::fields::array(&blocks)
}
