//! Lines that are part of the graph but not messages: attachments, progress records, unknown types.
//!
//! The common kinds have their usual fields; others are written with the given fields.

use super::fields::JsonFields;

/// A line with a payload.
#[derive(Clone, Debug)]
pub(crate) struct PayloadEntry {
    pub(crate) shape: PayloadShape,
    /// The kind of an attachment or progress record, or the type of an unknown line.
    pub(crate) kind: String,
    pub(crate) text: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) agent: Option<String>,
    /// More members of the payload, as a JSON object.
    pub(crate) payload: Option<String>,
}

/// The position of the payload in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PayloadShape {
    Attachment,
    Progress,
    /// At the top level of a line of unknown type.
    Unknown,
}

impl PayloadEntry {
    pub(crate) fn new(shape: PayloadShape, kind: &str) -> Self {
        let kind = kind.to_owned();
        Self { shape, kind, text: None, tool: None, agent: None, payload: None }
    }

    pub(crate) fn write(&self, fields: &mut JsonFields) {
        match self.shape {
            PayloadShape::Attachment => {
                fields.object("attachment", &self.attachment_payload());
                fields.text("type", "attachment");
            }
            PayloadShape::Progress => {
                fields.text("type", "progress").object("data", &self.progress_payload());
                if let Some(call) = &self.tool {
                    fields.text("toolUseID", call).text("parentToolUseID", call);
                }
            }
            PayloadShape::Unknown => {
                fields.text("type", &self.kind).maybe("content", self.text.as_deref());
                self.splice_payload(fields);
            }
        }
    }

    fn attachment_payload(&self) -> JsonFields {
        let mut data = JsonFields::new();
        data.text("type", &self.kind);
        let text = self.text.as_deref();
        match self.kind.as_str() {
            "queued_command" => {
                data.text("prompt", text.unwrap_or("")).text("commandMode", "prompt");
            }
            "hook_success" => {
                data.text("hookName", "PostToolUse:Bash")
                    .text("hookEvent", "PostToolUse")
                    .maybe("toolUseID", self.tool.as_deref())
                    .text("content", "")
                    .text("stdout", text.unwrap_or(""))
                    .text("stderr", "")
                    .number("exitCode", 0)
                    .text("command", "lint.sh")
                    .number("durationMs", 31);
            }
            _ => {
                data.maybe("toolUseID", self.tool.as_deref()).maybe("content", text);
            }
        }
        self.splice_payload(&mut data);
        data
    }

    fn progress_payload(&self) -> JsonFields {
        let mut data = JsonFields::new();
        data.text("type", &self.kind);
        let text = self.text.as_deref();
        match self.kind.as_str() {
            "bash_progress" => {
                data.text("output", text.unwrap_or(""))
                    .text("fullOutput", text.unwrap_or(""))
                    .number("elapsedTimeSeconds", 2)
                    .number("totalLines", 0);
            }
            "agent_progress" => {
                data.text("prompt", text.unwrap_or("")).maybe("agentId", self.agent.as_deref());
            }
            "hook_progress" => {
                data.text("hookEvent", "PostToolUse")
                    .text("hookName", "PostToolUse:Bash")
                    .text("command", "callback");
            }
            _ => {
                data.maybe("content", text);
            }
        }
        self.splice_payload(&mut data);
        data
    }

    fn splice_payload(&self, fields: &mut JsonFields) {
        if let Some(object) = &self.payload {
            fields.splice(object);
        }
    }
}
