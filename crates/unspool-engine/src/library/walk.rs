//! The homes as one request sees them.

use std::path::PathBuf;
use std::sync::OnceLock;

use super::error::MissingHomes;
use super::note::{LibraryNote, Listener};
use unspool_store::home::{
    self, Discovery, Home, LiveSessions, Reason, SystemProcesses, WalkedHomes,
};

/// The homes of a library as one request sees them. They are walked at most once, when the request
/// first needs their content.
pub struct HomesWalk {
    roots: Vec<Home>,
    found: OnceLock<WalkedHomes>,
    live: OnceLock<Vec<LiveSessions>>,
}

/// Whether a request could read everything it needed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Completeness {
    /// Everything was readable.
    #[default]
    Whole,
    /// Some files or folders were not; notes name them.
    Partial,
}

impl HomesWalk {
    /// Returns homes that have not been walked.
    pub(super) fn new(roots: &[Home]) -> Self {
        Self { roots: roots.to_vec(), found: OnceLock::new(), live: OnceLock::new() }
    }

    /// Returns the homes.
    pub fn roots(&self) -> &[Home] {
        &self.roots
    }

    /// Returns the content of the homes, file by file.
    pub fn found(&self) -> &[Discovery] {
        self.walked()
    }

    /// Returns the content of the homes, which is expanded file by file on request.
    pub(super) fn walked(&self) -> &WalkedHomes {
        self.found.get_or_init(|| home::discover_all(&self.roots).into())
    }

    /// Sets the result of another walk, unless the homes were walked before.
    pub(super) fn set_found(&self, found: WalkedHomes) {
        // Both walks belong to this request, so the first result is as good as the second.
        let _ = self.found.set(found);
    }

    /// Returns the sessions that running processes own, by home.
    pub fn live(&self) -> &[LiveSessions] {
        self.live.get_or_init(|| live_in(&self.roots))
    }

    /// Returns the sessions of one home that running processes own.
    pub(super) fn live_of(&self, home: Option<&Home>) -> Option<&LiveSessions> {
        let at = self.roots.iter().position(|known| Some(known) == home)?;
        self.live().get(at)
    }

    /// Reports the problems of the homes to a listener. A home without sessions is not a problem:
    /// the answer shows it.
    pub(super) fn report_problems(&self, listener: &dyn Listener) -> Completeness {
        let mut reading = Completeness::Whole;
        if let Some(missing) = self.missing() {
            listener.note(LibraryNote::MissingHomes(missing));
            reading = Completeness::Partial;
        }
        for (home, problem) in self.walked().problems() {
            match problem.reason {
                Reason::AlreadyRead => continue,
                Reason::Missing if problem.path == home.projects_dir() => continue,
                Reason::Unreadable(_) | Reason::NotAFile | Reason::NotAFolder => {
                    reading = Completeness::Partial;
                }
                _ => {}
            }
            listener.note(LibraryNote::Problem(problem.clone()));
        }
        reading
    }

    /// Returns the homes that do not exist, or `None` if all do.
    pub(super) fn missing(&self) -> Option<MissingHomes> {
        let is_missing = |root: &&PathBuf| matches!(root.try_exists(), Ok(false));
        let roots = self.roots.iter().map(|home| &home.root);
        let missing: Vec<PathBuf> = roots.filter(is_missing).cloned().collect();
        (!missing.is_empty()).then_some(MissingHomes(missing))
    }
}

/// Returns the sessions that running processes own, by home.
pub(super) fn live_in(homes: &[Home]) -> Vec<LiveSessions> {
    homes.iter().map(|home| LiveSessions::read(home, &SystemProcesses)).collect()
}
