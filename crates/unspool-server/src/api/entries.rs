//! `GET /api/sessions/{id}/entries/{uuid}`: the unchanged line of an entry.
//!
//! The bytes come straight from a log, so the media type is JSON only if they parse. A browser does
//! nothing with them: it must not guess the type, and the page is sandboxed.

use serde::de::IgnoredAny;
use unspool_engine::ops::raw::{self, RawError};

use super::opened::unless_not_modified;
use crate::route::Call;
use crate::web::{Parameter, ProblemKind, RequestProblem, WebReply};

/// The entry, in the path.
pub(super) const ENTRY_PARAMETERS: &[Parameter] = &[Parameter::path(
    "uuid",
    "The entry of the session or of one of its agents: its uuid, or a beginning of it that no \
     other has",
)];

/// `GET /api/sessions/{id}/entries/{uuid}`
pub(super) fn entry(call: &Call) -> Result<WebReply, RequestProblem> {
    let opened = call.session()?;
    let view = opened.view();
    unless_not_modified(call, &view, || {
        let bytes = raw::raw(view.session(), call.name("uuid")).map_err(problem)?;
        let media_type =
            if is_json(&bytes) { "application/json" } else { "application/octet-stream" };
        let reply = WebReply::of(media_type, bytes);
        Ok(reply.sandboxed())
    })
}

fn is_json(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes);
    text.is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

fn problem(error: RawError) -> RequestProblem {
    match error {
        RawError::Entry(error) => RequestProblem::of_entry(&error),
        RawError::NoLine(_) => RequestProblem::not_found(error.to_string()),
        RawError::TooLong { .. } => RequestProblem::new(ProblemKind::Unreadable, error.to_string()),
        RawError::Io(error) => error.into(),
    }
}
