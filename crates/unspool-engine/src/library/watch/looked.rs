//! Sessions that are looked at: their folders, and the outputs in them.
//!
//! Of every session the logs are known. Of those that are looked at, the folders are known too, so
//! that each of them can get a watch, and what is in the folder of long outputs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::event::{LibraryEvent, WatchedSession};
use super::known::FoundChanges;
use super::look::folder_time;
use unspool_store::home::{self, SessionGlance};

/// The sessions that are looked at, by their logs.
#[derive(Default)]
pub(in crate::library) struct LookedSessions {
    sessions: BTreeMap<PathBuf, LookedSession>,
    /// How often folders came or went.
    arrivals: u64,
}

/// A session that is looked at.
struct LookedSession {
    session: WatchedSession,
    /// The folders that belong to it, apart from the one of its project.
    folders: Vec<PathBuf>,
    outputs: Option<OutputsState>,
}

/// By what a changed folder of outputs is told: its time, and how many names are in it, since two
/// names may come within one tick of the clock.
#[derive(Clone, Copy, PartialEq, Eq)]
struct OutputsState {
    modified: SystemTime,
    names: usize,
}

impl LookedSessions {
    /// Returns the logs, each with the folders that belong to its session.
    pub(in crate::library) fn folders(&self) -> impl Iterator<Item = (&Path, &[PathBuf])> {
        let looked = self.sessions.iter();
        looked.map(|(log, looked)| (log.as_path(), looked.folders.as_slice()))
    }

    /// Returns a number that is another one after folders came or went.
    pub(super) fn arrivals(&self) -> u64 {
        self.arrivals
    }

    /// Returns the logs.
    pub(super) fn logs(&self) -> impl Iterator<Item = &Path> {
        self.sessions.keys().map(PathBuf::as_path)
    }

    /// Tells whether the session of a log is looked at.
    pub(super) fn has(&self, log: &Path) -> bool {
        self.sessions.contains_key(log)
    }

    pub(super) fn add(&mut self, session: &WatchedSession) {
        let mut looked =
            LookedSession { session: session.clone(), folders: Vec::new(), outputs: None };
        looked.take(&looked.glance());
        self.sessions.insert(session.file.clone(), looked);
        self.arrivals += 1;
    }

    pub(super) fn remove(&mut self, log: &Path) {
        self.sessions.remove(log);
        self.arrivals += 1;
    }

    /// Takes what the folder of a session has now, if the session is looked at.
    pub(super) fn refresh(&mut self, log: &Path, now: &SessionGlance, changes: &mut FoundChanges) {
        if let Some(looked) = self.sessions.get_mut(log) {
            self.arrivals += looked.refresh(now, changes);
        }
    }

    /// Looks at the folders of all sessions that are looked at.
    pub(super) fn refresh_all(&mut self, changes: &mut FoundChanges) {
        for looked in self.sessions.values_mut() {
            let now = looked.glance();
            self.arrivals += looked.refresh(&now, changes);
        }
    }

    /// Looks at the folders of those sessions that are in a project.
    pub(super) fn refresh_project(&mut self, dir: &Path, changes: &mut FoundChanges) {
        let in_project = |log: &Path| log.parent() == Some(dir);
        for (_, looked) in self.sessions.iter_mut().filter(|(log, _)| in_project(log)) {
            let now = looked.glance();
            self.arrivals += looked.refresh(&now, changes);
        }
    }
}

impl LookedSession {
    fn glance(&self) -> SessionGlance {
        home::glance_session(&self.session.file, &self.session.session)
    }

    fn take(&mut self, now: &SessionGlance) {
        self.folders.clone_from(&now.folders);
        self.folders.extend(now.outputs.clone());
        self.outputs = now.outputs.as_deref().and_then(OutputsState::of);
    }

    /// Takes what its folder has now; returns one if folders came or went, else zero.
    fn refresh(&mut self, now: &SessionGlance, changes: &mut FoundChanges) -> u64 {
        let (folders, outputs) = (std::mem::take(&mut self.folders), self.outputs);
        self.take(now);
        if self.outputs != outputs {
            let session = self.session.clone();
            changes.events.push(LibraryEvent::OutputsChanged(session));
        }
        u64::from(self.folders != folders)
    }
}

impl OutputsState {
    fn of(folder: &Path) -> Option<Self> {
        Some(Self { modified: folder_time(folder)?, names: fs::read_dir(folder).ok()?.count() })
    }
}
