//! Reads rows while the homes are walked.
//!
//! Reading all rows takes as long as finding out whether they are up to date, so a list does both
//! at once. The rows that are read ahead are those before the refresh; [`Index::rows_after`] reads
//! again those that the refresh changed. Nothing is written.

use std::path::{Path, PathBuf};

use super::catalogue::CatalogueError;
use super::{Index, paths, sealed};
use crate::home::Home;
use crate::rows::{AgentRows, SessionRow};

/// The number of changed sessions up to which each is searched among all rows. Chosen by judgement:
/// reading all rows again takes as long as searching for some hundreds.
const FEW: usize = 64;

/// The sessions whose rows a refresh changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChangedRows {
    /// The sessions whose logs are at these paths.
    Of(Vec<PathBuf>),
    /// It is not known which rows changed.
    Unknown,
}

impl Default for ChangedRows {
    fn default() -> Self {
        Self::Of(Vec::new())
    }
}

/// The rows of homes before a refresh, with agents counted in their sessions.
pub struct PrefetchedRows(Vec<SessionRow>);

impl PrefetchedRows {
    /// Reads the rows through a connection of its own; `None` if no index can be read.
    pub fn read(folder: &Path, homes: &[Home]) -> Option<Self> {
        let index = Index::open_for_reading(folder)?;
        index.rows(homes, AgentRows::Folded).ok().map(Self)
    }
}

impl Index {
    /// Updates rows that were read ahead to the state after a refresh, in no particular order;
    /// `None` if all have to be read again. No other process may have written meanwhile
    /// ([`Index::data_version`]).
    pub fn rows_after(
        &self,
        ahead: PrefetchedRows,
        changed: &ChangedRows,
    ) -> Result<Option<Vec<SessionRow>>, CatalogueError> {
        let ChangedRows::Of(changed) = changed else {
            return Ok(None);
        };
        if changed.len() > FEW {
            return Ok(None);
        }
        let mut rows = ahead.0;
        for path in changed {
            let sql = "SELECT homes.root, sessions.row FROM sessions \
                       JOIN homes ON homes.id = sessions.home WHERE sessions.path = ?";
            let stored = self.catalogue.one(sql, [paths::bytes(path)], |row| {
                Ok((paths::of(row, 0)?, row.get::<_, Vec<u8>>(1)?))
            })?;
            let Some((home, stored)) = stored else {
                return Ok(None);
            };
            let row: SessionRow = sealed::open(&stored)?;
            let row = SessionRow { home: Some(home), file: path.clone(), ..row };
            match rows.iter_mut().find(|known| known.file.as_os_str() == path.as_os_str()) {
                Some(known) => *known = row,
                None => rows.push(row),
            }
        }
        Ok(Some(rows))
    }
}
