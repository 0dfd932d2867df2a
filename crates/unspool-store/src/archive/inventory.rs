//! Lists the content of an archive, older states included.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use unspool_model::ids::{ProjectId, SessionId};

use super::{Archive, ArchiveError};
use crate::files::ArchivedHome;
use crate::files::{self, packed_path};
use crate::home::{self, ArchivableFile, ArchivableKind, ArchiveScope, Discovery, Problem, Reason};

/// One packed file.
pub(super) struct PackedPath {
    /// Its path on disk.
    pub(super) path: PathBuf,
    /// Its size on disk.
    pub(super) packed: u64,
}

/// Lists the packed files below a folder. Every other file is reported as a problem.
pub(super) fn packed_paths(folder: &Path, problems: &mut Vec<Problem>) -> Vec<PackedPath> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return found;
    }
    for plain in home::tree(folder, problems) {
        let path = packed_path(&plain);
        match fs::symlink_metadata(&path) {
            Ok(data) => found.push(PackedPath { path, packed: data.len() }),
            Err(_) => problems.push(Problem::new(plain, Reason::NotPacked)),
        }
    }
    found
}

/// A session in an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArchivedSession {
    /// The home that it is from.
    pub home: ArchivedHome,
    /// Its project.
    pub project: ProjectId,
    /// Its id.
    pub session: SessionId,
    /// Its title; `None` unless a caller that has read its log sets it.
    pub title: Option<String>,
    /// How many files belong to it.
    pub files: usize,
    /// The total size of their content.
    pub bytes: u64,
    /// Their total size on disk, without older states.
    pub packed: u64,
    /// When its log was last written, in milliseconds since the epoch.
    pub modified: i64,
    /// Older states of its files, grouped by file, the oldest first.
    pub older: Vec<OlderState>,
}

/// A state of a file from before it was truncated or rewritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OlderState {
    /// The packed file that contains it.
    pub path: PathBuf,
    /// The path of the file within its home.
    pub below: PathBuf,
    /// The size of its content.
    pub bytes: u64,
    /// When it was last written, in milliseconds since the epoch.
    pub modified: i64,
}

/// The content of an archive.
#[derive(Default, Debug)]
pub struct Inventory {
    /// The sessions, sorted by home, project and id.
    pub sessions: Vec<ArchivedSession>,
    /// How many files belong to no session.
    pub shared: usize,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// Lists the content of an archive.
pub fn inventory(root: &Path) -> Result<Inventory, ArchiveError> {
    let archive = Archive::open(root)?;
    let mut inventory = Inventory::default();
    for home in archive.homes() {
        let found = home::discover(&archive.home(home));
        inventory.add(&archive, home, &found);
    }
    Ok(inventory)
}

impl Inventory {
    fn add(&mut self, archive: &Archive, home: &ArchivedHome, found: &Discovery) {
        let (files, problems) = home::archivable_files(found, ArchiveScope::Everything);
        self.problems.extend(problems);
        let mut older = older_states(&archive.older(home), &mut self.problems);
        let mut sessions: BTreeMap<(ProjectId, SessionId), ArchivedSession> = BTreeMap::new();
        for file in files {
            let states = older.remove(&file.below).unwrap_or_default();
            let Some(owner) = &file.owner else {
                self.shared += 1;
                continue;
            };
            let kept = sessions.entry(owner.clone()).or_insert_with(|| ArchivedSession {
                home: home.clone(),
                project: owner.0.clone(),
                session: owner.1.clone(),
                title: None,
                files: 0,
                bytes: 0,
                packed: 0,
                modified: 0,
                older: Vec::new(),
            });
            if let Err(problem) = kept.add(&file) {
                self.problems.push(problem);
            }
            kept.older.extend(states);
        }
        self.sessions.extend(sessions.into_values());
    }
}

impl ArchivedSession {
    fn add(&mut self, file: &ArchivableFile) -> Result<(), Problem> {
        let unread = |error| Problem::io(&file.path, &error);
        self.files += 1;
        let stamp = files::stamp(&file.path).map_err(unread)?;
        self.bytes += stamp.bytes;
        if file.kind == ArchivableKind::Main || self.modified == 0 {
            self.modified = stamp.modified_ms();
        }
        let packed = fs::metadata(packed_path(&file.path)).map_err(unread)?;
        self.packed += packed.len();
        Ok(())
    }
}

/// Lists older states by file.
fn older_states(folder: &Path, problems: &mut Vec<Problem>) -> BTreeMap<PathBuf, Vec<OlderState>> {
    let mut numbered: BTreeMap<PathBuf, BTreeMap<u32, OlderState>> = BTreeMap::new();
    for PackedPath { path, .. } in packed_paths(folder, problems) {
        let plain = path.with_extension("");
        let number = plain.extension().and_then(|number| number.to_str()?.parse().ok());
        let below = plain.with_extension("");
        let (Some(number), Ok(below)) = (number, below.strip_prefix(folder)) else {
            continue;
        };
        match files::stamp(&plain) {
            Ok(stamp) => {
                let state = OlderState {
                    path,
                    below: below.to_owned(),
                    bytes: stamp.bytes,
                    modified: stamp.modified_ms(),
                };
                let states = numbered.entry(below.to_owned()).or_default();
                states.insert(number, state);
            }
            Err(error) => problems.push(Problem::io(&path, &error)),
        }
    }
    let in_order = |states: BTreeMap<u32, OlderState>| states.into_values().collect();
    numbered.into_iter().map(|(below, states)| (below, in_order(states))).collect()
}
