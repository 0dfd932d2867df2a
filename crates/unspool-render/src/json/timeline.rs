//! Where the time of a path went, as scripts see it.

use serde::{Serialize, Serializer};
use unspool_engine::ops::spending::Spending;
use unspool_engine::ops::timeline::{
    IdleGap, SessionTimeline, SpanId, SpanKind, TimeShares, TimeSpan, TimeSums, TurnTime,
};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::ids::EntryId;
use unspool_model::positions::TurnNumber;
use unspool_model::time::Time;

use super::{SCHEMA, SessionJson, TokensJson, session, time};

/// Where the time of a path went: one object.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TimelineJson<'a> {
    schema: u32,
    session: SessionJson,
    agent: Option<&'a str>,
    path: Option<u32>,
    started: Option<String>,
    ended: Option<String>,
    total_ms: u64,
    sums: TimeSumsJson,
    shares: TimeSharesJson,
    tokens: TokensJson,
    cost_usd: Option<f64>,
    #[serde(serialize_with = "each_span")]
    #[cfg_attr(test, schemars(with = "Vec<SpanJson>"))]
    spans: &'a [TimeSpan],
    gaps: Vec<GapJson>,
    #[serde(serialize_with = "each_turn")]
    #[cfg_attr(test, schemars(with = "Vec<TurnTimeJson>"))]
    turns: &'a [TurnTime],
    slowest: Vec<usize>,
    untimed: u32,
}

impl<'a> TimelineJson<'a> {
    /// Takes the timeline of what a transcript shows.
    pub fn new(shown: &'a Transcript<'_>, timeline: &'a SessionTimeline) -> Self {
        Self {
            schema: SCHEMA,
            session: session(shown),
            agent: shown.agent.as_deref(),
            path: shown.path.as_ref().map(|path| shown.number_of(path).get()),
            started: time(timeline.started),
            ended: time(timeline.ended),
            total_ms: timeline.sums.total_ms(),
            sums: timeline.sums.into(),
            shares: timeline.sums.shares().into(),
            tokens: timeline.spending.tokens.into(),
            cost_usd: timeline.spending.cost_usd(),
            spans: &timeline.spans,
            gaps: timeline.gaps.iter().map(GapJson::from).collect(),
            turns: &timeline.turns,
            slowest: timeline.slowest.iter().map(|span| span.row()).collect(),
            untimed: timeline.untimed,
        }
    }
}

/// Writes spans one after the other: a session may have a million.
fn each_span<S: Serializer>(spans: &[TimeSpan], serializer: S) -> Result<S::Ok, S::Error> {
    let spans = spans.iter().enumerate();
    serializer.collect_seq(spans.map(|(id, span)| SpanJson::new(id, span)))
}

fn each_turn<S: Serializer>(turns: &[TurnTime], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(turns.iter().map(TurnTimeJson::from))
}

fn instant(time: Time) -> String {
    time.to_string()
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SpanJson<'a> {
    id: usize,
    parent: Option<usize>,
    kind: &'static str,
    depth: u32,
    lane: u32,
    start: String,
    end: Option<String>,
    duration_ms: Option<u64>,
    turn: Option<u32>,
    entry: Option<&'a str>,
    call: Option<&'a str>,
    agent: Option<&'a str>,
    name: Option<&'a str>,
    label: Option<&'a str>,
    status: &'static str,
    tokens: Option<TokensJson>,
    cost_usd: Option<f64>,
}

impl<'a> SpanJson<'a> {
    fn new(id: usize, span: &'a TimeSpan) -> Self {
        let spending = span.spending.as_ref();
        Self {
            id,
            parent: span.parent.map(SpanId::row),
            kind: span.kind.name(),
            depth: span.depth,
            lane: span.lane,
            start: instant(span.start),
            end: time(span.end),
            duration_ms: span.duration_ms(),
            turn: span.turn.map(TurnNumber::get),
            entry: span.entry.as_ref().map(EntryId::as_str),
            call: span.call.as_deref(),
            agent: span.agent.as_deref(),
            name: span.name.as_deref(),
            label: span.label.as_deref(),
            status: span.status.name(),
            tokens: spending.map(|spending| spending.tokens.into()),
            cost_usd: spending.and_then(Spending::cost_usd),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[expect(clippy::struct_field_names, reason = "scripts see these names")]
struct TimeSumsJson {
    model_ms: u64,
    tools_ms: u64,
    agents_ms: u64,
    compaction_ms: u64,
    you_ms: u64,
    other_ms: u64,
    away_ms: u64,
}

impl From<TimeSums> for TimeSumsJson {
    fn from(sums: TimeSums) -> Self {
        Self {
            model_ms: sums.model_ms,
            tools_ms: sums.tools_ms,
            agents_ms: sums.agents_ms,
            compaction_ms: sums.compaction_ms,
            you_ms: sums.you_ms,
            other_ms: sums.other_ms,
            away_ms: sums.away_ms,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TimeSharesJson {
    model: u32,
    tools: u32,
    agents: u32,
    compaction: u32,
    you: u32,
    other: u32,
}

impl From<TimeShares> for TimeSharesJson {
    fn from(shares: TimeShares) -> Self {
        Self {
            model: shares.model,
            tools: shares.tools,
            agents: shares.agents,
            compaction: shares.compaction,
            you: shares.you,
            other: shares.other,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GapJson {
    start: String,
    end: String,
    duration_ms: u64,
    kind: Option<&'static str>,
}

impl From<&IdleGap> for GapJson {
    fn from(gap: &IdleGap) -> Self {
        Self {
            start: instant(gap.start),
            end: instant(gap.end),
            duration_ms: gap.duration_ms(),
            kind: gap.kind.map(SpanKind::name),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TurnTimeJson<'a> {
    index: u32,
    entry: Option<&'a str>,
    prompt: Option<&'a str>,
    started: String,
    ended: String,
    sums: TimeSumsJson,
}

impl<'a> From<&'a TurnTime> for TurnTimeJson<'a> {
    fn from(turn: &'a TurnTime) -> Self {
        Self {
            index: turn.index.get(),
            entry: turn.entry.as_ref().map(EntryId::as_str),
            prompt: turn.prompt.as_deref(),
            started: instant(turn.started),
            ended: instant(turn.ended),
            sums: turn.sums.into(),
        }
    }
}
