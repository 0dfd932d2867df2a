//! User lines with results of tool calls: the result block, and `toolUseResult` of the common tools.
//!
//! The writer finds the call of a result.

use super::fields::{JsonFields, array, quote};

/// A user line with the results of one or more calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolResult {
    pub(crate) answers: Vec<CallAnswer>,
    pub(crate) error: bool,
    pub(crate) denied: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) launched: bool,
}

/// The result of one call.
#[derive(Clone, Debug)]
pub(crate) struct CallAnswer {
    pub(crate) call: String,
    /// Whether the session must have the call.
    pub(crate) known: bool,
    pub(crate) text: Option<String>,
}

/// The call of a result.
pub(crate) struct Answered<'a> {
    pub(crate) tool: &'a str,
    pub(crate) entry_uuid: String,
}

impl ToolResult {
    pub(crate) fn write_message(&self, fields: &mut JsonFields) {
        let failed = self.error || self.denied.is_some();
        let blocks: Vec<String> = self
            .answers
            .iter()
            .map(|answer| {
                let mut block = JsonFields::new();
                block.text("tool_use_id", &answer.call).text("type", "tool_result");
                if let Some(text) = &answer.text {
                    match self.agent {
                        Some(_) => block.raw("content", text_blocks(text)),
                        None => block.text("content", text),
                    };
                }
                if failed || self.agent.is_none() {
                    block.flag("is_error", failed);
                }
                block.to_json()
            })
            .collect();
        fields.text("type", "user");
        fields.raw("message", format!(r#"{{"role":"user","content":{}}}"#, array(&blocks)));
    }

    /// Adds the fields next to the message: the tool's own result and the link to the call.
    pub(crate) fn write_marks(
        &self,
        fields: &mut JsonFields,
        answered: Option<&Answered<'_>>,
        link_source: bool,
    ) {
        let text = self.answers.first().and_then(|answer| answer.text.as_deref()).unwrap_or("");
        if let Some(json) = self.tool_use_result(text, answered.map(|call| call.tool)) {
            fields.raw("toolUseResult", json);
        }
        fields.maybe("toolDenialKind", self.denied.as_deref());
        if let Some(call) = answered.filter(|_| link_source) {
            fields.text("sourceToolAssistantUUID", &call.entry_uuid);
        }
    }

    fn tool_use_result(&self, text: &str, tool: Option<&str>) -> Option<String> {
        if self.denied.as_deref() == Some("user-rejected") {
            return Some(quote("User rejected tool use"));
        }
        if self.error || self.denied.is_some() {
            return Some(quote(&format!("Error: {text}")));
        }
        let mut result = JsonFields::new();
        match (&self.agent, tool) {
            (Some(agent), _) if self.launched => {
                result
                    .flag("isAsync", true)
                    .text("status", "async_launched")
                    .text("agentId", agent)
                    .text("prompt", "");
            }
            (Some(agent), _) => {
                result
                    .text("status", "completed")
                    .text("agentId", agent)
                    .raw("content", text_blocks(text))
                    .number("totalToolUseCount", 0)
                    .number("totalDurationMs", 1000)
                    .number("totalTokens", 0);
            }
            (None, Some("Bash")) => {
                result
                    .text("stdout", text)
                    .text("stderr", "")
                    .flag("interrupted", false)
                    .flag("isImage", false)
                    .flag("noOutputExpected", false);
            }
            (None, Some("Read")) => {
                let lines = text.lines().count() as u64;
                let mut file = JsonFields::new();
                file.text("filePath", "/srv/demo/a.txt")
                    .text("content", text)
                    .number("numLines", lines)
                    .number("startLine", 1)
                    .number("totalLines", lines);
                result.text("type", "text").object("file", &file);
            }
            _ => return None,
        }
        Some(result.to_json())
    }
}

fn text_blocks(text: &str) -> String {
    format!(r#"[{{"type":"text","text":{}}}]"#, quote(text))
}
