//! An open session whose log grows.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Result, ensure};
use unspool_engine::library::{Library, LibraryClock, LibrarySettings, SessionRequest};
use unspool_model::conversation::Extension;
use unspool_store::progress::Unwatched;

use crate::served::GrowingLog;
use crate::stopwatch::{Lap, timed};

/// How many lines are appended.
const LINES: usize = 21;

/// Opens a copy of a log, then appends and reads one line at a time; each is a child of the last.
pub(crate) fn laps(file: &Path) -> Result<Vec<Lap>> {
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("session.jsonl");
    fs::copy(file, &copy)?;
    let clock = LibraryClock::fixed(SystemTime::UNIX_EPOCH);
    let library = Library::open(LibrarySettings::of_home(folder.path(), clock))?;
    let name = copy.to_string_lossy();
    let open = library.open_session(&SessionRequest::named(&name), &Unwatched)?;
    let mut log = GrowingLog::open(&copy)?;
    let mut laps = Vec::new();
    for _ in 0..LINES {
        log.append()?;
        let (lap, change) = timed(|| open.refresh(None))?;
        ensure!(
            matches!(change.history, Extension::Appended { .. }),
            "the session was read again: {:?}",
            change.history
        );
        laps.push(lap);
    }
    Ok(laps)
}
