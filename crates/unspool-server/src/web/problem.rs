//! What is wrong with a request, for programs and for people.

use axum::http::StatusCode;
use serde_json::{Map, Value};
use unspool_engine::library::{ErrorClass, LibraryError};
use unspool_engine::ops::locate::EntryError;
use unspool_engine::ops::path_diff::CompareError;
use unspool_model::ids::EntryId;
use unspool_store::home::NameError;

/// How many sessions are named when a name fits several.
const CANDIDATES: usize = 10;

/// Makes the kinds of problems: a status, the name that programs compare, and a title for each.
macro_rules! problem_kinds {
    ($($(#[$doc:meta])* $kind:ident: $status:ident, $name:literal, $title:literal;)*) => {
        /// What kind of problem it is. The name is stable: programs may compare it.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum ProblemKind {
            $($(#[$doc])* $kind,)*
        }

        impl ProblemKind {
            /// Every kind.
            pub(crate) const ALL: &[Self] = &[$(Self::$kind),*];

            /// Returns the name that programs compare.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// Returns what it is called.
            pub(crate) fn title(self) -> &'static str {
                match self { $(Self::$kind => $title,)* }
            }

            /// Returns the status of the answer.
            pub(crate) fn status(self) -> StatusCode {
                match self { $(Self::$kind => StatusCode::$status,)* }
            }
        }
    };
}

problem_kinds! {
    /// A parameter cannot be read.
    BadParameter: BAD_REQUEST, "bad-parameter", "A parameter cannot be used";
    /// The request itself cannot be read.
    BadRequest: BAD_REQUEST, "bad-request", "The request cannot be read";
    /// A token is missing or wrong.
    NoToken: UNAUTHORIZED, "no-token", "This page needs a link";
    /// The request comes from another site.
    Foreign: FORBIDDEN, "foreign-request", "The request comes from another site";
    /// There is no such thing.
    NotFound: NOT_FOUND, "not-found", "Not found";
    /// There is no such way of asking.
    NoMethod: METHOD_NOT_ALLOWED, "no-method", "The address does not take this method";
    /// A name means several things.
    Ambiguous: CONFLICT, "ambiguous-name", "The name fits several";
    /// The request is addressed to another server.
    Misdirected: MISDIRECTED_REQUEST, "misdirected", "The request is addressed to another server";
    /// The request is too large.
    TooLarge: PAYLOAD_TOO_LARGE, "too-large", "The request is too large";
    /// Too many wrong codes were shown.
    TooMany: TOO_MANY_REQUESTS, "too-many-codes", "Too many wrong codes";
    /// Too much is being asked at the same time.
    Busy: SERVICE_UNAVAILABLE, "busy", "The server is busy";
    /// Something could not be read.
    Unreadable: INTERNAL_SERVER_ERROR, "unreadable", "Something could not be read";
    /// The server only reads.
    NotDriving: FORBIDDEN, "not-driving", "This server only reads";
    /// A person has not said yet that the folder may be driven.
    UntrustedFolder: FORBIDDEN, "untrusted-folder", "The folder is not trusted";
    /// The home is not one of those that are served.
    UnknownHome: FORBIDDEN, "unknown-home", "The home is not served";
    /// Another process has the session.
    SessionOwned: CONFLICT, "session-owned", "Another process has the session";
    /// Another answer was first, or the request was made for something else before.
    Conflict: CONFLICT, "conflict", "Something else was first";
    /// Messages came that the person who asks has not seen.
    NewerMessages: CONFLICT, "newer-messages", "There is more than was seen";
    /// The run is over, or is not.
    WrongState: CONFLICT, "wrong-state", "The run cannot do that now";
    /// The client or its host could not be asked.
    NoClient: BAD_GATEWAY, "no-client", "The client cannot be asked";
    /// The client's program is not there.
    NotInstalled: BAD_GATEWAY, "not-installed", "Claude Code cannot be found";
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
        Self { kind, detail: detail.into(), more: Map::new() }
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

impl From<CompareError> for RequestProblem {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Path(error) => Self::not_found(error.to_string()),
            CompareError::Read(error) => error.into(),
        }
    }
}

impl From<std::io::Error> for RequestProblem {
    fn from(error: std::io::Error) -> Self {
        Self::new(ProblemKind::Unreadable, error.to_string())
    }
}
