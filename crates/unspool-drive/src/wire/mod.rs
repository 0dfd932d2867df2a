//! The client's protocol: one JSON object per line, in both directions.
//!
//! Parses the lines that a host must understand, and writes those that it sends, without I/O. Parsing is
//! lenient: an unknown type or subtype becomes [`ClientMessage::Other`], and a field of an unexpected type
//! counts as missing. Writing is strict, because one malformed line ends the client.

mod ask;
mod menu;
mod say;
#[cfg(test)]
mod tests;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::money::UsdAmount;
use unspool_model::named::Named as _;
use unspool_model::names;

pub(crate) use ask::{ASKING_TOOL, asked_input};
pub use ask::{AnswerError, AskedRequest, PersonChoice, unanswered};
pub use menu::{ClientMenu, MenuCommand, MenuModel};
pub use say::{ClientLine, PromptContent, PromptImage};

names! {
    /// The state of the client, as it reports it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum ClientActivity {
        /// The client is idle.
        Idle = "idle",
        /// The client works.
        Running = "running",
        /// The client waits for an answer.
        RequiresAction = "requires_action",
    }

    /// The progress of a prompt, as the client reports it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum PromptProgress {
        /// The prompt is in the client's queue.
        Queued = "queued",
        /// The client has begun with the prompt.
        Started = "started",
        /// The client has finished the prompt.
        Completed = "completed",
        /// The prompt was withdrawn.
        Cancelled = "cancelled",
    }
}

/// The client's answer to a request of the host.
#[derive(Clone, PartialEq, Debug)]
pub struct ClientAnswer {
    /// The id that the host gave to the request.
    pub request_id: String,
    /// The fields of the answer, or the reason of the refusal.
    pub outcome: Result<AnsweredFields, String>,
    /// Open requests of the client, which its answer to `initialize` lists.
    pub pending: Option<Vec<(String, AskedRequest)>>,
}

/// The fields of the client's answers that a host uses.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct AnsweredFields {
    /// The state of the client, in the answer to `initialize`.
    pub state: Option<ClientActivity>,
    /// The permission mode.
    pub mode: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// Whether a prompt was withdrawn.
    pub cancelled: Option<bool>,
    /// Slash commands, in the answer to `initialize`.
    pub commands: Option<Vec<MenuCommand>>,
    /// Models, in the answer to `initialize`.
    pub models: Option<Vec<MenuModel>>,
    /// Files, in the answer to `file_suggestions`.
    pub files: Option<Vec<String>>,
    /// The errors of settings files, in the answer to `get_settings`.
    pub setting_errors: Option<Vec<String>>,
}

/// The maximum number of characters of an error that are kept.
const LONGEST_FAILURE: usize = 500;

/// The end of a turn.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ClientTurnEnd {
    /// Whether the turn failed.
    pub is_error: bool,
    /// Whether a person or an urgent prompt interrupted the turn.
    pub is_cut: bool,
    /// The ids of the turn's prompts.
    pub prompts: Vec<String>,
    /// The reason why the client could not start.
    pub startup_failure: Option<String>,
    /// The error message of the client.
    pub message: Option<String>,
    /// The cost of the session so far, including earlier clients.
    pub cost: Option<UsdAmount>,
}

impl ClientTurnEnd {
    /// Returns the error of the turn: a limit, a missing login, an error of the API. Returns `None` if the
    /// turn did not fail; an interrupted turn did not.
    pub fn failure(&self) -> Option<String> {
        if self.is_cut || !(self.is_error || self.startup_failure.is_some()) {
            return None;
        }
        let given = self.message.as_deref().map(str::trim);
        let given = given.filter(|message| !message.is_empty());
        let reason = self.startup_failure.as_deref();
        let reason = reason.map(|reason| reason.replace('_', " "));
        let words = given.map(str::to_owned).or(reason);
        let words = words.unwrap_or_else(|| "the client gives no reason".to_owned());
        Some(words.chars().take(LONGEST_FAILURE).collect())
    }
}

/// The content of a client's line, as far as a host uses it.
#[derive(Clone, PartialEq, Debug)]
pub enum ClientMessage {
    /// The client's state changed.
    State(ClientActivity),
    /// The number of background tasks changed.
    BackgroundTasks(usize),
    /// The progress of a prompt changed.
    Prompt {
        /// The id of the prompt.
        id: String,
        /// The progress.
        progress: PromptProgress,
    },
    /// The client makes a request.
    Asks {
        /// The id that the client gave to the request.
        request_id: String,
        /// The request.
        request: AskedRequest,
    },
    /// The client withdraws a request.
    Withdraws {
        /// The id that the client gave to the request.
        request_id: String,
    },
    /// The client answers a request of the host.
    Answers(ClientAnswer),
    /// A turn ended.
    TurnEnd(ClientTurnEnd),
    /// The permission mode or the model changed.
    Setting {
        /// The permission mode.
        mode: Option<String>,
        /// The model.
        model: Option<String>,
    },
    /// The slash commands changed.
    Commands(Vec<MenuCommand>),
    /// A part of an answer that is being written.
    Part(StreamPart),
    /// An answer of the main conversation, or one complete block of it.
    Answer {
        /// The id of the message, which is the same in the log.
        message: String,
    },
    /// Anything else.
    Other,
}

