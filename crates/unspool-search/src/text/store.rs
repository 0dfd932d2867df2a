//! Opens and creates the tantivy index, on disk or in memory.

#![expect(clippy::disallowed_methods, reason = "the index is files")]

use std::fs;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::Path;

use tantivy::directory::{Directory, DirectoryLock, Lock, RamDirectory};
use tantivy::index::SegmentComponent;
use tantivy::{Index, IndexReader, IndexSettings, ReloadPolicy, Searcher, TantivyError};
use unspool_store::files::private::make_private;

use super::directory::IndexFolder;
use super::error::TextError;
use super::fields::{IndexFields, register_tokenizers, schema};

/// The version of the fields, the tokenizer, the stored numbers and the choice of texts. An index
/// of another version is rebuilt.
const VERSION: u32 = 7;

/// An open index.
#[derive(Clone)]
pub(crate) struct Store {
    pub(crate) index: Index,
    pub(crate) fields: IndexFields,
    pub(crate) stamp: CommitStamp,
    /// The last commit when the store was opened.
    searcher: Option<Searcher>,
}

/// The identity of a commit, kept in its payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CommitStamp {
    /// A random number that distinguishes this index from earlier ones in the same folder.
    pub(crate) identity: i64,
    /// The number of the last batch.
    pub(crate) batch: u64,
}

impl CommitStamp {
    /// Returns the stamp as the payload of a commit.
    pub(crate) fn payload(self) -> String {
        format!("{VERSION} {} {}", self.identity, self.batch)
    }

    fn read(payload: &str) -> Option<Self> {
        let mut words = payload.split(' ');
        let version: u32 = words.next()?.parse().ok()?;
        let stamp =
            Self { identity: words.next()?.parse().ok()?, batch: words.next()?.parse().ok()? };
        (version == VERSION).then_some(stamp)
    }
}

/// Creates the folder, which only its owner can read, and takes its lock: there is one
/// writer at a time.
pub(crate) fn lock(folder: &Path) -> Result<DirectoryLock, TextError> {
    make_private(folder)?;
    let lock = Lock { filepath: ".writing.lock".into(), is_blocking: false };
    let taken = IndexFolder::open(folder)?.acquire_lock(&lock);
    Ok(taken.map_err(|error| TantivyError::LockFailure(error, None))?)
}

/// The content of the folder.
pub(crate) enum FoundIndex {
    /// A usable index.
    Ready(Box<Store>),
    /// No index.
    Nothing,
    /// An index that is damaged or of another version.
    Unusable,
}

impl Store {
    /// Opens the index of a folder.
    pub(crate) fn open(folder: &Path) -> FoundIndex {
        if !folder.join("meta.json").exists() {
            return FoundIndex::Nothing;
        }
        match Self::try_open(folder) {
            Ok(Some(store)) => FoundIndex::Ready(Box::new(store)),
            Ok(None) | Err(_) => FoundIndex::Unusable,
        }
    }

    fn try_open(folder: &Path) -> Result<Option<Self>, TextError> {
        let index = Index::open(IndexFolder::open(folder)?)?;
        let (schema, fields) = schema();
        let payload = index.load_metas()?.payload;
        let stamp = payload.as_deref().and_then(CommitStamp::read);
        let Some(stamp) = stamp.filter(|_| index.schema() == schema) else {
            return Ok(None);
        };
        register_tokenizers(&index);
        let mut store = Self { index, fields, stamp, searcher: None };
        // Opens every file, so that damage is noticed here and not during a search.
        store.searcher = Some(store.newest()?);
        Ok(store.columns_are_whole()?.then_some(store))
    }

    /// Verifies the checksums of the columns of all segments.
    ///
    /// Damaged postings make tantivy fail, but a damaged column would return wrong values. The
    /// columns are small and read anyway, so this takes a few milliseconds.
    fn columns_are_whole(&self) -> Result<bool, TextError> {
        const COLUMNS: [SegmentComponent; 2] =
            [SegmentComponent::FastFields, SegmentComponent::FieldNorms];
        let folder = self.index.directory();
        for segment in self.index.searchable_segment_metas()? {
            let deletes = segment.has_deletes().then_some(SegmentComponent::Delete);
            for column in COLUMNS.into_iter().chain(deletes) {
                let file = segment.relative_path(column);
                if !folder.validate_checksum(&file).map_err(TantivyError::from)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Deletes the content of a folder and creates a new index there. The folder must be
    /// [locked](lock).
    pub(crate) fn create(folder: &Path) -> Result<Self, TextError> {
        for entry in fs::read_dir(folder)?.flatten() {
            let name = entry.file_name();
            if !name.to_string_lossy().ends_with(".lock") {
                remove(&entry.path())?;
            }
        }
        Self::create_in(IndexFolder::open(folder)?)
    }

    /// Creates an index in memory.
    pub(crate) fn in_memory() -> Result<(Self, RamDirectory), TextError> {
        let directory = RamDirectory::create();
        Ok((Self::create_in(directory.clone())?, directory))
    }

    fn create_in(directory: impl Into<Box<dyn Directory>>) -> Result<Self, TextError> {
        let (schema, fields) = schema();
        let index = Index::create(directory, schema, IndexSettings::default())?;
        register_tokenizers(&index);
        Ok(Self {
            index,
            fields,
            stamp: CommitStamp {
                identity: (RandomState::new().hash_one(VERSION) >> 1) as i64,
                batch: 0,
            },
            searcher: None,
        })
    }

    /// Returns a searcher of the commit at which the store was opened.
    pub(crate) fn searcher(&self) -> tantivy::Result<Searcher> {
        match &self.searcher {
            Some(searcher) => Ok(searcher.clone()),
            None => self.newest(),
        }
    }

    /// Returns a searcher of the last commit.
    pub(crate) fn newest(&self) -> tantivy::Result<Searcher> {
        let reader: IndexReader = self
            .index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .doc_store_cache_num_blocks(1)
            .try_into()?;
        Ok(reader.searcher())
    }

    /// Drops the searcher of the commit at which the store was opened: there is a newer one, with
    /// this stamp.
    pub(crate) fn renewed(self, stamp: CommitStamp) -> Self {
        Self { stamp, searcher: None, ..self }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    if path.is_dir() && !path.is_symlink() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}
