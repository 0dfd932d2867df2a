//! Homes on disk: which homes to read, which files they contain, and which processes own sessions.
//!
//! The environment and the current folder are passed in by the caller. Logs are opened read-only,
//! and only their beginning is read.

mod archivable;
mod discover;
mod found;
pub mod layout;
mod list;
mod live;
mod moved;
mod name;
mod naming;
mod near;
mod open;
mod peek;
mod placed;
mod remembered;
mod rescan;
mod side_files;
mod stat;
#[cfg(test)]
mod testing;
mod walked;

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use unspool_model::path_name;

use crate::files::{self, ArchiveMarker};

pub use archivable::{ArchivableFile, ArchivableKind, ArchiveScope, archivable_files};
pub(crate) use archivable::{is_archivable, tree};
pub use discover::{
    KnownOwner, MemoryLookup, ProjectScan, WalkSummary, Walked, discover, discover_all,
    discover_remembered, discover_unopened,
};
pub use found::{
    AgentFile, Discovery, FileClass, ForeignFile, Layout, Problem, Project, Reason, SessionFile,
};
pub use layout::{SideFileKind, SideKind};
pub use live::{LiveSession, LiveSessions, ProcessState, Processes, SystemProcesses};
pub(crate) use name::folders_of;
pub use name::{
    MIN_PREFIX, NameError, RecentSessions, SessionName, of_logs, projects_here, recent, resolve,
};
pub use naming::{ClientHomes, HomeNaming};
pub use near::{CandidateKind, NameCandidate};
pub(crate) use open::AgentListing;
pub use open::describe_log;
pub use placed::{FoundLog, PlacedLog, Resolved, Target};
pub use remembered::RememberedProject;
pub use rescan::{ProjectListing, SessionListing, project_folders, rescan_project, rescan_session};
pub use side_files::{SideFile, plan_file, resolve_spilled, side_files};
pub use walked::{WalkedHome, WalkedHomes};

/// A Claude Code configuration folder.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Home {
    /// The folder that contains `projects/` and the side files.
    pub root: PathBuf,
}

impl Home {
    /// Makes a home of a folder, whatever the folder contains.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Returns the folder that contains the projects.
    pub fn projects_dir(&self) -> PathBuf {
        self.root.join(layout::PROJECTS)
    }

    /// Returns the folder with one file for each running process.
    pub fn processes_dir(&self) -> PathBuf {
        self.root.join(layout::PROCESSES)
    }

    /// Returns whether the home is in an archive, where only archiving changes files.
    pub fn is_archived(&self) -> bool {
        files::in_archive(&self.projects_dir())
    }

    /// Returns the file with the history of prompts.
    pub fn history_file(&self) -> PathBuf {
        self.root.join(layout::HISTORY)
    }

    /// Returns the file with the client's settings.
    pub fn settings_file(&self) -> PathBuf {
        self.root.join(layout::SETTINGS)
    }
}

/// Returns the homes to read.
///
/// Folders named by the user win over `$CLAUDE_CONFIG_DIR`, which wins over `~/.claude`. A home
/// that is given twice, even under two names, is kept once. An empty variable counts as unset; a
/// value is composed to NFC, as Claude Code does.
pub fn resolve_homes(
    flags: &[PathBuf],
    claude_config_dir: Option<&OsStr>,
    user_home: Option<&Path>,
) -> Vec<Home> {
    let config_dir = claude_config_dir.filter(|dir| !dir.is_empty());
    let roots: Vec<PathBuf> = if !flags.is_empty() {
        flags.iter().flat_map(|flag| settle(flag)).collect()
    } else if let Some(dir) = config_dir {
        vec![PathBuf::from(composed(dir))]
    } else {
        user_home.map(|home| home.join(layout::DEFAULT_HOME)).into_iter().collect()
    };
    let mut seen = HashSet::new();
    roots
        .into_iter()
        .filter(|root| seen.insert(fs::canonicalize(root).unwrap_or_else(|_| root.clone())))
        .map(Home::new)
        .collect()
}

/// Finds the homes that a person means by a folder: the folder itself, the `.claude` in it, the
/// folder around a `projects` folder, or all homes of an archive.
fn settle(flag: &Path) -> Vec<PathBuf> {
    if flag.join(layout::PROJECTS).is_dir() {
        return vec![flag.to_path_buf()];
    }
    let inner = flag.join(layout::DEFAULT_HOME);
    if inner.join(layout::PROJECTS).is_dir() {
        return vec![inner];
    }
    if let Ok(archive) = ArchiveMarker::read(flag) {
        let homes = archive.homes.iter();
        return homes.map(|home| flag.join(&home.folder)).collect();
    }
    match flag.parent() {
        Some(parent) if flag.ends_with(layout::PROJECTS) && flag.is_dir() => {
            vec![parent.to_path_buf()]
        }
        _ => vec![flag.to_path_buf()],
    }
}

fn composed(text: &OsStr) -> OsString {
    match text.to_str() {
        Some(text) => OsString::from(path_name::nfc(text).into_owned()),
        None => text.to_os_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::testing::HomeFixture;
    use super::*;

    fn roots(homes: &[Home]) -> Vec<&Path> {
        homes.iter().map(|home| home.root.as_path()).collect()
    }

    #[test]
    fn flags_win_over_the_variable_and_the_variable_over_the_default() {
        let flag = [PathBuf::from("/nowhere/flag")];
        let var = Some(OsStr::new("/nowhere/var"));
        let user = Some(Path::new("/nowhere/user"));
        for (flags, var, user, expected) in [
            (&flag[..], var, user, vec!["/nowhere/flag"]),
            (&[], var, user, vec!["/nowhere/var"]),
            (&[], Some(OsStr::new("")), user, vec!["/nowhere/user/.claude"]),
            (&[], None, user, vec!["/nowhere/user/.claude"]),
            (&[], None, None, vec![]),
        ] {
            let homes = resolve_homes(flags, var, user);
            let expected: Vec<&Path> = expected.into_iter().map(Path::new).collect();
            assert_eq!(roots(&homes), expected);
        }
    }

    #[test]
    fn the_variable_is_composed() {
        let homes = resolve_homes(&[], Some(OsStr::new("/nowhere/e\u{301}")), None);
        assert_eq!(roots(&homes), [Path::new("/nowhere/é")]);
    }

    #[test]
    fn a_home_given_twice_is_kept_once() {
        let at = HomeFixture::new();
        at.folder("a/projects");
        at.folder("b/projects");
        let flags = [at.path("a"), at.path("b"), at.path("b/../a")];
        let homes = resolve_homes(&flags, None, None);
        assert_eq!(roots(&homes), [at.path("a"), at.path("b")]);
    }

    #[test]
    fn a_flag_may_name_the_folder_around_or_inside_a_home() {
        let at = HomeFixture::new();
        at.folder("user/.claude/projects");
        for flag in ["user", "user/.claude", "user/.claude/projects"] {
            let homes = resolve_homes(&[at.path(flag)], None, None);
            assert_eq!(roots(&homes), [at.path("user/.claude")], "{flag}");
        }
    }
}
