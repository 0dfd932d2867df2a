//! Files that appear when they are complete.
//!
//! A transcript is written to a temporary file next to its destination and renamed at the end, so a
//! run that is killed leaves the previous transcript, or nothing. Its temporary files stay, without
//! a lock, and the next run removes them.

#![expect(clippy::disallowed_methods, reason = "exports are files")]

use std::collections::HashMap;
use std::fs::{self, TryLockError};
use std::hash::BuildHasher as _;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use foldhash::quality::FixedState;
use tempfile::{Builder, NamedTempFile};

use crate::document::Paper;
use unspool_store::files;

/// The size of a write.
const BUFFER: usize = 256 * 1024;

/// A transcript's file, its further pages, and a folder with its side files.
pub(super) struct FilePaper {
    folder: PathBuf,
    stem: String,
    extension: &'static str,
    page: BufWriter<NamedTempFile>,
    /// Complete pages that are not in place yet.
    done: Vec<NamedTempFile>,
    /// Side files of the transcript, by a fingerprint of their content.
    side_files: HashMap<(usize, u64, u64), String>,
    counts: HashMap<String, u32>,
    bytes: u64,
    failed: bool,
}

/// The totals of a written transcript.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Finished {
    /// The number of bytes, including side files.
    pub(super) bytes: u64,
    /// The number of pages.
    pub(super) pages: u32,
    /// The number of side files.
    pub(super) side_files: usize,
}

impl FilePaper {
    /// Begins a transcript with this file name in an existing folder.
    pub(super) fn new(folder: &Path, name: &str, extension: &'static str) -> io::Result<Self> {
        let ending = format!(".{extension}");
        Ok(Self {
            folder: folder.to_owned(),
            stem: name.strip_suffix(&ending).unwrap_or(name).to_owned(),
            extension,
            page: begin(folder)?,
            done: Vec::new(),
            side_files: HashMap::new(),
            counts: HashMap::new(),
            bytes: 0,
            failed: false,
        })
    }

    /// Returns whether a write has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }

    /// Renames all pages to their final names.
    pub(super) fn finish(mut self) -> io::Result<Finished> {
        let last = self.page.into_inner().map_err(io::IntoInnerError::into_error)?;
        self.done.push(last);
        let pages = self.done.len() as u32;
        for (page, file) in (1u32..).zip(self.done) {
            let name = page_name(&self.stem, self.extension, page);
            settle(file, &self.folder.join(name))?;
        }
        Ok(Finished { bytes: self.bytes, pages, side_files: self.side_files.len() })
    }

    /// Records whether a write failed, and passes its result on.
    fn watch<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        self.failed |= result.is_err();
        result
    }

    fn put_side_file(&mut self, stem: &str, extension: &str, bytes: &[u8]) -> io::Result<String> {
        let count = self.counts.entry(stem.to_owned()).or_default();
        *count += 1;
        let folder = format!("{}_files", self.stem);
        let name = format!("{stem}-{count}.{extension}");
        let path = self.folder.join(&folder);
        fs::create_dir_all(&path)?;
        if self.side_files.is_empty() {
            sweep(&path);
        }
        let mut file = begin(&path)?;
        file.write_all(bytes)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        settle(file, &path.join(&name))?;
        self.bytes += bytes.len() as u64;
        Ok(format!("{folder}/{name}"))
    }
}

impl Write for FilePaper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.page.write(bytes);
        let written = self.watch(written)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.page.flush();
        self.watch(flushed)
    }
}

impl Paper for FilePaper {
    fn side_file(
        &mut self,
        stem: &str,
        extension: &str,
        bytes: &[u8],
    ) -> io::Result<Option<String>> {
        let mark = mark(bytes);
        if let Some(known) = self.side_files.get(&mark) {
            return Ok(Some(known.clone()));
        }
        let put = self.put_side_file(stem, extension, bytes);
        let name = self.watch(put)?;
        self.side_files.insert(mark, name.clone());
        Ok(Some(name))
    }

    fn has_pages(&self) -> bool {
        true
    }

    fn page_name(&self, page: u32) -> String {
        page_name(&self.stem, self.extension, page)
    }

    fn turn_page(&mut self) -> io::Result<()> {
        let next = begin(&self.folder);
        let next = self.watch(next)?;
        let page = std::mem::replace(&mut self.page, next);
        let page = page.into_inner().map_err(io::IntoInnerError::into_error);
        let page = self.watch(page)?;
        self.done.push(page);
        Ok(())
    }
}

