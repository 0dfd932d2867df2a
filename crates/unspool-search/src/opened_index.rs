//! The index before a refresh, for an answer that starts before the index is known to be fresh.
//!
//! At most searches, nothing has changed since the last one. Finding that out takes as long as
//! answering, so both run at once: one thread queries the index before the refresh, the other
//! walks the homes. If the walk finds no change, [`OpenedIndex::agrees_with`] returns true and
//! the answer is used; otherwise it is dropped and the query runs again. The index is only read:
//! it is not created, repaired or written.

use std::path::Path;
use std::time::SystemTime;

use unspool_store::home::{Home, WalkedHomes};
use unspool_store::index::Index;

use crate::text::TextIndex;

/// An index that was opened before a refresh.
pub struct OpenedIndex {
    /// The index.
    pub index: Index,
    /// Its full text.
    pub text: TextIndex,
    /// The data version of the catalogue when the index was opened.
    version: i64,
}

impl OpenedIndex {
    /// Opens the index of a folder; none if there is none, or if it must be repaired or updated first.
    pub fn open(folder: &Path) -> Option<Self> {
        let index = Index::open_for_reading(folder)?;
        let version = index.data_version().ok()?;
        let text = TextIndex::open_recorded(&index)?;
        Some(Self { index, text, version })
    }

    /// Tells whether no other connection has written to the catalogue since the index was opened.
    fn is_unchanged(&self) -> bool {
        let now = self.index.data_version();
        now.is_ok_and(|version| version == self.version)
    }

    /// Tells whether `index`, which was just brought up to date, gives the same answers as this
    /// one; `found` is the result of [`Index::refresh`].
    pub fn agrees_with(
        &self,
        index: &Index,
        homes: &[Home],
        found: &WalkedHomes,
        now: SystemTime,
    ) -> bool {
        // Checked last: if nothing has been written until now, both have read the same catalogue.
        self.index.folder() == index.folder()
            && self.text.is_fresh(index, homes, found, now)
            && self.is_unchanged()
    }
}
