//! A clock that tests set: the time is a number in a file.

use std::fs;
use std::path::{Path, PathBuf};

use unspool_drive::DriveClock;
use unspool_model::time::Time;

/// The time at which tests start: 2026-11-17T12:00:00Z.
const BEGIN: i64 = 1_794_916_800_000;

/// The clock of a test and its hosts.
#[derive(Clone, Debug)]
pub(crate) struct FileClock {
    path: PathBuf,
}

impl FileClock {
    /// Uses the file of a folder.
    pub(crate) fn in_folder(state: &Path) -> Self {
        let path = state.join("clock");
        Self { path }
    }

    /// Advances the clock. A host reads the clock at its next event.
    #[allow(dead_code, reason = "the harness only reads the time")]
    pub(crate) fn pass(&self, seconds: i64) {
        let now = self.now().as_millis() + seconds * 1000;
        // A host may read the file at this moment.
        let draft = self.path.with_extension("new");
        fs::write(&draft, now.to_string()).expect("a clock");
        fs::rename(draft, &self.path).expect("a clock");
    }
}

impl DriveClock for FileClock {
    fn now(&self) -> Time {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        Time::from_millis(text.parse().unwrap_or(BEGIN))
    }
}
