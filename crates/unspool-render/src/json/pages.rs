//! Pages of the API: objects of the commands in a list, with a cursor.

use unspool_engine::ops::agents::AgentInfo;
use unspool_engine::ops::check::{CheckSummary, Finding};
use unspool_engine::ops::message::MessageText;
use unspool_model::ids::EntryId;
use unspool_search::hit::SearchHit;
use unspool_store::rows::SessionRow;

use super::check::CheckedJson;
use super::{AgentJson, FindingJson, HitJson, MessageJson, RowJson, SCHEMA, all, wire};

wire! {
    /// A page of sessions.
    pub struct SessionsPageJson<'a> new(rows: &'a [SessionRow], next: Option<String>) {
        schema: u32 = SCHEMA,
        sessions: Vec<RowJson<'a>> = all(rows),
        /// The cursor of the next page; null on the last page.
        next: Option<String> = next,
    }

    /// A page of messages.
    pub struct MessagesPageJson<'a> new(
        messages: &'a [MessageText],
        before: Option<&'a EntryId>,
        after: Option<&'a EntryId>,
    ) {
        schema: u32 = SCHEMA,
        messages: Vec<MessageJson<'a>> = all(messages),
        /// The entry to pass as `before` for older messages; null if there are none.
        before: Option<&'a str> = before.map(EntryId::as_str),
        /// The entry to pass as `after` for newer messages; null if there are none.
        after: Option<&'a str> = after.map(EntryId::as_str),
    }

    /// The agents of a session.
    pub struct SessionAgentsJson<'a> from(agents: &'a [AgentInfo]) {
        schema: u32 = SCHEMA,
        agents: Vec<AgentJson<'a>> = all(agents),
    }

    /// A page of hits.
    pub struct HitsPageJson<'a> new(hits: &'a [SearchHit], next: Option<String>) {
        schema: u32 = SCHEMA,
        hits: Vec<HitJson<'a>> = all(hits),
        /// The cursor of the next page; null on the last page.
        next: Option<String> = next,
    }

    /// The findings and the summary of a check.
    pub struct CheckReportJson<'a> new(
        findings: &'a [Finding],
        left_out: u64,
        summary: &'a CheckSummary,
    ) {
        schema: u32 = SCHEMA,
        findings: Vec<FindingJson<'a>> = all(findings),
        /// The number of findings beyond the limit, which are omitted.
        left_out: u64 = left_out,
        #[serde(with = "CheckedJson")]
        summary: &'a CheckSummary = summary,
    }
}
