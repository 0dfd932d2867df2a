//! The index: facts about the logs, stored so that no log is read twice.
//!
//! The catalogue, one `SQLite` file, has every log file with the offset up to which it was read,
//! one row for each session, and the ledgers that totals are made of. All its facts are from the
//! logs: deleting its folder loses nothing but time. The full text is in the same folder and is
//! maintained by another crate, which records in [`Index::database`] how far it has read each log.
//!
//! An index is always usable. If its folder cannot be written, it is kept in memory; if it is
//! damaged or of another version, it is rebuilt; if another process is writing, queries are
//! answered from its present content. Each of these is an [`IndexNote`], not an error.

mod catalogue;
mod digest;
pub mod ledger;
mod lock_timeouts;
mod lookup;
mod pages;
pub mod paths;
mod plan;
mod prefetched_rows;
mod projects;
mod refresh;
pub mod schema;
mod sealed;
#[cfg(test)]
mod tests;
mod titles;
mod walk;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use unspool_model::ids::{ProjectId, SessionId};

pub use catalogue::{BUSY, CatalogueError, FileId, is_damaged};
pub use lock_timeouts::{CanAnswer, LockTimeouts};
pub use lookup::LedgerRow;
pub use pages::{PageQuery, RowPage, RowPlace};
pub use prefetched_rows::{ChangedRows, PrefetchedRows};
pub use projects::{IndexedProject, ProjectQuery};
pub use refresh::{RefreshBasis, Refreshed};
pub use sealed::Damaged;

use self::catalogue::{Catalogue, Opened};
use self::walk::IndexWalk;
use crate::files::lock::Lock;
use crate::files::private::make_private;
use crate::home::{Home, layout};
use crate::progress::Progress;
use crate::rows::{AgentRows, SessionRow};

/// Something about the index that the user should know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IndexNote {
    /// It was damaged or of another version and is rebuilt.
    Rebuilt,
    /// Its folder cannot be used, so it is kept in memory.
    InMemory {
        /// The reason.
        reason: String,
    },
    /// Another process is writing; answers come from the present content.
    Busy,
}

impl fmt::Display for IndexNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rebuilt => {
                f.write_str("the index was damaged or of another version; rebuilding it")
            }
            Self::InMemory { reason } => write!(
                f,
                "the index is kept in memory for this run, since its folder cannot be used: {reason}"
            ),
            Self::Busy => f.write_str(
                "another process is updating the index; this answer may lack what is newest",
            ),
        }
    }
}

/// An open index.
pub struct Index {
    catalogue: Catalogue,
    folder: Option<PathBuf>,
    notes: Vec<IndexNote>,
    lock_timeouts: LockTimeouts,
}

impl Index {
    /// Opens the index in a folder, creating it if it is missing.
    pub fn open(folder: &Path) -> Result<Self, CatalogueError> {
        Self::open_with(folder, LockTimeouts::default())
    }

    /// Opens the index in a folder, with a limit on how long to wait for other processes.
    pub fn open_with(folder: &Path, lock_timeouts: LockTimeouts) -> Result<Self, CatalogueError> {
        match Self::open_folder(folder, lock_timeouts) {
            Ok((catalogue, notes)) => {
                Ok(Self { catalogue, folder: Some(folder.to_owned()), notes, lock_timeouts })
            }
            Err(error) => {
                let mut index = Self::in_memory()?;
                index.notes.push(IndexNote::InMemory { reason: error.to_string() });
                Ok(index)
            }
        }
    }

    /// Creates an index in memory.
    pub fn in_memory() -> Result<Self, CatalogueError> {
        Ok(Self {
            catalogue: Catalogue::in_memory()?,
            folder: None,
            notes: Vec::new(),
            lock_timeouts: LockTimeouts::default(),
        })
    }

    /// Opens the index in a folder read-only; `None` if there is none that can be queried.
    pub fn open_for_reading(folder: &Path) -> Option<Self> {
        let catalogue = Catalogue::open_for_reading(folder).ok()??;
        Some(Self {
            catalogue,
            folder: Some(folder.to_owned()),
            notes: Vec::new(),
            lock_timeouts: LockTimeouts::default(),
        })
    }

