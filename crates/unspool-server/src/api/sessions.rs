//! Lists of sessions, and one session without its messages.

use unspool_engine::library::FilteredRequest;
use unspool_engine::ops::transcript::TranscriptRequest;
use unspool_model::ids::ProjectId;
use unspool_render::json::{OverviewJson, SessionAgentsJson, SessionsPageJson};
use unspool_store::progress::Unwatched;

use super::opened::unless_not_modified;
use super::parameters::{filter, rows_wanted};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// `GET /api/sessions`
pub(super) fn list(call: &Call) -> Result<WebReply, RequestProblem> {
    page(call, None)
}

/// `GET /api/projects/{project}/sessions`
pub(super) fn of_project(call: &Call) -> Result<WebReply, RequestProblem> {
    page(call, Some(ProjectId::new(call.name("project"))))
}

fn page(call: &Call, project: Option<ProjectId>) -> Result<WebReply, RequestProblem> {
    let library = &call.state.library;
    let request = FilteredRequest {
        filter: filter(call)?,
        project,
        after: call.query.read("cursor")?,
        limit: rows_wanted(call)?,
    };
    call.state.refresher.try_refresh()?;
    let page = library.filtered(&request, &Unwatched)?;
    if page.rows.is_empty()
        && let Some(project) = &request.project
        && !library.has_project(project)
    {
        return Err(RequestProblem::not_found("no project has this name"));
    }
    let next = page.next.map(|next| next.to_string());
    WebReply::json(&SessionsPageJson::new(&page.rows, next))
}

/// `GET /api/sessions/{id}`
pub(super) fn overview(call: &Call) -> Result<WebReply, RequestProblem> {
    let opened = call.session()?;
    let lineage = call.state.library.relatives_of(&opened);
    let view = opened.view();
    let mut shown = view.transcript(&TranscriptRequest::default())?;
    shown.lineage = lineage;
    WebReply::json(&OverviewJson::from(&shown))
}

/// `GET /api/sessions/{id}/agents`
pub(super) fn agents(call: &Call) -> Result<WebReply, RequestProblem> {
    let opened = call.session()?;
    let view = opened.view();
    unless_not_modified(call, &view, || WebReply::json(&SessionAgentsJson::from(view.agents())))
}
