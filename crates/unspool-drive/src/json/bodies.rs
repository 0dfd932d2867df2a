//! The bodies of requests to a server that drives. The server parses these types, and the API's document is
//! generated from them.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::money::UsdAmount;
use crate::socket::LimitChange;
use crate::wire::PromptImage;

/// The settings of a new run.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StartBodyJson {
    /// The id of the run, a UUID; a repeated id is the same run.
    pub id: String,
    /// The folder that the client works in.
    #[cfg_attr(test, schemars(with = "String"))]
    pub cwd: PathBuf,
    /// The client's home; by default that of the session or of the server.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub home: Option<PathBuf>,
    /// The first prompt.
    pub prompt: Option<String>,
    /// Images of the prompt.
    #[serde(default)]
    pub images: Vec<PromptImage>,
    /// The session to continue; by default a new one.
    pub session: Option<String>,
    /// The last entry of the session to keep.
    pub at: Option<String>,
    /// Whether to continue in a copy of the session.
    #[serde(default)]
    pub fork: bool,
    /// The model.
    pub model: Option<String>,
    /// What the client may do without asking.
    #[cfg_attr(test, schemars(with = "Option<crate::state::PermissionMode>"))]
    pub permission_mode: Option<String>,
    /// The budget of the session in US dollars.
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub budget: Option<UsdAmount>,
    /// Seconds that the client may be idle; null: for ever. If left out, the deadline of the settings.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<u64>"))]
    pub idle: LimitChange<u64>,
    /// Seconds that a request may wait for a person; null: for ever. If left out, the deadline of the
    /// settings.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<u64>"))]
    pub waiting: LimitChange<u64>,
    /// The id of the last event of the session's stream that was seen. A run that would continue from newer
    /// messages is refused. Ignored if `at` is set.
    pub seen: Option<String>,
    /// Whether to start the run even if there are newer messages.
    #[serde(default)]
    pub force: bool,
}

/// The id for continuing a run that is over, or for sending its last prompt again.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NextRunBodyJson {
    /// The id of the new run, or of the prompt in a run that continues: a UUID.
    pub id: String,
}

/// A prompt.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PromptBodyJson {
    /// The id of the prompt, a UUID; a repeated id is the same prompt.
    pub id: String,
    /// The text.
    pub text: String,
    /// The images.
    #[serde(default)]
    pub images: Vec<PromptImage>,
    /// The id of the last event of the session's stream that was seen. A prompt that was written before newer
    /// messages is refused.
    pub seen: Option<String>,
    /// Whether to send the prompt even if there are newer messages.
    #[serde(default)]
    pub force: bool,
    /// Whether to send the prompt now, even during a turn, instead of after the queued ones.
    #[serde(default)]
    pub now: bool,
}

/// A new order of the queued prompts.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OrderBodyJson {
    /// The id of the request, a UUID.
    pub id: Option<String>,
    /// Ids of prompts; prompts that are not listed follow.
    pub order: Vec<String>,
}

/// A request without further values.
#[derive(Clone, PartialEq, Eq, Default, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ActionBodyJson {
    /// The id of the request, a UUID; a repeated id has no further effect.
    pub id: Option<String>,
}

/// A permission mode, a model, or both.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModeBodyJson {
    /// The id of the request, a UUID.
    pub id: Option<String>,
    /// What the client may do without asking.
    #[cfg_attr(test, schemars(with = "Option<crate::state::PermissionMode>"))]
    pub permission_mode: Option<String>,
    /// The model.
    pub model: Option<String>,
}

/// Deadlines and a budget; null removes a limit, and a field that is left out keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeadlinesBodyJson {
    /// The id of the request, a UUID.
    pub id: Option<String>,
    /// Seconds that the client may be idle.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<u64>"))]
    pub idle: LimitChange<u64>,
    /// Seconds that a request may wait for a person.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<u64>"))]
    pub waiting: LimitChange<u64>,
    /// The budget of the session in US dollars.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub budget: LimitChange<UsdAmount>,
}

/// The answer to an approval.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AnswerBodyJson {
    /// The decision.
    #[cfg_attr(test, schemars(with = "crate::state::Decision"))]
    pub decision: String,
    /// A message for the model.
    pub message: Option<String>,
    /// Positions of the client's suggestions to accept.
    #[serde(default)]
    pub suggestions: Vec<usize>,
    /// A changed input of the call, or the values of a form by the names of its fields.
    pub input: Option<Value>,
    /// Answers by the texts of the questions.
    pub answers: Option<Map<String, Value>>,
    /// What the client may do without asking, after a plan is accepted.
    #[cfg_attr(test, schemars(with = "Option<crate::state::PermissionMode>"))]
    pub permission_mode: Option<String>,
}

/// A folder to trust.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TrustBodyJson {
    /// The folder.
    #[cfg_attr(test, schemars(with = "String"))]
    pub cwd: PathBuf,
    /// The fingerprint of the configuration that a person reviewed; the request fails if it has changed.
    pub print: Option<String>,
}
