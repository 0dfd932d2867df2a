//! Sets of sessions: those that a filter left of all, and where those were that are gone.
//!
//! Of a session that is gone nothing is left but the history of prompts, which names the folder
//! that each was typed in.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use unspool_model::ids::SessionId;

use super::RowFilter;
use super::here::Here;
use super::pattern::{NamePattern, PatternFit};

/// Some sessions: what a filter left of all.
#[derive(Clone, Default, Debug)]
pub struct SessionSet {
    /// Those that are there, by home and id.
    pub there: HashSet<(Option<PathBuf>, SessionId)>,
    /// Where those were that are not there any more; none if they are left out.
    pub folders: Option<FolderSet>,
}

impl SessionSet {
    /// Tells whether a session is one of these. `folder` is where it was, if it is gone.
    pub fn contains(&self, home: Option<&Path>, session: &SessionId, folder: Option<&str>) -> bool {
        let key = (home.map(Path::to_owned), session.clone());
        let was_there = |folders: &FolderSet| folder.is_some_and(|folder| folders.contains(folder));
        self.there.contains(&key) || self.folders.as_ref().is_some_and(was_there)
    }
}

/// The folders whose sessions a filter admits.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FolderSet {
    /// The projects that were asked for, each with how well the best session fits.
    projects: Vec<(NamePattern, Option<PatternFit>)>,
    here: Option<Here>,
}

impl FolderSet {
    /// Takes the folders of a filter, unless it asks for more than where a session was.
    pub(super) fn of(filter: &RowFilter, best: Vec<Option<PatternFit>>) -> Option<Self> {
        filter.asks_only_where().then(|| Self {
            projects: filter.projects.iter().cloned().zip(best).collect(),
            here: filter.here.clone(),
        })
    }

    /// Tells whether a folder is one of these.
    pub fn contains(&self, folder: &str) -> bool {
        let is_project = self.projects.is_empty()
            || self.projects.iter().any(|(pattern, best)| {
                let fit = pattern.folder(folder);
                fit.is_some() && fit >= *best
            });
        is_project && self.here.as_ref().is_none_or(|here| here.contains_folder(folder))
    }
}
