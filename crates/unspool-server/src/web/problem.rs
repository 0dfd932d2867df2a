//! What is wrong with a request, for programs and for people.

use axum::http::StatusCode;
use serde::Serialize;
use unspool_engine::library::{ErrorClass, LibraryError};

use super::reply::Reply;

/// What kind of problem it is. The name is stable: programs may compare it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProblemKind {
    /// A parameter cannot be read.
    BadParameter,
    /// The request itself cannot be read.
    BadRequest,
    /// A token is missing or wrong.
    NoToken,
    /// The request comes from another site.
    Foreign,
    /// There is no such thing.
    NotFound,
    /// There is no such way of asking.
    NoMethod,
    /// A name means several things.
    Ambiguous,
    /// The request is addressed to another server.
    Misdirected,
    /// The request is too large.
    TooLarge,
    /// Too many wrong codes were shown.
    TooMany,
    /// Too much is being asked at the same time.
    Busy,
    /// Something could not be read.
    Unreadable,
}

impl ProblemKind {
    /// Every kind.
    pub(crate) const ALL: [Self; 12] = [
        Self::BadParameter,
        Self::BadRequest,
        Self::NoToken,
        Self::Foreign,
        Self::NotFound,
        Self::NoMethod,
        Self::Ambiguous,
        Self::Misdirected,
        Self::TooLarge,
        Self::TooMany,
        Self::Busy,
        Self::Unreadable,
    ];

    /// Returns the name that programs compare.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::BadParameter => "bad-parameter",
            Self::BadRequest => "bad-request",
            Self::NoToken => "no-token",
            Self::Foreign => "foreign-request",
            Self::NotFound => "not-found",
            Self::NoMethod => "no-method",
            Self::Ambiguous => "ambiguous-name",
            Self::Misdirected => "misdirected",
            Self::TooLarge => "too-large",
            Self::TooMany => "too-many-codes",
            Self::Busy => "busy",
            Self::Unreadable => "unreadable",
        }
    }

    /// Returns what it is called.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::BadParameter => "A parameter cannot be used",
            Self::BadRequest => "The request cannot be read",
            Self::NoToken => "This page needs a link",
            Self::Foreign => "The request comes from another site",
            Self::NotFound => "Not found",
            Self::NoMethod => "The address does not take this method",
            Self::Ambiguous => "The name fits several",
            Self::Misdirected => "The request is addressed to another server",
            Self::TooLarge => "The request is too large",
            Self::TooMany => "Too many wrong codes",
            Self::Busy => "The server is busy",
            Self::Unreadable => "Something could not be read",
        }
    }

    /// Returns the status of the answer.
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::BadParameter | Self::BadRequest => StatusCode::BAD_REQUEST,
            Self::NoToken => StatusCode::UNAUTHORIZED,
            Self::Foreign => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::NoMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::Ambiguous => StatusCode::CONFLICT,
            Self::Misdirected => StatusCode::MISDIRECTED_REQUEST,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Unreadable => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// What is wrong with a request.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemKind,
    /// What exactly, and what can be done.
    pub(crate) detail: String,
}

impl Problem {
    /// Makes a problem.
    pub(crate) fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
        }
    }

    /// Says that a parameter cannot be used.
    pub(crate) fn parameter(name: &str, detail: impl AsRef<str>) -> Self {
        let detail = format!("{name}: {}", detail.as_ref());
        Self::new(ProblemKind::BadParameter, detail)
    }

    /// Says that something does not exist.
    pub(crate) fn not_found(what: impl Into<String>) -> Self {
        Self::new(ProblemKind::NotFound, what)
    }

    /// Writes the problem as programs read it.
    pub(crate) fn document(&self) -> Reply {
        let document = ProblemJson {
            schema: unspool_render::json::SCHEMA,
            kind: self.kind.name(),
            title: self.kind.title(),
            status: self.kind.status().as_u16(),
            detail: &self.detail,
        };
        let body = serde_json::to_vec(&document).unwrap_or_default();
        let mut reply = Reply::of("application/problem+json", body);
        reply.status = self.kind.status();
        reply
    }
}

/// A problem document (RFC 9457).
#[derive(Serialize)]
struct ProblemJson<'a> {
    schema: u32,
    #[serde(rename = "type")]
    kind: &'a str,
    title: &'a str,
    status: u16,
    detail: &'a str,
}

impl From<LibraryError> for Problem {
    fn from(error: LibraryError) -> Self {
        let kind = match error.class() {
            ErrorClass::NotFound => ProblemKind::NotFound,
            ErrorClass::WrongUse => ProblemKind::BadParameter,
            ErrorClass::Unreadable => ProblemKind::Unreadable,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Self::new(ProblemKind::Unreadable, error.to_string())
    }
}
