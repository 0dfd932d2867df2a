//! A minimal writer with tantivy, as a reference: the least that indexing the texts of a home costs.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, anyhow};
use tantivy::schema::{Field, Schema, TEXT};
use tantivy::{IndexWriter, TantivyDocument};
use unspool_search::text::documents;

use crate::logs::walk;
use crate::stopwatch::{Lap, timed};

/// The memory of the writer, in bytes.
const HEAP: usize = 200_000_000;

/// The simplest use of tantivy: one field, the default tokenizer, as many threads as cores.
struct Bare {
    writer: IndexWriter,
    body: Field,
}

impl Bare {
    fn create(index: &Path) -> Result<tantivy::Index> {
        let mut schema = Schema::builder();
        schema.add_text_field("body", TEXT);
        std::fs::create_dir_all(index)?;
        Ok(tantivy::Index::create_in_dir(index, schema.build())?)
    }

    fn open(store: &tantivy::Index) -> Result<Self> {
        Ok(Self {
            writer: store.writer_with_num_threads(cores(), HEAP)?,
            body: store.schema().get_field("body")?,
        })
    }

    fn add(&self, text: String) -> Result<()> {
        let mut document = TantivyDocument::new();
        document.add_text(self.body, text);
        self.writer.add_document(document)?;
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.writer.commit()?;
        Ok(self.writer.wait_merging_threads()?)
    }
}

/// Lists the files of a home, the largest first.
fn files(home: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(home, &mut |path, metadata| {
        found.push((Reverse(metadata.len()), path));
    })?;
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Indexes texts that were read beforehand, so only the writer is measured.
pub(crate) fn texts(home: &Path, index: &Path) -> Result<Vec<Lap>> {
    let store = Bare::create(index)?;
    let mut texts = Vec::new();
    for path in files(home)? {
        documents(&path, |document| texts.push(document.text))?;
    }
    let (lap, ()) = timed(|| {
        let bare = Bare::open(&store)?;
        for text in texts {
            bare.add(text)?;
        }
        bare.finish()
    })?;
    Ok(vec![lap])
}

/// Indexes texts while half as many threads as cores read them from the files.
pub(crate) fn logs(home: &Path, index: &Path) -> Result<Vec<Lap>> {
    let store = Bare::create(index)?;
    let files = files(home)?;
    let next = AtomicUsize::new(0);
    let (lap, ()) = timed(|| {
        let bare = Bare::open(&store)?;
        let read = || -> Result<()> {
            while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut added = Ok(());
                documents(path, |document| {
                    if added.is_ok() {
                        added = bare.add(document.text);
                    }
                })?;
                added?;
            }
            Ok(())
        };
        thread::scope(|scope| {
            let readers: Vec<_> = (0..cores().div_ceil(2)).map(|_| scope.spawn(read)).collect();
            readers
                .into_iter()
                .try_for_each(|reader| reader.join().map_err(|_| anyhow!("a reader died"))?)
        })?;
        bare.finish()
    })?;
    Ok(vec![lap])
}
