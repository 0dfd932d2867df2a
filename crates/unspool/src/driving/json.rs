//! What scripts see of `drive`, beyond the objects of `GET /api/runs`.

use serde::Serialize;
use unspool_drive::json::{DriveEventJson, RunJson, SCHEMA};
use unspool_drive::socket::GivenAnswer;
use unspool_drive::trust::{BrokenSettings, CodeSource, TrustReport, TrustVerdict};
use unspool_drive::{ApprovalId, PromptId, PromptState, RunId};
use unspool_model::time::Time;

/// A prompt that was given to a run.
#[derive(Serialize)]
pub(crate) struct SentPromptJson<'a> {
    schema: u32,
    run: &'a RunId,
    prompt: &'a PromptId,
    state: PromptState,
}

impl<'a> SentPromptJson<'a> {
    pub(crate) fn new(run: &'a RunId, prompt: &'a PromptId, state: PromptState) -> Self {
        Self {
            schema: SCHEMA,
            run,
            prompt,
            state,
        }
    }
}

/// The answer that an approval has.
#[derive(Serialize)]
pub(crate) struct GivenAnswerJson<'a> {
    schema: u32,
    id: &'a ApprovalId,
    decision: &'static str,
    by: String,
    at: String,
}

impl<'a> GivenAnswerJson<'a> {
    pub(crate) fn new(id: &'a ApprovalId, given: &GivenAnswer) -> Self {
        Self {
            schema: SCHEMA,
            id,
            decision: given.decision.name(),
            by: given.by.clone(),
            at: Time::from_millis(given.at).to_string(),
        }
    }
}

/// A run that needs a person.
#[derive(Serialize)]
pub(crate) struct RunNeedJson {
    /// Why: `answer`, `held`, `budget` or `idle`.
    pub(crate) need: &'static str,
    /// Why the last turn failed.
    pub(crate) failed: Option<String>,
    #[serde(flatten)]
    pub(crate) run: RunJson,
}

/// An event of a run.
#[derive(Serialize)]
pub(crate) struct RunEventJson<'a> {
    schema: u32,
    cursor: u64,
    #[serde(flatten)]
    event: &'a DriveEventJson,
}

impl<'a> RunEventJson<'a> {
    pub(crate) fn new(cursor: u64, event: &'a DriveEventJson) -> Self {
        Self {
            schema: SCHEMA,
            cursor,
            event,
        }
    }
}

/// A folder, whether it is trusted, and what in it runs code.
#[derive(Serialize)]
pub(crate) struct TrustJson<'a> {
    schema: u32,
    folder: String,
    trust: TrustVerdict,
    sources: &'a [CodeSource],
    broken: &'a [BrokenSettings],
}

impl<'a> TrustJson<'a> {
    pub(crate) fn new(trust: TrustVerdict, report: &'a TrustReport) -> Self {
        Self {
            schema: SCHEMA,
            folder: report.folder.display().to_string(),
            trust,
            sources: &report.sources,
            broken: &report.broken,
        }
    }

    /// Names a folder that is not looked at.
    pub(crate) fn unseen(trust: TrustVerdict, folder: String) -> Self {
        Self {
            schema: SCHEMA,
            folder,
            trust,
            sources: &[],
            broken: &[],
        }
    }
}
