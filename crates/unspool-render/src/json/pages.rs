//! What programs get piece by piece: objects of the commands, in a list with where to go on.

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
        /// The cursor of the next page; null on the last one.
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
        /// The entry that older messages are before; null if there are none.
        before: Option<&'a str> = before.map(EntryId::as_str),
        /// The entry that newer messages are after; null if there are none.
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
        /// The cursor of the next page; null on the last one.
        next: Option<String> = next,
    }

    /// The findings of a check, and what all of it comes to.
    pub struct CheckReportJson<'a> new(
        findings: &'a [Finding],
        left_out: u64,
        summary: &'a CheckSummary,
    ) {
        schema: u32 = SCHEMA,
        findings: Vec<FindingJson<'a>> = all(findings),
        /// How many findings are left out: the limit was reached.
        left_out: u64 = left_out,
        #[serde(with = "CheckedJson")]
        summary: &'a CheckSummary = summary,
    }
}
