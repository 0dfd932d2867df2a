//! Files put in their place whole, or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::files::packed_path;
use crate::home::{FileIdentity, Stamp};

/// Makes a folder with those above it, readable by its owner alone.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes a file beside its place first; a reader sees the old one or the new one.
pub(super) fn write_whole(temporary: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_folder(temporary)?;
    let mut file = NamedTempFile::new_in(temporary)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}

/// Puts a file that was written and synced in its place.
pub(super) fn put(file: NamedTempFile, path: &Path) -> io::Result<()> {
    match file.persist(path) {
        Ok(_) => Ok(()),
        Err(failed) if failed.error.kind() == io::ErrorKind::NotFound => {
            make_folder(path.parent().unwrap_or(Path::new(".")))?;
            failed.file.persist(path)?;
            Ok(())
        }
        Err(failed) => Err(failed.error),
    }
}

/// Keeps the packed file at `path` under the first free number below `older`, also under its
/// own name until something else takes that.
pub(super) fn keep_older(path: &Path, older: &Path) -> io::Result<()> {
    make_folder(older.parent().unwrap_or(Path::new(".")))?;
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
    Stamp::of(&fs::metadata(path).ok()?).identity
}

/// Makes sure that the names in a folder outlast a loss of power.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
