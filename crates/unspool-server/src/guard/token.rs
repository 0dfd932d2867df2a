//! Whether who asks may look: a token, or the cookie of a browser that used a one-time link.

use axum::http::header;
use axum::http::request::Parts;

use crate::access::CodeVerdict;
use crate::settings::TokenPolicy;
use crate::state::ServerState;
use crate::web::{Call, Problem, ProblemKind, Reply};

/// The beginning of the way of a one-time link, and the files that the page of a refusal needs.
const OPEN_WAYS: [&str; 2] = ["/in/", "/assets/"];
/// How long a browser keeps the cookie: 30 days, in seconds.
const COOKIE_LIFE: u32 = 30 * 24 * 60 * 60;

/// Checks the token or the cookie of a request.
pub(super) fn check(state: &ServerState, parts: &Parts) -> Result<(), Problem> {
    let way = parts.uri.path();
    let is_open = OPEN_WAYS.iter().any(|open| way.starts_with(open));
    if state.tokens == TokenPolicy::Open || is_open || bears(state, parts) {
        return Ok(());
    }
    if let Some(cookie) = cookie(state, parts)
        && state.access.cookie().is(cookie)
    {
        return Ok(());
    }
    let detail = "open the link that `unspool serve` printed; `unspool serve --link` prints a new \
                  one. Programs send the token: Authorization: Bearer TOKEN";
    Err(Problem::new(ProblemKind::NoToken, detail))
}

fn bears(state: &ServerState, parts: &Parts) -> bool {
    let header = parts.headers.get(header::AUTHORIZATION);
    let header = header.and_then(|header| header.to_str().ok());
    let token = header.and_then(|header| {
        let (scheme, token) = header.split_once(' ')?;
        scheme
            .eq_ignore_ascii_case("bearer")
            .then_some(token.trim())
    });
    token.is_some_and(|token| state.access.read_token().is(token))
}

/// Finds the cookie of this server. Cookies do not know ports, so its name has the port.
fn cookie<'p>(state: &ServerState, parts: &'p Parts) -> Option<&'p str> {
    let name = cookie_name(state.port);
    let headers = parts.headers.get_all(header::COOKIE).iter();
    let pairs = headers
        .filter_map(|header| header.to_str().ok())
        .flat_map(|header| header.split(';'));
    let mut values = pairs.filter_map(|pair| {
        let (known, value) = pair.trim().split_once('=')?;
        (known == name).then_some(value)
    });
    values.next()
}

fn cookie_name(port: u16) -> String {
    format!("unspool-{port}")
}

/// Writes the header that gives a browser the cookie.
fn cookie_header(state: &ServerState) -> String {
    format!(
        "{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_LIFE}",
        cookie_name(state.port),
        state.access.cookie().secret()
    )
}

/// `GET /in/{code}`: takes the code of a one-time link and lets the browser in.
pub(crate) fn enter(call: &Call) -> Result<Reply, Problem> {
    let state = &call.state;
    let now = state.library.settings().clock.now();
    match state.access.take_code(call.name("code"), now) {
        CodeVerdict::Right => {
            Ok(Reply::see_other("/").header(header::SET_COOKIE, cookie_header(state)))
        }
        CodeVerdict::Wrong => {
            let detail =
                "this link was used or is too old; `unspool serve --link` prints a new one";
            Err(Problem::new(ProblemKind::NoToken, detail))
        }
        CodeVerdict::TooMany => {
            let detail = "wait a minute, then use a link that `unspool serve --link` prints";
            Err(Problem::new(ProblemKind::TooMany, detail))
        }
    }
}
