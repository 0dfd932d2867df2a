//! What a single request gets back, from a command and from the API alike: a prompt's place, the answer that counts,
//! a folder's trust, and a run that needs a person.

use serde::{Deserialize, Serialize};
use unspool_model::time::Time;

use super::{RunJson, SCHEMA};
use crate::ids::{ApprovalId, PromptId, RunId};
use crate::socket::GivenAnswer;
use crate::state::{Decision, PromptState};
use crate::trust::{TrustReport, TrustVerdict};

/// A prompt that was given to a run or taken back, and where it is on its way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PromptReceiptJson {
    /// The version of the contract.
    pub schema: u32,
    /// The run.
    pub run: String,
    /// The prompt.
    pub prompt: String,
    /// The prompt, as the body of the request names it.
    pub id: String,
    /// Where it is on its way.
    pub state: PromptState,
}

impl PromptReceiptJson {
    /// Says where a prompt is.
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

/// The answer to an approval that counts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerReceiptJson {
    /// The version of the contract.
    pub schema: u32,
    /// The approval.
    pub id: String,
    /// The answer.
    pub decision: Decision,
    /// The surface and person that answered.
    pub by: String,
    /// When.
    pub at: String,
}

impl AnswerReceiptJson {
    /// Says which answer counts.
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

/// Whether a folder is trusted, and what in it runs code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FolderTrustJson {
    /// The version of the contract.
    pub schema: u32,
    /// Whether a person trusts the folder; `changed`: yes, but what runs code has changed since.
    pub trust: TrustVerdict,
    /// The same as `trust`.
    pub verdict: TrustVerdict,
    /// What in it runs code; nothing if the folder was not looked at.
    #[serde(flatten)]
    pub report: TrustReport,
}

impl FolderTrustJson {
    /// Says what is known of a folder.
    pub fn new(trust: TrustVerdict, report: TrustReport) -> Self {
        Self { schema: SCHEMA, trust, verdict: trust, report }
    }
}

/// A run that needs a person: a line of `drive wait`, and what the command of `on_waiting` reads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunNeedJson {
    /// Why: `answer`, `held`, `budget` or `idle`.
    pub need: String,
    /// Why the last turn of a run failed that is idle or held; null if it did not.
    pub failed: Option<String>,
    /// The run.
    #[serde(flatten)]
    pub run: RunJson,
}
