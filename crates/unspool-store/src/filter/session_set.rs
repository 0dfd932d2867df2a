//! Sets of sessions that a filter keeps, deleted sessions included.
//!
//! Of a deleted session only the history of prompts remains, with the folder of each prompt.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use unspool_model::ids::SessionId;

use super::RowFilter;
use super::here::Here;
use super::pattern::{NamePattern, PatternFit};

/// The sessions that a filter keeps.
#[derive(Clone, Default, Debug)]
pub struct SessionSet {
    /// Existing sessions, by home and id.
    pub there: HashSet<(Option<PathBuf>, SessionId)>,
    /// The folders of deleted sessions; `None` if deleted sessions are excluded.
    pub folders: Option<FolderSet>,
}

impl SessionSet {
    /// Returns whether a session is in the set. `folder` is the folder of a deleted session.
    pub fn contains(&self, home: Option<&Path>, session: &SessionId, folder: Option<&str>) -> bool {
        let key = (home.map(Path::to_owned), session.clone());
        let was_there = |folders: &FolderSet| folder.is_some_and(|folder| folders.contains(folder));
        self.there.contains(&key) || self.folders.as_ref().is_some_and(was_there)
    }
}

/// The folders whose sessions a filter admits.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FolderSet {
    /// The wanted projects, each with its best match among existing sessions.
    projects: Vec<(NamePattern, Option<PatternFit>)>,
    here: Option<Here>,
}

impl FolderSet {
    /// Takes the folders of a filter; `None` if the filter has conditions other than place and
    /// time.
    pub(super) fn of(filter: &RowFilter, best: Vec<Option<PatternFit>>) -> Option<Self> {
        filter.has_only_place_and_time().then(|| Self {
            projects: filter.projects.iter().cloned().zip(best).collect(),
            here: filter.here.clone(),
        })
    }

    /// Returns whether the filter admits sessions of a folder.
    pub fn contains(&self, folder: &str) -> bool {
        let is_project = self.projects.is_empty()
            || self.projects.iter().any(|(pattern, best)| {
                let fit = pattern.folder(folder);
                fit.is_some() && fit >= *best
            });
        is_project && self.here.as_ref().is_none_or(|here| here.contains_folder(folder))
    }
}