/// A part of an answer that is being written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StreamPart {
    /// A message begins.
    Begin {
        /// The id of the message.
        message: String,
        /// The id of the call that started the agent; `None` for the main conversation.
        parent: Option<String>,
    },
    /// Text is added to the message.
    Text {
        /// The text.
        text: String,
        /// The id of the call that started the agent.
        parent: Option<String>,
    },
    /// The message is complete.
    End {
        /// The id of the call that started the agent.
        parent: Option<String>,
    },
}

/// A line of the client.
#[derive(Clone, PartialEq, Debug)]
pub struct ClientFrame {
    /// The session of the client, if the line has it.
    pub session: Option<String>,
    /// The content.
    pub said: ClientMessage,
    /// The type of the line, for the spool.
    pub kind: Option<String>,
    /// Whether the line belongs to an agent.
    pub is_agent: bool,
}

/// The fields of a line that are used, as raw JSON. The bound lets all fields borrow from the line.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct Head<'a> {
    #[serde(rename = "type")]
    kind: Option<&'a RawValue>,
    subtype: Option<&'a RawValue>,
    session_id: Option<&'a RawValue>,
    request_id: Option<&'a RawValue>,
    request: Option<&'a RawValue>,
    response: Option<&'a RawValue>,
    state: Option<&'a RawValue>,
    tasks: Option<&'a RawValue>,
    command_uuid: Option<&'a RawValue>,
    uuid: Option<&'a RawValue>,
    #[serde(rename = "isReplay")]
    is_replay: Option<&'a RawValue>,
    is_error: Option<&'a RawValue>,
    user_message_uuids: Option<&'a RawValue>,
    startup_failure_reason: Option<&'a RawValue>,
    terminal_reason: Option<&'a RawValue>,
    total_cost_usd: Option<&'a RawValue>,
    errors: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    #[serde(rename = "permissionMode")]
    permission_mode: Option<&'a RawValue>,
    model: Option<&'a RawValue>,
    commands: Option<&'a RawValue>,
    event: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
    parent_tool_use_id: Option<&'a RawValue>,
}

/// Decodes a value; a value of another type counts as missing.
fn decode<T: DeserializeOwned>(raw: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}

fn text(raw: Option<&RawValue>) -> Option<String> {
    decode(raw)
}

impl ClientFrame {
    /// Parses a line; `None` if it is not a JSON object.
    pub fn read(line: &[u8]) -> Option<Self> {
        // serde would accept an array as the fields of a struct in their order.
        let first = line.iter().find(|byte| !byte.is_ascii_whitespace());
        first.filter(|byte| **byte == b'{')?;
        let head: Head<'_> = serde_json::from_slice(line).ok()?;
        let kind = text(head.kind);
        let said = match kind.as_deref().unwrap_or_default() {
            "system" => head.system(),
            "command_lifecycle" => head.lifecycle(),
            "control_request" => head.asks(),
            "control_cancel_request" => {
                text(head.request_id).map(|request_id| ClientMessage::Withdraws { request_id })
            }
            "control_response" => head.answers(),
            "result" => Some(ClientMessage::TurnEnd(head.turn_end())),
            "user" => head.echo(),
            "stream_event" => head.part(),
            "assistant" => head.answer(),
            _ => None,
        };
        Some(Self {
            session: text(head.session_id).filter(|id| !id.is_empty()),
            said: said.unwrap_or(ClientMessage::Other),
            kind,
            is_agent: text(head.parent_tool_use_id).is_some(),
        })
    }
}

