//! Opens files by path, plain or packed.
//!
//! An archive stores a file `a.jsonl` as `a.jsonl.zst`, and callers still name it `a.jsonl`, so
//! ids, names and rows equal those of the archived home. All readers of logs and side files open
//! them here. A file that exists under its own name is opened directly; the packed name is tried
//! only if nothing is found and a marker in a folder above identifies an archive, so a plain home
//! pays nothing.

mod at;
mod ending;
pub mod line_length;
pub mod lines;
pub(crate) mod lock;
mod marker;
pub(crate) mod packed;
pub mod private;
mod stamp;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

pub use self::ending::last_lines;
pub(crate) use self::marker::{ArchiveMarker, MarkerFault, is_home_folder};
pub use self::marker::{ArchivedHome, MARKER};
use self::packed::{PackedFile, Unpacker};
pub(crate) use self::stamp::from_nanos;
pub use self::stamp::{
    COARSEST_TICK, FileIdentity, FileStamp, is_settled, settled_before, to_nanos,
};

/// The suffix of packed files.
const ENDING: &str = ".zst";

/// The memory reserved at once for a byte range that may turn out shorter. Chosen by judgement:
/// nearly all ranges are shorter.
const LARGE_PART: u64 = 64 * 1024;

/// Returns the packed path of a file in an archive.
pub(crate) fn packed_path(path: &Path) -> PathBuf {
    let mut packed = path.as_os_str().to_owned();
    packed.push(ENDING);
    PathBuf::from(packed)
}

/// Returns the name of the file that is stored under a packed name.
pub(crate) fn plain_name(packed: &OsStr) -> Option<OsString> {
    let path = Path::new(packed);
    let name = path.file_stem()?;
    // `...zst` would become `..`, the parent folder.
    let is_name = name != "." && name != "..";
    (path.extension()? == &ENDING[1..] && is_name).then(|| name.to_owned())
}

/// Returns the plain path of a packed file in an archive, and any other path unchanged.
pub fn plain_path(path: PathBuf) -> PathBuf {
    match path.file_name().and_then(plain_name) {
        Some(name) if in_archive(&path) => path.with_file_name(name),
        _ => path,
    }
}

/// Returns whether a path is inside an archive.
pub(crate) fn in_archive(path: &Path) -> bool {
    let mut above = path.ancestors().skip(1);
    above.any(|folder| fs::symlink_metadata(folder.join(MARKER)).is_ok_and(|data| data.is_file()))
}

/// Opens a regular file without unpacking it, and returns its metadata. Anything else is refused:
/// reading a pipe or a device might never end.
pub fn open_regular(path: &Path) -> io::Result<(fs::File, fs::Metadata)> {
    let file = match at::open(path) {
        Ok(file) => file,
        Err(error) => match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => return Err(not_regular()),
            // Another process has a lease on the file; a blocking open waits for its release.
            Ok(_) if error.kind() == io::ErrorKind::WouldBlock => fs::File::open(path)?,
            _ => return Err(error),
        },
    };
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(not_regular()) }
}

/// Opens a lock file, creating it if it is missing. Anything but a regular file is refused: a pipe
/// would block the process for ever.
pub(crate) fn open_lock(path: &Path) -> io::Result<fs::File> {
    let file = at::open_lock(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

/// What the file system reports about a path.
#[derive(Clone, Copy, Debug)]
pub struct PathInfo {
    /// What the path leads to.
    pub(crate) kind: PathType,
    /// The size and modification time of the content.
    pub stamp: FileStamp,
    /// Set if its permissions let no user read it.
    pub(crate) locked: bool,
}

/// What a path leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PathType {
    /// A regular file, plain or packed.
    File,
    /// A folder.
    Folder,
    /// Anything else, such as a pipe, which must not be read.
    Other,
}

impl PathInfo {
    fn of(metadata: &fs::Metadata) -> Self {
        let kind = if metadata.is_file() {
            PathType::File
        } else if metadata.is_dir() {
            PathType::Folder
        } else {
            PathType::Other
        };
        Self { kind, stamp: FileStamp::of(metadata), locked: is_locked(metadata) }
    }

    /// Returns whether this is a regular file.
    pub fn is_file(&self) -> bool {
        self.kind == PathType::File
    }
}

#[cfg(unix)]
fn is_locked(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o444 == 0
}

#[cfg(not(unix))]
fn is_locked(_: &fs::Metadata) -> bool {
    false
}

/// Examines a path, following links.
pub(crate) fn look(path: &Path) -> io::Result<PathInfo> {
    look_at(path, fs::metadata(path))
}

/// Examines a path itself; a link is neither a file nor a folder.
pub fn path_info_no_follow(path: &Path) -> io::Result<PathInfo> {
    look_at(path, fs::symlink_metadata(path))
}

fn look_at(path: &Path, found: io::Result<fs::Metadata>) -> io::Result<PathInfo> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound && in_archive(path) => {
            let metadata = fs::symlink_metadata(packed_path(path))?;
            let look = PathInfo::of(&metadata);
            let stamp = match look.kind {
                PathType::File => PackedFile::open(&packed_path(path))?.stamp()?,
                PathType::Folder | PathType::Other => look.stamp,
            };
            Ok(PathInfo { stamp, ..look })
        }
        found => Ok(PathInfo::of(&found?)),
    }
}

