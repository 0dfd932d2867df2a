//! Viewed sessions: their folders, and the outputs in them.
//!
//! A watch knows the logs of every session. For viewed sessions it also knows the folders, so that
//! each can be watched, and the content of the folder of long outputs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::event::{LibraryEvent, WatchedSession};
use super::known::FoundChanges;
use super::look::folder_time;
use unspool_store::home::{self, SessionListing};

/// The viewed sessions, by their logs.
#[derive(Default)]
pub(in crate::library) struct ViewedSessions {
    sessions: BTreeMap<PathBuf, LookedSession>,
    /// How often folders were added or removed.
    arrivals: u64,
}

/// A viewed session.
struct LookedSession {
    session: WatchedSession,
    /// The folders of the session, without that of its project.
    folders: Vec<PathBuf>,
    outputs: Option<OutputsState>,
}

/// The state that reveals a changed folder of outputs: its time and the number of names in it,
/// since two names may be added within one tick of the clock.
#[derive(Clone, Copy, PartialEq, Eq)]
struct OutputsState {
    modified: SystemTime,
    names: usize,
}

impl ViewedSessions {
    /// Returns the logs, each with the folders of its session.
    pub(in crate::library) fn folders(&self) -> impl Iterator<Item = (&Path, &[PathBuf])> {
        let looked = self.sessions.iter();
        looked.map(|(log, looked)| (log.as_path(), looked.folders.as_slice()))
    }

    /// Returns a counter that changes when folders are added or removed.
    pub(super) fn arrivals(&self) -> u64 {
        self.arrivals
    }

    pub(super) fn logs(&self) -> impl Iterator<Item = &Path> {
        self.sessions.keys().map(PathBuf::as_path)
    }

    /// Reports whether the session of a log is viewed.
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

    /// Updates the folders of a session, if it is viewed.
    pub(super) fn refresh(&mut self, log: &Path, now: &SessionListing, changes: &mut FoundChanges) {
        if let Some(looked) = self.sessions.get_mut(log) {
            self.arrivals += looked.refresh(now, changes);
        }
    }

    /// Updates the folders of all viewed sessions.
    pub(super) fn refresh_all(&mut self, changes: &mut FoundChanges) {
        for looked in self.sessions.values_mut() {
            let now = looked.glance();
            self.arrivals += looked.refresh(&now, changes);
        }
    }

    /// Updates the folders of the viewed sessions in a project.
    pub(super) fn refresh_project(&mut self, dir: &Path, changes: &mut FoundChanges) {
        let in_project = |log: &Path| log.parent() == Some(dir);
        for (_, looked) in self.sessions.iter_mut().filter(|(log, _)| in_project(log)) {
            let now = looked.glance();
            self.arrivals += looked.refresh(&now, changes);
        }
    }
}

impl LookedSession {
    fn glance(&self) -> SessionListing {
        home::rescan_session(&self.session.file, &self.session.session)
    }

    fn take(&mut self, now: &SessionListing) {
        self.folders.clone_from(&now.folders);
        self.folders.extend(now.outputs.clone());
        self.outputs = now.outputs.as_deref().and_then(OutputsState::of);
    }

    /// Updates the folders; returns one if folders were added or removed, else zero.
    fn refresh(&mut self, now: &SessionListing, changes: &mut FoundChanges) -> u64 {
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
