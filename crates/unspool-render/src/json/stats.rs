//! Totals, and what they came from, as scripts see them.

use serde::Serialize;
use unspool_model::ids::AgentId;

use super::{SCHEMA, TokensJson, time};
use unspool_engine::ops::stats::{
    CountStatus, CountedLine, Explained, ExplainedLine, Shares, Stats, StatsGroup, Sums,
};
use unspool_store::prices::Cost;

/// Totals as scripts see them: one object.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StatsJson<'a> {
    schema: u32,
    total: SumsJson,
    groups: Vec<GroupJson<'a>>,
    unpriced_models: &'a [String],
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GroupJson<'a> {
    key: Option<&'a str>,
    then: &'a [Option<String>],
    label: Option<&'a str>,
    #[serde(flatten)]
    sums: SumsJson,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SumsJson {
    tokens: TokensJson,
    cost_usd: Option<f64>,
    messages: u64,
    turns: u64,
    calls: u64,
    failed_calls: u64,
    lines_added: u64,
    lines_removed: u64,
    active_ms: u64,
    sessions: u64,
}

impl<'a> From<&'a Stats> for StatsJson<'a> {
    fn from(stats: &'a Stats) -> Self {
        Self {
            schema: SCHEMA,
            total: SumsJson::from(&stats.total),
            groups: stats.groups.iter().map(GroupJson::from).collect(),
            unpriced_models: &stats.unpriced_models,
        }
    }
}

impl<'a> From<&'a StatsGroup> for GroupJson<'a> {
    fn from(group: &'a StatsGroup) -> Self {
        Self {
            key: group.key.as_deref(),
            then: &group.then,
            label: group.label.as_deref(),
            sums: SumsJson::from(&group.sums),
        }
    }
}

impl From<&Sums> for SumsJson {
    fn from(sums: &Sums) -> Self {
        Self {
            tokens: sums.tokens.into(),
            cost_usd: sums.cost.map(Cost::usd),
            messages: sums.messages,
            turns: sums.turns,
            calls: sums.calls,
            failed_calls: sums.failed_calls,
            lines_added: sums.lines_added,
            lines_removed: sums.lines_removed,
            active_ms: sums.active_ms,
            sessions: sums.sessions,
        }
    }
}

/// What a session's counts came from, as scripts see it: one object.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExplainedJson<'a> {
    schema: u32,
    session: &'a str,
    tokens: TokensJson,
    cost_usd: Option<f64>,
    lines: Vec<LineJson<'a>>,
    messages: SharesJson,
    calls: SharesJson,
    turns: SharesJson,
    unpriced_models: &'a [String],
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

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WinnerJson<'a> {
    session: &'a str,
    file: String,
    line: u32,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SharesJson {
    here: u64,
    elsewhere: u64,
}

impl<'a> From<&'a Explained> for ExplainedJson<'a> {
    fn from(explained: &'a Explained) -> Self {
        Self {
            schema: SCHEMA,
            session: explained.session.as_str(),
            tokens: explained.tokens.into(),
            cost_usd: explained.cost.map(Cost::usd),
            lines: explained.lines.iter().map(LineJson::from).collect(),
            messages: explained.messages.into(),
            calls: explained.calls.into(),
            turns: explained.turns.into(),
            unpriced_models: &explained.unpriced_models,
        }
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

impl<'a> From<&'a CountedLine> for WinnerJson<'a> {
    fn from(winner: &'a CountedLine) -> Self {
        Self {
            session: winner.session.as_str(),
            file: winner.file.display().to_string(),
            line: winner.line,
        }
    }
}

impl From<Shares> for SharesJson {
    fn from(shares: Shares) -> Self {
        Self { here: shares.here, elsewhere: shares.elsewhere }
    }
}
