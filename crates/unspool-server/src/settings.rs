//! What a server is started with.

use std::path::PathBuf;
use std::sync::Arc;

use unspool_drive::{Drive, RunId};
use unspool_engine::library::Library;

use crate::access::Access;
use crate::limits::ConnectionLimits;

/// What a server is started with. Every value is resolved by the caller.
pub struct ServerSettings {
    /// The sessions to serve.
    pub library: Arc<Library>,
    /// Who may look.
    pub access: Access,
    /// Whether a request needs a token.
    pub tokens: TokenPolicy,
    /// Names besides those of loopback that a request may address the server by.
    pub host_names: Vec<String>,
    /// How many connections it takes, and how long it waits for one.
    pub limits: ConnectionLimits,
    /// What the sessions are called as a whole: a folder, or "the demo".
    pub home_label: String,
    /// The folder that paths in logs are shortened by, as `~`.
    pub logs_home: Option<String>,
    /// What runs the client; the server only reads without it.
    pub drive: Option<DriveSetup>,
}

/// How a server drives.
pub struct DriveSetup {
    /// What runs the client.
    pub drive: Arc<Drive>,
    /// Is told of every run that is started through the server.
    pub on_start: Box<dyn Fn(&RunId) + Send + Sync>,
    /// Looks for the client, each time that a page or a request needs it: it may be installed meanwhile.
    pub find_client: Box<dyn Fn() -> ServedClient + Send + Sync>,
}

/// Where the client is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServedClient {
    /// The program as the settings name it.
    pub program: String,
    /// The path of the program; none if it is not there.
    pub path: Option<PathBuf>,
}

/// Whether a request needs a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenPolicy {
    /// Every request but that of a one-time link.
    Required,
    /// No request. Only for an address of loopback.
    Open,
}
