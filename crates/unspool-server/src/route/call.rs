//! A request as functions see it: names and values, nothing of HTTP.

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
    /// What the server knows.
    pub(crate) state: Arc<ServerState>,
    /// The path that was asked for, as it came.
    pub(crate) path: String,
    /// The values of the names in the route's path, decoded.
    names: HashMap<String, String>,
    /// The parameters after the question mark.
    pub(crate) query: Queries,
    headers: HeaderMap,
    /// The body of a request to drive; empty for all others.
    body: Vec<u8>,
}

/// The values of the names in a route's path.
pub(crate) type RequestNames = HashMap<String, String>;

impl Call {
    /// Takes a request apart.
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

    /// Tells whether a body was sent.
    pub(crate) fn has_body(&self) -> bool {
        !self.body.is_empty()
    }

    /// Reads the body as JSON of a form.
    pub(crate) fn body<T: DeserializeOwned>(&self) -> Result<T, RequestProblem> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let detail = format!("the body is not the JSON that is expected: {error}");
            RequestProblem::new(ProblemKind::BadRequest, detail)
        })
    }

    /// Opens the session that the path names: by its id, and by `?project=` where several projects
    /// have it.
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

    /// Returns a cookie, decoded.
    pub(crate) fn cookie(&self, name: &str) -> Option<String> {
        let value = cookie(&self.headers, name)?;
        // Read as the name of a parameter without a value, which undoes the encoding.
        let value = value.replace('+', "%2B");
        let (value, _) = form_urlencoded::parse(value.as_bytes()).next()?;
        Some(value.into_owned())
    }
}

/// Finds a cookie, as it was sent.
pub(crate) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let headers = headers.get_all(header::COOKIE).iter();
    let mut pairs = headers
        .filter_map(|header| header.to_str().ok())
        .flat_map(|header| header.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}
