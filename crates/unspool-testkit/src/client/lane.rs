//! One conversation of a scripted client: the main one or an agent's.
//!
//! Each entry is sent to the host, written to the log and added to the messages for the model, under one
//! uuid.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::core::{ClientCore, locked};
use super::entropy;
use super::history::push_message;
use super::session_log::{ClientLog, append_text, merge};
use crate::script::streamed;

/// The file with the requests that a real client would have sent to a model, one per line.
pub const SENT: &str = "sent.jsonl";

/// A conversation.
#[derive(Debug)]
pub(super) struct ClientConversation {
    pub(super) log: Arc<Mutex<ClientLog>>,
    pub(super) tip: Option<String>,
    pub(super) messages: Vec<Value>,
    /// The agent's id and the id of its call.
    pub(super) agent: Option<(String, String)>,
    /// The uuids of the turn's prompts, which the first frame of the answer reports.
    pub(super) unanswered: Vec<String>,
    pub(super) prompt_id: String,
    /// The echo of the prompt, which is sent with the request to the model.
    pub(super) echo: Option<Value>,
    /// The number of blocks in the current message.
    pub(super) blocks: usize,
}

impl ClientConversation {
    pub(super) fn new(log: Arc<Mutex<ClientLog>>) -> Self {
        Self {
            log,
            tip: None,
            messages: Vec::new(),
            agent: None,
            unanswered: Vec::new(),
            prompt_id: entropy::new_uuid(),
            echo: None,
            blocks: 0,
        }
    }

    /// Creates the conversation of an agent.
    pub(super) fn of_agent(&self, agent: &str, call: &str) -> Self {
        let log = locked(&self.log).of_agent(agent, call);
        Self {
            agent: Some((agent.to_owned(), call.to_owned())),
            ..Self::new(Arc::new(Mutex::new(log)))
        }
    }

    /// Writes an entry to the log and makes it the tip.
    pub(super) fn write(&mut self, uuid: &str, fields: Value) {
        push_message(&mut self.messages, &fields);
        locked(&self.log).entry(uuid, self.tip.as_deref(), fields);
        self.tip = Some(uuid.to_owned());
    }

    /// Sends a frame of this conversation to the host.
    pub(super) fn tell(&self, core: &ClientCore, fields: Value) {
        let mut frame = json!({"parent_tool_use_id": self.agent.as_ref().map(|(_, call)| call)});
        if let Some((agent, _)) = &self.agent {
            frame["agent_id"] = json!(agent);
        }
        merge(&mut frame, fields);
        core.tell(frame);
    }

    /// Records a request to the model.
    pub(super) fn note_sent(&mut self, core: &ClientCore) {
        let request = json!({
            "session": core.session(), "agent": self.agent.as_ref().map(|(agent, _)| agent),
            "messages": self.messages,
        });
        append_text(&core.record(SENT), &request.to_string());
        if core.flags.partial && self.agent.is_none() {
            core.tell(json!({"type": "system", "subtype": "status", "status": "requesting"}));
        }
        if let Some(echo) = self.echo.take() {
            core.tell(echo);
        }
    }

    /// Sends and logs one block of a message.
    pub(super) fn say(&mut self, core: &ClientCore, message: &str, block: &Value) -> String {
        self.begin_block(core, message, block);
        let uuid = entropy::new_uuid();
        let model = core.state().model.clone();
        let usage = json!({"input_tokens": 3, "output_tokens": 10,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0});
        let body = |stop: Value| {
            json!({
                "id": message, "type": "message", "role": "assistant", "model": model,
                "content": [block], "stop_reason": stop, "stop_sequence": null, "usage": usage,
            })
        };
        let mut frame = json!({
            "type": "assistant", "message": body(Value::Null), "uuid": uuid,
            "timestamp": entropy::now_iso(),
        });
        if let Some(last) = self.unanswered.last() {
            frame["user_message_uuid"] = json!(last);
            frame["user_message_uuids"] = json!(std::mem::take(&mut self.unanswered));
        }
        // The log gets the block before the host. The real client does it in the opposite order, some
        // milliseconds apart, which `[[die-unwritten]]` reproduces.
        let is_call = block["type"] == "tool_use";
        let stop = if is_call { "tool_use" } else { "end_turn" };
        self.write(
            &uuid,
            json!({"type": "assistant", "message": body(json!(stop)), "requestId": "req_scripted"}),
        );
        // Texts of an agent are sent only to a host that asks for them; calls always are.
        if is_call || self.agent.is_none() || core.flags.forwards {
            self.tell(core, frame);
        }
        // The real client sends the whole block before the end of its stream.
        self.end_block(core, message);
        uuid
    }

