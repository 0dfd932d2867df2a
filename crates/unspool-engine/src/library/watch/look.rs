//! Checks of a part of the homes, where hints or times indicate a change.
//!
//! A hint is a path. Its place decides what to check: the stamp of a known log; the folder of a
//! session for any other path in it; the whole project for any other path in the project; and the
//! list of projects for a name in `projects/`. Each check does what a sweep does at that place, so
//! checks of everything that changed report the same events as a sweep.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use super::LibraryWatch;
use super::event::LibraryEvent;
use super::known::{FoundChanges, KnownProject, LogOrigin};
use super::listing_time;
use unspool_store::files::{self, is_settled};
use unspool_store::home;
use unspool_store::home::layout::{is_log, log_of_folder};

/// Selects the files and folders whose times are polled without a hint.
#[derive(Clone, Copy, Debug)]
pub(in crate::library) struct RecentCheck {
    /// The current time.
    pub(in crate::library) now: SystemTime,
    /// Only projects with files written since this time.
    pub(in crate::library) projects_since: SystemTime,
    /// At most this many projects, the newest first.
    pub(in crate::library) projects: usize,
    /// Only logs written since this time.
    pub(in crate::library) logs_since: SystemTime,
}

/// The places to check.
#[derive(Default)]
struct ChecksToRun {
    /// The processes.
    processes: bool,
    /// The list of projects.
    listing: bool,
    /// Projects, by their folders.
    projects: BTreeSet<PathBuf>,
    /// Sessions whose folders to check, by their logs.
    sessions: BTreeSet<PathBuf>,
    /// Logs.
    logs: BTreeSet<PathBuf>,
}

