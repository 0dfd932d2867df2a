//! Folders that only their owner may look into.
//!
//! What is indexed and what is kept as state is as private as the logs.

use std::fs;
use std::io;
use std::path::Path;

/// Makes a folder, and those above it, for its owner alone. A folder that exists stays as it is.
#[expect(clippy::disallowed_methods, reason = "a folder of our own")]
pub fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Tells whether other users may look into a folder.
#[cfg(unix)]
pub fn is_open_to_others(folder: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::metadata(folder)?.permissions().mode() & 0o077 != 0)
}

/// Tells whether other users may look into a folder. On this system the folders of a user are
/// private by themselves.
#[cfg(not(unix))]
pub(crate) fn is_open_to_others(folder: &Path) -> io::Result<bool> {
    fs::metadata(folder).map(|_| false)
}
