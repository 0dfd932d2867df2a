//! A session that is kept open while lines are written to it.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use unspool_engine::library::{Library, LibraryClock, LibrarySettings, SessionRequest};
use unspool_model::conversation::Extension;
use unspool_store::progress::Unwatched;

use crate::stopwatch::{Lap, timed};

/// How many lines are written.
const LINES: usize = 21;

/// Opens a copy of a log and reads one line more at a time, each of which hangs on the last.
pub(crate) fn laps(file: &Path) -> Result<Vec<Lap>> {
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("session.jsonl");
    fs::copy(file, &copy)?;
    let clock = LibraryClock::fixed(SystemTime::UNIX_EPOCH);
    let library = Library::open(LibrarySettings::of_home(folder.path(), clock))?;
    let name = copy.to_string_lossy();
    let open = library.open_session(&SessionRequest::named(&name), &Unwatched)?;
    let mut parent = last_uuid(&copy)?;
    let mut laps = Vec::new();
    for number in 0..LINES {
        let uuid = format!("00000000-0000-4000-8000-{number:012}");
        let line = serde_json::json!({
            "type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": "s",
            "timestamp": "2026-01-05T09:00:00.000Z",
            "message": {"role": "user", "content": "go on"},
        });
        let mut log = OpenOptions::new().append(true).open(&copy)?;
        writeln!(log, "{line}")?;
        let (lap, change) = timed(|| open.refresh(None))?;
        ensure!(
            matches!(change.history, Extension::Appended { .. }),
            "the session was read again: {:?}",
            change.history
        );
        laps.push(lap);
        parent = uuid;
    }
    Ok(laps)
}

/// Returns the uuid of the last entry of a log.
fn last_uuid(file: &Path) -> Result<String> {
    let text = fs::read_to_string(file)?;
    let last = text.lines().next_back().context("the log is empty")?;
    let record: Value = serde_json::from_str(last)?;
    let uuid = record["uuid"].as_str().context("the last line has no uuid")?;
    Ok(uuid.to_owned())
}
