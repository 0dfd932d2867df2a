//! Finds files of a folder that match a typed path, to complete `@` in a prompt without a running client.
//!
//! Returns paths relative to the folder, the best match first. Symlinks are neither followed nor listed, so
//! all files are inside the folder. The walk skips `.git`, `node_modules` and folders marked as caches
//! (`CACHEDIR.TAG`), and lists hidden names only if a dot was typed. It reads folders near the top first and
//! ends after [`MOST_READ`] names, so a file deep in a large folder may not be found. The caller must check
//! that the folder is trusted.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

/// The maximum number of names that are read. By judgement, this is enough for most repositories; reading it
/// from 420 folders took 12 to 20 ms on two cores.
const MOST_READ: usize = 20_000;
/// The maximum number of paths that are returned.
const MOST: usize = 50;
/// Folders whose files are not written by a person.
const LEFT_OUT: [&str; 2] = [".git", "node_modules"];
/// The file that marks a folder as a cache.
const CACHE_MARK: &str = "CACHEDIR.TAG";

/// How a path matches, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum PathFit {
    /// The path begins with the typed text.
    Path,
    /// The file name begins with the typed text.
    Name,
    /// The path contains the typed text.
    Inside,
    /// The path contains the letters of the typed text in their order.
    Letters,
}

/// Returns the paths of matching files below a folder, the best match first. A folder that cannot be read has
/// no files.
pub(crate) fn matching_files(folder: &Path, typed: &str) -> Vec<String> {
    let shows_hidden = typed.starts_with('.') || typed.contains("/.");
    let typed = typed.to_lowercase();
    let mut found = Vec::new();
    let mut left = MOST_READ;
    // Relative paths of folders to read, each with a slash at its end; the first is the folder itself.
    let mut folders = VecDeque::from([String::new()]);
    while let Some(below) = folders.pop_front().filter(|_| left > 0) {
        let names = names_in(&folder.join(&below), left);
        left -= names.len();
        if names.iter().any(|(name, _)| name == CACHE_MARK) {
            continue;
        }
        for (name, kind) in names {
            let is_hidden = name.starts_with('.') && !shows_hidden;
            // The client ends a path after `@` at the first blank.
            let can_be_written = !name.contains(|c: char| c.is_whitespace() || c.is_control());
            if is_hidden || !can_be_written {
                continue;
            }
            let path = format!("{below}{name}");
            if kind.is_file() {
                found.extend(fit(&path, &typed).map(|fit| (fit, path)));
            } else if kind.is_dir() && !LEFT_OUT.contains(&name.as_str()) {
                folders.push_back(path + "/");
            }
        }
    }
    // The sort is stable: among equal matches, files near the top stay first.
    found.sort_by_key(|(fit, _)| *fit);
    found.into_iter().map(|(_, path)| path).take(MOST).collect()
}

/// Returns the names and types of up to `most` entries of a folder, sorted. A symlink has its own type.
fn names_in(folder: &Path, most: usize) -> Vec<(String, fs::FileType)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.take(most).filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Some((name, entry.file_type().ok()?))
    });
    let mut names: Vec<_> = names.collect();
    names.sort_by(|(a, _), (b, _)| a.cmp(b));
    names
}

/// Returns how a path matches a text in lower case; `None` if it does not.
fn fit(path: &str, typed: &str) -> Option<PathFit> {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    if path.starts_with(typed) {
        Some(PathFit::Path)
    } else if name.starts_with(typed) {
        Some(PathFit::Name)
    } else if path.contains(typed) {
        Some(PathFit::Inside)
    } else {
        let mut letters = path.chars();
        let is_there = typed.chars().all(|wanted| letters.any(|c| c == wanted));
        is_there.then_some(PathFit::Letters)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder_with(paths: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for path in paths {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        folder
    }

    #[test]
    fn the_best_come_first_and_those_near_the_top_before_others() {
        let folder = folder_with(&[
            "src/main.rs",
            "main.md",
            "docs/remains.md",
            "src/deep/main.rs",
            "my_admin.rs",
            "other.txt",
        ]);
        let found = matching_files(folder.path(), "Main");
        let expected =
            ["main.md", "src/main.rs", "src/deep/main.rs", "docs/remains.md", "my_admin.rs"];
        assert_eq!(found, expected);
        assert_eq!(matching_files(folder.path(), "src/d"), ["src/deep/main.rs"]);
        assert_eq!(matching_files(folder.path(), "rxt"), ["other.txt"]);
        assert_eq!(matching_files(folder.path(), "").len(), 6);
    }

    #[test]
    fn links_caches_and_hidden_names_are_left_out() {
        let elsewhere = folder_with(&["secret.txt"]);
        let folder = folder_with(&[
            ".env",
            ".github/secret.yml",
            ".git/secret",
            "node_modules/secret/index.js",
            "target/CACHEDIR.TAG",
            "target/debug/secret",
            "two words/secret.txt",
        ]);
        symlink(elsewhere.path(), folder.path().join("way")).expect("a link");
        let file = elsewhere.path().join("secret.txt");
        symlink(file, folder.path().join("secret-link")).expect("a link");
        assert_eq!(matching_files(folder.path(), "secret"), [""; 0]);
        assert_eq!(matching_files(folder.path(), ".env"), [".env"]);
        assert_eq!(matching_files(folder.path(), ".git"), [".github/secret.yml"]);
    }

    #[test]
    fn work_and_answer_are_bounded() {
        let folder = tempfile::tempdir().expect("a folder");
        for number in 0..MOST + 5 {
            fs::write(folder.path().join(format!("file{number}")), "").expect("a file");
        }
        assert_eq!(matching_files(folder.path(), "file").len(), MOST);
        assert_eq!(names_in(folder.path(), 7).len(), 7);
        assert_eq!(matching_files(&folder.path().join("none"), ""), [""; 0]);
    }
}
