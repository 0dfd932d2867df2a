//! The environment of tests: an empty home folder, and a toolchain that still works.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use crate::step::EnvChange;

/// Creates an empty folder that replaces the home folder and is removed on drop.
pub(crate) fn empty_home() -> Result<TempDir> {
    tempfile::Builder::new()
        .prefix("xtask-home-")
        .tempdir()
        .context("cannot create an empty home folder")
}

/// Returns the changes that isolate tests from the files of this machine's user.
pub(crate) fn surroundings(home: &Path) -> Vec<EnvChange> {
    changes(home, env::home_dir().as_deref(), env::vars_os())
}

/// Replaces the home folder, removes the variables that lead to files of the user, and
/// pins the folders in which cargo and rustup would otherwise look at home.
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

/// Tells whether a variable leads programs to files of the user.
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
            ["HOME=/empty", "CARGO_HOME=/real/.cargo", "RUSTUP_HOME=/real/.rustup"],
            "an empty value counts as unset"
        );
        assert_eq!(changed(&[("CARGO_HOME", "/c"), ("RUSTUP_HOME", "/r")]), ["HOME=/empty"]);
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
            ["HOME=/empty", "-CLAUDE_CONFIG_DIR", "-XDG_CONFIG_HOME", "-XDG_RUNTIME_DIR"]
        );
    }
}
