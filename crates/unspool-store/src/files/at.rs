//! Platform-specific file access: opening paths that may not be regular files, and reading at an
//! offset without a cursor that readers would have to share.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a path for reading without blocking, neither on a pipe without a writer nor on a file that
/// another process has a lease on.
#[cfg(unix)]
pub(super) fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?.into())
}

/// Opens a path for reading.
#[cfg(windows)]
pub(super) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Opens a lock file, creating it if it is missing. Links are not followed, and the call does not
/// block.
#[cfg(unix)]
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::RDWR
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::NOCTTY
        | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::from_raw_mode(0o666))?.into())
}

/// Opens a lock file, creating it if it is missing.
#[cfg(windows)]
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true).open(path)
}

/// Reads bytes at an offset; none at the end of the file.
#[cfg(unix)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

/// Reads bytes at an offset; none at the end of the file.
#[cfg(windows)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

/// Fills the buffer from an offset on; a file that ends too early is an error.
pub(super) fn read_exact_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read_at(file, &mut buffer[filled..], at + filled as u64) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
