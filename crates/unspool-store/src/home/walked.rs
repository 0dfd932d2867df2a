//! The results of walks over homes, listed file by file only on demand.
//!
//! An unchanged project need not be listed to know that no log has to be read, and most queries are
//! answered without its files. A caller that wants files uses a [`WalkedHomes`] as a slice of
//! [`Discovery`]; one that wants only the side files uses [`WalkedHome`].

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::{Discovery, Home, Problem, RememberedProject};

/// The results of walks over homes.
#[derive(Default, Debug)]
pub struct WalkedHomes {
    homes: Vec<WalkedHome>,
    spelled: OnceLock<Vec<Discovery>>,
}

/// The result of a walk over one home.
#[derive(Debug)]
pub struct WalkedHome {
    /// The result, without the content of unchanged projects.
    found: Discovery,
    /// The memories of unchanged projects, by their places in the result.
    same: Vec<(usize, RememberedProject)>,
}

impl WalkedHomes {
    /// Combines the results of some homes.
    pub(crate) fn new(homes: Vec<WalkedHome>) -> Self {
        Self { homes, spelled: OnceLock::new() }
    }

    /// Returns the result of a home.
    pub fn home(&self, home: &Home) -> Option<&WalkedHome> {
        self.homes.iter().find(|found| found.found.home == *home)
    }

    /// Iterates over the problems, with their homes.
    pub fn problems(&self) -> impl Iterator<Item = (&Home, &Problem)> {
        let homes = self.homes.iter().map(|home| &home.found);
        homes.flat_map(|found| found.problems.iter().map(|problem| (&found.home, problem)))
    }
}

impl From<Vec<Discovery>> for WalkedHomes {
    fn from(homes: Vec<Discovery>) -> Self {
        let homes = homes.into_iter().map(|found| WalkedHome::new(found, Vec::new()));
        Self::new(homes.collect())
    }
}

impl Deref for WalkedHomes {
    type Target = [Discovery];

    fn deref(&self) -> &[Discovery] {
        self.spelled.get_or_init(|| self.homes.iter().map(WalkedHome::spell).collect())
    }
}

impl WalkedHome {
    /// Makes the result from a walk and from the memories of its unchanged projects.
    pub(crate) fn new(found: Discovery, same: Vec<(usize, RememberedProject)>) -> Self {
        Self { found, same }
    }

    fn spell(&self) -> Discovery {
        let mut found = self.found.clone();
        for (at, memory) in &self.same {
            memory.fill(&mut found.projects[*at]);
        }
        found
    }

    /// Returns the home.
    pub fn home(&self) -> &Home {
        &self.found.home
    }

    /// Lists the folders of outputs that were too long for a log, with their sessions.
    pub fn outputs(&self) -> Vec<(PathBuf, String)> {
        let mut all = Vec::new();
        for (_, session) in self.found.sessions() {
            let outputs = session.outputs.iter();
            all.extend(outputs.map(|folder| (folder.clone(), session.id.to_string())));
        }
        for (at, memory) in &self.same {
            all.extend(memory.outputs(&self.found.projects[*at].dir));
        }
        all
    }

    /// Lists `.jsonl` files in the projects' folders that are not logs.
    pub fn foreign(&self) -> Vec<PathBuf> {
        let walked = self.found.projects.iter();
        let walked = walked.flat_map(|project| &project.foreign);
        let mut all: Vec<PathBuf> = walked.map(|file| file.path.clone()).collect();
        for (at, memory) in &self.same {
            all.extend(memory.foreign(&self.found.projects[*at].dir));
        }
        all
    }
}
