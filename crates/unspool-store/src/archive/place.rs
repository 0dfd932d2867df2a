//! Puts complete files in their places.

#![expect(clippy::disallowed_methods, reason = "an archive is files")]

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tempfile::{NamedTempFile, TempPath};

use crate::files::private::make_private;
use crate::files::{FileIdentity, FileStamp, packed_path};

/// Up to this many files are synced one by one. Chosen by judgement: syncing the whole disk costs
/// more than syncing this few files.
const FEW: usize = 16;

/// Returns whether no parent of `below` in the folder `from` is a link or a file.
pub(super) fn parents_are_folders(from: &Path, below: &Path) -> bool {
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

/// Writes a temporary file and renames it, so that a reader sees either the old or the new file.
pub(super) fn write_whole(temporary: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_private(temporary)?;
    let mut file = NamedTempFile::new_in(temporary)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync(path.parent().unwrap_or(Path::new(".")))
}

/// Moves a synced file to its place, creating the folder if it is missing.
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

/// Syncs files and folders to disk, so that they survive a power failure. `within` is a folder
/// around them.
///
/// Syncing thousands of files costs milliseconds for each, so many files are synced with one call
/// where the system has one.
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

/// Syncs a file or folder; a folder only where it can be opened like a file.
fn sync(path: &Path) -> io::Result<()> {
    if cfg!(unix) || !path.is_dir() {
        File::open(path)?.sync_all()?;
    }
    Ok(())
}

/// Keeps the packed file at `path` under the first free number after `older`. It also keeps its own
/// name until another file replaces it.
pub(super) fn keep_older(path: &Path, older: &Path, temporary: &Path) -> io::Result<()> {
    keep_with(|path, free| fs::hard_link(path, free), path, older, temporary)
}

/// Keeps a packed file with a link that `link` makes, or as a copy if it cannot make one.
fn keep_with(
    link: impl Fn(&Path, &Path) -> io::Result<()>,
    path: &Path,
    older: &Path,
    temporary: &Path,
) -> io::Result<()> {
    make_private(older.parent().unwrap_or(Path::new(".")))?;
    let (last, free) = numbers(older);
    // A run that was killed between keeping and replacing the file has kept it already.
    if last.is_some_and(|last| identity(&last) == identity(path)) {
        return Ok(());
    }
    match link(path, &free) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Not every file system has hard links. A rename would leave no current file if the run was
        // killed next.
        Err(_) => put(copy(path, temporary)?, &free),
    }
}

/// Copies a file with its time to a temporary file, and syncs it.
fn copy(path: &Path, temporary: &Path) -> io::Result<TempPath> {
    let mut from = File::open(path)?;
    let mut file = NamedTempFile::new_in(temporary)?;
    io::copy(&mut from, &mut file)?;
    file.as_file().set_modified(from.metadata()?.modified()?)?;
    file.as_file().sync_all()?;
    Ok(file.into_temp_path())
}

/// Returns the path of the newest older state of a file and the path for the next one.
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn without_hard_links_an_older_state_is_a_copy() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.zst");
        fs::write(&path, "packed").expect("writes");
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        let file = File::options().write(true).open(&path).expect("opens");
        file.set_modified(time).expect("sets the time");
        let no_links = |_: &Path, _: &Path| Err(io::ErrorKind::Unsupported.into());
        let older = folder.path().join("older/log");
        keep_with(no_links, &path, &older, folder.path()).expect("keeps it");
        for state in [path, packed_path(&folder.path().join("older/log.1"))] {
            assert_eq!(fs::read(&state).expect("a file"), b"packed");
            let modified = fs::metadata(&state).and_then(|data| data.modified());
            assert_eq!(modified.expect("a time"), time);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }
}
