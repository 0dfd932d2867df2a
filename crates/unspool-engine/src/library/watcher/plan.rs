//! Which folders are watched.
//!
//! Watches are few: the system limits them per user, and editors use them too. The two folders of a
//! home to which projects and processes are added come first, then the folders of viewed sessions,
//! then the recently written projects, the newest first, up to a limit of our own. Checks without
//! hints cover all other folders.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::library::watch::LibraryWatch;

/// The limits of a plan.
pub(super) struct PlanLimits<'a> {
    /// The maximum number of watches. The folders of homes are watched in any case.
    pub(super) watches: usize,
    /// Projects without a file written since this time are not watched.
    pub(super) since: SystemTime,
    /// Folders that are not watched, because this program writes to them.
    pub(super) apart: &'a [PathBuf],
}

/// The folders to watch.
#[derive(PartialEq, Eq, Default, Debug)]
pub(super) struct WatchPlan {
    /// The folders, the most important ones first.
    pub(super) folders: Vec<PathBuf>,
    /// The number of folders beyond the limit.
    pub(super) left_out: usize,
}

/// Chooses the folders to watch.
pub(super) fn plan(watch: &LibraryWatch, limits: &PlanLimits<'_>) -> WatchPlan {
    let homes = watch.homes().iter();
    let roots = homes.flat_map(|home| [home.projects_dir(), home.processes_dir()]);
    let roots: Vec<PathBuf> = roots.collect();
    let room = limits.watches.max(roots.len());
    let looked = watch.looked();
    let around = looked.folders().filter_map(|(log, _)| log.parent());
    let inside = looked.folders().flat_map(|(_, folders)| folders);
    let mut projects: Vec<(&Path, SystemTime)> =
        watch.projects().filter(|(_, newest)| *newest >= limits.since).collect();
    projects.sort_by_key(|(_, newest)| Reverse(*newest));
    let wanted = roots
        .iter()
        .map(PathBuf::as_path)
        .chain(around)
        .chain(inside.map(PathBuf::as_path))
        .chain(projects.iter().map(|(dir, _)| *dir));
    let is_apart = |folder: &Path| limits.apart.iter().any(|apart| folder.starts_with(apart));
    let mut known = HashSet::new();
    let mut plan = WatchPlan::default();
    for folder in wanted.filter(|folder| !is_apart(folder)) {
        if !known.insert(folder) {
            continue;
        }
        if plan.folders.len() < room {
            plan.folders.push(folder.to_owned());
        } else {
            plan.left_out += 1;
        }
    }
    plan
}
