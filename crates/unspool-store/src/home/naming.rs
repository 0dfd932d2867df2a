//! Whether a client has to be told which home it uses.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::layout::HOME_VARIABLE;

/// The homes that the client uses when it is not told of one.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ClientHomes {
    /// The one in the user's folder.
    pub usual: Option<PathBuf>,
    /// The one that the environment names, as it is there.
    pub named: Option<PathBuf>,
    /// The folder that a relative name starts from.
    pub here: PathBuf,
}

/// Whether the client is told which home it uses.
///
/// The usual home is never named: a client that is told of it looks for a login elsewhere, and asks
/// the person for one.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HomeNaming {
    /// What the environment says stays.
    #[default]
    AsIs,
    /// The home is named.
    Named(PathBuf),
    /// The environment names another home, and must not.
    Unnamed,
}

impl HomeNaming {
    /// Returns the variable of the client's environment that is set, or removed if it has no value; none if what
    /// the environment says stays.
    pub fn variable(&self) -> Option<(&'static str, Option<&Path>)> {
        match self {
            Self::AsIs => None,
            Self::Named(home) => Some((HOME_VARIABLE, Some(home))),
            Self::Unnamed => Some((HOME_VARIABLE, None)),
        }
    }
}

impl ClientHomes {
    /// Says how a client gets to use a home.
    pub fn naming(&self, home: &Path) -> HomeNaming {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let home = real(&self.here.join(home));
        let is = |known: &Path| real(&self.here.join(known)) == home;
        match (self.usual.as_deref(), self.named.as_deref()) {
            // A relative name would mean another home in the session's folder.
            (_, Some(named)) if is(named) && named.is_absolute() => HomeNaming::AsIs,
            (_, Some(named)) if is(named) => HomeNaming::Named(home),
            (Some(usual), Some(_)) if is(usual) => HomeNaming::Unnamed,
            (Some(usual), None) if is(usual) => HomeNaming::AsIs,
            (None, None) => HomeNaming::AsIs,
            _ => HomeNaming::Named(home),
        }
    }
}