    fn open_folder(
        folder: &Path,
        lock_timeouts: LockTimeouts,
    ) -> Result<(Catalogue, Vec<IndexNote>), CatalogueError> {
        make_private(folder).map_err(|error| at(folder, error))?;
        if let Ok(Some(catalogue)) = Catalogue::open_existing(folder) {
            return Ok((catalogue, Vec::new()));
        }
        let _lock = take_lock(folder, lock_timeouts.first)?;
        // The process that had the lock may have created the catalogue meanwhile.
        match Catalogue::open(folder) {
            Ok(Opened::Ready(catalogue)) => Ok((catalogue, Vec::new())),
            Ok(Opened::Blank(catalogue)) => {
                catalogue.create()?;
                Ok((catalogue, Vec::new()))
            }
            Err(error) if error.is_damage() => Ok((recreated(folder)?, vec![IndexNote::Rebuilt])),
            Err(error) => Err(error),
        }
    }

    /// Returns whether the index is in memory.
    pub fn is_in_memory(&self) -> bool {
        self.folder.is_none()
    }

    /// Returns its folder; `None` if it is in memory.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns how long it waits for other processes.
    pub fn lock_timeouts(&self) -> LockTimeouts {
        self.lock_timeouts
    }

    /// Returns the connection to the catalogue. The full text has its own tables there; see
    /// [`schema::TEXT_TABLES`].
    pub fn database(&self) -> &Connection {
        &self.catalogue.db
    }

    /// Returns the notes for the user and clears them.
    pub fn take_notes(&mut self) -> Vec<IndexNote> {
        std::mem::take(&mut self.notes)
    }

    /// Walks homes and updates the catalogue.
    ///
    /// Damaged values are detected only when they are read; [`Index::rebuild`] then repairs the
    /// index.
    pub fn refresh(
        &mut self,
        homes: &[Home],
        basis: &RefreshBasis<'_>,
        progress: &dyn Progress,
    ) -> Result<Refreshed, CatalogueError> {
        match self.try_refresh(homes, basis, progress) {
            Err(error) if error.is_damage() && self.folder.is_some() => self.rebuild()?,
            Err(error) if self.folder.is_some() => self.fall_back(&error)?,
            done => return done,
        }
        let refreshed = self.try_refresh(homes, basis, progress)?;
        Ok(Refreshed { changed: ChangedRows::Unknown, ..refreshed })
    }

    fn try_refresh(
        &mut self,
        homes: &[Home],
        basis: &RefreshBasis<'_>,
        progress: &dyn Progress,
    ) -> Result<Refreshed, CatalogueError> {
        let walk = IndexWalk::new(&self.catalogue, homes)?;
        let priced = self.catalogue.prices()? == basis.prices.fingerprint();
        // Work that an earlier run left unfinished is done even if no file has changed since.
        let settled = priced && !self.catalogue.has_stale_titles()?;
        if walk.is_unchanged() && settled {
            return Ok(as_found(walk));
        }
        let seen = self.data_version()?;
        let mut plan = walk.plan(&self.catalogue)?;
        if plan.is_empty() && settled {
            self.remember(&walk, basis.now);
            return Ok(as_found(walk));
        }
        let _lock = match &self.folder {
            None => None,
            Some(folder) => {
                let answerable =
                    if self.is_complete()? { CanAnswer::FromIndex } else { CanAnswer::NotYet };
                let taken =
                    self.lock_timeouts.wait(answerable, progress, || Lock::try_take(folder));
                let Some(lock) = taken.map_err(|error| at(folder, error))? else {
                    self.notes.push(IndexNote::Busy);
                    return Ok(as_found(walk));
                };
                // Another process may have done the work meanwhile.
                if self.data_version()? != seen {
                    plan = walk.plan(&self.catalogue)?;
                }
                Some(lock)
            }
        };
        if !priced {
            refresh::reprice(&self.catalogue, basis.prices)?;
        }
        // Stale costs or titles and deleted sessions change rows that `apply` does not report.
        let are_all_told = settled && plan.gone_sessions.is_empty();
        let total = plan.bytes();
        let (mut plan, mut result) = (Some(plan), Ok(Refreshed::default()));
        progress.watch(total, &mut |read| {
            if let Some(plan) = plan.take() {
                result = refresh::apply(&self.catalogue, &walk, plan, basis, read);
            }
        });
        let found = walk.into_found();
        let mut refreshed = result?;
        if !are_all_told {
            refreshed.changed = ChangedRows::Unknown;
        }
        Ok(Refreshed { found, ..refreshed })
    }

