//! Checks that every request passes before it is routed, and headers that every answer gets.
//!
//! In this order: the address is not too long, the request is addressed to this server (`Host`), it
//! does not come from another site (`Sec-Fetch-Site`, `Origin`), and the sender may read (a token
//! or the cookie). Requests to drive also need the drive token or a page's key ([`check_drive`]).
//! Reads are guarded as writes are: to a browser, a page of another site that was rebound to this
//! address looks like this site, and every user of the machine can connect to a port on loopback.

mod address;
mod drive;
mod headers;
mod origin;
mod token;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::frame::RequestSender;
use crate::state::ServerState;
use crate::web::{ProblemKind, RequestProblem};

pub(crate) use self::drive::check as check_drive;

/// The maximum length of an address, in bytes: ten times that of a query with many filters.
const LONGEST_ADDRESS: usize = 8 * 1024;

/// Passes a request on if the checks succeed; otherwise answers with the problem.
pub(crate) async fn guard(
    State(state): State<Arc<ServerState>>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let audience = RequestSender::of(&parts);
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
