//! Lists one folder in a fixed order.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Problem, Reason, layout};
use crate::files;

/// What a name in a folder leads to, through links.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ItemKind {
    Folder,
    File,
    Other,
}

/// One name in a folder.
pub(crate) struct FolderItem {
    pub(crate) name: OsString,
    pub(crate) path: PathBuf,
    pub(crate) kind: ItemKind,
    pub(crate) linked: bool,
}

impl FolderItem {
    /// Returns the name as text, and reports a name that is not UTF-8.
    pub(crate) fn text(&self, problems: &mut Vec<Problem>) -> String {
        if let Some(name) = self.name.to_str() {
            return name.to_owned();
        }
        problems.push(Problem::new(&self.path, Reason::NotUtf8));
        self.name.to_string_lossy().into_owned()
    }

    /// Returns whether the name ends in `.jsonl`.
    pub(crate) fn is_log(&self) -> bool {
        layout::is_log(Path::new(&self.name))
    }
}

/// Lists a folder, sorted by name. Errors become problems.
pub(crate) fn list(folder: &Path, problems: &mut Vec<Problem>) -> Vec<FolderItem> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            problems.push(folder_problem(folder, &error));
            return Vec::new();
        }
    };
    let mut items = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => items.extend(item(&entry, problems)),
            Err(error) => {
                // A directory stream that failed once may fail for ever.
                problems.push(Problem::io(folder, &error));
                break;
            }
        }
    }
    unpack_names(folder, &mut items);
    items.sort_by(|a, b| a.name.cmp(&b.name));
    items
}

/// Gives the files of an archive their plain names.
fn unpack_names(folder: &Path, items: &mut [FolderItem]) {
    let plain = |item: &FolderItem| files::plain_name(&item.name);
    if !items.iter().any(|item| plain(item).is_some()) || !files::in_archive(folder) {
        return;
    }
    for item in items.iter_mut().filter(|item| item.kind == ItemKind::File) {
        if let Some(name) = plain(item) {
            item.path.set_file_name(&name);
            item.name = name;
        }
    }
}

fn folder_problem(folder: &Path, error: &io::Error) -> Problem {
    match error.kind() {
        io::ErrorKind::NotFound if folder.is_symlink() => {
            Problem::new(folder, Reason::DanglingLink)
        }
        io::ErrorKind::NotFound => Problem::new(folder, Reason::Missing),
        io::ErrorKind::NotADirectory => Problem::new(folder, Reason::NotAFolder),
        _ => Problem::io(folder, error),
    }
}

fn item(entry: &fs::DirEntry, problems: &mut Vec<Problem>) -> Option<FolderItem> {
    let path = entry.path();
    let found = entry.file_type().and_then(|own| {
        let linked = own.is_symlink();
        let real = if linked { fs::metadata(&path)?.file_type() } else { own };
        Ok((linked, real))
    });
    match found {
        Ok((linked, real)) => {
            let kind = if real.is_dir() {
                ItemKind::Folder
            } else if real.is_file() {
                ItemKind::File
            } else {
                ItemKind::Other
            };
            let name = entry.file_name();
            Some(FolderItem { name, path, kind, linked })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // If this is not a link, the file was deleted meanwhile, which is not a problem.
            if path.is_symlink() {
                problems.push(Problem::new(path, Reason::DanglingLink));
            }
            None
        }
        Err(error) => {
            problems.push(Problem::io(&path, &error));
            None
        }
    }
}
