//! Surroundings for tests: an empty home folder, and a toolchain that still works.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

use crate::step::EnvChange;

/// A fresh, empty folder that replaces the home folder and is removed on
/// drop.
#[derive(Debug)]
pub(crate) struct EmptyHome(PathBuf);

impl EmptyHome {
    /// Creates the folder in the system's temporary folder.
    pub(crate) fn create() -> Result<Self> {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = since_epoch.map_or(0, |time| time.as_nanos());
        let folder = env::temp_dir().join(format!("xtask-home-{}-{nanos}", process::id()));
        // Not `create_dir_all`: a folder that exists already is not ours.
        fs::create_dir(&folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        Ok(Self(folder))
    }

    /// The changes that keep a test away from this machine's user.
    pub(crate) fn surroundings(&self) -> Vec<EnvChange> {
        changes(&self.0, env::home_dir().as_deref(), env::vars_os())
    }
}

impl Drop for EmptyHome {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("warning: cannot remove {}: {error}", self.0.display());
        }
    }
}

/// Replaces the home folder, removes the variables that lead to user files, and
/// pins the folders that cargo and rustup would otherwise look for at home.
fn changes(
    home: &Path,
    real_home: Option<&Path>,
    vars: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<EnvChange> {
    let vars: Vec<_> = vars.collect();
    let is_set = |name: &str| vars.iter().any(|(n, value)| n == name && !value.is_empty());
    let mut changes = vec![("HOME".into(), Some(home.into()))];
    if let Some(real_home) = real_home {
        for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            if !is_set(name) {
                changes.push((name.into(), Some(real_home.join(folder).into())));
            }
        }
    }
    let leaks = vars.into_iter().filter(|(name, _)| leads_home(name));
    changes.extend(leaks.map(|(name, _)| (name, None)));
    changes
}

/// Whether a variable points programs at files of the user.
fn leads_home(name: &OsStr) -> bool {
    name == "CLAUDE_CONFIG_DIR" || name.as_encoded_bytes().starts_with(b"XDG_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(vars: &[(&str, &str)]) -> Vec<String> {
        let vars = vars.iter().map(|(n, v)| (n.into(), v.into()));
        changes(Path::new("/empty"), Some(Path::new("/real")), vars)
            .into_iter()
            .map(|(name, value)| match value {
                Some(value) => format!("{}={}", name.display(), value.display()),
                None => format!("-{}", name.display()),
            })
            .collect()
    }

    #[test]
    fn toolchain_folders_are_pinned_when_unset() {
        assert_eq!(
            changed(&[("CARGO_HOME", ""), ("HOME", "/real")]),
            [
                "HOME=/empty",
                "CARGO_HOME=/real/.cargo",
                "RUSTUP_HOME=/real/.rustup"
            ],
            "an empty value counts as unset"
        );
        assert_eq!(
            changed(&[("CARGO_HOME", "/c"), ("RUSTUP_HOME", "/r")]),
            ["HOME=/empty"]
        );
    }

    #[test]
    fn variables_that_lead_to_user_files_are_removed() {
        assert_eq!(
            changed(&[
                ("CLAUDE_CONFIG_DIR", "/real/.claude"),
                ("XDG_CONFIG_HOME", "/real/.config"),
                ("XDG_RUNTIME_DIR", "/run/user/1"),
                ("NOT_XDG_X", "kept"),
                ("CARGO_HOME", "/c"),
                ("RUSTUP_HOME", "/r"),
            ]),
            [
                "HOME=/empty",
                "-CLAUDE_CONFIG_DIR",
                "-XDG_CONFIG_HOME",
                "-XDG_RUNTIME_DIR"
            ]
        );
    }

    #[test]
    fn home_is_empty_and_removed_after_use() {
        let home = EmptyHome::create().expect("temporary folder is writable");
        let folder = home.0.clone();
        assert_eq!(fs::read_dir(&folder).expect("folder exists").count(), 0);
        fs::write(folder.join("left-behind"), "x").expect("folder is writable");
        drop(home);
        assert!(!folder.exists());
    }
}
