//! The environment: variables and standard folders.

#![expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]

use std::collections::HashMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use super::{SettingOrigin, Sourced};

/// Set for the editor that `unspool pick --editor` starts. If that editor is unspool again, it refuses,
/// which prevents an endless loop.
pub(crate) const EDITING: &str = "UNSPOOL_EDITING";

/// The variables that are read, in addition to those that only locate standard folders.
const VARIABLES: [&str; 28] = [
    "BROWSER",
    "CLAUDE_CONFIG_DIR",
    "CLICOLOR_FORCE",
    "COLORFGBG",
    "COLORTERM",
    "COLUMNS",
    "DISPLAY",
    "EDITOR",
    "IDLE_TIMEOUT",
    "NO_COLOR",
    "PAGER",
    "PATH",
    "SSH_CONNECTION",
    "TMUX",
    "TZ",
    "UNSPOOL_CLAUDE",
    "UNSPOOL_CONFIG",
    EDITING,
    "UNSPOOL_EDITOR",
    "UNSPOOL_INDEX",
    "UNSPOOL_FAULT",
    "UNSPOOL_NO_REFRESH",
    "UNSPOOL_PAGER",
    "UNSPOOL_TOKEN",
    "UNSPOOL_WAIT",
    "VISUAL",
    "WAITING_TIMEOUT",
    "WAYLAND_DISPLAY",
];

/// The environment of a run.
#[derive(Clone, Default, Debug)]
pub(crate) struct Environment {
    variables: HashMap<&'static str, OsString>,
    /// The working directory.
    pub(super) here: PathBuf,
    /// The user's home folder.
    pub(super) user_home: Option<PathBuf>,
    /// The user's folder for settings.
    pub(super) config_dir: Option<PathBuf>,
    /// The user's folder for caches.
    pub(super) cache_dir: Option<PathBuf>,
    /// The user's folder for data.
    pub(super) data_dir: Option<PathBuf>,
    /// The user's folder for sockets, which does not survive a restart of the machine.
    pub(super) runtime_dir: Option<PathBuf>,
    /// The width of the terminal, if there is one.
    pub(super) terminal_width: Option<usize>,
}

impl Environment {
    /// Reads the environment; the caller measures the terminal.
    pub(crate) fn read(terminal_width: Option<usize>) -> Self {
        let folders = etcetera::choose_base_strategy().ok();
        let folder = |path: &Path| path.is_absolute().then(|| path.to_owned());
        Self {
            variables: VARIABLES
                .into_iter()
                .filter_map(|name| Some((name, env::var_os(name)?)))
                .collect(),
            here: env::current_dir().unwrap_or_default(),
            user_home: folders.as_ref().and_then(|all| folder(all.home_dir())),
            config_dir: folders.as_ref().and_then(|all| folder(&all.config_dir())),
            cache_dir: folders.as_ref().and_then(|all| folder(&all.cache_dir())),
            data_dir: folders.as_ref().and_then(|all| folder(&all.data_dir())),
            runtime_dir: folders.as_ref().and_then(|all| folder(&all.runtime_dir()?)),
            terminal_width,
        }
    }

    /// Returns all variables, for a program that inherits them.
    pub(crate) fn all() -> Vec<(OsString, OsString)> {
        env::vars_os().collect()
    }

    /// Creates an environment with some variables, for a user whose home is `/home/me`.
    #[cfg(test)]
    pub(super) fn with(variables: &[(&'static str, &str)]) -> Self {
        let home = Path::new("/home/me");
        Self {
            variables: variables
                .iter()
                .map(|(name, value)| (*name, OsString::from(value)))
                .collect(),
            here: home.join("work"),
            user_home: Some(home.to_owned()),
            config_dir: Some(home.join(".config")),
            cache_dir: Some(home.join(".cache")),
            data_dir: Some(home.join(".local/share")),
            runtime_dir: None,
            terminal_width: None,
        }
    }

    /// Returns the user's home folder.
    pub(crate) fn user_home(&self) -> Option<&Path> {
        self.user_home.as_deref()
    }

    /// Returns a variable that is set, even if it is empty.
    pub(super) fn raw(&self, name: &'static str) -> Option<&OsStr> {
        self.variables.get(name).map(OsString::as_os_str)
    }

    /// Returns a variable that is not empty.
    pub(super) fn get(&self, name: &'static str) -> Option<&OsStr> {
        self.raw(name).filter(|value| !value.is_empty())
    }

    /// Parses a variable that is not empty.
    pub(super) fn take<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&OsStr) -> Option<T>,
    ) -> Option<Sourced<T>> {
        Some(Sourced::new(read(self.get(name)?)?, SettingOrigin::Environment(name)))
    }

    /// Returns the path of the settings file, which may not exist.
    pub(crate) fn settings_file(&self) -> Option<PathBuf> {
        match self.get("UNSPOOL_CONFIG") {
            Some(named) => Some(self.here.join(named)),
            None => Some(self.config_dir.as_ref()?.join("unspool/config.toml")),
        }
    }

    /// Tells whether the user chose the settings file, so that it has to exist.
    pub(super) fn names_settings_file(&self) -> bool {
        self.get("UNSPOOL_CONFIG").is_some()
    }
}
