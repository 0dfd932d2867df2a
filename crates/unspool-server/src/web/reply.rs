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

/// Who may keep an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CachePolicy {
    /// It is not kept.
    Never,
    /// The browser keeps it and asks whether it is still the same.
    Ask,
    /// The browser keeps it for good: its address changes when it does.
    Forever,
}

impl WebReply {
    /// Makes an answer of some bytes.
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

    /// Makes a JSON answer. No character in it acts on a terminal.
    pub(crate) fn json(value: &impl Serialize) -> Result<Self, RequestProblem> {
        let mut body = Vec::new();
        json::write(value, &mut body)?;
        Ok(Self::of("application/json", body))
    }

    /// Makes a page, or a part of one.
    pub(crate) fn html(html: &Html) -> Self {
        Self::of("text/html; charset=utf-8", html.as_str())
    }

    /// Makes an answer that leads elsewhere.
    pub(crate) fn see_other(way: &str) -> Self {
        Self::empty(StatusCode::SEE_OTHER).header(header::LOCATION, way)
    }

    /// Makes an answer without content.
    pub(crate) fn nothing() -> Self {
        Self::empty(StatusCode::NO_CONTENT)
    }

    /// Makes the answer that a browser has the newest state already.
    pub(crate) fn not_modified(tag: EntityTag) -> Self {
        Self::empty(StatusCode::NOT_MODIFIED).tagged(tag)
    }

    fn empty(status: StatusCode) -> Self {
        Self::of("text/plain; charset=utf-8", Vec::new()).with_status(status)
    }

    /// Gives it another status than that of success.
    pub(crate) fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// Says who may keep it.
    pub(crate) fn cached(mut self, cache: CachePolicy) -> Self {
        self.cache = cache;
        self
    }

    /// Names its state; the browser then asks with that name.
    pub(crate) fn tagged(mut self, tag: EntityTag) -> Self {
        self.tag = Some(tag);
        self.cached(CachePolicy::Ask)
    }

    /// Answers a request that may have this state already: names the state by the bytes unless it
    /// has a name, and leaves the bytes out if the request names the same one.
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

    /// Has a browser load and run nothing of it, as is right for bytes of a log.
    pub(crate) fn sandboxed(self) -> Self {
        self.header(header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox")
    }

    /// Returns its bytes.
    #[cfg(test)]
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Makes HTTP of it.
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
            // A value that a header cannot have is left out, as text from a log may be.
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.append(name, value);
            }
        }
        response
    }
}

impl RequestProblem {
    /// Writes the problem as programs read it.
    pub(crate) fn document(&self) -> WebReply {
        let status = self.kind.status();
        let (kind, title) = (self.kind.name(), self.kind.title());
        let document = ProblemJson::new(kind, title, status.as_u16(), &self.detail);
        let mut document = serde_json::to_value(document).unwrap_or_default();
        if let Some(fields) = document.as_object_mut() {
            fields.extend(self.more.clone());
        }
        let mut body = Vec::new();
        // Writing into memory does not fail.
        let _ = json::write(&document, &mut body);
        WebReply::of("application/problem+json", body).with_status(status)
    }
}
