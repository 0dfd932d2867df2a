//! The host.

use serde::{Deserialize, Serialize};

/// The one line in which a host says whether it and the client could be started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostReady {
    /// Why not; none if they could.
    pub reason: Option<String>,
}
