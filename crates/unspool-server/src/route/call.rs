//! A request, as the functions that answer it see it: names, parameters, headers and a body.

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::{self, AsHeaderName};
use serde::de::DeserializeOwned;
use unspool_engine::library::OpenSession;

use crate::state::ServerState;
use crate::web::{ProblemKind, Queries, RequestProblem};

/// A request.
pub(crate) struct Call {
    /// The state of the server.
    pub(crate) state: Arc<ServerState>,
    /// The path of the URL, as it was sent.
    pub(crate) path: String,
    /// The decoded values of the names in the route's path.
    names: HashMap<String, String>,
    /// The parameters of the query.
    pub(crate) query: Queries,
    headers: HeaderMap,
    /// The body of a request to drive; empty for all others.
    body: Vec<u8>,
}

/// The values of the names in a route's path.
pub(crate) type RequestNames = HashMap<String, String>;

impl Call {
    /// Reads the path, the query and the headers of a request.
    pub(crate) fn new(
        state: Arc<ServerState>,
        names: HashMap<String, String>,
        parts: &axum::http::request::Parts,
    ) -> Self {
        Self {
            state,
            path: parts.uri.path().to_owned(),
            names,
            query: Queries::parse(parts.uri.query().unwrap_or_default()),
            headers: parts.headers.clone(),
            body: Vec::new(),
        }
    }

    /// Adds the body.
    pub(crate) fn with_body(self, body: Vec<u8>) -> Self {
        Self { body, ..self }
    }

    /// Returns whether the request has a body.
    pub(crate) fn has_body(&self) -> bool {
        !self.body.is_empty()
    }

    /// Parses the body as JSON.
    pub(crate) fn body<T: DeserializeOwned>(&self) -> Result<T, RequestProblem> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let detail = format!("the body is not the JSON that is expected: {error}");
            RequestProblem::new(ProblemKind::BadRequest, detail)
        })
    }

    /// Opens the session that the path names: by its id, and by `?project=` where several projects
    /// have the id.
    pub(crate) fn session(&self) -> Result<Arc<OpenSession>, RequestProblem> {
        self.state.session_in(self.name("id"), self.query.get("project"))
    }

    /// Returns the value of a name in the route's path.
    pub(crate) fn name(&self, name: &str) -> &str {
        self.names.get(name).map_or("", String::as_str)
    }

    /// Returns a header, if it is text.
    pub(crate) fn header(&self, name: impl AsHeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the decoded value of a cookie.
    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        let value = cookie(&self.headers, name)?;
        // Parsed as the name of a parameter without a value, which decodes it.
        let value = value.replace('+', "%2B");
        let (value, _) = form_urlencoded::parse(value.as_bytes()).next()?;
        Some(value.into_owned())
    }
}

/// Returns the value of a cookie as it was sent.
pub(crate) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let headers = headers.get_all(header::COOKIE).iter();
    let mut pairs = headers
        .filter_map(|header| header.to_str().ok())
        .flat_map(|header| header.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}
