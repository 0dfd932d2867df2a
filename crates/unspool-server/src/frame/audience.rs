//! The sender of a request, a program or a person, and the form in which each gets a problem.

use axum::http::header;
use axum::response::Response;

use super::problem::problem_page;
use crate::state::ServerState;
use crate::web::RequestProblem;

/// The sender of a request: a program, or a person with a browser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RequestSender {
    Program,
    Person,
}

impl RequestSender {
    /// Detects the sender: a browser that opens a page accepts HTML.
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

    /// Answers with a problem: as JSON to a program, as a page to a person.
    pub(crate) fn tell(self, state: &ServerState, problem: &RequestProblem) -> Response {
        match self {
            Self::Program => problem.document().into_response(),
            Self::Person => problem_page(state, problem).into_response(),
        }
    }
}
