//! The full text: which words are where.
//!
//! A tantivy index in a folder next to the catalogue, with one document for each part of a
//! message. It does not store the text: a document has the place of its text, where the code that
//! shows a hit reads it. `extract` turns logs into documents, and `words` splits documents into
//! words. The catalogue records how far each log was read (`state`), so that only new lines are
//! read.
//!
//! A search brings the full text up to date, newest files first; meanwhile other processes can
//! search the commits so far. It can always be searched: see [`Freshness`].

mod directory;
mod document;
mod error;
pub(crate) mod extract;
pub(crate) mod fields;
pub(crate) mod follow;
mod merging;
mod origins;
mod queue;
pub(crate) mod reread;
pub(crate) mod side_files;
pub mod source;
mod source_file;
mod stale;
mod state;
mod store;
#[cfg(test)]
mod tests;
pub(crate) mod words;
mod write;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use tantivy::Searcher;
use tantivy::directory::{DirectoryLock, RamDirectory};

pub(crate) use document::role_of_number;
pub use document::{DocumentFlags, EntryPart, TextDocument, TextPlace, WritingStyle};
pub use error::TextError;
pub use extract::OWN_COMMANDS;
pub use source::{TextSource, documents, words_of};
pub use source_file::{TextFile, TextOrigin};
pub use stale::Coverage;

use error::FailureKind;
use fields::IndexFields;
use stale::Stale;
use store::{CommitStamp, FoundIndex, Store};
use write::TextWriter;

use unspool_store::home::{Home, WalkedHomes};
use unspool_store::index::{BUSY, CanAnswer, Index, LockTimeouts};
use unspool_store::progress::Progress;
use unspool_store::session::SessionFileError;

/// The subfolder of the index that contains the full text.
const FOLDER: &str = "text";
/// How large an index in memory may get. Chosen by judgement: memory that a program may use without
/// the user's consent.
const MEMORY: usize = 256 << 20;

/// The parameters of an update.
struct Update<'r> {
    /// The folder of the full text; none if it is in memory.
    folder: Option<&'r Path>,
    /// The homes to cover.
    homes: &'r [Home],
    /// The result of a walk over the homes, which lists the side files.
    found: &'r WalkedHomes,
    /// The current time.
    now: SystemTime,
    /// Receives progress updates.
    progress: &'r dyn Progress,
    /// How long to wait for other writers.
    lock_timeouts: LockTimeouts,
}

/// How far the full text is up to date.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Freshness {
    /// It covers everything in the catalogue.
    #[default]
    Fresh,
    /// Another process is writing; the last commit is used.
    Busy,
    /// The folder cannot be written; the last commit is used.
    ReadOnly,
    /// Writing failed, for this reason; the last commit is used.
    Failed(String),
    /// It is in memory, which has no room for everything.
    Partial,
}

/// The result of an update.
#[derive(Default, Debug)]
pub struct TextReport {
    /// How far it is up to date.
    pub freshness: Freshness,
    /// Whether it was rebuilt because it was damaged or of another version.
    pub rebuilt: bool,
    /// Whether it is in memory because its folder cannot be used.
    pub in_memory: bool,
    /// How much of the logs it covers.
    pub coverage: Coverage,
    /// Files that could not be read.
    pub file_errors: Vec<SessionFileError>,
    /// How many bytes the update read.
    pub read: u64,
}

/// The full text, open for searching.
pub struct TextIndex {
    pub(crate) searcher: Searcher,
    pub(crate) fields: IndexFields,
    /// The last commit when the index was opened; the searcher may already see a later one.
    stamp: CommitStamp,
}

impl TextIndex {
    /// Opens the full text and brings it up to date with the catalogue; `found` is the result
    /// of [`Index::refresh`].
    pub fn open(
        index: &Index,
        homes: &[Home],
        found: &WalkedHomes,
        now: SystemTime,
        progress: &dyn Progress,
    ) -> Result<(Self, TextReport), TextError> {
        let (folder, lock_timeouts) = (folder_of(index), index.lock_timeouts());
        let request =
            Update { folder: folder.as_deref(), homes, found, now, progress, lock_timeouts };
        Self::open_fresh(index.database(), &request)
    }

    fn open_fresh(db: &Connection, request: &Update<'_>) -> Result<(Self, TextReport), TextError> {
        let mut report = TextReport::default();
        let store = match request.folder {
            Some(folder) => on_disk(db, folder, request, &mut report)?,
            None => in_memory(db, request, &mut report)?,
        };
        Ok((Self::of(&store)?, report))
    }

