//! What is wrong with a request, for programs and for people.

use axum::http::StatusCode;
use serde_json::{Map, Value};
use unspool_engine::library::{ErrorClass, LibraryError};
use unspool_engine::ops::locate::EntryError;
use unspool_model::ids::EntryId;
use unspool_store::home::NameError;

/// How many sessions are named when a name fits several.
const CANDIDATES: usize = 10;

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
    /// The server only reads.
    NotDriving,
    /// A person has not said yet that the folder may be driven.
    UntrustedFolder,
    /// The home is not one of those that are served.
    UnknownHome,
    /// Another process has the session.
    SessionOwned,
    /// Another answer was first, or the request was made for something else before.
    Conflict,
    /// Messages came that the person who asks has not seen.
    NewerMessages,
    /// The run is over, or is not.
    WrongState,
    /// The client or its host could not be asked.
    NoClient,
    /// The client's program is not there.
    NotInstalled,
}

impl ProblemKind {
    /// Every kind.
    pub(crate) const ALL: [Self; 21] = [
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
        Self::NotDriving,
        Self::UntrustedFolder,
        Self::UnknownHome,
        Self::SessionOwned,
        Self::Conflict,
        Self::NewerMessages,
        Self::WrongState,
        Self::NoClient,
        Self::NotInstalled,
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
            Self::NotDriving => "not-driving",
            Self::UntrustedFolder => "untrusted-folder",
            Self::UnknownHome => "unknown-home",
            Self::SessionOwned => "session-owned",
            Self::Conflict => "conflict",
            Self::NewerMessages => "newer-messages",
            Self::WrongState => "wrong-state",
            Self::NoClient => "no-client",
            Self::NotInstalled => "not-installed",
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
            Self::NotDriving => "This server only reads",
            Self::UntrustedFolder => "The folder is not trusted",
            Self::UnknownHome => "The home is not served",
            Self::SessionOwned => "Another process has the session",
            Self::Conflict => "Something else was first",
            Self::NewerMessages => "There is more than was seen",
            Self::WrongState => "The run cannot do that now",
            Self::NoClient => "The client cannot be asked",
            Self::NotInstalled => "Claude Code cannot be found",
        }
    }

    /// Returns the status of the answer.
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::BadParameter | Self::BadRequest => StatusCode::BAD_REQUEST,
            Self::NoToken => StatusCode::UNAUTHORIZED,
            Self::Foreign | Self::NotDriving | Self::UntrustedFolder | Self::UnknownHome => {
                StatusCode::FORBIDDEN
            }
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::NoMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::Ambiguous
            | Self::SessionOwned
            | Self::Conflict
            | Self::NewerMessages
            | Self::WrongState => StatusCode::CONFLICT,
            Self::Misdirected => StatusCode::MISDIRECTED_REQUEST,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::NoClient | Self::NotInstalled => StatusCode::BAD_GATEWAY,
            Self::Unreadable => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// What is wrong with a request.
#[derive(Debug)]
pub(crate) struct RequestProblem {
    pub(crate) kind: ProblemKind,
    /// What exactly, and what can be done.
    pub(crate) detail: String,
    /// What a program can go on with, by name.
    pub(super) more: Map<String, Value>,
}

impl RequestProblem {
    /// Makes a problem.
    pub(crate) fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            more: Map::new(),
        }
    }

    /// Adds something that a program can go on with.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
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
}

impl From<LibraryError> for RequestProblem {
    fn from(error: LibraryError) -> Self {
        if let Some(name) = error.name_error() {
            return Self::of_name(name);
        }
        if let Some(entry) = error.entry_error() {
            return Self::of_entry(entry);
        }
        let kind = match error.class() {
            ErrorClass::NotFound => ProblemKind::NotFound,
            ErrorClass::WrongUse => ProblemKind::BadParameter,
            ErrorClass::Unreadable => ProblemKind::Unreadable,
        };
        Self::new(kind, error.to_string())
    }
}

impl RequestProblem {
    /// Says what is wrong with the name of a session.
    fn of_name(error: &NameError) -> Self {
        match error {
            NameError::Ambiguous { text, candidates } => {
                let names: Vec<String> = candidates
                    .iter()
                    .take(CANDIDATES)
                    .map(|candidate| format!("{} in {}", candidate.name(), candidate.project))
                    .collect();
                let detail = format!(
                    "`{text}` could be any of {}: {}; the whole id and ?project= with the \
                     project's folder name one",
                    candidates.len(),
                    names.join(", ")
                );
                Self::new(ProblemKind::Ambiguous, detail)
            }
            NameError::Unusable(_) => Self::new(ProblemKind::Unreadable, error.to_string()),
            NameError::Unknown { .. }
            | NameError::TooShort { .. }
            | NameError::NotThatMany { .. }
            | NameError::NoSuchFile { .. } => Self::not_found(error.to_string()),
        }
    }

    /// Says what is wrong with the name of an entry.
    pub(crate) fn of_entry(error: &EntryError) -> Self {
        match error {
            EntryError::Ambiguous { matches, .. } => {
                let names: Vec<&str> = matches.iter().map(EntryId::as_str).collect();
                let detail = format!("{error}: {}", names.join(", "));
                Self::new(ProblemKind::Ambiguous, detail)
            }
            EntryError::Unknown { .. } | EntryError::TooShort { .. } => {
                Self::not_found(error.to_string())
            }
        }
    }
}

impl From<std::io::Error> for RequestProblem {
    fn from(error: std::io::Error) -> Self {
        Self::new(ProblemKind::Unreadable, error.to_string())
    }
}
