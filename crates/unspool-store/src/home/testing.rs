//! A small home in a temporary folder.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::{Discovery, Home, discover};

/// A folder that is deleted after the test.
pub(crate) struct HomeFixture(TempDir);

impl HomeFixture {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    pub(crate) fn home(&self) -> Home {
        Home::new(self.0.path())
    }

    pub(crate) fn discover(&self) -> Discovery {
        discover(&self.home())
    }

    pub(crate) fn folder(&self, relative: &str) {
        fs::create_dir_all(self.path(relative)).expect("a folder");
    }

    pub(crate) fn file(&self, relative: &str, content: &str) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, content).expect("a file");
        path
    }

    /// Writes a log that was last changed at a given second after a fixed time.
    pub(crate) fn log(&self, relative: &str, second: u64) -> PathBuf {
        let path = self.file(relative, "{\"type\":\"user\"}\n");
        self.touch(relative, second);
        path
    }

    pub(crate) fn touch(&self, relative: &str, second: u64) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + second);
        File::options()
            .append(true)
            .open(self.path(relative))
            .and_then(|file| file.set_modified(time))
            .expect("a time");
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, target: impl AsRef<std::path::Path>, relative: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::os::unix::fs::symlink(target, path).expect("a link");
    }
}