fn page_name(stem: &str, extension: &str, page: u32) -> String {
    match page {
        0 | 1 => format!("{stem}.{extension}"),
        _ => format!("{stem}_page{page}.{extension}"),
    }
}

/// Returns the fingerprint of a content: its length and two hashes.
fn mark(bytes: &[u8]) -> (usize, u64, u64) {
    let hash = |seed| FixedState::with_seed(seed).hash_one(bytes);
    (bytes.len(), hash(1), hash(2))
}

/// The prefix and the suffix of the names of temporary files.
const TEMPORARY: (&str, &str) = (".unspool-", ".tmp");
/// How often creating a temporary file is tried while other runs remove it.
const TRIES: u32 = 8;

/// Creates a temporary file and locks it, which marks it as in use.
fn begin(folder: &Path) -> io::Result<BufWriter<NamedTempFile>> {
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The usual mode of new files; the umask restricts it.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    for _ in 0..TRIES {
        let file = builder.tempfile_in(folder)?;
        // Another run may have removed the file before it was locked. On a disk without locks no
        // run can lock, and thus remove, a file, so errors other than `WouldBlock` do not matter.
        let taken = matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if !taken && file.path().exists() {
            return Ok(BufWriter::with_capacity(BUFFER, file));
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

/// Removes the temporary files that killed runs left in a folder.
pub(super) fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let regular = entry.file_type().is_ok_and(|kind| kind.is_file());
        if regular && name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1) {
            // A file that cannot be removed does no harm.
            let _ = remove_unlocked(&entry.path());
        }
    }
}

/// Removes a temporary file unless a run is writing to it.
fn remove_unlocked(path: &Path) -> io::Result<()> {
    let (file, _) = files::open_regular(path)?;
    match file.try_lock() {
        Ok(()) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

/// Renames a complete file to its final name, which replaces an existing file.
fn settle(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_run_left_is_swept_and_what_is_written_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [".unspool-abc.tmp", ".unspool-abc", "x.tmp", "transcript_a.md"] {
            fs::write(folder.path().join(name), "half").expect("writes");
        }
        fs::create_dir(folder.path().join(".unspool-folder.tmp")).expect("a folder");
        let mut paper = FilePaper::new(folder.path(), "transcript_b.md", "md").expect("a file");
        paper.write_all(b"one").expect("room");
        sweep(folder.path());
        paper.finish().expect("still there");
        assert_eq!(
            names(folder.path()),
            [".unspool-abc", ".unspool-folder.tmp", "transcript_a.md", "transcript_b.md", "x.tmp"]
        );
    }

    #[test]
    fn a_transcript_appears_when_it_is_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut paper = FilePaper::new(folder.path(), "transcript_a.md", "md").expect("a file");
        paper.write_all(b"one").expect("room");
        paper.turn_page().expect("room");
        paper.write_all(b"two").expect("room");
        let picture = paper.side_file("image", "png", b"png").expect("room");
        assert_eq!(picture.as_deref(), Some("transcript_a_files/image-1.png"));
        assert_eq!(paper.side_file("image", "png", b"png").expect("room"), picture);
        let other = paper.side_file("image", "png", b"another").expect("room");
        assert_eq!(other.as_deref(), Some("transcript_a_files/image-2.png"));
        assert!(!folder.path().join("transcript_a.md").exists());
        let finished = paper.finish().expect("room");
        let expected = Finished { bytes: 16, pages: 2, side_files: 2 };
        assert_eq!(finished, expected);
        assert_eq!(
            names(folder.path()),
            ["transcript_a.md", "transcript_a_files", "transcript_a_page2.md"]
        );
        let read = |name: &str| fs::read(folder.path().join(name)).expect("a file");
        assert_eq!(read("transcript_a.md"), b"one");
        assert_eq!(read("transcript_a_page2.md"), b"two");
    }

    #[test]
    fn what_is_given_up_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("transcript_a.md"), "before").expect("room");
        let mut paper = FilePaper::new(folder.path(), "transcript_a.md", "md").expect("a file");
        paper.write_all(b"half").expect("room");
        drop(paper);
        assert_eq!(names(folder.path()), ["transcript_a.md"]);
        let left = fs::read(folder.path().join("transcript_a.md")).expect("a file");
        assert_eq!(left, b"before");
    }
}
