//! Assistant lines: the API message in the line, its usage and its ids.

use super::block::{self, BlockSpec};
use super::envelope::Envelope;
use super::fields::{JsonFields, quote};

/// The model of a line that does not set one.
const MODEL: &str = "claude-opus-5-5";

/// An assistant line: one notation line is one line of the file, whatever its number of blocks.
///
/// Real versions write one line per block; such lines repeat the message id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assistant {
    pub(crate) blocks: Vec<BlockSpec>,
    pub(crate) message: Option<String>,
    pub(crate) request: RequestField,
    pub(crate) model: Option<String>,
    pub(crate) stop: Stop,
    pub(crate) usage: Option<UsageSpec>,
    pub(crate) without_usage: bool,
    pub(crate) api_error: Option<String>,
}

/// The value of `requestId`.
#[derive(Clone, Debug, Default)]
pub(crate) enum RequestField {
    /// An id derived from the message id.
    #[default]
    FromMessage,
    Missing,
    Named(String),
}

/// The value of `stop_reason`.
#[derive(Clone, Debug, Default)]
pub(crate) enum Stop {
    /// `tool_use` after a call, else `end_turn`.
    #[default]
    FromBlocks,
    Null,
    Named(String),
}

/// The token counts of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UsageSpec {
    /// `input_tokens`.
    pub(crate) input: u64,
    /// `output_tokens`.
    pub(crate) output: u64,
    /// `cache_read_input_tokens`.
    pub(crate) cache_read: u64,
    /// `cache_creation.ephemeral_5m_input_tokens`.
    pub(crate) cache_write_5m: u64,
    /// `cache_creation.ephemeral_1h_input_tokens`.
    pub(crate) cache_write_1h: u64,
}

impl UsageSpec {
    /// The usage of a line that sets none: 3 in, 10 out, no cache.
    pub(crate) const PLAIN: Self =
        Self { input: 3, output: 10, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
    /// The usage of a message that the client made up.
    pub(crate) const ZERO: Self = Self { input: 0, output: 0, ..Self::PLAIN };

    fn to_json(self) -> String {
        let mut cache = JsonFields::new();
        cache
            .number("ephemeral_1h_input_tokens", self.cache_write_1h)
            .number("ephemeral_5m_input_tokens", self.cache_write_5m);
        let mut usage = JsonFields::new();
        usage
            .number("input_tokens", self.input)
            .number("cache_creation_input_tokens", self.cache_write_5m + self.cache_write_1h)
            .number("cache_read_input_tokens", self.cache_read)
            .number("output_tokens", self.output)
            .object("cache_creation", &cache)
            .text("service_tier", "standard");
        usage.to_json()
    }
}

impl Assistant {
    pub(crate) fn make_synthetic(&mut self) {
        self.model = Some("<synthetic>".to_owned());
        self.request = RequestField::Missing;
        self.usage = Some(UsageSpec::ZERO);
        self.stop = Stop::Named("stop_sequence".to_owned());
    }

    pub(crate) fn write(&self, fields: &mut JsonFields, name: &str, envelope: &Envelope) {
        let id = self.message.clone().unwrap_or_else(|| format!("msg_{name}"));
        fields.raw("message", self.api_message(&id));
        match &self.request {
            RequestField::FromMessage => {
                fields.text("requestId", &format!("req_{}", id.trim_start_matches("msg_")));
            }
            RequestField::Named(id) => {
                fields.text("requestId", id);
            }
            RequestField::Missing => {}
        }
        if let Some(kind) = &self.api_error {
            fields.text("error", kind).flag("isApiErrorMessage", true);
        }
        fields.text("type", "assistant");
        if envelope.since(2, 1, 212) && self.api_error.is_none() {
            fields.text("effort", "medium");
        }
    }

    fn api_message(&self, id: &str) -> String {
        let calls = self.blocks.iter().any(|block| matches!(block, BlockSpec::Call { .. }));
        let stop = match &self.stop {
            Stop::Null => "null".to_owned(),
            Stop::Named(reason) => quote(reason),
            Stop::FromBlocks => quote(if calls { "tool_use" } else { "end_turn" }),
        };
        let mut message = JsonFields::new();
        message
            .text("id", id)
            .text("type", "message")
            .text("role", "assistant")
            .text("model", self.model.as_deref().unwrap_or(MODEL))
            .raw("content", block::content(&self.blocks))
            .raw("stop_reason", stop)
            .null("stop_sequence");
        if !self.without_usage {
            message.raw("usage", self.usage.unwrap_or(UsageSpec::PLAIN).to_json());
        }
        message.to_json()
    }
}
