//! Views of a whole session: its graph, its timeline, the size of its context, its changed files,
//! and a comparison of two paths.

use unspool_engine::library::OpenSessionView;
use unspool_engine::ops::path_diff::path_diff;
use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
use unspool_engine::ops::{changes, context_series, timeline, tree};
use unspool_model::positions::PathNumber;
use unspool_render::json::{ChangesJson, CompareJson, ContextSeriesJson, TimelineJson, TreeJson};

use super::opened::unless_not_modified;
use super::parameters::{AGENT, PATH};
use crate::route::Call;
use crate::web::{Parameter, ParameterForm, RequestProblem, WebReply};

/// The parameters that select a conversation of a session and a path in it.
pub(super) const SHOWN_PARAMETERS: &[Parameter] = &[PATH, AGENT];

/// The parameters that select two paths of a conversation.
pub(super) const COMPARE_PARAMETERS: &[Parameter] =
    &[compared("a", "The number of a path"), compared("b", "The number of another path"), AGENT];

const fn compared(name: &'static str, meaning: &'static str) -> Parameter {
    let form = ParameterForm::Integer { least: 1, most: u32::MAX as u64, usual: None };
    Parameter::needed(name, form, meaning)
}

/// `GET /api/sessions/{id}/tree`
pub(super) fn tree(call: &Call) -> Result<WebReply, RequestProblem> {
    show(call, |shown| WebReply::json(&TreeJson::new(shown, &tree::rows(shown)?)))
}

/// `GET /api/sessions/{id}/timeline`
pub(super) fn timeline(call: &Call) -> Result<WebReply, RequestProblem> {
    let prices = &call.state.library.settings().prices;
    show(call, |shown| {
        let found = timeline::timeline(shown, prices)?;
        WebReply::json(&TimelineJson::new(shown, &found))
    })
}

/// `GET /api/sessions/{id}/context`
pub(super) fn context(call: &Call) -> Result<WebReply, RequestProblem> {
    show(call, |shown| {
        let found = context_series::context_series(shown);
        WebReply::json(&ContextSeriesJson::new(shown, &found))
    })
}

/// `GET /api/sessions/{id}/files`
pub(super) fn files(call: &Call) -> Result<WebReply, RequestProblem> {
    show(call, |shown| {
        let found = changes::changes(shown)?;
        WebReply::json(&ChangesJson::new(shown, &found))
    })
}

/// `GET /api/sessions/{id}/compare`
pub(super) fn compare(call: &Call) -> Result<WebReply, RequestProblem> {
    let number = |name| -> Result<PathNumber, RequestProblem> {
        let number = call.query.read(name)?;
        number.ok_or_else(|| RequestProblem::parameter(name, "is needed"))
    };
    let paths = (number("a")?, number("b")?);
    if paths.0 == paths.1 {
        return Err(RequestProblem::parameter("b", "names the same path as a"));
    }
    let prices = &call.state.library.settings().prices;
    show(call, |shown| {
        let found = path_diff(shown, paths, prices)?;
        WebReply::json(&CompareJson::new(shown, &found))
    })
}

/// Answers with a view of the requested transcript, or with 304 if the client's copy is current.
fn show(
    call: &Call,
    paint: impl FnOnce(&Transcript<'_>) -> Result<WebReply, RequestProblem>,
) -> Result<WebReply, RequestProblem> {
    let opened = call.session()?;
    let view = opened.view();
    unless_not_modified(call, &view, || paint(&laid_out(call, &view)?))
}

fn laid_out<'v>(
    call: &Call,
    view: &'v OpenSessionView<'_>,
) -> Result<Transcript<'v>, RequestProblem> {
    let request = TranscriptRequest {
        path: call.query.read("path")?,
        agent: call.query.get("agent").map(str::to_owned),
        ..TranscriptRequest::default()
    };
    Ok(view.transcript(&request)?)
}
