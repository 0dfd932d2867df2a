//! Places in the work tree.

use std::path::{Path, PathBuf};

/// The repository root: the folder above this crate.
pub(crate) fn root() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.parent().unwrap_or(crate_folder).to_path_buf()
}
