//! Problems of requests, for programs and for people.

use axum::http::StatusCode;
use serde_json::{Map, Value};
use unspool_engine::library::{ErrorClass, LibraryError};
use unspool_engine::ops::locate::EntryError;
use unspool_engine::ops::path_diff::CompareError;
use unspool_model::ids::EntryId;
use unspool_store::home::NameError;

/// The maximum number of sessions in the problem of an ambiguous name.
const CANDIDATES: usize = 10;

/// Defines the kinds of problems: a status, the name that programs compare, and a title for each.
macro_rules! problem_kinds {
    ($($(#[$doc:meta])* $kind:ident: $status:ident, $name:literal, $title:literal;)*) => {
        /// The kind of a problem. Its name is stable: programs may compare it.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum ProblemKind {
            $($(#[$doc])* $kind,)*
        }

        impl ProblemKind {
            /// All kinds.
            pub(crate) const ALL: &[Self] = &[$(Self::$kind),*];

            /// Returns the name that programs compare.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// Returns the title.
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
    /// A parameter is unknown, missing or wrong.
    BadParameter: BAD_REQUEST, "bad-parameter", "A parameter cannot be used";
    /// The address or the body cannot be parsed.
    BadRequest: BAD_REQUEST, "bad-request", "The request cannot be read";
    /// A token is missing or wrong.
    NoToken: UNAUTHORIZED, "no-token", "This page needs a link";
    /// The request comes from another site.
    Foreign: FORBIDDEN, "foreign-request", "The request comes from another site";
    /// The address, or the thing that it names, does not exist.
    NotFound: NOT_FOUND, "not-found", "Not found";
    /// The address does not take the method.
    NoMethod: METHOD_NOT_ALLOWED, "no-method", "The address does not take this method";
    /// A name fits several things.
    Ambiguous: CONFLICT, "ambiguous-name", "The name fits several";
    /// The request is addressed to another server.
    Misdirected: MISDIRECTED_REQUEST, "misdirected", "The request is addressed to another server";
    /// The address or the body is too large.
    TooLarge: PAYLOAD_TOO_LARGE, "too-large", "The request is too large";
    /// Too many wrong codes of one-time links were tried.
    TooMany: TOO_MANY_REQUESTS, "too-many-codes", "Too many wrong codes";
    /// Too many requests wait, or the server stops.
    Busy: SERVICE_UNAVAILABLE, "busy", "The server is busy";
    /// Something could not be read, or the work failed.
    Unreadable: INTERNAL_SERVER_ERROR, "unreadable", "Something could not be read";
    /// The server only reads.
    NotDriving: FORBIDDEN, "not-driving", "This server only reads";
    /// A person has not trusted the folder yet.
    UntrustedFolder: FORBIDDEN, "untrusted-folder", "The folder is not trusted";
    /// The home is not served.
    UnknownHome: FORBIDDEN, "unknown-home", "The home is not served";
    /// Another process has the session.
    SessionOwned: CONFLICT, "session-owned", "Another process has the session";
    /// Another answer was first, or the id was used for another request before.
    Conflict: CONFLICT, "conflict", "Something else was first";
    /// The session has messages that the sender has not seen.
    NewerMessages: CONFLICT, "newer-messages", "There is more than was seen";
    /// The run is over, or is not over.
    WrongState: CONFLICT, "wrong-state", "The run cannot do that now";
    /// The client or its host cannot be asked.
    NoClient: BAD_GATEWAY, "no-client", "The client cannot be asked";
    /// The client is not installed.
    NotInstalled: BAD_GATEWAY, "not-installed", "Claude Code cannot be found";
}

/// A problem of a request.
#[derive(Debug)]
pub(crate) struct RequestProblem {
    pub(crate) kind: ProblemKind,
    /// The details, and what can be done.
    pub(crate) detail: String,
    /// Further values for programs, by name.
    pub(super) more: Map<String, Value>,
}

impl RequestProblem {
    /// Creates a problem.
    pub(crate) fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), more: Map::new() }
    }

    /// Adds a value for programs.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// Creates the problem of a parameter that cannot be used.
    pub(crate) fn parameter(name: &str, detail: impl AsRef<str>) -> Self {
        let detail = format!("{name}: {}", detail.as_ref());
        Self::new(ProblemKind::BadParameter, detail)
    }

    /// Creates the problem that something does not exist.
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
    /// Converts an error about the name of a session.
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

    /// Converts an error about the name of an entry.
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
