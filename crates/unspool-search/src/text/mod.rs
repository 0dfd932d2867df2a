//! The full text: which words are where.
//!
//! A tantivy index in a folder next to the catalogue, one document for each part of a
//! message, without the text itself: a document says where its text is, and the code that
//! shows a hit reads it there. What goes in comes from the logs, which `extract` turns
//! into documents and `words` into words; how far each log was read is recorded in the
//! catalogue (`state`), so that only what is new is read.
//!
//! The full text advances on its own. It is brought up to date when a caller searches,
//! newest files first, and can be searched while that goes on. It is always usable: see
//! [`Freshness`].

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
mod stale;
mod state;
mod store;
#[cfg(test)]
mod tests;
mod whereabouts;
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
pub use stale::Coverage;
pub use whereabouts::{TextFile, TextOrigin};

use error::FailureKind;
use fields::IndexFields;
use stale::Stale;
use store::{CommitStamp, FoundIndex, Store};
use write::TextWriter;

use unspool_store::home::{Home, HomesFound};
use unspool_store::index::{Answerable, BUSY, Index, Patience};
use unspool_store::progress::Progress;
use unspool_store::session::SessionFileError;

/// The folder of the full text, inside the folder of the index.
const FOLDER: &str = "text";
/// How large an index in memory may get. Chosen by judgement: what a program may take without being
/// asked.
const MEMORY: usize = 256 << 20;

/// What the full text is to be brought up to date with.
struct Update<'r> {
    /// The folder of the full text; without one it lives in memory.
    folder: Option<&'r Path>,
    /// The homes that are searched.
    homes: &'r [Home],
    /// What a walk over them found; side files are known from it.
    found: &'r HomesFound,
    /// The time.
    now: SystemTime,
    /// Is told how it goes.
    progress: &'r dyn Progress,
    /// How long to wait for others.
    patience: Patience,
}

/// How far the full text is up to date.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Freshness {
    /// It contains everything that the catalogue knows of.
    #[default]
    Fresh,
    /// Another process is writing; this is what was there.
    Busy,
    /// Its folder cannot be written; this is what was there.
    ReadOnly,
    /// It could not be written, for this reason; this is what was there before.
    Failed(String),
    /// It lives in memory, which has no room for everything.
    Partial,
}

/// What came of bringing the full text up to date.
#[derive(Default, Debug)]
pub struct TextReport {
    /// How far it is up to date.
    pub freshness: Freshness,
    /// Whether it was damaged or of another version, and was rebuilt.
    pub rebuilt: bool,
    /// Whether it lives in memory, since its folder cannot be used.
    pub in_memory: bool,
    /// How much of the logs can be searched.
    pub coverage: Coverage,
    /// Files that could not be read.
    pub file_errors: Vec<SessionFileError>,
    /// How many bytes were read.
    pub read: u64,
}

/// The full text, open for searching.
pub struct TextIndex {
    pub(crate) searcher: Searcher,
    pub(crate) fields: IndexFields,
    /// The commit that was found when it was opened; what was written since may be there too.
    stamp: CommitStamp,
}

impl TextIndex {
    /// Opens the full text and brings it up to date with what the catalogue knows; `found` is
    /// what [`Index::refresh`] found.
    pub fn open(
        index: &Index,
        homes: &[Home],
        found: &HomesFound,
        now: SystemTime,
        progress: &dyn Progress,
    ) -> Result<(Self, TextReport), TextError> {
        let (folder, patience) = (folder_of(index), index.patience());
        let request = Update { folder: folder.as_deref(), homes, found, now, progress, patience };
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

    /// Opens the full text as it is; nothing is read and nothing is written.
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
            coverage: Stale::new(db, homes, &HomesFound::default(), now)?.coverage,
            ..TextReport::default()
        };
        Ok((Self::of(&store)?, report))
    }

    /// Opens the full text as the catalogue knows it; none if something is to be done first.
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

    /// Tells whether the catalogue knows of all that is in it.
    fn is_recorded(&self, db: &Connection) -> rusqlite::Result<bool> {
        Ok(state::read(db)? == Some(self.stamp))
    }

    /// Tells whether it contains everything that the catalogue knows of, and nothing else; `found`
    /// is what a walk over the homes found.
    pub fn is_fresh(
        &self,
        index: &Index,
        homes: &[Home],
        found: &HomesFound,
        now: SystemTime,
    ) -> bool {
        let db = index.database();
        let stale = || Stale::new(db, homes, found, now);
        self.is_recorded(db).is_ok_and(|recorded| recorded)
            && stale().is_ok_and(|stale| stale.is_settled())
    }
}

