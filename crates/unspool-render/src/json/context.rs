//! How full the model's context was, as scripts see it.

use serde::{Serialize, Serializer};
use unspool_engine::ops::context_series::{
    ContextCliff, ContextLimit, ContextPoint, ContextSeries, ModelLimit,
};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::ids::EntryId;
use unspool_model::positions::TurnNumber;

use super::{SCHEMA, SessionJson, TokensJson, session, time, wire};

/// How full the model's context was, answer by answer: one object.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ContextSeriesJson<'a> {
    schema: u32,
    session: SessionJson,
    agent: Option<&'a str>,
    path: Option<u32>,
    limit: Option<ContextLimitJson>,
    models: Vec<ModelLimitJson<'a>>,
    #[cfg_attr(test, schemars(with = "Vec<ContextPointJson>"))]
    points: ContextPointsJson<'a>,
    peak: Option<usize>,
    compactions: Vec<ContextCliffJson<'a>>,
}

impl<'a> ContextSeriesJson<'a> {
    /// Takes the series of what a transcript shows.
    pub fn new(shown: &'a Transcript<'_>, series: &'a ContextSeries) -> Self {
        Self {
            schema: SCHEMA,
            session: session(shown),
            agent: shown.agent.as_deref(),
            path: shown.path.as_ref().map(|path| shown.number_of(path).get()),
            limit: series.limit().map(ContextLimitJson::from),
            models: series.models.iter().map(ModelLimitJson::from).collect(),
            points: ContextPointsJson(series),
            peak: series.peak,
            compactions: series.cliffs.iter().map(ContextCliffJson::from).collect(),
        }
    }
}

/// The points, written one after the other: a session may have a million.
struct ContextPointsJson<'a>(&'a ContextSeries);

impl Serialize for ContextPointsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let series = self.0;
        let points = series.points.iter();
        serializer.collect_seq(points.map(|point| ContextPointJson::new(series, point)))
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ContextPointJson<'a> {
    entry: Option<&'a str>,
    message: u32,
    time: Option<String>,
    turn: Option<u32>,
    model: &'a str,
    context: u64,
    tokens: TokensJson,
}

impl<'a> ContextPointJson<'a> {
    fn new(series: &'a ContextSeries, point: &'a ContextPoint) -> Self {
        Self {
            entry: point.entry.as_ref().map(EntryId::as_str),
            message: point.message,
            time: time(point.time),
            turn: point.turn.map(TurnNumber::get),
            model: &series.models[point.model].model,
            context: point.context(),
            tokens: point.tokens.into(),
        }
    }
}

wire! {
    struct ContextLimitJson from limit: ContextLimit {
        tokens: u64 = limit.tokens,
        source: &'static str = limit.source.name(),
    }

    struct ModelLimitJson<'a> from model: &'a ModelLimit {
        model: &'a str = &model.model,
        limit: Option<ContextLimitJson> = model.limit.map(ContextLimitJson::from),
    }

    struct ContextCliffJson<'a> from cliff: &'a ContextCliff {
        entry: Option<&'a str> = cliff.entry.as_ref().map(EntryId::as_str),
        time: Option<String> = time(cliff.time),
        turn: Option<u32> = cliff.turn.map(TurnNumber::get),
        before_point: usize = cliff.before_point,
        trigger: Option<&'a str> = cliff.trigger.as_deref(),
        tokens_before: Option<u64> = cliff.tokens_before,
        tokens_after: Option<u64> = cliff.tokens_after,
    }
}