impl LibraryWatch {
    /// Checks the places that hints name, and returns the changes, sessions before processes. A
    /// path outside the watched folders is ignored.
    pub fn look<'p>(&mut self, hints: impl IntoIterator<Item = &'p Path>) -> Vec<LibraryEvent> {
        let mut places = ChecksToRun::default();
        for hint in hints {
            self.add_hint(hint, &mut places);
        }
        self.look_at_places(places)
    }

    /// Checks recently written projects and logs, the viewed sessions, and the processes.
    pub(in crate::library) fn look_at_recent(&mut self, recent: &RecentCheck) -> Vec<LibraryEvent> {
        let mut places = ChecksToRun {
            processes: true,
            listing: !self.is_listed(recent.now),
            ..ChecksToRun::default()
        };
        let projects = self.projects.iter();
        let mut newest: Vec<(&PathBuf, &KnownProject)> =
            projects.filter(|(_, known)| known.newest >= recent.projects_since).collect();
        newest.sort_by_key(|(_, known)| std::cmp::Reverse(known.newest));
        for (dir, known) in newest.into_iter().take(recent.projects) {
            let modified = folder_time(dir);
            if modified != Some(known.modified) || !is_settled(known.modified, recent.now) {
                places.projects.insert(dir.clone());
            } else {
                let logs = known.written_since(recent.logs_since);
                places.logs.extend(logs.map(Path::to_path_buf));
            }
        }
        self.add_looked(&mut places);
        self.look_at_places(places)
    }

    /// Checks the viewed sessions, for homes without reliable hints.
    pub(in crate::library) fn check_viewed(&mut self) -> Vec<LibraryEvent> {
        let mut places = ChecksToRun::default();
        self.add_looked(&mut places);
        self.look_at_places(places)
    }

    /// Reports whether the list of projects is unchanged since it was last read.
    fn is_listed(&self, now: SystemTime) -> bool {
        let times = self.homes.iter().map(listing_time).zip(&self.listed);
        let mut same = times.map(|(time, known)| {
            time == *known && known.is_none_or(|known| is_settled(known, now))
        });
        same.all(|same| same)
    }

    fn add_looked(&self, places: &mut ChecksToRun) {
        for log in self.looked.logs() {
            places.sessions.insert(log.to_owned());
            places.logs.insert(log.to_owned());
        }
    }

    fn add_hint(&self, hint: &Path, places: &mut ChecksToRun) {
        for home in &self.homes {
            let folder = home.projects_dir();
            if hint.starts_with(home.processes_dir()) {
                places.processes = true;
            } else if hint == home.root {
                places.processes = true;
                places.listing = true;
            } else if let Ok(below) = hint.strip_prefix(&folder) {
                let mut names = below.components();
                match (names.next(), names.next()) {
                    (Some(Component::Normal(project)), name) => {
                        self.add_in_project(hint, &folder.join(project), name, places);
                    }
                    _ => places.listing = true,
                }
            }
        }
    }

    /// Adds the place of a hint inside a project; `name` is the first component of its path there.
    fn add_in_project(
        &self,
        hint: &Path,
        dir: &Path,
        name: Option<Component<'_>>,
        places: &mut ChecksToRun,
    ) {
        let (Some(known), Some(name)) = (self.projects.get(dir), name) else {
            places.listing = true;
            places.projects.insert(dir.to_owned());
            return;
        };
        let item = dir.join(name);
        match known.origin(hint) {
            Some(LogOrigin::Main | LogOrigin::Nested) => {
                places.logs.insert(hint.to_owned());
                return;
            }
            Some(LogOrigin::Missing | LogOrigin::Other) => {
                places.projects.insert(dir.to_owned());
                return;
            }
            None => {}
        }
        if hint == item && is_log(&item) {
            places.projects.insert(dir.to_owned());
            return;
        }
        let log = log_of_folder(&item);
        match known.origin(&log) {
            Some(LogOrigin::Main) => {
                places.sessions.insert(log);
            }
            None if !item.is_dir() && !self.looked.has(&log) => {}
            _ => {
                places.projects.insert(dir.to_owned());
            }
        }
    }

    fn look_at_places(&mut self, mut places: ChecksToRun) -> Vec<LibraryEvent> {
        let mut changes = FoundChanges::default();
        if places.listing {
            self.look_at_listing(&mut places, &mut changes);
        }
        // In this order: logs can add projects to check, and a check of a project covers its
        // sessions.
        self.look_at_logs(&mut places, &mut changes);
        for log in &places.sessions {
            let in_project = log.parent().is_some_and(|dir| places.projects.contains(dir));
            if !in_project {
                self.look_at_session(log, &mut changes);
            }
        }
        for dir in &places.projects {
            self.look_at_project(dir, &mut changes);
        }
        let mut events = changes.into_events();
        if places.processes {
            events.extend(self.sweep_live());
        }
        events
    }

    /// Updates the list of projects. Added and removed projects are checked next.
    fn look_at_listing(&mut self, places: &mut ChecksToRun, changes: &mut FoundChanges) {
        self.note_listing();
        let mut before = std::mem::take(&mut self.projects);
        for found in home::project_folders(&self.homes) {
            for place in found.projects {
                let dir = place.dir.clone();
                let known = before.remove(&dir).unwrap_or_else(|| {
                    self.arrivals += 1;
                    places.projects.insert(dir.clone());
                    KnownProject::new(&found.home.root, place)
                });
                self.projects.insert(dir, known);
            }
        }
        self.arrivals += before.len() as u64;
        places.projects.extend(before.keys().cloned());
        let gone = before.into_values().flat_map(KnownProject::into_gone);
        changes.gone.extend(gone);
    }

    /// Checks the stamps of logs. Where a stamp does not decide the change, the project is checked next.
    fn look_at_logs(&mut self, places: &mut ChecksToRun, changes: &mut FoundChanges) {
        for log in std::mem::take(&mut places.logs) {
            let Some(dir) = self.project_of(&log) else {
                continue;
            };
            if places.projects.contains(&dir) {
                continue;
            }
            let stamp = files::stamp(&log).ok();
            let known = self.projects.get_mut(&dir);
            if !known.is_some_and(|known| known.compare_log(&log, stamp, changes)) {
                places.projects.insert(dir);
            }
        }
    }

    fn look_at_session(&mut self, log: &Path, changes: &mut FoundChanges) {
        let dir = self.project_of(log);
        let known = dir.and_then(|dir| self.projects.get_mut(&dir));
        let Some(session) = known.as_ref().and_then(|known| known.session(log)) else {
            return;
        };
        let now = home::rescan_session(log, &session);
        if let Some(known) = known.filter(|known| known.origin(log) == Some(LogOrigin::Main)) {
            known.compare_agents(log, &now.agents, changes);
        }
        self.looked.refresh(log, &now, changes);
    }

    fn look_at_project(&mut self, dir: &Path, changes: &mut FoundChanges) {
        if let Some(known) = self.projects.get_mut(dir) {
            let now = home::rescan_project(&known.place, &|agent, stamp| known.owner(agent, stamp));
            known.compare(now, changes);
        }
        self.looked.refresh_project(dir, changes);
    }

    /// Returns the folder of the project that contains a log.
    fn project_of(&self, log: &Path) -> Option<PathBuf> {
        let mut above = log.ancestors().skip(1);
        let dir = above.find(|folder| self.projects.contains_key(*folder))?;
        Some(dir.to_owned())
    }
}

/// Returns when a name was last added to a folder or removed from it.
pub(super) fn folder_time(folder: &Path) -> Option<SystemTime> {
    let metadata = fs::metadata(folder).ok()?;
    metadata.is_dir().then(|| metadata.modified().ok()).flatten()
}