    /// Opens the full text without updating it; reads no logs and writes nothing.
    pub fn open_as_it_is(
        index: &Index,
        homes: &[Home],
        now: SystemTime,
    ) -> Result<(Self, TextReport), TextError> {
        let db = index.database();
        let store = match folder_of(index).map(|folder| usable(db, &folder)) {
            Some(Ok(FoundIndex::Ready(store))) => *store,
            _ => Store::in_memory()?.0,
        };
        let report = TextReport {
            coverage: Stale::new(db, homes, &WalkedHomes::default(), now)?.coverage,
            ..TextReport::default()
        };
        Ok((Self::of(&store)?, report))
    }

    /// Opens the full text if its last commit is the one that the catalogue has recorded.
    pub(crate) fn open_recorded(index: &Index) -> Option<Self> {
        let db = index.database();
        let FoundIndex::Ready(store) = usable(db, &folder_of(index)?).ok()? else {
            return None;
        };
        let text = Self::of(&store).ok()?;
        text.is_recorded(db).ok()?.then_some(text)
    }

    fn of(store: &Store) -> Result<Self, TextError> {
        Ok(Self { searcher: store.searcher()?, fields: store.fields, stamp: store.stamp })
    }

    /// Tells whether the catalogue has recorded the commit at which this full text was opened.
    fn is_recorded(&self, db: &Connection) -> rusqlite::Result<bool> {
        Ok(state::read(db)? == Some(self.stamp))
    }

    /// Tells whether it covers exactly what the catalogue contains; `found` is the result of a
    /// walk over the homes.
    pub fn is_fresh(
        &self,
        index: &Index,
        homes: &[Home],
        found: &WalkedHomes,
        now: SystemTime,
    ) -> bool {
        let db = index.database();
        let stale = || Stale::new(db, homes, found, now);
        self.is_recorded(db).is_ok_and(|recorded| recorded)
            && stale().is_ok_and(|stale| stale.is_settled())
    }
}

/// Returns the folder of the full text; none if the index is in memory.
fn folder_of(index: &Index) -> Option<PathBuf> {
    index.folder().map(|folder| folder.join(FOLDER))
}

/// Opens the full text of a folder, if the records in the catalogue describe it; an index that
/// they do not describe is unusable.
fn usable(db: &Connection, folder: &Path) -> rusqlite::Result<FoundIndex> {
    let recorded = state::read(db)?;
    // A batch is committed before it is recorded, so the records may be older than the index,
    // never newer.
    let fits = |stamp: CommitStamp| {
        recorded.is_some_and(|known| known.identity == stamp.identity && known.batch <= stamp.batch)
    };
    Ok(match Store::open(folder) {
        FoundIndex::Ready(store) if !fits(store.stamp) => FoundIndex::Unusable,
        found => found,
    })
}

fn on_disk(
    db: &Connection,
    folder: &Path,
    request: &Update<'_>,
    report: &mut TextReport,
) -> Result<Store, TextError> {
    let before = usable(db, folder)?;
    if let FoundIndex::Ready(store) = &before {
        let recorded = state::read(db)? == Some(store.stamp);
        let stale = Stale::new(db, request.homes, request.found, request.now)?;
        report.coverage = stale.coverage;
        if stale.is_empty() && recorded {
            // If this write fails, the next search compares the logs again.
            let _ = at_once(db, || stale.note(db));
            return Ok((**store).clone());
        }
    }
    // With most of the logs indexed, a short wait for the lock is enough; otherwise there is
    // nothing to answer from before the other process is done.
    let answerable = if matches!(before, FoundIndex::Ready(_)) && report.coverage.is_mostly_there()
    {
        CanAnswer::FromIndex
    } else {
        CanAnswer::NotYet
    };
    let lock = match wait_for_lock(folder, answerable, request) {
        Ok(lock) => lock,
        Err(error) => {
            // The other process may have committed in the meantime.
            let now = usable(db, folder)?;
            return without_writing(db, now, &error, request, report);
        }
    };
    match update(db, folder, request, report) {
        Ok(store) => Ok(store),
        // Only recreating the catalogue helps, for this run and later ones.
        Err(error) if error.is_damage() => Err(error),
        Err(error) => {
            drop(lock);
            let now = usable(db, folder)?;
            without_writing(db, now, &error, request, report)
        }
    }
}

