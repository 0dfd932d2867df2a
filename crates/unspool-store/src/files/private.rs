//! Folders that only their owner can open.
//!
//! Index and state are as private as the logs.

use std::fs;
use std::io;
use std::path::Path;

/// Creates a folder and its missing parents for the owner alone. An existing folder stays
/// unchanged.
#[expect(clippy::disallowed_methods, reason = "a folder of our own")]
pub fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Returns whether other users can open a folder.
#[cfg(unix)]
pub fn is_open_to_others(folder: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::metadata(folder)?.permissions().mode() & 0o077 != 0)
}

/// Returns whether other users can open a folder. On this system a user's folders are private by
/// default.
#[cfg(not(unix))]
pub(crate) fn is_open_to_others(folder: &Path) -> io::Result<bool> {
    fs::metadata(folder).map(|_| false)
}
