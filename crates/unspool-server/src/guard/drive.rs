//! Checks that a request may drive: it needs the drive token or a page's key, and a header that no
//! form can send.
//!
//! A browser adds cookies to every request, whatever page makes it, but not the key and the header.
//! So a page of another site that passes all other checks still cannot drive.

use axum::http::request::Parts;

use super::token::bearer;
use crate::state::ServerState;
use crate::web::{ProblemKind, RequestProblem};

/// The header in which pages send their key.
const KEY: &str = "x-unspool-key";
/// The header that every request to drive needs, with the value `1`.
const MARK: &str = "x-unspool";

/// Checks a request to drive.
pub(crate) fn check(state: &ServerState, parts: &Parts) -> Result<(), RequestProblem> {
    state.driving()?;
    let text = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    if text(MARK) != Some("1") {
        let detail = "a request to drive has the header `X-Unspool: 1`";
        return Err(RequestProblem::new(ProblemKind::Foreign, detail));
    }
    let access = &state.access;
    let has_token = bearer(parts).is_some_and(|token| access.drive_token().is(token));
    let has_key = text(KEY).is_some_and(|key| access.page_key().is(key));
    if has_token || has_key {
        return Ok(());
    }
    let detail = "driving needs the drive token (Authorization: Bearer TOKEN); a page gets its key \
                  at a link that `unspool serve --link` prints";
    Err(RequestProblem::new(ProblemKind::NoToken, detail))
}
