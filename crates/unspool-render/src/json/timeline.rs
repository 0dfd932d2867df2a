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

use super::{SCHEMA, SessionJson, TokensJson, session, time, wire};

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

wire! {
    #[expect(clippy::struct_field_names, reason = "scripts see these names")]
    struct TimeSumsJson from sums: TimeSums {
        model_ms: u64 = sums.model_ms,
        tools_ms: u64 = sums.tools_ms,
        agents_ms: u64 = sums.agents_ms,
        compaction_ms: u64 = sums.compaction_ms,
        you_ms: u64 = sums.you_ms,
        other_ms: u64 = sums.other_ms,
        away_ms: u64 = sums.away_ms,
    }

    struct TimeSharesJson from shares: TimeShares {
        model: u32 = shares.model,
        tools: u32 = shares.tools,
        agents: u32 = shares.agents,
        compaction: u32 = shares.compaction,
        you: u32 = shares.you,
        other: u32 = shares.other,
    }

    struct GapJson from gap: &IdleGap {
        start: String = instant(gap.start),
        end: String = instant(gap.end),
        duration_ms: u64 = gap.duration_ms(),
        kind: Option<&'static str> = gap.kind.map(SpanKind::name),
    }

    struct TurnTimeJson<'a> from turn: &'a TurnTime {
        index: u32 = turn.index.get(),
        entry: Option<&'a str> = turn.entry.as_ref().map(EntryId::as_str),
        prompt: Option<&'a str> = turn.prompt.as_deref(),
        started: String = instant(turn.started),
        ended: String = instant(turn.ended),
        sums: TimeSumsJson = turn.sums.into(),
    }
}
