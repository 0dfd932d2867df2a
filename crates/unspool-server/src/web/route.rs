//! Routes, and the router that is made of them.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{Method, header};
use axum::response::Response;
use axum::routing::{MethodFilter, on};

use super::call::Call;
use super::problem::{Problem, ProblemKind};
use super::reply::Reply;
use crate::pages;
use crate::state::ServerState;

/// An answer that is not complete when it begins.
pub(crate) type StreamAnswer = Pin<Box<dyn Future<Output = Result<Response, Problem>> + Send>>;

/// What answers a request.
#[derive(Clone, Copy)]
pub(crate) enum Endpoint {
    /// A function that gives the whole answer.
    Whole(fn(&Call) -> Result<Reply, Problem>),
    /// A function that gives a stream.
    Stream(fn(Call) -> StreamAnswer),
}

/// A path, a way of asking, and what answers.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    /// The path, with names in braces.
    pub(crate) path: &'static str,
    /// How it is asked.
    pub(crate) method: &'static Method,
    /// What answers.
    pub(crate) endpoint: Endpoint,
}

impl Route {
    /// Makes a route that is read.
    pub(crate) const fn get(
        path: &'static str,
        answer: fn(&Call) -> Result<Reply, Problem>,
    ) -> Self {
        Self {
            path,
            method: &Method::GET,
            endpoint: Endpoint::Whole(answer),
        }
    }

    /// Makes a route that changes something of the server's own.
    pub(crate) const fn post(
        path: &'static str,
        answer: fn(&Call) -> Result<Reply, Problem>,
    ) -> Self {
        Self {
            path,
            method: &Method::POST,
            endpoint: Endpoint::Whole(answer),
        }
    }

    /// Makes a route whose answer goes on.
    pub(crate) const fn stream(path: &'static str, answer: fn(Call) -> StreamAnswer) -> Self {
        Self {
            path,
            method: &Method::GET,
            endpoint: Endpoint::Stream(answer),
        }
    }
}

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

/// Who asks: a program, or a person with a browser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Audience {
    Program,
    Person,
}

impl Audience {
    /// Finds out who asks: a browser that opens a page says that it takes HTML.
    pub(crate) fn of(parts: &axum::http::request::Parts) -> Self {
        let accept = parts.headers.get(header::ACCEPT);
        let accept = accept.and_then(|accept| accept.to_str().ok());
        let takes_html = accept.is_some_and(|accept| accept.contains("text/html"));
        if takes_html && !parts.uri.path().starts_with("/api/") {
            Self::Person
        } else {
            Self::Program
        }
    }

    /// Says what is wrong.
    pub(crate) fn tell(self, state: &ServerState, problem: &Problem) -> Response {
        match self {
            Self::Program => problem.document().into_response(),
            Self::Person => pages::problem_page(state, problem).into_response(),
        }
    }
}
