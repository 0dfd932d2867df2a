//! The source files of the project.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the root folder of the project.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder").to_owned()
}

/// Passes every file below a folder to `each`, without build output and hidden files.
pub(super) fn walk(folder: &Path, each: &mut impl FnMut(&Path)) {
    for item in fs::read_dir(folder).expect("a folder") {
        let path = item.expect("an item").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == "target" || name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            walk(&path, each);
        } else {
            each(&path);
        }
    }
}

/// Passes every line of the Rust files below a folder to `each`: its place, and the line.
pub(super) fn code(folder: &Path, each: &mut impl FnMut(&str, &str)) {
    walk(folder, &mut |path| {
        if path.extension().is_none_or(|extension| extension != "rs") {
            return;
        }
        let text = fs::read_to_string(path).expect("a text");
        let path = path.strip_prefix(root()).expect("a file of the project");
        for (number, line) in (1..).zip(text.lines()) {
            each(&format!("{}:{number}", path.display()), line);
        }
    });
}
