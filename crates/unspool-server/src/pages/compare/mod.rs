//! `/s/{id}/compare?a=&b=`: two paths of a session next to each other, from their fork on.

mod paint;

use unspool_engine::ops::path_diff::path_diff;
use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
use unspool_model::paths::Path;
use unspool_model::positions::PathNumber;

use super::parts::SessionPageContext;
use crate::route::Call;
use crate::web::{RequestProblem, WebReply};

/// Answers with the page that compares two paths.
pub(super) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = call.session()?;
    let view = open.view();
    let about = SessionPageContext::of(&view, call);
    let shown = view.transcript(&TranscriptRequest::default())?;
    about.page(call, "/compare", "Compare", |html| {
        if let Some((a, b)) = sides(call, &shown)? {
            let prices = &call.state.library.settings().prices;
            let diff = path_diff(&shown, (a, b), prices)?;
            paint::compare(&diff, &shown, &about, call, html);
        } else {
            html.tag("<p class=\"empty\">This session has one path, so there is nothing to ");
            html.tag("compare. ").link(&about.way("/tree", &[]), "Its tree").tag("</p>\n");
        }
        Ok(())
    })
}

/// Returns the paths to compare: those that the request names, or else the last abandoned path and
/// the active one; none if there is only one path.
fn sides(
    call: &Call,
    shown: &Transcript<'_>,
) -> Result<Option<(PathNumber, PathNumber)>, RequestProblem> {
    let (_, paths) = shown.listed_paths();
    let active = paths.iter().find(|path| path.active);
    let other = paths.iter().rev().find(|path| !path.active);
    let asked = (call.query.read("a")?, call.query.read("b")?);
    let number = |path: Option<&&Path>| path.map(|path| shown.number_of(path));
    let (a, b) = (asked.0.or(number(other)), asked.1.or(number(active)));
    Ok(a.zip(b))
}
