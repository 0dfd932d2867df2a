//! What walks over homes found, spelled out file by file only when a caller asks.
//!
//! A project that is as it was remembered need not be spelled out to know that nothing has to
//! be read, and most questions are answered without. A caller that wants files takes a
//! [`HomesFound`] for a slice of [`Discovery`]; one that wants only the side files asks
//! [`HomeFound`].

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::{Discovery, Home, Memory, Problem};

/// What walks over homes found.
#[derive(Default, Debug)]
pub struct HomesFound {
    homes: Vec<HomeFound>,
    spelled: OnceLock<Vec<Discovery>>,
}

/// What a walk over one home found.
#[derive(Debug)]
pub struct HomeFound {
    /// What was found, but for what is remembered.
    found: Discovery,
    /// Projects that are as they were, by their places.
    same: Vec<(usize, Memory)>,
}

impl HomesFound {
    /// Takes what was found in some homes.
    pub(crate) fn new(homes: Vec<HomeFound>) -> Self {
        Self { homes, spelled: OnceLock::new() }
    }

    /// Returns what was found in a home.
    pub fn home(&self, home: &Home) -> Option<&HomeFound> {
        self.homes.iter().find(|found| found.found.home == *home)
    }

    /// Iterates over what could not be read, with the homes.
    pub fn problems(&self) -> impl Iterator<Item = (&Home, &Problem)> {
        let homes = self.homes.iter().map(|home| &home.found);
        homes.flat_map(|found| found.problems.iter().map(|problem| (&found.home, problem)))
    }
}

impl From<Vec<Discovery>> for HomesFound {
    fn from(homes: Vec<Discovery>) -> Self {
        let homes = homes.into_iter().map(|found| HomeFound::new(found, Vec::new()));
        Self::new(homes.collect())
    }
}

impl Deref for HomesFound {
    type Target = [Discovery];

    fn deref(&self) -> &[Discovery] {
        self.spelled.get_or_init(|| self.homes.iter().map(HomeFound::spell).collect())
    }
}

impl HomeFound {
    /// Takes what was found, and what is remembered of projects in it that are not spelled out.
    pub(crate) fn new(found: Discovery, same: Vec<(usize, Memory)>) -> Self {
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
