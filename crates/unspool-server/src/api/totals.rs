//! `GET /api/stats`: totals of sessions.

use unspool_engine::library::StatsRequest;
use unspool_engine::ops::stats::{By, group_keys};
use unspool_model::named::Named as _;
use unspool_render::json::StatsJson;
use unspool_store::progress::Unwatched;

use super::parameters::{filter, zone};
use crate::route::Call;
use crate::web::{Parameter, ParameterForm, RequestProblem, WebReply};

/// The parameters that group the totals.
pub(super) const STATS_PARAMETERS: &[Parameter] = &[
    Parameter::one(
        "by",
        ParameterForm::Choices { names: || By::OFFERED.iter().map(|by| by.name()).collect() },
        "What groups are made of: up to three keys with commas between them",
    ),
    Parameter::one(
        "limit",
        ParameterForm::Integer { least: 1, most: 10_000, usual: None },
        "How many groups are wanted, the largest; the others are one group",
    ),
];

/// `GET /api/stats`
pub(super) fn stats(call: &Call) -> Result<WebReply, RequestProblem> {
    let names = call.query.get("by").unwrap_or_default().split(',');
    let by: Vec<By> = names.filter_map(By::from_name).collect();
    let (by, then) =
        group_keys(&by).map_err(|error| RequestProblem::parameter("by", error.to_string()))?;
    let request = StatsRequest {
        filter: filter(call)?,
        by,
        then,
        limit: call.query.read("limit")?,
        zone: zone(call)?,
    };
    call.state.refresher.try_refresh()?;
    let answer = call.state.library.stats(&request, &Unwatched)?;
    WebReply::json(&StatsJson::from(&answer.stats))
}
