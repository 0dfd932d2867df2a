//! Finds the side files of a home, which are files next to the logs, and those that have changed.
//!
//! Spilled outputs, tasks, plans, journals and the history of prompts belong to the full
//! text. A folder is listed only if its time has changed, and no file is read here. Links are
//! never followed, so no text from outside a home is indexed.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::Connection;

use unspool_store::files::{self, FileStamp, is_settled, to_nanos};
use unspool_store::home::layout::{
    HISTORY, PLANS, TASKS, TODOS, session_folder_of, session_in_name,
};
use unspool_store::home::{SideFileKind, WalkedHome};
use unspool_store::index::paths;
use unspool_store::tail::Prints;

/// How old a spilled output must be to count as finished. Chosen by judgement: few commands
/// run for a day.
const FINISHED: Duration = Duration::from_hours(24);

/// A side file to read.
#[derive(Clone, Debug)]
pub(crate) struct ChangedSideFile {
    /// Its id in `text_sides`; none for a new file.
    pub(crate) id: Option<i64>,
    pub(crate) home: i64,
    /// The session's name; empty if unknown.
    pub(crate) session: String,
    pub(crate) kind: SideFileKind,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    /// The modification time in nanoseconds; 0 if the file may still change within the same clock tick.
    pub(crate) modified: i64,
    /// How many bytes were read before.
    pub(crate) read: u64,
    /// The prints of those bytes, for a file that grows.
    pub(crate) prints: Prints,
}

/// The changes to the side files of a home.
#[derive(Default, Debug)]
pub(crate) struct SideFileChanges {
    pub(crate) changed: Vec<ChangedSideFile>,
    pub(crate) gone: Vec<(i64, SideFileKind)>,
    pub(crate) folders: Vec<(PathBuf, i64)>,
    /// Folders that are gone. Their times are forgotten, since a folder that comes back with its
    /// old time must be listed.
    pub(crate) gone_folders: Vec<PathBuf>,
}

/// The recorded state of a side file.
struct KnownSide {
    id: i64,
    kind: SideFileKind,
    bytes: i64,
    modified: i64,
    prints: Prints,
}

/// A side file outside the projects of its home.
#[derive(Clone, Debug)]
pub(crate) struct HomeSide {
    pub(crate) kind: SideFileKind,
    pub(crate) path: PathBuf,
    /// The session's name; empty if unknown.
    pub(crate) session: String,
    pub(crate) stamp: FileStamp,
}

/// Lists the tasks, the plans and the history of a home, without using the records.
pub(crate) fn home_sides(root: &Path) -> Vec<HomeSide> {
    let mut found = Vec::new();
    let mut file = |path: PathBuf, kind, session: Option<&str>| {
        let look = files::path_info_no_follow(&path).ok();
        if let Some(look) = look.filter(files::PathInfo::is_file) {
            let named = || task_session(&path).unwrap_or_default();
            found.push(HomeSide {
                kind,
                session: session.map_or_else(named, str::to_owned),
                stamp: look.stamp,
                path,
            });
        }
    };
    for (name, kind) in [(TODOS, SideFileKind::Task), (PLANS, SideFileKind::Plan)] {
        for path in texts_in(&root.join(name)) {
            file(path, kind, None);
        }
    }
    for folder in folders_in(&root.join(TASKS)) {
        let session = folder.file_name().map(|name| name.to_string_lossy());
        for path in texts_in(&folder) {
            file(path, SideFileKind::Task, session.as_deref());
        }
    }
    file(root.join(HISTORY), SideFileKind::History, None);
    found
}

/// Lists the files of a folder that may contain text; none if the folder is a link.
fn texts_in(folder: &Path) -> Vec<PathBuf> {
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    let mut paths: Vec<PathBuf> = entries(folder)
        .filter(|_| !folder.is_symlink())
        .filter(is_file)
        .map(|entry| files::plain_path(entry.path()))
        .filter(|path| is_text(path))
        .collect();
    paths.sort();
    paths
}

