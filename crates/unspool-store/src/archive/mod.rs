//! Archives: sessions kept for good, in a folder of the user's.
//!
//! An archive mirrors homes, one packed file for each file ([`crate::files`] reads them at
//! any place). It only grows: a file that grew is extended, one that was truncated or rewritten
//! moves its older state aside, and what is gone at the source stays. `docs/archive.md`
//! describes the layout and what is promised.
//!
//! ```text
//! ARCHIVE/unspool-archive.json     that it is one, and of which homes
//! ARCHIVE/home-1/projects/…        files, under their names with `.zst` appended
//! ARCHIVE/home-1.older/projects/…  older states, numbered
//! ARCHIVE/home-1.manifest.zst      what was read when; rebuilt if it is lost
//! ```
//!
//! [`store`] decides what is new, `pack` writes one file, `manifest` remembers, [`restore`]
//! writes back, [`verify`] unpacks everything, [`inventory`] says what is there.

pub mod inventory;
mod manifest;
mod pack;
mod place;
pub mod restore;
pub mod store;
#[cfg(test)]
mod tests;
pub mod verify;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files::{ArchiveMarker, ArchivedHome, MARKER, MarkerFault};
use crate::home::Home;

/// Why an archive cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// There is no archive in that folder.
    #[error("{} is not an archive: it has no {MARKER}", .0.display())]
    NotAnArchive(PathBuf),
    /// The folder contains something else.
    #[error("{} is not empty and is not an archive; name an empty folder or a new one", .0.display())]
    NotEmpty(PathBuf),
    /// The marker is damaged or not ours.
    #[error("{}: does not say which archive this is: {reason}", path.display())]
    Marker {
        /// The marker.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A newer release wrote it.
    #[error("{}: version {version} of the layout is newer than this program", path.display())]
    Newer {
        /// The marker.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The archive is inside of what it should contain.
    #[error("{} is inside of the home {}; an archive cannot contain itself", archive.display(), home.display())]
    Inside {
        /// The archive.
        archive: PathBuf,
        /// The home.
        home: PathBuf,
    },
    /// Another process is writing.
    #[error("another process is writing to {}", .0.display())]
    Busy(PathBuf),
    /// Something could not be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        #[source]
        error: io::Error,
    },
}

impl ArchiveError {
    /// Says of an error where it happened.
    fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        |error| Self::Io { path, error }
    }

    /// Says what is wrong with the marker of a folder.
    fn of(fault: MarkerFault, root: &Path) -> Self {
        let path = root.join(MARKER);
        match fault {
            MarkerFault::Missing => Self::NotAnArchive(root.to_owned()),
            MarkerFault::Unreadable(error) => Self::Io { path, error },
            MarkerFault::Wrong(reason) => Self::Marker { path, reason },
            MarkerFault::Newer(version) => Self::Newer { path, version },
        }
    }
}

/// An archive on disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Archive {
    root: PathBuf,
    homes: Vec<ArchivedHome>,
}

impl Archive {
    /// Opens the archive in a folder.
    pub fn open(root: &Path) -> Result<Self, ArchiveError> {
        let marker = ArchiveMarker::read(root).map_err(|fault| ArchiveError::of(fault, root))?;
        Ok(Self { root: root.to_owned(), homes: marker.homes })
    }

    /// Opens the archive in a folder, or represents one that is still to be made there.
    pub(crate) fn open_or_new(root: &Path) -> Result<Self, ArchiveError> {
        match Self::open(root) {
            Err(ArchiveError::NotAnArchive(root)) => match is_unfinished(&root) {
                Ok(true) => Ok(Self::empty(root)),
                Ok(false) => Err(ArchiveError::NotEmpty(root)),
                Err(error) => Err(ArchiveError::at(&root)(error)),
            },
            opened => opened,
        }
    }

    fn empty(root: PathBuf) -> Self {
        Self { root, homes: Vec::new() }
    }

    /// Returns its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the homes in it.
    pub fn homes(&self) -> &[ArchivedHome] {
        &self.homes
    }

    /// Returns a home in it, to be read like any other.
    pub fn home(&self, home: &ArchivedHome) -> Home {
        Home::new(self.root.join(&home.folder))
    }

    fn older(&self, home: &ArchivedHome) -> PathBuf {
        self.root.join(format!("{}.older", home.folder))
    }

    fn manifest(&self, home: &ArchivedHome) -> PathBuf {
        self.root.join(format!("{}.manifest.zst", home.folder))
    }

    fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Returns the home in it that came from a folder, adding it if there is none.
    fn home_from(&mut self, from: &Path) -> ArchivedHome {
        let from = from.to_string_lossy().into_owned();
        if let Some(known) = self.homes.iter().find(|home| home.from == from) {
            return known.clone();
        }
        let taken = |name: &String| self.homes.iter().any(|home| home.folder == *name);
        let mut names = (1..).map(|number| format!("home-{number}"));
        let folder = names.find(|name| !taken(name)).unwrap_or_default();
        let home = ArchivedHome { folder, from };
        self.homes.push(home.clone());
        home
    }

    /// Writes the marker, whole or not at all.
    fn write_marker(&self) -> Result<(), ArchiveError> {
        let marker = ArchiveMarker::new(self.homes.clone());
        let path = self.root.join(MARKER);
        let written =
            serde_json::to_vec_pretty(&marker).map_err(io::Error::from).and_then(|mut bytes| {
                bytes.push(b'\n');
                place::write_whole(&self.temporary(), &path, &bytes)
            });
        written.map_err(ArchiveError::at(&path))
    }
}

/// Tells whether a folder is missing or empty, or contains what a first run leaves that was ended
/// before it wrote the marker.
fn is_unfinished(root: &Path) -> io::Result<bool> {
    let ours = |name: OsString| name == "lock" || name == "tmp";
    match fs::read_dir(root) {
        Ok(names) => Ok(names.flatten().map(|entry| entry.file_name()).all(ours)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}
