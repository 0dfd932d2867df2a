//! Answers, before they are HTTP.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use unspool_render::json::{self, ProblemJson};
use unspool_text::html::Html;

use super::etag::EntityTag;
use super::problem::RequestProblem;

/// An answer.
#[derive(Debug)]
pub(crate) struct WebReply {
    status: StatusCode,
    media_type: &'static str,
    body: Vec<u8>,
    cache: CachePolicy,
    tag: Option<EntityTag>,
    headers: Vec<(HeaderName, String)>,
}

/// Whether a browser keeps an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CachePolicy {
    /// The browser does not keep it.
    Never,
    /// The browser keeps it, and asks whether it has changed.
    Ask,
    /// The browser keeps it for good: its address changes with its content.
    Forever,
}

impl WebReply {
    /// Creates an answer from bytes.
    pub(crate) fn of(media_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: StatusCode::OK,
            media_type,
            body: body.into(),
            cache: CachePolicy::Never,
            tag: None,
            headers: Vec::new(),
        }
    }

    /// Creates a JSON answer, in which control characters of terminals are escaped.
    pub(crate) fn json(value: &impl Serialize) -> Result<Self, RequestProblem> {
        let mut body = Vec::new();
        json::write(value, &mut body)?;
        Ok(Self::of("application/json", body))
    }

    /// Creates an answer from a page, or a part of one.
    pub(crate) fn html(html: &Html) -> Self {
        Self::of("text/html; charset=utf-8", html.as_str())
    }

    /// Creates a redirect.
    pub(crate) fn see_other(way: &str) -> Self {
        Self::empty(StatusCode::SEE_OTHER).header(header::LOCATION, way)
    }

    /// Creates an answer without content.
    pub(crate) fn nothing() -> Self {
        Self::empty(StatusCode::NO_CONTENT)
    }

    /// Creates the answer that the browser's copy is current.
    pub(crate) fn not_modified(tag: EntityTag) -> Self {
        Self::empty(StatusCode::NOT_MODIFIED).tagged(tag)
    }

    fn empty(status: StatusCode) -> Self {
        Self::of("text/plain; charset=utf-8", Vec::new()).with_status(status)
    }

    /// Sets another status than 200.
    pub(crate) fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// Sets whether a browser keeps the answer.
    pub(crate) fn cached(mut self, cache: CachePolicy) -> Self {
        self.cache = cache;
        self
    }

    /// Sets the entity tag; the browser then sends the tag with its requests.
    pub(crate) fn tagged(mut self, tag: EntityTag) -> Self {
        self.tag = Some(tag);
        self.cached(CachePolicy::Ask)
    }

    /// Answers with 304 if the request has this state already; `known` is its `If-None-Match`. An
    /// answer without an entity tag gets one from its bytes.
    pub(crate) fn matched(mut self, known: Option<&str>) -> Self {
        if self.status != StatusCode::OK {
            return self;
        }
        let tag = self.tag.take();
        let tag = tag.unwrap_or_else(|| EntityTag::of(&[&self.body]));
        if tag.is_in(known) {
            return Self::not_modified(tag);
        }
        self.tagged(tag)
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Makes a browser load and run nothing of the answer, as is right for bytes of a log.
    pub(crate) fn sandboxed(self) -> Self {
        self.header(header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox")
    }

    /// Returns the body.
    #[cfg(test)]
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Converts the answer to HTTP.
    pub(crate) fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        headers.insert(
            header::CACHE_CONTROL,
            HeaderValue::from_static(match self.cache {
                CachePolicy::Never => "no-store",
                CachePolicy::Ask => "private, no-cache",
                CachePolicy::Forever => "private, max-age=31536000, immutable",
            }),
        );
        let tag = self.tag.iter().map(|tag| (header::ETAG, tag.as_str().to_owned()));
        for (name, value) in self.headers.into_iter().chain(tag) {
            // A value that is not valid in a header is skipped; it may be text from a log.
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.append(name, value);
            }
        }
        response
    }
}

impl RequestProblem {
    /// Returns the problem as JSON, for programs.
    pub(crate) fn document(&self) -> WebReply {
        let status = self.kind.status();
        let (kind, title) = (self.kind.name(), self.kind.title());
        let document = ProblemJson::new(kind, title, status.as_u16(), &self.detail);
        let mut document = serde_json::to_value(document).unwrap_or_default();
        if let Some(fields) = document.as_object_mut() {
            fields.extend(self.more.clone());
        }
        let mut body = Vec::new();
        // Writing to memory cannot fail.
        let _ = json::write(&document, &mut body);
        WebReply::of("application/problem+json", body).with_status(status)
    }
}
