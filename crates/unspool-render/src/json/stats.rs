//! Totals, and the lines that they come from, as JSON.

use unspool_model::ids::AgentId;

use super::{SCHEMA, TokensJson, all, time, wire};
use unspool_engine::ops::stats::{
    CountStatus, CountedLine, CreditCounts, Explained, ExplainedLine, Stats, StatsGroup, Sums,
};
use unspool_store::prices::Cost;

wire! {
    /// Totals: one object.
    pub struct StatsJson<'a> from(stats: &'a Stats) {
        schema: u32 = SCHEMA,
        total: SumsJson = SumsJson::from(&stats.total),
        groups: Vec<GroupJson<'a>> = all(&stats.groups),
        unpriced_models: &'a [String] = &stats.unpriced_models,
    }

    struct GroupJson<'a> from(group: &'a StatsGroup) {
        key: Option<&'a str> = group.key.as_deref(),
        then: &'a [Option<String>] = &group.then,
        label: Option<&'a str> = group.label.as_deref(),
        #[serde(flatten)]
        sums: SumsJson = SumsJson::from(&group.sums),
    }

    pub(super) struct SumsJson from(sums: &Sums) {
        tokens: TokensJson = sums.tokens.into(),
        cost_usd: Option<f64> = sums.cost.map(Cost::usd),
        messages: u64 = sums.messages,
        turns: u64 = sums.turns,
        calls: u64 = sums.calls,
        failed_calls: u64 = sums.failed_calls,
        lines_added: u64 = sums.lines_added,
        lines_removed: u64 = sums.lines_removed,
        active_ms: u64 = sums.active_ms,
        sessions: u64 = sums.sessions,
    }

    /// The lines that a session's totals come from: one object.
    pub struct ExplainedJson<'a> from(explained: &'a Explained) {
        schema: u32 = SCHEMA,
        session: &'a str = explained.session.as_str(),
        tokens: TokensJson = explained.tokens.into(),
        cost_usd: Option<f64> = explained.cost.map(Cost::usd),
        lines: Vec<LineJson<'a>> = all(&explained.lines),
        messages: SharesJson = explained.messages.into(),
        calls: SharesJson = explained.calls.into(),
        turns: SharesJson = explained.turns.into(),
        unpriced_models: &'a [String] = &explained.unpriced_models,
    }

    struct LineJson<'a> from(line: &'a ExplainedLine) {
        file: String = line.file.display().to_string(),
        agent: Option<&'a str> = line.agent.as_ref().map(AgentId::as_str),
        line: u32 = line.line,
        message: Option<&'a str> = line.message.as_deref(),
        model: Option<&'a str> = line.model.as_deref(),
        time: Option<String> = time(line.time),
        tokens: TokensJson = line.tokens.into(),
        counted: bool = line.status == CountStatus::Counted,
        why: Option<&'static str> = match &line.status {
            CountStatus::Counted => None,
            CountStatus::NotCounted { why, .. } => Some(why.name()),
        },
        counts_instead: Option<WinnerJson<'a>> = match &line.status {
            CountStatus::Counted => None,
            CountStatus::NotCounted { winner, .. } => Some(WinnerJson::from(winner)),
        },
    }

    struct WinnerJson<'a> from(winner: &'a CountedLine) {
        session: &'a str = winner.session.as_str(),
        file: String = winner.file.display().to_string(),
        line: u32 = winner.line,
    }

    struct SharesJson from(shares: CreditCounts) {
        here: u64 = shares.here,
        elsewhere: u64 = shares.elsewhere,
    }
}
