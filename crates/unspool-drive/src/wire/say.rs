//! Lines for the client, each complete and valid.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ids::PromptId;
use crate::state::PermissionMode;

/// An image of a prompt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PromptImage {
    /// The media type, such as `image/png`.
    pub media_type: String,
    /// The bytes, in base64.
    pub data: String,
}

/// The content of a prompt.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct PromptContent {
    /// The text.
    pub text: String,
    /// Images, which precede the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<PromptImage>,
}

impl PromptContent {
    /// Returns the content of a prompt without images.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), images: Vec::new() }
    }

    /// Returns the content in the client's format.
    fn blocks(&self) -> Value {
        if self.images.is_empty() {
            return json!(self.text);
        }
        let image = |image: &PromptImage| {
            json!({ "type": "image", "source": {
                "type": "base64", "media_type": image.media_type, "data": image.data,
            } })
        };
        let mut blocks: Vec<Value> = self.images.iter().map(image).collect();
        if !self.text.is_empty() {
            blocks.push(json!({ "type": "text", "text": self.text }));
        }
        blocks.into()
    }
}

/// A line for the client, with its newline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientLine(String);

impl ClientLine {
    /// Serializes a value; the text of a JSON value has no newline.
    fn of(value: &Value) -> Self {
        Self(format!("{value}\n"))
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Returns the text without its newline.
    pub fn as_str(&self) -> &str {
        self.0.trim_end_matches('\n')
    }

    fn request(id: &str, request: &Value) -> Self {
        Self::of(&json!({ "type": "control_request", "request_id": id, "request": request }))
    }

    /// Sends a prompt.
    pub fn prompt(id: &PromptId, content: &PromptContent) -> Self {
        Self::of(&json!({
            "type": "user",
            "uuid": id.as_str(),
            "message": { "role": "user", "content": content.blocks() },
            "parent_tool_use_id": null,
            "session_id": "",
        }))
    }

    /// Asks the client for its state, its menu and its open requests.
    pub fn initialize(id: &str) -> Self {
        Self::request(id, &json!({ "subtype": "initialize" }))
    }

    /// Interrupts the turn. Prompts in the client's queue stay there.
    pub fn interrupt(id: &str) -> Self {
        Self::request(id, &json!({ "subtype": "interrupt" }))
    }

    /// Withdraws a prompt that the client has not begun with.
    pub fn cancel_prompt(id: &str, prompt: &PromptId) -> Self {
        let request = json!({ "subtype": "cancel_async_message", "message_uuid": prompt.as_str() });
        Self::request(id, &request)
    }

    /// Sets the permission mode.
    pub fn set_mode(id: &str, mode: PermissionMode) -> Self {
        let request = json!({ "subtype": "set_permission_mode", "mode": mode.name() });
        Self::request(id, &request)
    }

    /// Sets the model; `None` is the client's default.
    pub fn set_model(id: &str, model: Option<&str>) -> Self {
        Self::request(id, &json!({ "subtype": "set_model", "model": model }))
    }

    /// Asks for files that match a typed path.
    pub fn suggest_files(id: &str, query: &str) -> Self {
        Self::request(id, &json!({ "subtype": "file_suggestions", "query": query }))
    }

    /// Asks for the current settings; the host uses only their errors.
    pub fn get_settings(id: &str) -> Self {
        Self::request(id, &json!({ "subtype": "get_settings" }))
    }

    /// Ends the session and the client.
    pub fn end_session(id: &str) -> Self {
        Self::request(id, &json!({ "subtype": "end_session" }))
    }

    /// Answers a request of the client.
    pub fn answer(request: &str, answer: &Value) -> Self {
        Self::of(&json!({ "type": "control_response", "response": {
            "subtype": "success", "request_id": request, "response": answer,
        } }))
    }

    /// Refuses a request of the client whose type the host does not know.
    pub fn refuse(request: &str, subtype: &str) -> Self {
        Self::of(&json!({ "type": "control_response", "response": {
            "subtype": "error",
            "request_id": request,
            "error": format!("Unsupported control request subtype: {subtype}"),
            "error_code": "unsupported_request",
        } }))
    }
}
