//! `/p/{project}` and `/sessions`: sessions of one project, or of all, with filters as links.

mod choices;
mod gather;
mod paint;
mod weeks;

use unspool_model::ids::ProjectId;
use unspool_text::html::Html;

use self::gather::ListData;
use super::parts::PageParts;
use super::zone::PageZone;
use crate::frame::{Crumb, PageFrame};
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// Answers with the page of a project.
pub(super) fn project(call: &Call) -> Result<WebReply, RequestProblem> {
    let project = ProjectId::new(call.name("project"));
    if !call.state.library.has_project(&project) {
        return Err(RequestProblem::not_found("no project has this name"));
    }
    page(call, Some(project))
}

/// Answers with the page of all sessions.
pub(super) fn sessions(call: &Call) -> Result<WebReply, RequestProblem> {
    page(call, None)
}

fn page(call: &Call, project: Option<ProjectId>) -> Result<WebReply, RequestProblem> {
    let parts = PageParts::of(call);
    let zone = PageZone::of(call);
    let kind = if project.is_some() { "project" } else { "sessions" };
    let data = ListData::gather(call, &zone, project)?;
    let mut rows = Html::new();
    if parts.wants("rows") {
        paint::rows(&data, call, &mut rows);
    }
    let title = format!("{} \u{b7} unspool", data.name);
    let frame = PageFrame::new(&title, kind, vec![Crumb::here(data.name.as_str())])
        .with_data(vec![("data-zone", zone.name)]);
    let layout = |html: &mut Html| {
        html.tag("<main id=\"main\" class=\"list-page\">\n");
        paint::head(&data, call, html);
        choices::paint(&data, call, html);
        html.append(&rows).tag("</main>\n");
    };
    Ok(parts.answer(&frame, &[&rows], layout))
}
