//! How the time of a path was spent, as JSON.

use serde::Serializer;
use unspool_engine::ops::spending::Spending;
use unspool_engine::ops::timeline::{
    IdleGap, SessionTimeline, SpanId, SpanKind, TimeShares, TimeSpan, TimeSums, TurnTime,
};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::ids::EntryId;
use unspool_model::positions::TurnNumber;
use unspool_model::time::Time;

use super::{SCHEMA, SessionJson, TokensJson, all, time, wire};

wire! {
    /// How the time of a path was spent: one object.
    pub struct TimelineJson<'a> new(shown: &'a Transcript<'_>, timeline: &'a SessionTimeline) {
        schema: u32 = SCHEMA,
        session: SessionJson = shown.into(),
        agent: Option<&'a str> = shown.agent.as_deref(),
        path: Option<u32> = shown.path.as_ref().map(|path| shown.number_of(path).get()),
        started: Option<String> = time(timeline.started),
        ended: Option<String> = time(timeline.ended),
        total_ms: u64 = timeline.sums.total_ms(),
        sums: TimeSumsJson = timeline.sums.into(),
        shares: TimeSharesJson = timeline.sums.shares().into(),
        tokens: TokensJson = timeline.spending.tokens.into(),
        cost_usd: Option<f64> = timeline.spending.cost_usd(),
        #[serde(serialize_with = "each_span")]
        #[cfg_attr(test, schemars(with = "Vec<SpanJson>"))]
        spans: &'a [TimeSpan] = &timeline.spans,
        gaps: Vec<GapJson> = all(&timeline.gaps),
        #[serde(serialize_with = "each_turn")]
        #[cfg_attr(test, schemars(with = "Vec<TurnTimeJson>"))]
        turns: &'a [TurnTime] = &timeline.turns,
        slowest: Vec<usize> = timeline.slowest.iter().map(|span| span.row()).collect(),
        untimed: u32 = timeline.untimed,
    }
}

/// Writes spans one by one: a session may have a million.
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

wire! {
    struct SpanJson<'a> new(id: usize, span: &'a TimeSpan) {
        id: usize = id,
        parent: Option<usize> = span.parent.map(SpanId::row),
        kind: &'static str = span.kind.name(),
        depth: u32 = span.depth,
        lane: u32 = span.lane,
        start: String = instant(span.start),
        end: Option<String> = time(span.end),
        duration_ms: Option<u64> = span.duration_ms(),
        turn: Option<u32> = span.turn.map(TurnNumber::get),
        entry: Option<&'a str> = span.entry.as_ref().map(EntryId::as_str),
        call: Option<&'a str> = span.call.as_deref(),
        agent: Option<&'a str> = span.agent.as_deref(),
        name: Option<&'a str> = span.name.as_deref(),
        label: Option<&'a str> = span.label.as_deref(),
        status: &'static str = span.status.name(),
        tokens: Option<TokensJson> = span.spending.as_ref().map(|spending| spending.tokens.into()),
        cost_usd: Option<f64> = span.spending.as_ref().and_then(Spending::cost_usd),
    }

    #[expect(clippy::struct_field_names, reason = "scripts see these names")]
    struct TimeSumsJson from(sums: TimeSums) {
        model_ms: u64 = sums.model_ms,
        tools_ms: u64 = sums.tools_ms,
        agents_ms: u64 = sums.agents_ms,
        compaction_ms: u64 = sums.compaction_ms,
        you_ms: u64 = sums.you_ms,
        other_ms: u64 = sums.other_ms,
        away_ms: u64 = sums.away_ms,
    }

    struct TimeSharesJson from(shares: TimeShares) {
        model: u32 = shares.model,
        tools: u32 = shares.tools,
        agents: u32 = shares.agents,
        compaction: u32 = shares.compaction,
        you: u32 = shares.you,
        other: u32 = shares.other,
    }

    struct GapJson from(gap: &IdleGap) {
        start: String = instant(gap.start),
        end: String = instant(gap.end),
        duration_ms: u64 = gap.duration_ms(),
        kind: Option<&'static str> = gap.kind.map(SpanKind::name),
    }

    struct TurnTimeJson<'a> from(turn: &'a TurnTime) {
        index: u32 = turn.index.get(),
        entry: Option<&'a str> = turn.entry.as_ref().map(EntryId::as_str),
        prompt: Option<&'a str> = turn.prompt.as_deref(),
        started: String = instant(turn.started),
        ended: String = instant(turn.ended),
        sums: TimeSumsJson = turn.sums.into(),
    }
}