    /// Streams the beginning and the pieces of a block, if the host asks for them.
    fn begin_block(&self, core: &ClientCore, message: &str, block: &Value) {
        if !core.flags.partial || self.agent.is_some() {
            return;
        }
        let (start, deltas) = streamed(block);
        let begin = json!({
            "type": "content_block_start", "index": self.blocks, "content_block": start,
        });
        self.event(core, message, &begin);
        for delta in deltas {
            let delta = json!({
                "type": "content_block_delta", "index": self.blocks, "delta": delta,
            });
            self.event(core, message, &delta);
        }
    }

    /// Streams the end of a block.
    fn end_block(&mut self, core: &ClientCore, message: &str) {
        let end = json!({"type": "content_block_stop", "index": self.blocks});
        self.event(core, message, &end);
        self.blocks += 1;
    }

    /// Streams the end of a message.
    pub(super) fn end_message(&self, core: &ClientCore, message: &str, stop: &str) {
        let delta = json!({
            "type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
            "usage": {"output_tokens": 10},
        });
        self.event(core, message, &delta);
        self.event(core, message, &json!({"type": "message_stop"}));
    }

    /// Sends an event of the stream.
    pub(super) fn event(&self, core: &ClientCore, message: &str, event: &Value) {
        if core.flags.partial && self.agent.is_none() {
            self.tell(
                core,
                json!({"type": "stream_event", "event": event, "api_message_id": message}),
            );
        }
    }

    /// Sends and logs the result of a call.
    pub(super) fn result(&mut self, core: &ClientCore, call: &CalledTool, outcome: &CallOutcome) {
        let uuid = entropy::new_uuid();
        let mut block = json!({
            "type": "tool_result", "tool_use_id": call.id, "content": outcome.content,
        });
        if outcome.is_error {
            block["is_error"] = json!(true);
        }
        let message = json!({"role": "user", "content": [block]});
        let mut fields = json!({
            "type": "user", "promptId": self.prompt_id, "message": message,
            "toolUseResult": outcome.detail, "sourceToolAssistantUUID": call.entry,
        });
        if let Some(kind) = outcome.denial {
            fields["toolDenialKind"] = json!(kind);
        }
        // The parent of a result is the entry of its call.
        self.tip = Some(call.entry.clone());
        self.write(&uuid, fields);
        self.tell(
            core,
            json!({
                "type": "user", "message": message, "uuid": uuid, "timestamp": entropy::now_iso(),
                "tool_use_result": outcome.detail,
            }),
        );
    }

    /// Adds a message of the user's side that is not a prompt.
    pub(super) fn note(&mut self, core: &ClientCore, text: &str) {
        let uuid = entropy::new_uuid();
        let message = json!({"role": "user", "content": [{"type": "text", "text": text}]});
        self.write(&uuid, json!({"type": "user", "promptId": self.prompt_id, "message": message}));
        self.tell(
            core,
            json!({
                "type": "user", "message": message, "uuid": uuid, "timestamp": entropy::now_iso(),
            }),
        );
    }
}

/// A call of the model.
#[derive(Clone, Debug)]
pub(super) struct CalledTool {
    pub(super) id: String,
    pub(super) name: &'static str,
    pub(super) input: Value,
    /// The uuid of its entry in the log.
    pub(super) entry: String,
}

/// The outcome of a call.
#[derive(Clone, Debug)]
pub(super) struct CallOutcome {
    pub(super) content: String,
    pub(super) detail: Value,
    pub(super) is_error: bool,
    pub(super) denial: Option<&'static str>,
    /// Whether the turn ends with this outcome.
    pub(super) ends_turn: bool,
}

impl CallOutcome {
    /// Returns the outcome of a call that succeeded.
    pub(super) fn done(content: &str, detail: Value) -> Self {
        Self {
            content: content.to_owned(),
            detail,
            is_error: false,
            denial: None,
            ends_turn: false,
        }
    }

    /// Returns the outcome of a call that failed.
    pub(super) fn failed(content: &str) -> Self {
        Self { is_error: true, ..Self::done(content, json!(format!("Error: {content}"))) }
    }

    /// Returns the outcome of a call that was denied.
    pub(super) fn denied(content: &str, kind: &'static str) -> Self {
        Self { denial: Some(kind), ..Self::failed(content) }
    }
}