/// Lists the subfolders of a folder; none if the folder is a link.
fn folders_in(parent: &Path) -> Vec<PathBuf> {
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut folders: Vec<PathBuf> = entries(parent)
        .filter(|_| !parent.is_symlink())
        .filter(is_folder)
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    folders
}

/// Compares the side files of a home with the records.
pub(crate) fn survey(
    db: &Connection,
    home: i64,
    found: &WalkedHome,
    now: SystemTime,
) -> rusqlite::Result<SideFileChanges> {
    let sides = known_sides(db, home)?;
    let mut inside: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
    for path in sides.keys() {
        let folder = path.parent().unwrap_or(Path::new(""));
        inside.entry(folder.to_owned()).or_default().push(path.clone());
    }
    let mut folders = known_folders(db)?;
    folders.retain(|folder, _| folder.starts_with(&found.home().root));
    let mut surveyor = SideFileScanner {
        home,
        now,
        unseen: folders.keys().cloned().collect(),
        folders,
        sides,
        inside,
        present: HashSet::new(),
        survey: SideFileChanges::default(),
    };
    surveyor.home_files(&found.home().root);
    for (outputs, session) in found.outputs() {
        surveyor.folder(&outputs, SideFileKind::Output, Some(&session));
    }
    for file in found.foreign() {
        let session = journal_session(&file);
        surveyor.file(&file, SideFileKind::Journal, session.as_deref());
    }
    Ok(surveyor.finish())
}

fn known_folders(db: &Connection) -> rusqlite::Result<HashMap<PathBuf, i64>> {
    let mut statement = db.prepare_cached("SELECT path, modified FROM text_folders")?;
    statement.query_map([], |row| Ok((paths::of(row, 0)?, row.get(1)?)))?.collect()
}

fn known_sides(db: &Connection, home: i64) -> rusqlite::Result<HashMap<PathBuf, KnownSide>> {
    let sql = "SELECT path, id, kind, bytes, modified, head_print, tail_print FROM text_sides \
               WHERE home = ?";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([home], |row| {
        let known = KnownSide {
            id: row.get(1)?,
            kind: SideFileKind::of_number(row.get(2)?).unwrap_or(SideFileKind::Output),
            bytes: row.get(3)?,
            modified: row.get(4)?,
            prints: Prints {
                head: row.get::<_, i64>(5)? as u64,
                tail: row.get::<_, i64>(6)? as u64,
            },
        };
        Ok((paths::of(row, 0)?, known))
    })?;
    rows.collect()
}

struct SideFileScanner {
    home: i64,
    now: SystemTime,
    folders: HashMap<PathBuf, i64>,
    /// Recorded folders that the scan has not reached yet.
    unseen: HashSet<PathBuf>,
    sides: HashMap<PathBuf, KnownSide>,
    /// Recorded files, by folder.
    inside: HashMap<PathBuf, Vec<PathBuf>>,
    /// Recorded files that still exist.
    present: HashSet<i64>,
    survey: SideFileChanges,
}

impl SideFileScanner {
    fn home_files(&mut self, root: &Path) {
        self.file(&root.join(HISTORY), SideFileKind::History, None);
        self.folder(&root.join(TODOS), SideFileKind::Task, None);
        self.folder(&root.join(PLANS), SideFileKind::Plan, None);
        let tasks = root.join(TASKS);
        for folder in self.folders_in(&tasks) {
            let session = folder.file_name().map(|name| name.to_string_lossy());
            let session = session.map(std::borrow::Cow::into_owned);
            self.folder(&folder, SideFileKind::Task, session.as_deref());
        }
    }

    /// Returns the subfolders of a folder, from the records if it has not changed.
    fn folders_in(&mut self, parent: &Path) -> Vec<PathBuf> {
        let Some(modified) = self.folder_time(parent) else {
            return Vec::new();
        };
        if self.folders.get(parent) == Some(&modified) && modified != 0 {
            let inside = |path: &&PathBuf| path.parent() == Some(parent);
            return self.folders.keys().filter(inside).cloned().collect();
        }
        self.survey.folders.push((parent.to_owned(), modified));
        folders_in(parent)
    }

