//! Replies to single requests, from commands and the API: the state of a prompt, the answer that counts, the
//! trust of a folder, and a run that needs a person.

use serde::{Deserialize, Serialize};
use unspool_model::time::Time;

use super::{RunJson, SCHEMA};
use crate::ids::{ApprovalId, PromptId, RunId};
use crate::socket::GivenAnswer;
use crate::state::{Decision, PromptState};
use crate::trust::{TrustReport, TrustVerdict};

/// The state of a prompt that was sent to a run or withdrawn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PromptReceiptJson {
    /// The version of the contract.
    pub schema: u32,
    /// The run.
    pub run: String,
    /// The id of the prompt.
    pub prompt: String,
    /// The same as `prompt`, under the name that the body of the request uses.
    pub id: String,
    /// The state of the prompt.
    pub state: PromptState,
}

impl PromptReceiptJson {
    /// Builds the document.
    pub fn new(run: &RunId, prompt: &PromptId, state: PromptState) -> Self {
        Self {
            schema: SCHEMA,
            run: run.to_string(),
            prompt: prompt.to_string(),
            id: prompt.to_string(),
            state,
        }
    }
}

/// The answer that counts for an approval: the first one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerReceiptJson {
    /// The version of the contract.
    pub schema: u32,
    /// The id of the approval.
    pub id: String,
    /// The answer.
    pub decision: Decision,
    /// The surface and person that answered.
    pub by: String,
    /// When it was answered.
    pub at: String,
}

impl AnswerReceiptJson {
    /// Builds the document.
    pub fn new(id: &ApprovalId, given: &GivenAnswer) -> Self {
        Self {
            schema: SCHEMA,
            id: id.to_string(),
            decision: given.decision,
            by: given.by.clone(),
            at: Time::from_millis(given.at).to_string(),
        }
    }
}

/// Whether a folder is trusted, and its configuration that runs code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FolderTrustJson {
    /// The version of the contract.
    pub schema: u32,
    /// Whether a person trusts the folder; `changed`: yes, but the configuration that runs code has changed
    /// since.
    pub trust: TrustVerdict,
    /// The same as `trust`.
    pub verdict: TrustVerdict,
    /// The configuration of the folder that runs code; empty if the folder was not scanned.
    #[serde(flatten)]
    pub report: TrustReport,
}

impl FolderTrustJson {
    /// Builds the document.
    pub fn new(trust: TrustVerdict, report: TrustReport) -> Self {
        Self { schema: SCHEMA, trust, verdict: trust, report }
    }
}

/// A run that needs a person: a line of `drive wait`, and the input of the command of `on_waiting`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunNeedJson {
    /// The reason: `answer`, `held`, `budget` or `idle`.
    pub need: String,
    /// The error of the last turn, if the run is idle or held; null if it did not fail.
    pub failed: Option<String>,
    /// The run.
    #[serde(flatten)]
    pub run: RunJson,
}