impl Head<'_> {
    fn system(&self) -> Option<ClientMessage> {
        match text(self.subtype)?.as_str() {
            "session_state_changed" => {
                let state = ClientActivity::from_name(&text(self.state)?)?;
                Some(ClientMessage::State(state))
            }
            "background_tasks_changed" => {
                let tasks: Vec<serde::de::IgnoredAny> = decode(self.tasks)?;
                Some(ClientMessage::BackgroundTasks(tasks.len()))
            }
            "init" | "status" => {
                let (mode, model) = (text(self.permission_mode), text(self.model));
                Some(ClientMessage::Setting { mode, model })
            }
            "commands_changed" => menu::read_commands(self.commands).map(ClientMessage::Commands),
            _ => None,
        }
    }

    fn lifecycle(&self) -> Option<ClientMessage> {
        let progress = PromptProgress::from_name(&text(self.state)?)?;
        let id = text(self.command_uuid)?;
        Some(ClientMessage::Prompt { id, progress })
    }

    /// Parses the echo of a prompt that the client takes up. Older releases do not report this in another
    /// way.
    fn echo(&self) -> Option<ClientMessage> {
        decode::<bool>(self.is_replay).filter(|is_replay| *is_replay)?;
        let id = text(self.uuid)?;
        let progress = PromptProgress::Started;
        Some(ClientMessage::Prompt { id, progress })
    }

    fn asks(&self) -> Option<ClientMessage> {
        let request_id = text(self.request_id)?;
        let request = AskedRequest::read(self.request?.get());
        Some(ClientMessage::Asks { request_id, request })
    }

    fn turn_end(&self) -> ClientTurnEnd {
        let errors: Option<Vec<String>> = decode(self.errors);
        let message = errors.map(|errors| errors.join("\n"));
        let is_error = decode(self.is_error).unwrap_or_default();
        let reason = text(self.terminal_reason).unwrap_or_default();
        ClientTurnEnd {
            is_error,
            is_cut: reason.starts_with("aborted"),
            prompts: decode(self.user_message_uuids).unwrap_or_default(),
            startup_failure: text(self.startup_failure_reason),
            message: message.or_else(|| text(self.result)).filter(|_| is_error),
            cost: decode(self.total_cost_usd),
        }
    }

    fn answers(&self) -> Option<ClientMessage> {
        let body: AnswerBody<'_> = serde_json::from_str(self.response?.get()).ok()?;
        let outcome = if text(body.subtype).as_deref() == Some("success") {
            let fields = body.response.map(RawValue::get);
            let fields = fields.and_then(|fields| serde_json::from_str(fields).ok());
            Ok(fields
                .map_or_else(AnsweredFields::default, |fields: AnswerFields<'_>| fields.read()))
        } else {
            Err(text(body.error).unwrap_or_else(|| "the client gave no reason".to_owned()))
        };
        Some(ClientMessage::Answers(ClientAnswer {
            request_id: text(body.request_id)?,
            outcome,
            pending: body.pending(),
        }))
    }

    fn answer(&self) -> Option<ClientMessage> {
        let is_main = text(self.parent_tool_use_id).is_none();
        let message: MessageHead<'_> = serde_json::from_str(self.message?.get()).ok()?;
        let message = is_main.then(|| text(message.id))??;
        Some(ClientMessage::Answer { message })
    }

    fn part(&self) -> Option<ClientMessage> {
        let event: StreamEventBody<'_> = serde_json::from_str(self.event?.get()).ok()?;
        let parent = text(self.parent_tool_use_id);
        let part = match text(event.kind)?.as_str() {
            "message_start" => {
                let message: MessageHead<'_> = serde_json::from_str(event.message?.get()).ok()?;
                let message = text(message.id)?;
                StreamPart::Begin { message, parent }
            }
            "content_block_delta" => {
                let delta: MessageHead<'_> = serde_json::from_str(event.delta?.get()).ok()?;
                let text = text(delta.text)?;
                StreamPart::Text { text, parent }
            }
            "message_stop" => StreamPart::End { parent },
            _ => return None,
        };
        Some(ClientMessage::Part(part))
    }
}

/// The `response` of a `control_response`.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct AnswerBody<'a> {
    subtype: Option<&'a RawValue>,
    request_id: Option<&'a RawValue>,
    response: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    pending_permission_requests: Option<&'a RawValue>,
    pending_elicitation_requests: Option<&'a RawValue>,
}

impl AnswerBody<'_> {
    fn pending(&self) -> Option<Vec<(String, AskedRequest)>> {
        let permissions: Vec<Box<RawValue>> = decode(self.pending_permission_requests)?;
        let forms: Option<Vec<Box<RawValue>>> = decode(self.pending_elicitation_requests);
        let all = permissions.into_iter().chain(forms.into_iter().flatten());
        let read = |line: Box<RawValue>| match ClientFrame::read(line.get().as_bytes())?.said {
            ClientMessage::Asks { request_id, request } => Some((request_id, request)),
            _ => None,
        };
        Some(all.filter_map(read).collect())
    }
}

/// The fields of an answer, as raw JSON.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct AnswerFields<'a> {
    session_state: Option<&'a RawValue>,
    current_permission_mode: Option<&'a RawValue>,
    mode: Option<&'a RawValue>,
    model: Option<&'a RawValue>,
    cancelled: Option<&'a RawValue>,
    commands: Option<&'a RawValue>,
    models: Option<&'a RawValue>,
    suggestions: Option<&'a RawValue>,
    errors: Option<&'a RawValue>,
}

impl AnswerFields<'_> {
    fn read(&self) -> AnsweredFields {
        AnsweredFields {
            state: text(self.session_state).and_then(|name| ClientActivity::from_name(&name)),
            mode: text(self.current_permission_mode).or_else(|| text(self.mode)),
            model: text(self.model),
            cancelled: decode(self.cancelled),
            commands: menu::read_commands(self.commands),
            models: menu::read_models(self.models),
            files: menu::read_files(self.suggestions),
            setting_errors: menu::read_setting_errors(self.errors),
        }
    }
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct StreamEventBody<'a> {
    #[serde(rename = "type")]
    kind: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
    delta: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct MessageHead<'a> {
    id: Option<&'a RawValue>,
    text: Option<&'a RawValue>,
}
