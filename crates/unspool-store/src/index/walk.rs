//! A walk over homes, with the memories of their projects.
//!
//! It finds the projects that have to be read, and remembers them afterwards. A project is
//! remembered only while everything in it is up to date: its memory is deleted in the same
//! transaction that begins to change its rows, and stored again in the last one.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::SystemTime;

use rusqlite::params;

use super::catalogue::{Catalogue, CatalogueError, HomeId, KnownProjects};
use super::plan::{Changed, RefreshPlan};
use super::sealed;
use crate::home::{
    Discovery, Home, ProjectScan, RememberedProject, WalkSummary, Walked, WalkedHome, WalkedHomes,
    discover_remembered,
};
use crate::session::SessionFileError;

/// A walk over homes.
pub(super) struct IndexWalk {
    homes: Vec<HomeWalk>,
}

struct HomeWalk {
    found: Discovery,
    /// The changed projects, by their places.
    changed: Vec<(usize, WalkSummary)>,
    /// Projects that were deleted.
    gone: Vec<String>,
    /// The unchanged projects, by their places.
    same: Vec<(usize, RememberedProject)>,
    /// Projects with a memory, current or not.
    remembered: HashSet<String>,
}

impl IndexWalk {
    /// Walks homes.
    pub(super) fn new(catalogue: &Catalogue, homes: &[Home]) -> Result<Self, CatalogueError> {
        let kept = homes.iter().map(|home| catalogue.memories(home));
        let kept: Vec<HashMap<String, Option<Vec<u8>>>> = kept.collect::<Result<_, _>>()?;
        let walked = discover_remembered(homes, &|home, project| {
            let at = homes.iter().position(|known| known == home)?;
            let bytes = kept[at].get(project.as_str())?.as_ref()?;
            // A damaged memory counts as missing.
            sealed::open::<RememberedProject>(bytes).ok()
        });
        let homes = walked.into_iter().zip(kept);
        let homes = homes.map(|(walked, kept)| HomeWalk::new(walked, kept));
        Ok(Self { homes: homes.collect() })
    }

    /// Returns whether all projects match their memories.
    pub(super) fn is_unchanged(&self) -> bool {
        let mut homes = self.homes.iter();
        homes.all(|home| home.changed.is_empty() && home.gone.is_empty())
    }

    /// Plans what has to be read.
    pub(super) fn plan(&self, catalogue: &Catalogue) -> Result<RefreshPlan, CatalogueError> {
        let mut changes = Vec::new();
        for home in &self.homes {
            let projects = home.changed.iter().map(|(at, _)| &home.found.projects[*at]);
            let projects: Vec<_> = projects.collect();
            let mut known = KnownProjects::default();
            if let Some(id) = catalogue.find_home(&home.found.home)? {
                let names = projects.iter().map(|project| project.id.as_str());
                for name in names.chain(home.gone.iter().map(String::as_str)) {
                    catalogue.known(id, name, &mut known)?;
                }
            }
            changes.push(Changed { home: &home.found.home, projects, known });
        }
        Ok(RefreshPlan::new(changes))
    }

    /// Adds rows for the projects that are about to change, and deletes their memories.
    pub(super) fn forget(&self, catalogue: &Catalogue) -> Result<(), CatalogueError> {
        for home in self.homes.iter().filter(|home| !home.is_unchanged()) {
            let id = catalogue.home(&home.found.home)?;
            catalogue.count_change(id)?;
            for (at, _) in &home.changed {
                let project = home.found.projects[*at].id.as_str();
                catalogue.put_project(id, project, None)?;
            }
        }
        Ok(())
    }

    /// Stores memories of the projects; everything in them is up to date, except for `file_errors`.
    pub(super) fn remember(
        &self,
        catalogue: &Catalogue,
        now: SystemTime,
        file_errors: &[SessionFileError],
    ) -> Result<(), CatalogueError> {
        for home in self.homes.iter().filter(|home| !home.is_unchanged()) {
            let id = catalogue.home(&home.found.home)?;
            for (at, visit) in &home.changed {
                let project = &home.found.projects[*at];
                let memory = visit.memory(project, now);
                let failed = has_errors(&project.dir, file_errors);
                let memory = memory.map(|it| if failed { it.unsettled() } else { it });
                let memory = memory.map(|memory| sealed::seal(&memory));
                catalogue.put_project(id, project.id.as_str(), memory.as_deref())?;
            }
            for project in &home.gone {
                catalogue.forget_project(id, project)?;
            }
            catalogue.count_change(id)?;
        }
        Ok(())
    }

