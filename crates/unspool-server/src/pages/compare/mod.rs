//! `/s/{id}/compare?a=&b=`: two paths of a session side by side, since they parted.

mod paint;

use unspool_engine::ops::path_diff::{CompareError, path_diff};
use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
use unspool_model::paths::Path;
use unspool_model::positions::PathNumber;
use unspool_text::html::Html;

use super::parts::{PageParts, SessionAbout, opened};
use crate::frame::PageFrame;
use crate::route::Call;
use crate::web::{ProblemKind, RequestProblem, WebReply};

/// The page of two paths.
pub(super) fn page(call: &Call) -> Result<WebReply, RequestProblem> {
    let open = opened(call)?;
    let view = open.view();
    let about = SessionAbout::of(&view, call);
    let shown = view.transcript(&TranscriptRequest::default())?;
    let mut html = Html::new();
    html.tag("<main id=\"main\" class=\"compare-page\">\n");
    about.ways("/compare", &mut html);
    if let Some((a, b)) = sides(call, &shown)? {
        let prices = &call.state.library.settings().prices;
        let diff = path_diff(&shown, (a, b), prices).map_err(problem)?;
        paint::compare(&diff, &shown, &about, call, &mut html);
    } else {
        html.tag("<p class=\"empty\">This session has one path, so there is nothing to ");
        html.tag("compare. <a").attribute("href", &about.way("/tree", &[]));
        html.tag(">Its tree</a></p>\n");
    }
    html.tag("</main>\n");
    let frame = PageFrame {
        title: &format!("Compare \u{b7} {}", about.title),
        kind: "compare",
        crumbs: about.crumbs("Compare"),
        data: Vec::new(),
    };
    Ok(PageParts::of(call).answer(&frame, &[], |page| _ = page.append(&html)))
}

/// Returns the paths that are compared: those that a request names, or the active one and the last
/// of the others; none if there is only one.
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

fn problem(error: CompareError) -> RequestProblem {
    match error {
        CompareError::Path(error) => RequestProblem::not_found(error.to_string()),
        CompareError::Read(error) => {
            RequestProblem::new(ProblemKind::Unreadable, error.to_string())
        }
    }
}
