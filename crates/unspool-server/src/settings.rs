//! The start options of a server.

use std::path::PathBuf;
use std::sync::Arc;

use unspool_drive::{Drive, RunId};
use unspool_engine::library::Library;

use crate::access::Access;
use crate::limits::ConnectionLimits;

/// The start options of a server, resolved by the caller.
pub struct ServerSettings {
    /// The sessions to serve.
    pub library: Arc<Library>,
    /// The tokens and the codes of one-time links.
    pub access: Access,
    /// Whether a request needs a token.
    pub tokens: TokenPolicy,
    /// Host names of the server, in addition to those of loopback.
    pub host_names: Vec<String>,
    /// Limits on connections and requests.
    pub limits: ConnectionLimits,
    /// A label for all sessions: a folder, or "the demo".
    pub home_label: String,
    /// The folder that is abbreviated to `~` in paths from logs.
    pub logs_home: Option<String>,
    /// How to drive; the server only reads without it.
    pub drive: Option<DriveSetup>,
}

/// How a server drives.
pub struct DriveSetup {
    /// The runs of the client.
    pub drive: Arc<Drive>,
    /// Called for every run that is started through the server.
    pub on_start: Box<dyn Fn(&RunId) + Send + Sync>,
    /// Looks for the client each time that a page or a request needs it: it may be installed in the meantime.
    pub find_client: Box<dyn Fn() -> ClientLocation + Send + Sync>,
}

/// The program of the client, and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientLocation {
    /// The program as the settings name it.
    pub program: String,
    /// The path of the program; none if it was not found.
    pub path: Option<PathBuf>,
}

/// Whether a request needs a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenPolicy {
    /// Every request needs one, except those for one-time links and assets.
    Required,
    /// No request needs one. Only for loopback addresses.
    Open,
}
