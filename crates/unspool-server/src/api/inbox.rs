//! `GET /api/inbox` and `GET /api/projects`: sessions that need a person, and projects by last activity.

use unspool_engine::library::{InboxRequest, ProjectsRequest};
use unspool_model::query::{Clock, period};
use unspool_render::json::{InboxJson, ProjectsJson};
use unspool_store::progress::Unwatched;

use super::parameters::{filter, rows_wanted, zone};
use crate::filters::FILTER_NAMES;
use crate::route::Call;
use crate::web::{Parameter, ParameterForm, RequestProblem, WebReply};

/// The default number of ended sessions in an answer.
const DONE: u64 = 50;

/// The parameters that select ended sessions.
pub(super) const INBOX_PARAMETERS: &[Parameter] = &[
    Parameter::one(
        "since",
        ParameterForm::Text,
        "Since when sessions that have ended are listed: 3d, yesterday, 2026-11-01; if none, \
         since the inbox was last seen",
    ),
    Parameter::one(
        "limit",
        ParameterForm::Integer { least: 1, most: 1_000, usual: Some(DONE) },
        "How many sessions that have ended are wanted at most",
    ),
];

/// `GET /api/inbox`
pub(super) fn inbox(call: &Call) -> Result<WebReply, RequestProblem> {
    let library = &call.state.library;
    let clock = Clock { now: library.settings().clock.time(), zone: zone(call)? };
    let since = |text: &str| {
        let found = period(text, &clock).map(|period| period.from);
        found.map_err(|error| RequestProblem::parameter("since", error.to_string()))
    };
    let request = InboxRequest {
        since: call.query.get("since").map(since).transpose()?,
        done: call.query.read("limit")?.unwrap_or(DONE as usize),
    };
    call.state.refresher.try_refresh()?;
    let inbox = library.inbox(&request, &Unwatched)?;
    WebReply::json(&InboxJson::from(&inbox))
}

/// `GET /api/projects`
pub(super) fn projects(call: &Call) -> Result<WebReply, RequestProblem> {
    let request = ProjectsRequest {
        after: call.query.read("cursor")?,
        limit: rows_wanted(call)?,
        project: None,
        filter: FILTER_NAMES
            .iter()
            .any(|name| call.query.all(name).next().is_some())
            .then(|| filter(call))
            .transpose()?,
        zone: zone(call)?,
    };
    call.state.refresher.try_refresh()?;
    let page = call.state.library.projects(&request, &Unwatched)?;
    WebReply::json(&ProjectsJson::from(&page))
}
