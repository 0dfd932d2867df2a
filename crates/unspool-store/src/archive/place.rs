//! Files put in their place whole, or not at all.

#![expect(clippy::disallowed_methods, reason = "an archive is files")]

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tempfile::{NamedTempFile, TempPath};

use crate::files::private::make_private;
use crate::files::{FileIdentity, FileStamp, packed_path};

/// This many files are asked for one by one. Chosen by judgement: to settle the whole disk costs
/// more than so few files.
const FEW: usize = 16;

/// Tells whether only folders, and no links, lead from a folder to a place below it.
pub(super) fn way_is_clear(from: &Path, below: &Path) -> bool {
    let mut folder = from.to_owned();
    for name in below.parent().into_iter().flat_map(Path::components) {
        folder.push(name);
        match fs::symlink_metadata(&folder) {
            Ok(data) if data.is_dir() => {}
            Ok(_) => return false,
            Err(_) => return true,
        }
    }
    true
}

/// Writes a temporary file first and renames it; a reader sees the old file or the new one.
pub(super) fn write_whole(temporary: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_private(temporary)?;
    let mut file = NamedTempFile::new_in(temporary)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync(path.parent().unwrap_or(Path::new(".")))
}

/// Puts a file that is on the disk in its place.
pub(super) fn put(file: TempPath, path: &Path) -> io::Result<()> {
    match file.persist(path) {
        Ok(()) => Ok(()),
        Err(failed) if failed.error.kind() == io::ErrorKind::NotFound => {
            make_private(path.parent().unwrap_or(Path::new(".")))?;
            failed.path.persist(path)?;
            Ok(())
        }
        Err(failed) => Err(failed.error),
    }
}

/// Makes sure that files and folders that were written outlast a loss of power. `within` is a
/// folder around them.
///
/// Asking for each of thousands of files costs milliseconds a piece, so where the system can
/// do it for all at once, many are done so.
pub(super) fn settle(paths: &[&Path], within: &Path) -> io::Result<()> {
    if paths.len() > FEW && settle_all(within)? {
        return Ok(());
    }
    paths.par_iter().try_for_each(|path| sync(path))
}

#[cfg(target_os = "linux")]
fn settle_all(within: &Path) -> io::Result<bool> {
    rustix::fs::syncfs(File::open(within)?)?;
    Ok(true)
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "other systems may fail")]
fn settle_all(_: &Path) -> io::Result<bool> {
    Ok(false)
}

/// A folder cannot be opened like a file everywhere.
fn sync(path: &Path) -> io::Result<()> {
    if cfg!(unix) || !path.is_dir() {
        File::open(path)?.sync_all()?;
    }
    Ok(())
}

/// Keeps the packed file at `path` under the first free number below `older`, also under its
/// own name until something else takes that.
pub(super) fn keep_older(path: &Path, older: &Path) -> io::Result<()> {
    make_private(older.parent().unwrap_or(Path::new(".")))?;
    let (last, free) = numbers(older);
    // A run that ended between keeping and replacing has kept it already.
    if last.is_some_and(|last| identity(&last) == identity(path)) {
        return Ok(());
    }
    match fs::hard_link(path, &free) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Not every file system has links.
        Err(_) => fs::rename(path, &free),
    }
}

/// Returns the newest older state of a file and the place of the next one.
fn numbers(older: &Path) -> (Option<PathBuf>, PathBuf) {
    let mut last = None;
    for number in 1u32.. {
        let mut name = older.as_os_str().to_owned();
        name.push(format!(".{number}"));
        let path = packed_path(Path::new(&name));
        if fs::symlink_metadata(&path).is_err() {
            return (last, path);
        }
        last = Some(path);
    }
    (last, older.to_owned())
}

fn identity(path: &Path) -> Option<FileIdentity> {
    FileStamp::of(&fs::metadata(path).ok()?).identity
}
