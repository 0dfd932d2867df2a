//! What changes in the homes.
//!
//! A [`LibraryWatch`] remembers the files and the live sessions of the homes as they were. Each
//! [`LibraryWatch::sweep`] looks at them again and says what is different, as events of one closed
//! kind. It believes what the file system says and nothing else, so a missed or doubled hint of
//! the operating system loses nothing. A hint says where to look: [`LibraryWatch::look`] looks at
//! the places that hints name, and finds there what a sweep would find. It has no thread and reads
//! no log; [`LibraryWatcher`](super::LibraryWatcher) decides when to look.

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
use self::looked::LookedSessions;
use super::Library;
use unspool_store::home::{self, Home, LiveSession, ProjectGlance};

pub use self::event::{LibraryEvent, WatchedSession};
pub(super) use self::look::RecentLook;

/// Watches the homes of a library.
pub struct LibraryWatch {
    homes: Vec<Home>,
    /// The projects by their folders.
    projects: BTreeMap<PathBuf, KnownProject>,
    /// When a project last came or went, home by home.
    listed: Vec<Option<SystemTime>>,
    live: HashMap<(PathBuf, u32), LiveSession>,
    looked: LookedSessions,
    /// How often folders came or went that may get a watch.
    arrivals: u64,
}

impl Library {
    /// Watches the homes from now on. Nothing is reported of what is there already.
    pub fn watch(&self) -> LibraryWatch {
        LibraryWatch::new(self.homes().to_vec())
    }
}

impl LibraryWatch {
    /// Watches homes from now on.
    pub(super) fn new(homes: Vec<Home>) -> Self {
        let mut watch = Self {
            listed: vec![None; homes.len()],
            homes,
            projects: BTreeMap::new(),
            live: HashMap::new(),
            looked: LookedSessions::default(),
            arrivals: 0,
        };
        watch.sweep();
        watch
    }

    /// Looks at everything again and returns what changed, sessions before processes.
    pub fn sweep(&mut self) -> Vec<LibraryEvent> {
        self.note_listing();
        let mut before = std::mem::take(&mut self.projects);
        let mut changes = FoundChanges::default();
        for found in home::project_folders(&self.homes) {
            let seen: Vec<ProjectGlance> = found
                .projects
                .par_iter()
                .map(|project| {
                    let known = before.get(&project.dir);
                    home::glance_project(project, &|agent, stamp| known?.owner(agent, stamp))
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

    /// Returns the folders of all projects, each with the newest time of what is in it.
    pub(super) fn projects(&self) -> impl Iterator<Item = (&Path, SystemTime)> {
        let projects = self.projects.iter();
        projects.map(|(dir, known)| (dir.as_path(), known.newest))
    }

    /// Returns a number that is another one after a folder came or went that may get a watch.
    pub(super) fn arrivals(&self) -> u64 {
        self.arrivals + self.looked.arrivals()
    }

    /// Returns the homes.
    pub(super) fn homes(&self) -> &[Home] {
        &self.homes
    }

    /// Returns the sessions that are looked at.
    pub(super) fn looked(&self) -> &LookedSessions {
        &self.looked
    }

    /// Begins to look at a session: its folders are known from now on, and changes to its outputs
    /// are told.
    pub(super) fn look_at(&mut self, session: &WatchedSession) {
        self.looked.add(session);
    }

    /// Ends to look at a session.
    pub(super) fn look_away(&mut self, session: &WatchedSession) {
        self.looked.remove(&session.file);
    }

    /// Notes the times of the folders with the projects, before they are listed.
    fn note_listing(&mut self) {
        self.listed = self.homes.iter().map(listing_time).collect();
    }
}

/// Returns when a project of a home last came or went.
fn listing_time(home: &Home) -> Option<SystemTime> {
    look::folder_time(&home.projects_dir())
}
