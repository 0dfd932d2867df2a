//! Tests that archive small homes, change them, and restore them.

mod changes;
mod damage;
mod hostile;
mod packing;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use unspool_testkit::TestHome;

use super::restore::{self, restore};
use super::store::{self, ArchiveTrust, Mode, WantedSessions, store};
use super::verify::{ArchiveVerdict, verify};
use super::*;
use crate::files::packed_path;
use crate::home::{Discovery, Home, discover};
use crate::progress::Unwatched;

/// A home and a folder for its archive.
struct ArchiveWorld {
    home: TestHome,
    folder: TempDir,
}

impl ArchiveWorld {
    fn new() -> Self {
        Self { home: TestHome::new(), folder: tempfile::tempdir().expect("a folder") }
    }

    /// Archives a home that contains one log with `count` lines.
    fn with_log(count: usize) -> Self {
        let world = Self::new();
        world.write(LOG, lines(count), 100);
        world.store();
        world
    }

    fn archive(&self) -> PathBuf {
        self.folder.path().join("archive")
    }

    /// Returns the path of the log in the archive.
    fn packed_log(&self) -> PathBuf {
        packed_path(&self.archive().join("home-1").join(LOG))
    }

    fn verify(&self) -> ArchiveVerdict {
        verify(&self.archive(), &Unwatched).expect("verifies")
    }

    /// Writes a file of the home and sets its modification time back by `age`.
    fn write(&self, below: &str, bytes: impl AsRef<[u8]>, age: u64) -> PathBuf {
        let path = self.home.path().join(below);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(&path, bytes).expect("writes");
        set_age(&path, age);
        path
    }

    fn store(&self) -> store::ArchiveReport {
        let report = self.try_store(Mode::Write).expect("archives");
        assert!(report.file_errors.is_empty(), "{:?}", report.file_errors);
        report
    }

    fn try_store(&self, mode: Mode) -> Result<store::ArchiveReport, ArchiveError> {
        self.store_with(mode, ArchiveTrust::Stamps)
    }

    fn store_with(
        &self,
        mode: Mode,
        trust: ArchiveTrust,
    ) -> Result<store::ArchiveReport, ArchiveError> {
        let (archive, found) = (self.archive(), [discover(&Home::new(self.home.path()))]);
        store(&store::ArchiveRequest { mode, trust, ..whole(&archive, &found) }, &Unwatched)
    }

    /// Restores everything into a new folder and returns it.
    fn restore(&self) -> PathBuf {
        self.restore_only(&WantedSessions::Everything)
    }

    fn restore_only(&self, wanted: &WantedSessions) -> PathBuf {
        let target = self.folder.path().join("restored");
        let _ = fs::remove_dir_all(&target);
        let report = self.try_restore(&target, wanted);
        assert!(report.file_errors.is_empty(), "{:?}", report.file_errors);
        assert!(report.refused.is_empty(), "{:?}", report.refused);
        target
    }

    fn restore_to(&self, target: &Path) -> restore::RestoreReport {
        self.try_restore(target, &WantedSessions::Everything)
    }

    fn try_restore(&self, target: &Path, wanted: &WantedSessions) -> restore::RestoreReport {
        let request =
            restore::RestoreRequest { archive: &self.archive(), wanted, target, mode: Mode::Write };
        restore(&request, &Unwatched).expect("restores")
    }

    /// Asserts that the archive restores to the present content of the home.
    fn assert_whole(&self) {
        assert_eq!(contents(&self.restore()), contents(self.home.path()));
    }
}

/// Requests an archive of everything in some homes.
fn whole<'a>(archive: &'a Path, homes: &'a [Discovery]) -> store::ArchiveRequest<'a> {
    store::ArchiveRequest {
        archive,
        homes,
        wanted: &WantedSessions::Everything,
        mode: Mode::Write,
        trust: ArchiveTrust::Stamps,
        now: SystemTime::now(),
    }
}

fn set_age(path: &Path, age: u64) {
    let file = fs::File::options().write(true).open(path).expect("opens");
    let time = SystemTime::now() - Duration::from_secs(age);
    file.set_modified(time).expect("sets the time");
}

/// Returns all files below a folder with their times.
fn contents(root: &Path) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let entry = entry.expect("a name");
            let path = entry.path();
            if entry.file_type().expect("a type").is_dir() {
                open.push(path);
            } else {
                let modified = entry.metadata().and_then(|data| data.modified());
                let bytes = fs::read(&path).expect("a file");
                let below = path.strip_prefix(root).expect("inside").to_owned();
                found.insert(below, (modified.expect("a time"), bytes));
            }
        }
    }
    found
}

const ID: &str = "11111111-1111-4111-8111-111111111111";
const LOG: &str = "projects/-srv-demo/11111111-1111-4111-8111-111111111111.jsonl";

/// Returns a log of `count` lines.
fn lines(count: usize) -> String {
    let line = |number| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{number}\",\"sessionId\":\"{ID}\",\"message\":{{\"content\":\"{}\"}}}}\n",
            "word ".repeat(number % 60)
        )
    };
    (0..count).map(line).collect()
}
