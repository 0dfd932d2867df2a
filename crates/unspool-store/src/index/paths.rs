//! Converts paths to bytes and back, for tables that store them as the system gave them.

#[cfg(unix)]
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rusqlite::Row;

/// Returns the bytes of a path.
pub fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Returns the path in a column.
pub fn of(row: &Row<'_>, column: usize) -> rusqlite::Result<PathBuf> {
    Ok(path(row.get_ref(column)?.as_blob().unwrap_or_default()))
}

/// Returns the path with these bytes.
#[cfg(unix)]
pub fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// Returns the path with these bytes. Names that are not Unicode never match, so their files are
/// read again.
#[cfg(not(unix))]
pub fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
