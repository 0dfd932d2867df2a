//! Which folders get a watch.
//!
//! Watches are few: the system has a limit of them for each user, which editors share. The two
//! folders of a home in which projects and processes come and go have one, then the folders of
//! sessions that are looked at, then the projects in which something was written a short time ago,
//! the newest first, up to a limit of our own. What gets none is found by looks without hints.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::library::watch::LibraryWatch;

/// What limits the watches.
pub(super) struct PlanLimits<'a> {
    /// How many there are at most. The folders of homes have one in any case.
    pub(super) watches: usize,
    /// Projects in which nothing was written since then get none.
    pub(super) since: SystemTime,
    /// Folders that get none, since this program writes into them.
    pub(super) apart: &'a [PathBuf],
}

/// The folders to watch.
#[derive(PartialEq, Eq, Default, Debug)]
pub(super) struct WatchPlan {
    /// The folders, those that matter most first.
    pub(super) folders: Vec<PathBuf>,
    /// How many folders there was no room for.
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
