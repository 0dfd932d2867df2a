//! The router: every route of the API and of the pages, and the answer to unknown addresses.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::path::RawPathParams;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{Method, header};
use axum::response::Response;
use axum::routing::{MethodFilter, on};

use crate::frame::RequestSender;
use crate::guard::check_drive;
use crate::route::{Call, Endpoint, RequestNames, Route, RouteAccess};
use crate::state::ServerState;
use crate::web::{ProblemKind, RequestProblem, WebReply, check_parameters};

/// Builds a router. Unknown addresses and methods are answered with a problem.
pub(crate) fn router<'r>(
    state: Arc<ServerState>,
    routes: impl IntoIterator<Item = &'r Route>,
) -> Router {
    let mut all = Router::new();
    for route in routes {
        let asked = *route;
        let answer =
            move |State(state): State<Arc<ServerState>>,
                  names: Result<RawPathParams, RawPathParamsRejection>,
                  request: Request| { answer(asked, state, names, request) };
        let filter = match *route.method {
            Method::POST => MethodFilter::POST,
            Method::DELETE => MethodFilter::DELETE,
            _ => MethodFilter::GET,
        };
        all = all.route(route.path, on(filter, answer));
    }
    all.fallback(unknown).method_not_allowed_fallback(no_method).with_state(state)
}

async fn answer(
    route: Route,
    state: Arc<ServerState>,
    names: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let audience = RequestSender::of(&parts);
    let answered = match names {
        Ok(names) => {
            let names = names.iter();
            let names: RequestNames =
                names.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            match received(route, Arc::clone(&state), names, &parts, body).await {
                Ok(call) => answer_call(route, &state, call).await,
                Err(problem) => Err(problem),
            }
        }
        Err(_) => {
            Err(RequestProblem::new(ProblemKind::BadRequest, "the address is not text in UTF-8"))
        }
    };
    answered.unwrap_or_else(|problem| audience.tell(&state, &problem))
}

/// Reads a request. Only a request to drive has a body, which is read after the permission was checked.
async fn received(
    route: Route,
    state: Arc<ServerState>,
    names: RequestNames,
    parts: &Parts,
    body: Body,
) -> Result<Call, RequestProblem> {
    let RouteAccess::Drive { body: most } = route.access else {
        return Ok(Call::new(state, names, parts));
    };
    check_drive(&state, parts)?;
    let read = axum::body::to_bytes(body, most).await.map_err(|_| {
        let detail = format!("the body was not sent, or is longer than {most} bytes");
        RequestProblem::new(ProblemKind::TooLarge, detail)
    })?;
    Ok(Call::new(state, names, parts).with_body(read.into()))
}

async fn answer_call(
    route: Route,
    state: &ServerState,
    call: Call,
) -> Result<Response, RequestProblem> {
    if let Some(parameters) = route.parameters {
        check_parameters(parameters, &call.query)?;
    }
    match route.endpoint {
        Endpoint::Whole(answer) => {
            // Only operations of the API check parameters; pages set their entity tags themselves.
            let has_tag = route.parameters.is_some();
            let work = move || {
                let reply = answer(&call)?;
                let known = call.header(header::IF_NONE_MATCH);
                Ok(if has_tag { reply.matched(known) } else { reply })
            };
            let answered = state.pool.clone().run(work).await;
            answered.flatten().map(WebReply::into_response)
        }
        Endpoint::Stream(stream) => stream(call).await,
    }
}

async fn unknown(State(state): State<Arc<ServerState>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let problem = RequestProblem::not_found("there is nothing at this address");
    RequestSender::of(&parts).tell(&state, &problem)
}

async fn no_method(State(state): State<Arc<ServerState>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let problem = RequestProblem::new(ProblemKind::NoMethod, "see /api/openapi.json");
    RequestSender::of(&parts).tell(&state, &problem)
}