    /// Checks the files of a folder, listing the folder only if it has changed.
    fn folder(&mut self, folder: &Path, kind: SideFileKind, session: Option<&str>) {
        let Some(modified) = self.folder_time(folder) else {
            return;
        };
        // Edits of files do not change the time of their folder, so known files are checked.
        if self.folders.get(folder) == Some(&modified) && modified != 0 {
            for path in self.inside.remove(folder).unwrap_or_default() {
                self.file(&path, kind, session);
            }
            return;
        }
        self.survey.folders.push((folder.to_owned(), modified));
        for path in texts_in(folder) {
            self.file(&path, kind, session);
        }
    }

    fn file(&mut self, path: &Path, kind: SideFileKind, session: Option<&str>) {
        let known = self.sides.get(path);
        if let Some(known) = known
            && self.is_finished(known)
        {
            self.present.insert(known.id);
            return;
        }
        let look = files::path_info_no_follow(path).ok();
        let Some(look) = look.filter(files::PathInfo::is_file) else {
            return;
        };
        let modified = self.settled(Some(look.stamp.modified));
        let bytes = look.stamp.bytes;
        let known = self.sides.get(path);
        if let Some(known) = known {
            self.present.insert(known.id);
            if known.bytes == bytes as i64 && known.modified == modified && modified != 0 {
                return;
            }
        }
        let named = || task_session(path).unwrap_or_default();
        self.survey.changed.push(ChangedSideFile {
            id: known.map(|known| known.id),
            home: self.home,
            session: session.map_or_else(named, str::to_owned),
            kind,
            path: path.to_owned(),
            bytes,
            modified,
            read: known.map_or(0, |known| known.bytes.max(0) as u64),
            prints: known.map(|known| known.prints).unwrap_or_default(),
        });
    }

    fn is_finished(&self, known: &KnownSide) -> bool {
        let age = to_nanos(self.now).saturating_sub(known.modified);
        let finished = i64::try_from(FINISHED.as_nanos()).unwrap_or(i64::MAX);
        known.kind == SideFileKind::Output
            && known.modified != 0
            && known.bytes >= 0
            && age > finished
    }

    fn folder_time(&mut self, folder: &Path) -> Option<i64> {
        let metadata = fs::symlink_metadata(folder).ok()?;
        if !metadata.is_dir() {
            return None;
        }
        self.unseen.remove(folder);
        Some(self.settled(metadata.modified().ok()))
    }

    /// Returns a time in nanoseconds, or 0 if it is too recent to be trusted.
    fn settled(&self, time: Option<SystemTime>) -> i64 {
        time.filter(|time| is_settled(*time, self.now)).map_or(0, to_nanos)
    }

    fn finish(mut self) -> SideFileChanges {
        let present = &self.present;
        let gone = self.sides.values().filter(|side| !present.contains(&side.id));
        self.survey.gone = gone.map(|side| (side.id, side.kind)).collect();
        self.survey.gone_folders = self.unseen.into_iter().collect();
        self.survey
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Tells whether the name of a file allows that it contains text.
fn is_text(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let pictures = ["jpg", "jpeg", "png", "gif", "webp", "pdf", "zip", "lock"];
    !name.starts_with('.') && !pictures.contains(&ending.to_ascii_lowercase().as_str())
}

/// Returns the session whose id the name of a file begins with.
fn task_session(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let session = session_in_name(&name);
    unspool_model::ids::is_uuid(session).then(|| session.to_owned())
}

/// Returns the session of a workflow's journal: the name of the folder around `subagents`.
pub(crate) fn journal_session(path: &Path) -> Option<String> {
    let session = session_folder_of(path)?.file_name()?;
    Some(session.to_string_lossy().into_owned())
}
