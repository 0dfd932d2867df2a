//! The index before a refresh, for an answer that is begun before it is known to be up to date.
//!
//! Most searches come when nothing has changed since the last one. To find that out takes as
//! long as to answer, so both are done at once: one thread asks the index before the refresh, the
//! other walks the homes. If the walk finds no change, [`OpenedIndex::agrees_with`] says so and the
//! answer is used; else it is thrown away and the question is asked again. The index is only read:
//! it is neither created, repaired nor written.

use std::path::Path;
use std::time::SystemTime;

use unspool_store::home::{Home, HomesFound};
use unspool_store::index::Index;

use crate::text::TextIndex;

/// An index that was opened before a refresh.
pub struct OpenedIndex {
    /// The index.
    pub index: Index,
    /// Its full text.
    pub text: TextIndex,
    /// The state of the catalogue when it was opened.
    version: i64,
}

impl OpenedIndex {
    /// Opens the index of a folder; none if there is none, or if something is to be done first.
    pub fn open(folder: &Path) -> Option<Self> {
        let index = Index::open_for_reading(folder)?;
        let version = index.data_version().ok()?;
        let text = TextIndex::open_recorded(&index)?;
        Some(Self { index, text, version })
    }

    /// Tells whether no connection has written into the catalogue since it was opened.
    fn is_unchanged(&self) -> bool {
        let now = self.index.data_version();
        now.is_ok_and(|version| version == self.version)
    }

    /// Tells whether an index that was now brought up to date gives the answers that this one
    /// gave; `found` is what [`Index::refresh`] found.
    pub fn agrees_with(
        &self,
        index: &Index,
        homes: &[Home],
        found: &HomesFound,
        now: SystemTime,
    ) -> bool {
        // Asked last: if there was no write until now, both have seen the same catalogue.
        self.index.folder() == index.folder()
            && self.text.is_fresh(index, homes, found, now)
            && self.is_unchanged()
    }
}
