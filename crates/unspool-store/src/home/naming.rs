//! How a client is told which home to use.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::layout::HOME_VARIABLE;

/// The homes that a client uses by default.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ClientHomes {
    /// The default home in the user's home folder.
    pub usual: Option<PathBuf>,
    /// The home that the environment names, as spelled there.
    pub named: Option<PathBuf>,
    /// The folder that relative paths start from.
    pub here: PathBuf,
}

/// How a client is told which home to use.
///
/// The default home is never named: a client whose environment names it looks for a login
/// elsewhere, and asks the person for one.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HomeNaming {
    /// The environment stays as it is.
    #[default]
    AsIs,
    /// The environment names this home.
    Named(PathBuf),
    /// The environment names another home, so the variable is removed.
    Unnamed,
}

impl HomeNaming {
    /// Returns the environment variable to set, or to remove if it has no value; `None` if the
    /// environment stays as it is.
    pub fn variable(&self) -> Option<(&'static str, Option<&Path>)> {
        match self {
            Self::AsIs => None,
            Self::Named(home) => Some((HOME_VARIABLE, Some(home))),
            Self::Unnamed => Some((HOME_VARIABLE, None)),
        }
    }
}

impl ClientHomes {
    /// Returns how a client is told to use a home.
    pub fn naming(&self, home: &Path) -> HomeNaming {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let home = real(&self.here.join(home));
        let is = |known: &Path| real(&self.here.join(known)) == home;
        match (self.usual.as_deref(), self.named.as_deref()) {
            // A relative path would mean another home in the session's folder.
            (_, Some(named)) if is(named) && named.is_absolute() => HomeNaming::AsIs,
            (_, Some(named)) if is(named) => HomeNaming::Named(home),
            (Some(usual), Some(_)) if is(usual) => HomeNaming::Unnamed,
            (Some(usual), None) if is(usual) => HomeNaming::AsIs,
            (None, None) => HomeNaming::AsIs,
            _ => HomeNaming::Named(home),
        }
    }
}
