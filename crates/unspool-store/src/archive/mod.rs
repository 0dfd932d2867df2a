//! Archives: sessions kept permanently, in a folder that the user chooses.
//!
//! An archive mirrors homes, one packed file for each file ([`crate::files`] reads them at any
//! offset). It only grows: a file that grew is extended, the older state of a file that was
//! truncated or rewritten is kept too, and files that were deleted at the source stay.
//! `docs/archive.md` describes the layout and the guarantees.
//!
//! ```text
//! ARCHIVE/unspool-archive.json     the marker, with the list of homes
//! ARCHIVE/home-1/projects/…        files, under their names with `.zst` appended
//! ARCHIVE/home-1.older/projects/…  older states, numbered
//! ARCHIVE/home-1.manifest.zst      what was archived; rebuilt if it is lost
//! ```
//!
//! [`store`] finds what is new, `pack` writes one file, `manifest` records what was archived,
//! [`restore`] writes files back, [`verify`] unpacks everything, [`inventory`] lists the content.

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
    /// There is no archive in this folder.
    #[error("{} is not an archive: it has no {MARKER}", .0.display())]
    NotAnArchive(PathBuf),
    /// The folder is not empty and not an archive.
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
    /// A newer release wrote the archive.
    #[error("{}: version {version} of the layout is newer than this program", path.display())]
    Newer {
        /// The marker.
        path: PathBuf,
        /// The version of its layout.
        version: u32,
    },
    /// The archive is inside the home that it would contain.
    #[error("{} is inside of the home {}; an archive cannot contain itself", archive.display(), home.display())]
    Inside {
        /// The archive.
        archive: PathBuf,
        /// The home.
        home: PathBuf,
    },
    /// Another process is writing to the archive.
    #[error("another process is writing to {}", .0.display())]
    Busy(PathBuf),
    /// A file or folder could not be read or written.
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
    /// Returns a function that adds a path to an I/O error.
    fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        |error| Self::Io { path, error }
    }

    /// Converts a fault of a folder's marker.
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

    /// Opens the archive in a folder; a missing or empty folder is an archive without homes.
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

    /// Returns a home in it, which is read like any other.
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

    /// Returns the archived home that came from a folder, adding it if there is none.
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

    /// Writes the marker atomically.
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

/// Returns whether a folder is missing, empty, or contains only what a first run leaves if it is
/// killed before it writes the marker.
fn is_unfinished(root: &Path) -> io::Result<bool> {
    let ours = |name: OsString| name == "lock" || name == "tmp";
    match fs::read_dir(root) {
        Ok(names) => Ok(names.flatten().map(|entry| entry.file_name()).all(ours)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}
