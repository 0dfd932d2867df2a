//! The index: what was learnt from the logs, kept so that nothing is read twice.
//!
//! The catalogue, one `SQLite` file, knows every log file with the offset up to which it was read,
//! one row for each session, and what totals are made of. It has nothing that the logs do not
//! say: deleting its folder loses nothing but time. The full text is in the same folder and is
//! the work of another crate, which records in [`Index::database`] how far it has read each log.
//!
//! An index is always usable. Where its folder cannot be written it lives in memory; where
//! it is damaged or of another version it is rebuilt; where another process is writing,
//! questions are answered from what is there. Each of these is a [`IndexNote`], not an error.

mod catalogue;
mod digest;
pub mod ledger;
mod lookup;
mod pages;
pub mod paths;
mod patience;
mod plan;
mod projects;
mod refresh;
mod rows_ahead;
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
pub use lookup::LedgerRow;
pub use pages::{PageQuery, RowPage, RowPlace};
pub use patience::{Answerable, Patience};
pub use projects::{IndexedProject, ProjectQuery};
pub use refresh::{RefreshBasis, Refreshed};
pub use rows_ahead::{ChangedRows, RowsAhead};
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
    /// Its folder cannot be used, so it lives in memory.
    InMemory {
        /// Why.
        reason: String,
    },
    /// Another process is writing; answers come from what is there.
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

/// The index, open.
pub struct Index {
    catalogue: Catalogue,
    folder: Option<PathBuf>,
    notes: Vec<IndexNote>,
    patience: Patience,
}

impl Index {
    /// Opens the index of a folder, or makes one.
    pub fn open(folder: &Path) -> Result<Self, CatalogueError> {
        Self::open_with(folder, Patience::default())
    }

    /// Opens the index of a folder, or makes one; says how long to wait for other processes.
    pub fn open_with(folder: &Path, patience: Patience) -> Result<Self, CatalogueError> {
        match Self::open_folder(folder, patience) {
            Ok((catalogue, notes)) => {
                Ok(Self { catalogue, folder: Some(folder.to_owned()), notes, patience })
            }
            Err(error) => {
                let mut index = Self::in_memory()?;
                index.notes.push(IndexNote::InMemory { reason: error.to_string() });
                Ok(index)
            }
        }
    }

    /// Makes an index that lives as long as the process.
    pub fn in_memory() -> Result<Self, CatalogueError> {
        Ok(Self {
            catalogue: Catalogue::in_memory()?,
            folder: None,
            notes: Vec::new(),
            patience: Patience::default(),
        })
    }

    /// Opens the index of a folder as it is, for reading alone; none if there is none that can be
    /// asked.
    pub fn open_for_reading(folder: &Path) -> Option<Self> {
        let catalogue = Catalogue::open_for_reading(folder).ok()??;
        Some(Self {
            catalogue,
            folder: Some(folder.to_owned()),
            notes: Vec::new(),
            patience: Patience::default(),
        })
    }

    fn open_folder(
        folder: &Path,
        patience: Patience,
    ) -> Result<(Catalogue, Vec<IndexNote>), CatalogueError> {
        make_private(folder).map_err(|error| at(folder, error))?;
        if let Ok(Some(catalogue)) = Catalogue::open_existing(folder) {
            return Ok((catalogue, Vec::new()));
        }
        let _lock = take_lock(folder, patience.first)?;
        // The process that held the lock may have done what is to be done.
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

    /// Tells whether it lives as long as the process.
    pub fn is_in_memory(&self) -> bool {
        self.folder.is_none()
    }

    /// Returns its folder; none if it lives as long as the process.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns how long it waits for other processes.
    pub fn patience(&self) -> Patience {
        self.patience
    }

    /// Returns the database of the catalogue. The full text has tables of its own in it; see
    /// [`schema::TEXT_TABLES`].
    pub fn database(&self) -> &Connection {
        &self.catalogue.db
    }

    /// Returns what the user should know, and forgets it.
    pub fn take_notes(&mut self) -> Vec<IndexNote> {
        std::mem::take(&mut self.notes)
    }

    /// Walks some homes and brings the catalogue up to date with what is there.
    ///
    /// Values that cannot be read are noticed when they are asked for; then
    /// [`Index::rebuild`] helps.
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
        // What another run could not finish is finished also where nothing has changed since.
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
                    if self.is_complete()? { Answerable::FromIndex } else { Answerable::NotYet };
                let taken = self.patience.wait(answerable, progress, || Lock::try_take(folder));
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

    /// Remembers what a walk found, so that the next one is shorter. Where that does not work,
    /// nothing is lost.
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

    /// Throws the catalogue away and begins a new one.
    pub fn rebuild(&mut self) -> Result<(), CatalogueError> {
        let Some(folder) = self.folder.clone() else {
            return Ok(());
        };
        self.catalogue = Catalogue::in_memory()?;
        let _lock = take_lock(&folder, self.patience.first)?;
        self.catalogue = recreated(&folder)?;
        self.notes.push(IndexNote::Rebuilt);
        Ok(())
    }

    /// Goes on in memory.
    fn fall_back(&mut self, error: &CatalogueError) -> Result<(), CatalogueError> {
        self.catalogue = Catalogue::in_memory()?;
        self.folder = None;
        self.notes.push(IndexNote::InMemory { reason: error.to_string() });
        Ok(())
    }

    /// Returns the rows of some homes, in no order.
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

    /// Pins a read snapshot of the catalogue, for many small questions.
    pub fn view(&self) -> CatalogueView<'_> {
        CatalogueView {
            // Without it every question sees the newest state, and takes a little longer.
            _transaction: self.catalogue.db.unchecked_transaction().ok(),
        }
    }

    /// Returns the row of one session of a home: the one whose log has this name in a project.
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

/// A state of the catalogue. As long as it is held, nothing can be written by its index.
pub struct CatalogueView<'i> {
    _transaction: Option<rusqlite::Transaction<'i>>,
}

fn log_path(home: &Path, project: &ProjectId, session: &SessionId) -> PathBuf {
    let folder = Home::new(home).projects_dir().join(project.as_str());
    folder.join(layout::log_name(session.as_str()))
}

/// The bytes of a log that are not on its active path, as ranges in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct OffPath(Vec<(u64, u64)>);

impl OffPath {
    /// Tells whether the entry at an offset is one of them.
    pub fn contains(&self, offset: u64) -> bool {
        let at = self.0.partition_point(|(_, end)| *end <= offset);
        self.0.get(at).is_some_and(|(start, _)| offset >= *start)
    }
}

/// Nothing was read.
fn as_found(walk: IndexWalk) -> Refreshed {
    Refreshed { found: walk.into_found(), ..Refreshed::default() }
}

/// Removes what is there and makes a new catalogue.
fn recreated(folder: &Path) -> Result<Catalogue, CatalogueError> {
    Catalogue::remove(folder)?;
    let (Opened::Blank(catalogue) | Opened::Ready(catalogue)) = Catalogue::open(folder)?;
    catalogue.create()?;
    Ok(catalogue)
}

fn take_lock(folder: &Path, patience: Duration) -> Result<Lock, CatalogueError> {
    let lock = Lock::take(folder, patience).map_err(|error| at(folder, error))?;
    lock.ok_or_else(|| at(folder, std::io::ErrorKind::WouldBlock.into()))
}

fn at(folder: &Path, error: std::io::Error) -> CatalogueError {
    CatalogueError::Folder { path: folder.to_owned(), error }
}
