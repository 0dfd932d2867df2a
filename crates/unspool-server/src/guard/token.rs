//! Checks that a request may read: it needs a token, or the cookie of a browser that used a one-time link.

use axum::http::header;
use axum::http::request::Parts;

use crate::route::cookie;
use crate::settings::TokenPolicy;
use crate::state::ServerState;
use crate::web::{ProblemKind, RequestProblem};

/// The first segments of URL paths that need no token: one-time links, and the files of the page
/// that refuses.
const OPEN_WAYS: [&str; 2] = ["/in", "/assets"];

/// Checks the token or the cookie of a request.
pub(super) fn check(state: &ServerState, parts: &Parts) -> Result<(), RequestProblem> {
    let way = parts.uri.path();
    let first = way.get(1..).and_then(|way| way.split('/').next());
    let is_open = OPEN_WAYS.iter().any(|open| first == Some(&open[1..]));
    if state.tokens == TokenPolicy::Open || is_open || bears(state, parts) {
        return Ok(());
    }
    if let Some(cookie) = cookie(&parts.headers, &state.cookie_name())
        && state.access.cookie().is(cookie)
    {
        return Ok(());
    }
    let detail = "open the link that `unspool serve` printed; `unspool serve --link` prints a new \
                  one. Programs send the token: Authorization: Bearer TOKEN";
    Err(RequestProblem::new(ProblemKind::NoToken, detail))
}

/// Returns the bearer token of a request.
pub(super) fn bearer(parts: &Parts) -> Option<&str> {
    let header = parts.headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn bears(state: &ServerState, parts: &Parts) -> bool {
    let token = bearer(parts);
    token.is_some_and(|token| {
        state.access.read_token().is(token) || state.access.drive_token().is(token)
    })
}