    /// Returns whether memories would save the next walk work, if nothing has to be read.
    pub(super) fn is_worth_remembering(&self, now: SystemTime) -> bool {
        self.homes.iter().any(|home| {
            let worth = |(at, visit): &(usize, WalkSummary)| {
                let project = &home.found.projects[*at];
                let memory = visit.memory(project, now);
                !home.remembered.contains(project.id.as_str())
                    || memory.is_some_and(|memory| memory.settled())
            };
            !home.gone.is_empty() || home.changed.iter().any(worth)
        })
    }

    /// Returns the results of the walk.
    pub(super) fn into_found(self) -> WalkedHomes {
        let homes = self.homes.into_iter();
        let homes = homes.map(|home| WalkedHome::new(home.found, home.same));
        WalkedHomes::new(homes.collect())
    }
}

impl HomeWalk {
    fn new(walked: Walked, kept: HashMap<String, Option<Vec<u8>>>) -> Self {
        let Walked { found, scans } = walked;
        let (mut changed, mut same) = (Vec::new(), Vec::new());
        for (at, scan) in scans.into_iter().enumerate() {
            match scan {
                ProjectScan::Unchanged(memory) => same.push((at, memory)),
                ProjectScan::Scanned(visit) => changed.push((at, visit)),
            }
        }
        let there: HashSet<&str> = found.projects.iter().map(|it| it.id.as_str()).collect();
        let gone = kept.keys().filter(|name| !there.contains(name.as_str()));
        let gone = if is_out_of_reach(&found) { Vec::new() } else { gone.cloned().collect() };
        let remembered = kept.into_iter().filter(|(_, bytes)| bytes.is_some());
        Self { changed, same, gone, remembered: remembered.map(|(name, _)| name).collect(), found }
    }

    fn is_unchanged(&self) -> bool {
        self.changed.is_empty() && self.gone.is_empty()
    }
}

/// Returns whether a home could not be read as a whole. Its rows are kept then: the disk may be back
/// tomorrow.
fn is_out_of_reach(found: &Discovery) -> bool {
    let root = found.home.projects_dir();
    found.problems.iter().any(|problem| problem.path == root)
}

fn has_errors(folder: &Path, file_errors: &[SessionFileError]) -> bool {
    let mut file_errors = file_errors.iter();
    file_errors.any(|file_error| file_error.path.starts_with(folder))
}

impl Catalogue {
    /// Returns the memories of a home's projects, by name.
    fn memories(&self, home: &Home) -> Result<HashMap<String, Option<Vec<u8>>>, CatalogueError> {
        let Some(id) = self.find_home(home)? else {
            return Ok(HashMap::new());
        };
        let sql = "SELECT name, memory FROM projects WHERE home = ?";
        self.all(sql, [id.0], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Counts a change to the logs of a home.
    fn count_change(&self, home: HomeId) -> Result<(), CatalogueError> {
        self.run("UPDATE homes SET changes = changes + 1 WHERE id = ?", [home.0])
    }

    fn put_project(
        &self,
        home: HomeId,
        name: &str,
        memory: Option<&[u8]>,
    ) -> Result<(), CatalogueError> {
        let sql = "INSERT INTO projects (home, name, memory) VALUES (?1, ?2, ?3) \
                   ON CONFLICT (home, name) DO UPDATE SET memory = ?3";
        self.run(sql, params![home.0, name, memory])
    }

    fn forget_project(&self, home: HomeId, name: &str) -> Result<(), CatalogueError> {
        let sql = "DELETE FROM projects WHERE home = ? AND name = ?";
        self.run(sql, params![home.0, name])
    }
}