/// Returns the stamp of a regular file.
pub fn stamp(path: &Path) -> io::Result<FileStamp> {
    let look = look(path)?;
    if look.is_file() { Ok(look.stamp) } else { Err(not_regular()) }
}

/// Returns whether anything exists at a path, even if it cannot be read.
pub fn exists(path: &Path) -> bool {
    !look(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Returns whether a path leads to a regular file.
pub(crate) fn is_file(path: &Path) -> bool {
    look(path).is_ok_and(|look| look.is_file())
}

/// Resolves the links of a path to an existing file, plain or packed.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && in_archive(path) => {
            let packed = fs::canonicalize(packed_path(path))?;
            let name = packed.file_name().and_then(plain_name);
            Ok(name.map_or(packed.clone(), |name| packed.with_file_name(name)))
        }
        found => found,
    }
}

/// Reads a whole file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    OpenFile::open(path)?.part(0, u64::MAX)
}

/// An open file.
#[derive(Debug)]
pub enum OpenFile {
    /// A plain file.
    Plain(fs::File),
    /// A packed file.
    Packed(PackedFile),
}

impl OpenFile {
    /// Opens a regular file.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::open_with_stamp(path)?.0)
    }

    /// Opens a regular file and returns the stamp of its content.
    pub(crate) fn open_with_stamp(path: &Path) -> io::Result<(Self, FileStamp)> {
        match open_regular(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && in_archive(path) => {
                let packed = PackedFile::open(&packed_path(path))?;
                let stamp = packed.stamp()?;
                Ok((Self::Packed(packed), stamp))
            }
            opened => {
                let (file, metadata) = opened?;
                Ok((Self::Plain(file), FileStamp::of(&metadata)))
            }
        }
    }

    /// Returns the stamp of the content.
    pub(crate) fn stamp(&self) -> io::Result<FileStamp> {
        match self {
            Self::Plain(file) => Ok(FileStamp::of(&file.metadata()?)),
            Self::Packed(packed) => packed.stamp(),
        }
    }

    /// Reads a byte range of the content, cut at the end of the file.
    pub fn part(&self, start: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length.min(LARGE_PART) as usize);
        let mut reader = self.reader();
        reader.seek(SeekFrom::Start(start))?;
        reader.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns a reader at the start of the content.
    pub fn reader(&self) -> FileReader<'_> {
        FileReader { file: self, at: 0, unpacker: None }
    }
}

/// Reads the content of a file. Each reader has its own position.
pub struct FileReader<'f> {
    file: &'f OpenFile,
    at: u64,
    unpacker: Option<Unpacker>,
}

impl Read for FileReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = match self.file {
            OpenFile::Plain(file) => at::read_at(file, buffer, self.at)?,
            OpenFile::Packed(packed) => {
                let unpacker = match &mut self.unpacker {
                    Some(unpacker) => unpacker,
                    none => none.insert(Unpacker::new()?),
                };
                let content = unpacker.from(packed, self.at)?;
                let length = content.len().min(buffer.len());
                buffer[..length].copy_from_slice(&content[..length]);
                length
            }
        };
        self.at += length as u64;
        Ok(length)
    }
}

impl Seek for FileReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::Current(by) => (self.at, by),
            SeekFrom::End(by) => (self.file.stamp()?.bytes, by),
        };
        let at = from.checked_add_signed(by);
        self.at = at.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}
