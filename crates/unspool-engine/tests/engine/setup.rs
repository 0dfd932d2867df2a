//! Libraries, indexes and sessions of temporary homes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime};

use unspool_engine::library::{Library, LibraryClock, LibrarySettings};
use unspool_engine::ops::list::{self, RowRequest};
use unspool_store::home::{
    Home, LiveSessions, Processes as _, Resolved, SystemProcesses, describe_log, discover_all,
};
use unspool_store::index::{Index, RefreshBasis, Refreshed};
use unspool_store::prices::PriceTable;
use unspool_store::progress::Unwatched;
use unspool_store::rows::{AgentRows, SessionRow};
use unspool_store::session::Session;
use unspool_testkit::{TestHome, uuid};

/// Returns settings for one home, with the clock at the epoch.
pub(crate) fn settings(home: &TestHome) -> LibrarySettings {
    LibrarySettings::of_home(home.path(), LibraryClock::fixed(SystemTime::UNIX_EPOCH))
}

pub(crate) fn library(home: &TestHome) -> Library {
    Library::open(settings(home)).expect("a library")
}

/// Opens the session of a file.
pub(crate) fn open(file: &Path) -> Option<Session> {
    let found = Resolved { home: None, project: None, target: describe_log(file).ok()? };
    Session::open(&found, None).ok()
}

/// Updates an index. Files that were just written count as settled.
pub(crate) fn refresh(index: &mut Index, homes: &[Home]) -> Refreshed {
    let now = SystemTime::now() + Duration::from_secs(10);
    let prices = &PriceTable::built_in();
    let refreshed = index.refresh(homes, &RefreshBasis { now, prices }, &Unwatched);
    refreshed.expect("an index that can be refreshed")
}

/// Reads all logs without an index.
pub(crate) fn read(homes: &[Home]) -> Vec<SessionRow> {
    let live = homes.iter().map(|home| LiveSessions::read(home, &SystemProcesses));
    let live: Vec<_> = live.collect();
    let request = RowRequest { agents: AgentRows::Listed, ..RowRequest::default() };
    let prices = PriceTable::built_in();
    list::list(&discover_all(homes), &live, &request, &prices, &AtomicU64::new(0)).rows
}

/// Returns rows by file, without the times of the files.
pub(crate) fn by_file(rows: Vec<SessionRow>) -> BTreeMap<PathBuf, SessionRow> {
    rows.into_iter().map(|row| (row.file.clone(), SessionRow { modified: 0, ..row })).collect()
}

/// Returns the client's record of a process that owns a session; `more` contains further fields.
pub(crate) fn process_record(pid: u32, name: &str, more: &str) -> String {
    let start = SystemProcesses.start_time(pid).expect("a process that runs");
    format!(r#"{{"pid":{pid},"sessionId":"{}","procStart":"{start}"{more}}}"#, uuid(name))
}
