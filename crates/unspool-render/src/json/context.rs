//! The size of the model's context as JSON.

use serde::{Serialize, Serializer};
use unspool_engine::ops::context_series::{
    CompactionDrop, ContextLimit, ContextPoint, ContextSeries, ModelLimit,
};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::ids::EntryId;
use unspool_model::positions::TurnNumber;

use super::{SCHEMA, SessionJson, TokensJson, all, time, wire};

wire! {
    /// The size of the model's context after each answer: one object.
    pub struct ContextSeriesJson<'a> new(shown: &'a Transcript<'_>, series: &'a ContextSeries) {
        schema: u32 = SCHEMA,
        session: SessionJson = shown.into(),
        agent: Option<&'a str> = shown.agent.as_deref(),
        path: Option<u32> = shown.path.as_ref().map(|path| shown.number_of(path).get()),
        limit: Option<ContextLimitJson> = series.limit().map(ContextLimitJson::from),
        models: Vec<ModelLimitJson<'a>> = all(&series.models),
        #[cfg_attr(test, schemars(with = "Vec<ContextPointJson>"))]
        points: ContextPointsJson<'a> = ContextPointsJson(series),
        peak: Option<usize> = series.peak,
        compactions: Vec<ContextCliffJson<'a>> = all(&series.cliffs),
    }
}

/// The points, serialized one by one: a session may have a million.
struct ContextPointsJson<'a>(&'a ContextSeries);

impl Serialize for ContextPointsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let series = self.0;
        let points = series.points.iter();
        serializer.collect_seq(points.map(|point| ContextPointJson::new(series, point)))
    }
}

wire! {
    struct ContextPointJson<'a> new(series: &'a ContextSeries, point: &'a ContextPoint) {
        entry: Option<&'a str> = point.entry.as_ref().map(EntryId::as_str),
        message: u32 = point.message,
        time: Option<String> = time(point.time),
        turn: Option<u32> = point.turn.map(TurnNumber::get),
        model: &'a str = &series.models[point.model].model,
        context: u64 = point.context(),
        tokens: TokensJson = point.tokens.into(),
    }

    struct ContextLimitJson from(limit: ContextLimit) {
        tokens: u64 = limit.tokens,
        source: &'static str = limit.source.name(),
    }

    struct ModelLimitJson<'a> from(model: &'a ModelLimit) {
        model: &'a str = &model.model,
        limit: Option<ContextLimitJson> = model.limit.map(ContextLimitJson::from),
    }

    struct ContextCliffJson<'a> from(cliff: &'a CompactionDrop) {
        entry: Option<&'a str> = cliff.entry.as_ref().map(EntryId::as_str),
        time: Option<String> = time(cliff.time),
        turn: Option<u32> = cliff.turn.map(TurnNumber::get),
        before_point: usize = cliff.before_point,
        trigger: Option<&'a str> = cliff.trigger.as_deref(),
        tokens_before: Option<u64> = cliff.tokens_before,
        tokens_after: Option<u64> = cliff.tokens_after,
    }
}
