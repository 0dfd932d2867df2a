//! The router: every route of the API and of the pages, and what answers the rest.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::http::Method;
use axum::response::Response;
use axum::routing::{MethodFilter, on};

use crate::frame::Audience;
use crate::route::{Call, Endpoint, Route};
use crate::state::ServerState;
use crate::web::{Problem, ProblemKind, Reply};

/// Makes a router of routes. What it does not know is a problem, too.
pub(crate) fn router<'r>(
    state: Arc<ServerState>,
    routes: impl IntoIterator<Item = &'r Route>,
) -> Router {
    let mut router = Router::new();
    for route in routes {
        let endpoint = route.endpoint;
        let answer =
            move |State(state): State<Arc<ServerState>>, names: RawPathParams, request: Request| {
                answer(endpoint, state, names, request)
            };
        let filter = match *route.method {
            Method::POST => MethodFilter::POST,
            _ => MethodFilter::GET,
        };
        router = router.route(route.path, on(filter, answer));
    }
    router
        .fallback(unknown)
        .method_not_allowed_fallback(no_method)
        .with_state(state)
}

async fn answer(
    endpoint: Endpoint,
    state: Arc<ServerState>,
    names: RawPathParams,
    request: Request,
) -> Response {
    let names = names.iter();
    let names: HashMap<String, String> = names
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let (parts, _) = request.into_parts();
    let audience = Audience::of(&parts);
    let call = Call::new(Arc::clone(&state), names, &parts);
    let answered = match endpoint {
        Endpoint::Whole(answer) => {
            let pool = state.pool.clone();
            let answered = pool.run(move || answer(&call)).await;
            answered.flatten().map(Reply::into_response)
        }
        Endpoint::Stream(stream) => stream(call).await,
    };
    answered.unwrap_or_else(|problem| audience.tell(&state, &problem))
}

async fn unknown(State(state): State<Arc<ServerState>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let problem = Problem::not_found("there is nothing at this address");
    Audience::of(&parts).tell(&state, &problem)
}

async fn no_method(State(state): State<Arc<ServerState>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let problem = Problem::new(ProblemKind::NoMethod, "see /api/openapi.json");
    Audience::of(&parts).tell(&state, &problem)
}
