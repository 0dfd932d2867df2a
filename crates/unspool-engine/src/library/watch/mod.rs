//! Changes in the homes.
//!
//! A [`LibraryWatch`] remembers the files and the live sessions of the homes. Each [`LibraryWatch::sweep`]
//! reads the homes again and returns the differences as events of one closed enum. Only the file system
//! counts, so a missed or doubled hint of the operating system loses nothing. A hint says where to check:
//! [`LibraryWatch::look`] checks the places that hints name, and finds there what a sweep would find. A
//! watch has no thread and reads no log; [`LibraryWatcher`](super::LibraryWatcher) decides when to check.
//!
//! A *viewed* session is one that a surface shows; its folders are watched more closely.

mod event;
mod known;
mod look;
mod looked;
mod processes;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rayon::prelude::*;

use self::known::{FoundChanges, KnownProject};
use self::looked::ViewedSessions;
use super::Library;
use unspool_store::home::{self, Home, LiveSession, ProjectListing};

pub use self::event::{LibraryEvent, WatchedSession};
pub(super) use self::look::RecentCheck;

/// Watches the homes of a library.
pub struct LibraryWatch {
    homes: Vec<Home>,
    /// The projects by their folders.
    projects: BTreeMap<PathBuf, KnownProject>,
    /// The time of each home's folder of projects, which changes when a project is added or removed.
    listed: Vec<Option<SystemTime>>,
    live: HashMap<(PathBuf, u32), LiveSession>,
    looked: ViewedSessions,
    /// How often folders were added or removed that may be watched.
    arrivals: u64,
}

impl Library {
    /// Begins to watch the homes. Their current content is not reported.
    pub fn watch(&self) -> LibraryWatch {
        LibraryWatch::new(self.homes().to_vec())
    }
}

impl LibraryWatch {
    /// Begins to watch homes.
    pub(super) fn new(homes: Vec<Home>) -> Self {
        let mut watch = Self {
            listed: vec![None; homes.len()],
            homes,
            projects: BTreeMap::new(),
            live: HashMap::new(),
            looked: ViewedSessions::default(),
            arrivals: 0,
        };
        watch.sweep();
        watch
    }

    /// Reads everything again and returns the changes, sessions before processes.
    pub fn sweep(&mut self) -> Vec<LibraryEvent> {
        self.note_listing();
        let mut before = std::mem::take(&mut self.projects);
        let mut changes = FoundChanges::default();
        for found in home::project_folders(&self.homes) {
            let seen: Vec<ProjectListing> = found
                .projects
                .par_iter()
                .map(|project| {
                    let known = before.get(&project.dir);
                    home::rescan_project(project, &|agent, stamp| known?.owner(agent, stamp))
                })
                .collect();
            for (place, seen) in found.projects.into_iter().zip(seen) {
                let dir = place.dir.clone();
                let known = before.remove(&dir);
                self.arrivals += u64::from(known.is_none());
                let mut known = known.unwrap_or_else(|| KnownProject::new(&found.home.root, place));
                known.compare(seen, &mut changes);
                self.projects.insert(dir, known);
            }
        }
        self.arrivals += before.len() as u64;
        let gone = before.into_values().flat_map(KnownProject::into_gone);
        changes.gone.extend(gone);
        self.looked.refresh_all(&mut changes);
        let mut events = changes.into_events();
        events.extend(self.sweep_live());
        events
    }

    /// Returns the folders of all projects, each with the newest time of its content.
    pub(super) fn projects(&self) -> impl Iterator<Item = (&Path, SystemTime)> {
        let projects = self.projects.iter();
        projects.map(|(dir, known)| (dir.as_path(), known.newest))
    }

    /// Returns a counter that changes when folders are added or removed that may be watched.
    pub(super) fn arrivals(&self) -> u64 {
        self.arrivals + self.looked.arrivals()
    }

    pub(super) fn homes(&self) -> &[Home] {
        &self.homes
    }

    /// Returns the viewed sessions.
    pub(super) fn looked(&self) -> &ViewedSessions {
        &self.looked
    }

    /// Marks a session as viewed: its folders are known, and changes of its outputs are reported.
    pub(super) fn start_viewing(&mut self, session: &WatchedSession) {
        self.looked.add(session);
    }

    /// Ends the viewing of a session.
    pub(super) fn remove_viewed(&mut self, session: &WatchedSession) {
        self.looked.remove(&session.file);
    }

    /// Records the times of the folders of projects, before they are listed: a project that is
    /// added meanwhile changes the time again.
    fn note_listing(&mut self) {
        self.listed = self.homes.iter().map(listing_time).collect();
    }
}

/// Returns when a project of a home was last added or removed.
fn listing_time(home: &Home) -> Option<SystemTime> {
    look::folder_time(&home.projects_dir())
}
