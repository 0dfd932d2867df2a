//! What programs get piece by piece: objects of the commands, in a list with where to go on.

use serde::Serialize;
use unspool_engine::ops::agents::AgentInfo;
use unspool_engine::ops::check::{CheckSummary, Finding};
use unspool_engine::ops::message::MessageText;
use unspool_model::ids::EntryId;
use unspool_search::hit::SearchHit;
use unspool_store::rows::SessionRow;

use super::check::CheckedJson;
use super::{AgentJson, FindingJson, HitJson, MessageJson, RowJson, SCHEMA, agent_json};

/// A page of sessions.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionsPageJson<'a> {
    schema: u32,
    sessions: Vec<RowJson<'a>>,
    /// The cursor of the next page; null on the last one.
    next: Option<String>,
}

impl<'a> SessionsPageJson<'a> {
    /// Takes rows and the cursor of the next page.
    pub fn new(rows: &'a [SessionRow], next: Option<String>) -> Self {
        Self { schema: SCHEMA, sessions: rows.iter().map(RowJson::from).collect(), next }
    }
}

/// A page of messages.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MessagesPageJson<'a> {
    schema: u32,
    messages: Vec<MessageJson<'a>>,
    /// The entry that older messages are before; null if there are none.
    before: Option<&'a str>,
    /// The entry that newer messages are after; null if there are none.
    after: Option<&'a str>,
}

impl<'a> MessagesPageJson<'a> {
    /// Takes messages, and the entries to go on from in both directions.
    pub fn new(
        messages: &'a [MessageText],
        before: Option<&'a EntryId>,
        after: Option<&'a EntryId>,
    ) -> Self {
        Self {
            schema: SCHEMA,
            messages: messages.iter().map(MessageJson::from).collect(),
            before: before.map(EntryId::as_str),
            after: after.map(EntryId::as_str),
        }
    }
}

/// The agents of a session.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionAgentsJson<'a> {
    schema: u32,
    agents: Vec<AgentJson<'a>>,
}

impl<'a> From<&'a [AgentInfo]> for SessionAgentsJson<'a> {
    fn from(agents: &'a [AgentInfo]) -> Self {
        let agents = agents.iter();
        Self {
            schema: SCHEMA,
            agents: agents.map(|agent| agent_json(agent, |file| file)).collect(),
        }
    }
}

/// A page of hits.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HitsPageJson<'a> {
    schema: u32,
    hits: Vec<HitJson<'a>>,
    /// The cursor of the next page; null on the last one.
    next: Option<String>,
}

impl<'a> HitsPageJson<'a> {
    /// Takes hits and the cursor of the next page.
    pub fn new(hits: &'a [SearchHit], next: Option<String>) -> Self {
        Self { schema: SCHEMA, hits: hits.iter().map(HitJson::from).collect(), next }
    }
}

/// The findings of a check, and what all of it comes to.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckReportJson<'a> {
    schema: u32,
    findings: Vec<FindingJson<'a>>,
    /// How many findings are left out: the limit was reached.
    left_out: u64,
    #[serde(with = "CheckedJson")]
    summary: &'a CheckSummary,
}

impl<'a> CheckReportJson<'a> {
    /// Takes findings, how many others there are, and the summary of all.
    pub fn new(findings: &'a [Finding], left_out: u64, summary: &'a CheckSummary) -> Self {
        Self {
            schema: SCHEMA,
            findings: findings.iter().map(FindingJson::from).collect(),
            left_out,
            summary,
        }
    }
}