/// Takes the lock of the folder, waiting as long as `request` allows. If another process keeps
/// the lock, the error is that of the last attempt.
fn wait_for_lock(
    folder: &Path,
    answerable: CanAnswer,
    request: &Update<'_>,
) -> Result<DirectoryLock, TextError> {
    let mut busy = None;
    let attempt = || match store::lock(folder) {
        Err(error) if error.failure() == FailureKind::Busy => {
            busy = Some(error);
            Ok(None)
        }
        taken => taken.map(Some),
    };
    let taken = request.lock_timeouts.wait(answerable, request.progress, attempt)?;
    taken.ok_or_else(|| busy.unwrap_or(TextError::Unbuilt))
}

/// Answers from the last commit, or from memory if there is none. If another process is still
/// building the first index, that is an error: memory has no room for what it is reading.
fn without_writing(
    db: &Connection,
    there: FoundIndex,
    error: &TextError,
    request: &Update<'_>,
    report: &mut TextReport,
) -> Result<Store, TextError> {
    report.freshness = match error.failure() {
        FailureKind::Busy => Freshness::Busy,
        FailureKind::Denied => Freshness::ReadOnly,
        FailureKind::Other => Freshness::Failed(error.to_string()),
    };
    match (there, &report.freshness) {
        (FoundIndex::Ready(store), _) => {
            report.coverage =
                Stale::new(db, request.homes, &WalkedHomes::default(), request.now)?.coverage;
            Ok(*store)
        }
        (_, Freshness::Busy) => Err(TextError::Unbuilt),
        _ => in_memory(db, request, report),
    }
}

/// Updates the full text of a folder whose lock was taken.
fn update(
    db: &Connection,
    folder: &Path,
    request: &Update<'_>,
    report: &mut TextReport,
) -> Result<Store, TextError> {
    let store = match usable(db, folder)? {
        FoundIndex::Ready(store) => *store,
        other => {
            report.rebuilt = matches!(other, FoundIndex::Unusable) && state::read(db)?.is_some();
            let store = Store::create(folder)?;
            state::begin(db, store.stamp.identity)?;
            store
        }
    };
    work(db, store, request, report, || true)
}

fn in_memory(
    db: &Connection,
    request: &Update<'_>,
    report: &mut TextReport,
) -> Result<Store, TextError> {
    let (store, directory) = Store::in_memory()?;
    report.in_memory = true;
    if request.folder.is_some() {
        // The records in the catalogue describe the index on disk and must stay as they are.
        state::cover(db)?;
    }
    state::begin(db, store.stamp.identity)?;
    let fits = |directory: &RamDirectory| directory.total_mem_usage() < MEMORY;
    let store = work(db, store, request, report, || fits(&directory))?;
    report.freshness = if fits(&directory) { Freshness::Fresh } else { Freshness::Partial };
    Ok(store)
}

/// Reads stale files and writes their documents, as long as `goes_on` returns true; returns the
/// store with its last commit.
fn work(
    db: &Connection,
    store: Store,
    request: &Update<'_>,
    report: &mut TextReport,
    goes_on: impl Fn() -> bool,
) -> Result<Store, TextError> {
    let stale = Stale::new(db, request.homes, request.found, request.now)?;
    let recorded = state::read(db)?.map_or(0, |state| state.batch);
    // A new index is committed even if it is empty: its identity is in the commit.
    let is_new = store.stamp.batch == 0;
    // A batch that was committed and not recorded must be taken back even if no file is stale.
    if is_new || !stale.is_empty() || recorded < store.stamp.batch {
        let mut result = Ok(Vec::new());
        request.progress.watch(stale.bytes(), &mut |done| {
            result = write(db, &store, &stale, recorded, done, &goes_on);
        });
        report.file_errors = result?;
        report.read += stale.bytes();
    }
    let left = Stale::new(db, request.homes, &WalkedHomes::default(), request.now)?;
    report.coverage = left.coverage;
    let _ = at_once(db, || left.note(db));
    let stamp = state::read(db)?.unwrap_or(store.stamp);
    Ok(store.renewed(stamp))
}

/// Writes to the catalogue without waiting for other writers.
fn at_once<T>(db: &Connection, work: impl FnOnce() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    db.busy_timeout(Duration::ZERO)?;
    let done = work();
    db.busy_timeout(BUSY)?;
    done
}

fn write(
    db: &Connection,
    store: &Store,
    stale: &Stale,
    recorded: u64,
    done: &AtomicU64,
    goes_on: &impl Fn() -> bool,
) -> Result<Vec<SessionFileError>, TextError> {
    let mut writer = TextWriter::open(db, store, stale.bytes(), done)?;
    writer.delete_unrecorded(recorded);
    writer.write(stale, goes_on)
}
