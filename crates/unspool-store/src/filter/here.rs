//! The sessions of a folder: its own, those of folders inside it, and those of the same folder in
//! other worktrees of its git repository.
//!
//! Git is not run; its files are read: a linked worktree has a `.git` file that names its folder in
//! the repository, and the repository lists all its worktrees.

use std::fs;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use unspool_model::path_name::{self, FolderMatch, nfc};

use crate::rows::SessionRow;

/// The most bytes that are read of a git file with a path; such files are short.
const LIMIT: u64 = 16 * 1024;

/// The folders that count as one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Here {
    folders: Vec<PathBuf>,
}

impl Here {
    /// Finds the folders that count as the place of a folder.
    pub fn of(folder: &Path) -> Self {
        let mut folders = Vec::new();
        let mut add = |folder: &Path| {
            let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
            // Without a separator at the end, which would change the name of a project.
            for folder in [folder.components().collect(), real] {
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
        };
        add(folder);
        let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        if let Some((top, git)) = repository(&real) {
            let inside = real.strip_prefix(&top).unwrap_or(Path::new(""));
            for worktree in worktrees(&git) {
                add(&worktree.join(inside));
            }
        }
        Self { folders }
    }

    /// Finds the worktrees of the git repository that contains a folder, each as a whole; `None` if
    /// the folder is not in a repository.
    pub fn repository(folder: &Path) -> Option<Self> {
        let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let (top, _) = repository(&real)?;
        Some(Self::of(&top))
    }

    /// Returns the folders: first as given, then with links resolved, then those of worktrees.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Returns whether a session was in one of the folders or inside it.
    pub fn contains(&self, row: &SessionRow) -> bool {
        match row.cwd {
            Some(_) => row.cwds().any(|cwd| self.contains_folder(cwd)),
            None => self.is_project(row),
        }
    }

    /// Returns whether a folder is one of the folders or inside it.
    pub(super) fn contains_folder(&self, folder: &str) -> bool {
        let cwd = nfc(folder);
        self.folders
            .iter()
            .any(|folder| Path::new(&*cwd).starts_with(&*nfc(&folder.to_string_lossy())))
    }

    /// Returns whether a session with no known folder is in a project named after one of the folders.
    fn is_project(&self, row: &SessionRow) -> bool {
        row.project.as_ref().is_some_and(|project| {
            self.folders.iter().any(|folder| {
                let folder = folder.to_string_lossy();
                path_name::matches_folder(&folder, project.as_str()) == FolderMatch::Exact
            })
        })
    }
}

/// Finds the top of the worktree that contains a folder, and the git folder that its worktrees
/// share.
fn repository(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    for top in folder.ancestors() {
        let git = top.join(".git");
        if git.is_dir() {
            return Some((top.to_owned(), git));
        }
        let Some(text) = short_text(&git) else {
            continue;
        };
        let own = plain(top, text.strip_prefix("gitdir:")?.trim());
        let common = short_text(&own.join("commondir"));
        let git = common.map_or_else(|| own.clone(), |path| plain(&own, path.trim()));
        return Some((top.to_owned(), git));
    }
    None
}

/// Lists the folders of a repository's worktrees, including deleted ones that git still lists.
fn worktrees(git: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    if git.file_name().is_some_and(|name| name == ".git") {
        found.extend(git.parent().map(Path::to_owned));
    }
    let linked = fs::read_dir(git.join("worktrees")).into_iter().flatten();
    let mut linked: Vec<PathBuf> = linked.flatten().map(|item| item.path()).collect();
    linked.sort();
    for folder in linked {
        // Contains the path of the worktree's `.git` file.
        if let Some(text) = short_text(&folder.join("gitdir")) {
            let file = plain(&folder, text.trim());
            found.extend(file.parent().map(Path::to_owned));
        }
    }
    found
}

/// Reads a git file that contains one path.
fn short_text(path: &Path) -> Option<String> {
    if !path.is_file() {
        return None;
    }
    let mut text = String::new();
    let file = fs::File::open(path).ok()?;
    file.take(LIMIT).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Joins a path to a folder and resolves its `.` and `..`.
pub(super) fn plain(folder: &Path, path: &str) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}
