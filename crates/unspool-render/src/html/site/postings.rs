//! An index from words to places, built with little memory.
//!
//! Words are added place by place and returned in alphabetical order. Words that do not fit into
//! memory are spilled to temporary files, sorted, and merged at the end.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// The most places kept in memory, at four bytes each.
const IN_MEMORY: usize = 4_000_000;

/// Words, with the places that contain them.
#[derive(Debug)]
pub(super) struct Postings {
    /// The folder for temporary files.
    folder: PathBuf,
    limit: usize,
    kept: usize,
    words: BTreeMap<Box<str>, Vec<u32>>,
    runs: Vec<File>,
}

impl Postings {
    /// Creates an empty index; unnamed temporary files go into `folder`.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, limit: IN_MEMORY, kept: 0, words: BTreeMap::new(), runs: Vec::new() }
    }

    /// Adds a place that contains a word. Places must be added in ascending order.
    pub(super) fn add(&mut self, word: &str, place: u32) -> io::Result<()> {
        match self.words.get_mut(word) {
            Some(places) => places.push(place),
            None => _ = self.words.insert(word.into(), vec![place]),
        }
        self.kept += 1;
        if self.kept >= self.limit {
            self.spill()?;
        }
        Ok(())
    }

    /// Spills the words in memory to a temporary file.
    #[expect(clippy::disallowed_methods, reason = "a file without a name")]
    fn spill(&mut self) -> io::Result<()> {
        let mut out = BufWriter::new(tempfile::tempfile_in(&self.folder)?);
        for (word, places) in std::mem::take(&mut self.words) {
            let length = word.len() as u32;
            out.write_all(&length.to_le_bytes())?;
            out.write_all(word.as_bytes())?;
            out.write_all(&(places.len() as u32).to_le_bytes())?;
            for place in places {
                out.write_all(&place.to_le_bytes())?;
            }
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        self.runs.push(file);
        self.kept = 0;
        Ok(())
    }

    /// Passes every word to a function in order, with its places in the order of `add`.
    pub(super) fn drain(
        mut self,
        mut word: impl FnMut(&str, Vec<u32>) -> io::Result<()>,
    ) -> io::Result<()> {
        self.spill()?;
        let mut runs: Vec<_> = self.runs.into_iter().map(BufReader::new).collect();
        let mut next = BinaryHeap::new();
        for (index, run) in runs.iter_mut().enumerate() {
            if let Some((word, places)) = read(run)? {
                next.push(Reverse((word, index, places)));
            }
        }
        let mut current: Option<(String, Vec<u32>)> = None;
        while let Some(Reverse((text, index, places))) = next.pop() {
            match &mut current {
                // The heap returns equal words in the order of their runs, and thus of their places.
                Some((last, all)) if *last == text => all.extend(places),
                _ => {
                    if let Some((last, all)) = current.replace((text, places)) {
                        word(&last, all)?;
                    }
                }
            }
            if let Some((text, places)) = read(&mut runs[index])? {
                next.push(Reverse((text, index, places)));
            }
        }
        match current {
            Some((last, all)) => word(&last, all),
            None => Ok(()),
        }
    }
}

/// Reads the next word of a run; `None` at the end of the run.
fn read(run: &mut impl Read) -> io::Result<Option<(String, Vec<u32>)>> {
    let mut number = [0; 4];
    match run.read_exact(&mut number) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        result => result?,
    }
    let mut word = vec![0; u32::from_le_bytes(number) as usize];
    run.read_exact(&mut word)?;
    let word = String::from_utf8(word).map_err(io::Error::other)?;
    run.read_exact(&mut number)?;
    let count = u32::from_le_bytes(number) as usize;
    let mut bytes = vec![0; count * 4];
    run.read_exact(&mut bytes)?;
    let places = bytes.as_chunks::<4>().0.iter();
    Ok(Some((word, places.map(|four| u32::from_le_bytes(*four)).collect())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drained(postings: Postings) -> Vec<(String, Vec<u32>)> {
        let mut all = Vec::new();
        let result = postings.drain(|word, places| {
            all.push((word.to_owned(), places));
            Ok(())
        });
        result.expect("temporary files can be read");
        all
    }

    #[test]
    fn words_come_out_in_order_whatever_fits_into_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        let texts = ["b a", "c b", "a", "b", "d a b"];
        let mut results = Vec::new();
        for limit in [1, 2, 3, 100] {
            let mut postings = Postings::new(folder.path().to_owned());
            postings.limit = limit;
            for (place, text) in texts.iter().enumerate() {
                for word in text.split(' ') {
                    postings.add(word, place as u32).expect("written");
                }
            }
            results.push(drained(postings));
        }
        let expected =
            [("a", vec![0, 2, 4]), ("b", vec![0, 1, 3, 4]), ("c", vec![1]), ("d", vec![4])];
        let expected: Vec<_> = expected.map(|(word, places)| (word.to_owned(), places)).into();
        for result in results {
            assert_eq!(result, expected);
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), 0, "nothing is left");
    }
}
