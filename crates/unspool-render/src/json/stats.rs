//! Totals, and what they came from, as scripts see them.

use serde::Serialize;
use unspool_model::ids::AgentId;

use super::{SCHEMA, TokensJson, time, wire};
use unspool_engine::ops::stats::{
    CountStatus, CountedLine, Explained, ExplainedLine, Shares, Stats, StatsGroup, Sums,
};
use unspool_store::prices::Cost;

wire! {
    /// Totals as scripts see them: one object.
    pub struct StatsJson<'a> from stats: &'a Stats {
        schema: u32 = SCHEMA,
        total: SumsJson = SumsJson::from(&stats.total),
        groups: Vec<GroupJson<'a>> = stats.groups.iter().map(GroupJson::from).collect(),
        unpriced_models: &'a [String] = &stats.unpriced_models,
    }

    struct GroupJson<'a> from group: &'a StatsGroup {
        key: Option<&'a str> = group.key.as_deref(),
        then: &'a [Option<String>] = &group.then,
        label: Option<&'a str> = group.label.as_deref(),
        #[serde(flatten)]
        sums: SumsJson = SumsJson::from(&group.sums),
    }

    pub(super) struct SumsJson from sums: &Sums {
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

    /// What a session's counts came from, as scripts see it: one object.
    pub struct ExplainedJson<'a> from explained: &'a Explained {
        schema: u32 = SCHEMA,
        session: &'a str = explained.session.as_str(),
        tokens: TokensJson = explained.tokens.into(),
        cost_usd: Option<f64> = explained.cost.map(Cost::usd),
        lines: Vec<LineJson<'a>> = explained.lines.iter().map(LineJson::from).collect(),
        messages: SharesJson = explained.messages.into(),
        calls: SharesJson = explained.calls.into(),
        turns: SharesJson = explained.turns.into(),
        unpriced_models: &'a [String] = &explained.unpriced_models,
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LineJson<'a> {
    file: String,
    agent: Option<&'a str>,
    line: u32,
    message: Option<&'a str>,
    model: Option<&'a str>,
    time: Option<String>,
    tokens: TokensJson,
    counted: bool,
    why: Option<&'static str>,
    counts_instead: Option<WinnerJson<'a>>,
}

wire! {
    struct WinnerJson<'a> from winner: &'a CountedLine {
        session: &'a str = winner.session.as_str(),
        file: String = winner.file.display().to_string(),
        line: u32 = winner.line,
    }

    struct SharesJson from shares: Shares {
        here: u64 = shares.here,
        elsewhere: u64 = shares.elsewhere,
    }
}

impl<'a> From<&'a ExplainedLine> for LineJson<'a> {
    fn from(line: &'a ExplainedLine) -> Self {
        let (why, winner) = match &line.status {
            CountStatus::Counted => (None, None),
            CountStatus::LeftOut { why, winner } => {
                (Some(why.name()), Some(WinnerJson::from(winner)))
            }
        };
        Self {
            file: line.file.display().to_string(),
            agent: line.agent.as_ref().map(AgentId::as_str),
            line: line.line,
            message: line.message.as_deref(),
            model: line.model.as_deref(),
            time: time(line.time),
            tokens: line.tokens.into(),
            counted: winner.is_none(),
            why,
            counts_instead: winner,
        }
    }
}