    /// Stores what a walk found, so that the next one is shorter. A failure is ignored: nothing is
    /// lost.
    fn remember(&self, walk: &IndexWalk, now: SystemTime) {
        if !walk.is_worth_remembering(now) {
            return;
        }
        let lock = match &self.folder {
            None => None,
            Some(folder) => match Lock::take(folder, Duration::ZERO) {
                Ok(Some(lock)) => Some(lock),
                _ => return,
            },
        };
        let _ = refresh::remember(&self.catalogue, walk, now);
        drop(lock);
    }

    /// Deletes the catalogue and creates an empty one.
    pub fn rebuild(&mut self) -> Result<(), CatalogueError> {
        let Some(folder) = self.folder.clone() else {
            return Ok(());
        };
        self.catalogue = Catalogue::in_memory()?;
        let _lock = take_lock(&folder, self.lock_timeouts.first)?;
        self.catalogue = recreated(&folder)?;
        self.notes.push(IndexNote::Rebuilt);
        Ok(())
    }

    /// Continues with an empty index in memory.
    fn fall_back(&mut self, error: &CatalogueError) -> Result<(), CatalogueError> {
        self.catalogue = Catalogue::in_memory()?;
        self.folder = None;
        self.notes.push(IndexNote::InMemory { reason: error.to_string() });
        Ok(())
    }

    /// Returns the rows of homes, in no particular order.
    pub fn rows(
        &self,
        homes: &[Home],
        agents: AgentRows,
    ) -> Result<Vec<SessionRow>, CatalogueError> {
        let mut rows = Vec::new();
        for home in homes {
            self.catalogue.session_rows(home, &mut rows)?;
            if agents == AgentRows::Listed {
                self.catalogue.agent_rows(home, &mut rows)?;
            }
        }
        Ok(rows)
    }

    /// Pins a read snapshot of the catalogue, for many small queries.
    pub fn view(&self) -> CatalogueView<'_> {
        CatalogueView {
            // Without a transaction every query sees the newest state, and takes a little longer.
            _transaction: self.catalogue.db.unchecked_transaction().ok(),
        }
    }

    /// Returns the row of one session, by its home, its project and the name of its log.
    pub fn row(
        &self,
        home: &Path,
        project: &ProjectId,
        session: &SessionId,
    ) -> Result<Option<SessionRow>, CatalogueError> {
        let path = log_path(home, project, session);
        let row = self.catalogue.session_row(&path)?;
        Ok(row.map(|row| SessionRow { home: Some(home.to_owned()), file: path, ..row }))
    }
}

/// A read snapshot of the catalogue. While it exists, its index cannot write.
pub struct CatalogueView<'i> {
    _transaction: Option<rusqlite::Transaction<'i>>,
}

fn log_path(home: &Path, project: &ProjectId, session: &SessionId) -> PathBuf {
    let folder = Home::new(home).projects_dir().join(project.as_str());
    folder.join(layout::log_name(session.as_str()))
}

/// The byte ranges of a log that are not on its active path, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct OffPath(Vec<(u64, u64)>);

impl OffPath {
    /// Returns whether the entry at an offset is in one of the ranges.
    pub fn contains(&self, offset: u64) -> bool {
        let at = self.0.partition_point(|(_, end)| *end <= offset);
        self.0.get(at).is_some_and(|(start, _)| offset >= *start)
    }
}

/// Returns the result of a refresh that read no log.
fn as_found(walk: IndexWalk) -> Refreshed {
    Refreshed { found: walk.into_found(), ..Refreshed::default() }
}

/// Deletes the catalogue of a folder and creates an empty one.
fn recreated(folder: &Path) -> Result<Catalogue, CatalogueError> {
    Catalogue::remove(folder)?;
    let (Opened::Blank(catalogue) | Opened::Ready(catalogue)) = Catalogue::open(folder)?;
    catalogue.create()?;
    Ok(catalogue)
}

fn take_lock(folder: &Path, lock_timeouts: Duration) -> Result<Lock, CatalogueError> {
    let lock = Lock::take(folder, lock_timeouts).map_err(|error| at(folder, error))?;
    lock.ok_or_else(|| at(folder, std::io::ErrorKind::WouldBlock.into()))
}

fn at(folder: &Path, error: std::io::Error) -> CatalogueError {
    CatalogueError::Folder { path: folder.to_owned(), error }
}
