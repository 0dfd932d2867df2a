//! Verifies an archive: unpacks everything, and reports damaged, missing and foreign files.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::inventory::{self, PackedPath};
use super::manifest::ArchiveManifest;
use super::{Archive, ArchiveError};
use crate::files::packed::{PackedFile, Unpacker};
use crate::files::packed_path;
use crate::files::{ArchivedHome, is_home_folder};
use crate::home::{self, Problem, Reason};
use crate::progress::Progress;
use crate::session::SessionFileError;

/// The result of verifying an archive.
#[derive(Default, Debug)]
pub struct ArchiveVerdict {
    /// How many packed files were unpacked, older states included.
    pub files: usize,
    /// The total size of their content.
    pub bytes: u64,
    /// Their total size on disk.
    pub packed: u64,
    /// Files that are damaged or cannot be read, with the offset of the damage.
    pub damaged: Vec<SessionFileError>,
    /// Files that are missing from the archive or do not belong there.
    pub problems: Vec<Problem>,
}

impl ArchiveVerdict {
    /// Returns whether nothing is wrong with the archive.
    pub fn is_good(&self) -> bool {
        self.damaged.is_empty() && self.problems.is_empty()
    }
}

/// Unpacks every file of an archive, checking the checksum of each frame, and compares the files
/// with the manifests.
pub fn verify(root: &Path, progress: &dyn Progress) -> Result<ArchiveVerdict, ArchiveError> {
    let archive = Archive::open(root)?;
    let mut verdict = ArchiveVerdict::default();
    let mut packed_paths: Vec<PackedPath> = Vec::new();
    for home in archive.homes() {
        packed_paths.extend(verdict.packed_paths(&archive, home));
    }
    verdict.unlisted(&archive);
    verdict.packed = packed_paths.iter().map(|packet| packet.packed).sum();
    // Largest first, so that no thread begins a large file when the others are done.
    packed_paths.sort_by_key(|packet| std::cmp::Reverse(packet.packed));
    let mut results = Vec::new();
    progress.watch(verdict.packed, &mut |done: &AtomicU64| {
        let all = packed_paths.par_iter().map(|packet| {
            let unpacked = unpack(&packet.path);
            done.fetch_add(packet.packed, Ordering::Relaxed);
            unpacked
        });
        results = all.collect();
    });
    verdict.files = results.len();
    for result in results {
        match result {
            Ok(bytes) => verdict.bytes += bytes,
            Err(damage) => verdict.damaged.push(damage),
        }
    }
    verdict.damaged.sort_by(|a, b| a.path.cmp(&b.path));
    verdict.problems.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(verdict)
}

impl ArchiveVerdict {
    /// Lists the packed files of a home and its older states, and reports missing and foreign ones.
    fn packed_paths(&mut self, archive: &Archive, home: &ArchivedHome) -> Vec<PackedPath> {
        let (root, older) = (archive.home(home).root, archive.older(home));
        let current = inventory::packed_paths(&root, &mut self.problems);
        let states = inventory::packed_paths(&older, &mut self.problems);
        for packet in &current {
            self.judge(packet, packet.path.with_extension("").strip_prefix(&root).ok());
        }
        for packet in &states {
            // Without the suffix of packed files and the number of the state.
            let plain = packet.path.with_extension("").with_extension("");
            self.judge(packet, plain.strip_prefix(&older).ok());
        }
        self.compare(archive, home, &root, &current);
        current.into_iter().chain(states).collect()
    }

    fn judge(&mut self, packet: &PackedPath, below: Option<&Path>) {
        if !below.is_some_and(home::is_archivable) {
            let problem = Problem::new(&packet.path, Reason::Foreign);
            self.problems.push(problem);
        }
    }

    /// Compares the packed files with the manifest.
    fn compare(
        &mut self,
        archive: &Archive,
        home: &ArchivedHome,
        root: &Path,
        current: &[PackedPath],
    ) {
        let path = archive.manifest(home);
        let Ok(manifest) = ArchiveManifest::try_read(&path) else {
            // A run that was killed before it wrote the manifest has left its temporary folder.
            if !current.is_empty() && !archive.temporary().is_dir() {
                self.problems.push(Problem::new(path, Reason::NoManifest));
            }
            return;
        };
        let there: HashSet<&Path> = current.iter().map(|packet| &*packet.path).collect();
        for row in manifest.rows() {
            let below = Path::new(&row.path);
            let packed = packed_path(&root.join(below));
            if home::is_archivable(below) && !there.contains(&*packed) {
                self.problems.push(Problem::new(packed, Reason::Gone));
            } else if there.contains(&*packed) {
                self.damaged.extend(cut(packed, row.bytes, &archive.older(home).join(below)));
            }
        }
    }

    /// Reports folders that are named like a home and are not listed in the marker.
    fn unlisted(&mut self, archive: &Archive) {
        for entry in fs::read_dir(archive.root()).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let known = archive.homes().iter().any(|home| home.folder == name);
            if is_home_folder(&name) && !known {
                self.problems.push(Problem::new(entry.path(), Reason::Foreign));
            }
        }
    }
}

/// Returns an error for a file that is intact but shorter than when it was archived. A killed run
/// may have rewritten the file as a shorter one; it then has an older state.
fn cut(packed: PathBuf, bytes: u64, older: &Path) -> Option<SessionFileError> {
    let length = PackedFile::open(&packed).ok()?.length();
    let mut first = older.as_os_str().to_owned();
    first.push(".1");
    let rewritten = fs::symlink_metadata(packed_path(Path::new(&first))).is_ok();
    let reason = format!("is cut: it has {length} bytes instead of {bytes}");
    (length < bytes && !rewritten).then(|| SessionFileError {
        path: packed,
        error: io::Error::new(io::ErrorKind::InvalidData, reason),
    })
}

/// Unpacks one file and returns the length of its content.
fn unpack(path: &Path) -> Result<u64, SessionFileError> {
    let unpacked = PackedFile::open(path).and_then(|packed| {
        let mut unpacker = Unpacker::new()?;
        for index in 0..packed.frames().len() {
            unpacker.frame(&packed, index)?;
        }
        Ok(packed.length())
    });
    unpacked.map_err(|error| SessionFileError { path: path.to_owned(), error })
}