/// Returns the folder of the full text; none if it lives in memory.
fn folder_of(index: &Index) -> Option<PathBuf> {
    index.folder().map(|folder| folder.join(FOLDER))
}

/// Looks for an index that can be used with the records of the catalogue. One that they are not
/// about is unusable.
fn usable(db: &Connection, folder: &Path) -> rusqlite::Result<FoundIndex> {
    let recorded = state::read(db)?;
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
            // If it cannot be noted now, the next search looks again.
            let _ = at_once(db, || stale.note(db));
            return Ok((**store).clone());
        }
    }
    let answerable = if matches!(before, FoundIndex::Ready(_)) && report.coverage.is_mostly_there()
    {
        Answerable::FromIndex
    } else {
        Answerable::NotYet
    };
    let lock = match wait_for_lock(folder, answerable, request) {
        Ok(lock) => lock,
        Err(error) => {
            // Another process may have written something meanwhile.
            let now = usable(db, folder)?;
            return without_writing(db, now, &error, request, report);
        }
    };
    match update(db, folder, request, report) {
        Ok(store) => Ok(store),
        // Only a new catalogue helps, for this run and the next ones.
        Err(error) if error.is_damage() => Err(error),
        Err(error) => {
            drop(lock);
            let now = usable(db, folder)?;
            without_writing(db, now, &error, request, report)
        }
    }
}

/// Takes the lock of a folder. Another process may have it; the failure that is returned then is
/// that of the last try.
fn wait_for_lock(
    folder: &Path,
    answerable: Answerable,
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
    let taken = request.patience.wait(answerable, request.progress, attempt)?;
    taken.ok_or_else(|| busy.unwrap_or(TextError::Unbuilt))
}

/// Answers from what is there, or from memory if there is nothing. Memory has no room for what
/// another process is still reading: without an answer, that is an error.
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
                Stale::new(db, request.homes, &HomesFound::default(), request.now)?.coverage;
            Ok(*store)
        }
        (_, Freshness::Busy) => Err(TextError::Unbuilt),
        _ => in_memory(db, request, report),
    }
}

/// Does what is to be done in a folder that is locked.
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
    work(db, &store, request, report, || true)?;
    Ok(store.renewed())
}

fn in_memory(
    db: &Connection,
    request: &Update<'_>,
    report: &mut TextReport,
) -> Result<Store, TextError> {
    let (store, directory) = Store::in_memory()?;
    report.in_memory = true;
    if request.folder.is_some() {
        state::cover(db)?;
    }
    state::begin(db, store.stamp.identity)?;
    let fits = |directory: &RamDirectory| directory.total_mem_usage() < MEMORY;
    work(db, &store, request, report, || fits(&directory))?;
    report.freshness = if fits(&directory) { Freshness::Fresh } else { Freshness::Partial };
    Ok(store)
}

/// Reads what is stale and writes it, as long as `goes_on`.
fn work(
    db: &Connection,
    store: &Store,
    request: &Update<'_>,
    report: &mut TextReport,
    goes_on: impl Fn() -> bool,
) -> Result<(), TextError> {
    let stale = Stale::new(db, request.homes, request.found, request.now)?;
    let recorded = state::read(db)?.map_or(0, |state| state.batch);
    // A new index is committed also when there is nothing to put in: only a commit says what it is.
    let is_new = store.stamp.batch == 0;
    if is_new || !stale.is_empty() || recorded < store.stamp.batch {
        let mut result = Ok(Vec::new());
        request.progress.watch(stale.bytes(), &mut |done| {
            result = write(db, store, &stale, recorded, done, &goes_on);
        });
        report.file_errors = result?;
        report.read += stale.bytes();
    }
    let left = Stale::new(db, request.homes, &HomesFound::default(), request.now)?;
    report.coverage = left.coverage;
    let _ = at_once(db, || left.note(db));
    Ok(())
}

/// Does something with the catalogue without waiting for who else is writing.
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
    writer.take_back(recorded);
    writer.write(stale, goes_on)
}
