//! What every request passes before it is routed, and every answer on its way out.
//!
//! In this order: the request is addressed to this server (`Host`), it does not come from another
//! site (`Sec-Fetch-Site`, `Origin`), its address is not too long, and who asks may look (a token
//! or the cookie). Requests to drive show a token or a key of their own ([`check_drive`]). Reads are guarded as writes are: a page of another site that was rebound to
//! this address looks like this site to a browser, and a port of loopback is open to every user of
//! the machine.

mod address;
mod drive;
mod headers;
mod origin;
mod token;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::frame::Audience;
use crate::state::ServerState;
use crate::web::{ProblemKind, RequestProblem};

pub(crate) use self::drive::check as check_drive;

/// The longest address that is taken, in bytes: a query with many filters fits ten times.
const LONGEST_ADDRESS: usize = 8 * 1024;

/// Lets a request through, or says why not.
pub(crate) async fn guard(
    State(state): State<Arc<ServerState>>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let audience = Audience::of(&parts);
    let allowed = check(&state, &parts);
    let mut response = match allowed {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(problem) => audience.tell(&state, &problem),
    };
    headers::protect(response.headers_mut());
    response
}

fn check(state: &ServerState, parts: &axum::http::request::Parts) -> Result<(), RequestProblem> {
    let length = parts.uri.path_and_query().map_or(0, |way| way.as_str().len());
    if length > LONGEST_ADDRESS {
        let detail = "the address is too long";
        return Err(RequestProblem::new(ProblemKind::TooLarge, detail));
    }
    address::check(state, parts)?;
    origin::check(parts)?;
    token::check(state, parts)
}
