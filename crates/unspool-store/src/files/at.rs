//! What systems do in different ways: opening what may be no file, and reading at a place,
//! without a cursor that readers would have to share.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens what is at a path, for reading, without waiting: not for who writes into a pipe, nor for
/// who has a file to himself.
#[cfg(unix)]
pub(super) fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?.into())
}

/// Opens what is at a path, for reading.
#[cfg(windows)]
pub(super) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Opens what is at a path, for a lock, and makes an empty file if nothing is there. A link is not
/// followed, and opening does not wait for another process.
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

/// Opens what is at a path, for a lock, and makes an empty file if nothing is there.
#[cfg(windows)]
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true).open(path)
}

/// Reads some bytes at a place; none at the end of the file.
#[cfg(unix)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

/// Reads some bytes at a place; none at the end of the file.
#[cfg(windows)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

/// Fills the buffer from a place on; a file that ends before is an error.
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
