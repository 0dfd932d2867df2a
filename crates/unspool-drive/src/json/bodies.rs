//! The bodies of requests to a server that drives. What is read is what the API's document describes: both come
//! from these types.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::money::UsdAmount;
use crate::socket::LimitChange;
use crate::wire::PromptImage;

/// What a run is started with.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StartBodyJson {
    /// The id of the run, a UUID: the same one again is the same run.
    pub id: String,
    /// The folder that the client works in.
    #[cfg_attr(test, schemars(with = "String"))]
    pub cwd: PathBuf,
    /// The client's home; that of the session or of the server if none.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub home: Option<PathBuf>,
    /// The first prompt.
    pub prompt: Option<String>,
    /// Images of the prompt.
    #[serde(default)]
    pub images: Vec<PromptImage>,
    /// The session to go on with; a new one if none.
    pub session: Option<String>,
    /// The entry of the session to go on from.
    pub at: Option<String>,
    /// Whether to go on in a copy of the session.
    #[serde(default)]
    pub fork: bool,
    /// The model.
    pub model: Option<String>,
    /// What the client may do without asking.
    #[cfg_attr(test, schemars(with = "Option<crate::state::PermissionMode>"))]
    pub permission_mode: Option<String>,
    /// US dollars that the session may cost.
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub budget: Option<UsdAmount>,
    /// Seconds that the client may be idle; null: for ever. The deadline of the settings if it is left out.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<u64>"))]
    pub idle: LimitChange<u64>,
    /// Seconds that a request may wait, likewise.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<u64>"))]
    pub waiting: LimitChange<u64>,
    /// The id of the last event of the session's stream that was seen; a run that would go on from newer
    /// messages is refused. It does not count where `at` says from which entry to go on.
    pub seen: Option<String>,
    /// Whether to start it though there are newer messages.
    #[serde(default)]
    pub force: bool,
}

/// What a run that is over is gone on with, or what its last prompt is sent again as.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NextRunBodyJson {
    /// The id of the new run, or of the prompt in a run that goes on: a UUID.
    pub id: String,
}

/// A prompt.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PromptBodyJson {
    /// Its id, a UUID: the same one again is the same prompt.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Its images.
    #[serde(default)]
    pub images: Vec<PromptImage>,
    /// The id of the last event of the session's stream that was seen; a prompt that was written before newer
    /// messages is refused.
    pub seen: Option<String>,
    /// Whether to send it though there are newer messages.
    #[serde(default)]
    pub force: bool,
    /// Whether to send it now, also into a turn, instead of after what is queued.
    #[serde(default)]
    pub now: bool,
}

/// An order of queued prompts.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OrderBodyJson {
    /// The id of the request, a UUID.
    pub id: Option<String>,
    /// Ids of prompts; those that are not named follow.
    pub order: Vec<String>,
}

/// Something that is done once.
#[derive(Clone, PartialEq, Eq, Default, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ActionBodyJson {
    /// The id of the request, a UUID: the same one again does nothing more.
    pub id: Option<String>,
}

/// A permission mode or a model.
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

/// Deadlines and a budget; null switches one off, and what is left out stays.
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
    /// Seconds that a request may wait.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<u64>"))]
    pub waiting: LimitChange<u64>,
    /// US dollars that the session may cost.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub budget: LimitChange<UsdAmount>,
}

/// The answer to what waits for a person.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AnswerBodyJson {
    /// Allowed or not.
    #[cfg_attr(test, schemars(with = "crate::state::Decision"))]
    pub decision: String,
    /// Words for the model.
    pub message: Option<String>,
    /// Places of suggestions of the client that are taken too.
    #[serde(default)]
    pub suggestions: Vec<usize>,
    /// Another input of the call, or what was filled in of a form by the names of its fields.
    pub input: Option<Value>,
    /// Answers to questions, by their texts.
    pub answers: Option<Map<String, Value>>,
    /// What the client may do without asking, once a plan is accepted.
    #[cfg_attr(test, schemars(with = "Option<crate::state::PermissionMode>"))]
    pub permission_mode: Option<String>,
}

/// A folder that is to be trusted.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TrustBodyJson {
    /// The folder.
    #[cfg_attr(test, schemars(with = "String"))]
    pub cwd: PathBuf,
    /// The print of what a person saw; trust fails if something has changed since.
    pub print: Option<String>,
}
