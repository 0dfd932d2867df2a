//! What a path holds, whether the file stands there plain or packed.
//!
//! In an archive a file `a.jsonl` stands as `a.jsonl.zst`, and is called `a.jsonl` all the
//! same: ids, names and rows come out as those of the home that was archived. Whoever reads
//! a log or a file beside it opens it here. A file that is there under its own name is opened
//! as ever; the packed name is tried only where nothing is found and a marker above says that
//! this is an archive, so a plain home pays nothing.

mod at;
pub(crate) mod packed;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use self::packed::{Packed, Unpacker};
use crate::home::Stamp;

/// The file that says of a folder that it is an archive.
pub const MARKER: &str = "unspool-archive.json";
/// What the name of a packed file ends in.
const ENDING: &str = ".zst";

/// Returns the path at which a file stands in an archive.
pub(crate) fn packed_path(path: &Path) -> PathBuf {
    let mut packed = path.as_os_str().to_owned();
    packed.push(ENDING);
    PathBuf::from(packed)
}

/// Returns the name of the file that stands in an archive under a packed name.
pub(crate) fn plain_name(packed: &OsStr) -> Option<OsString> {
    let path = Path::new(packed);
    let name = path.file_stem()?;
    // Without its ending a name must still be one: `...zst` is not the folder above.
    let is_name = name != "." && name != "..";
    (path.extension()? == &ENDING[1..] && is_name).then(|| name.to_owned())
}

/// Tells whether a path leads into an archive.
pub(crate) fn in_archive(path: &Path) -> bool {
    let mut above = path.ancestors().skip(1);
    above.any(|folder| fs::symlink_metadata(folder.join(MARKER)).is_ok_and(|data| data.is_file()))
}

/// Opens a regular file as it stands; a pipe or a device would be read for ever.
pub(crate) fn open_regular(path: &Path) -> io::Result<fs::File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    fs::File::open(path)
}

/// Returns the size and time of a regular file.
pub(crate) fn stamp(path: &Path) -> io::Result<Stamp> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(Stamp::of(&metadata)),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::open(path)?.stamp(),
    }
}

/// A file that is open for reading.
#[derive(Debug)]
pub(crate) enum File {
    /// It stands there as it is.
    Plain(fs::File),
    /// It stands there packed.
    Packed(Packed),
}

impl File {
    /// Opens a regular file.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match open_regular(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && in_archive(path) => {
                Ok(Self::Packed(Packed::open(&packed_path(path))?))
            }
            opened => Ok(Self::Plain(opened?)),
        }
    }

    /// Returns the size and time of the content.
    pub(crate) fn stamp(&self) -> io::Result<Stamp> {
        match self {
            Self::Plain(file) => Ok(Stamp::of(&file.metadata()?)),
            Self::Packed(packed) => Ok(packed_stamp(packed, &packed.file().metadata()?)),
        }
    }

    /// Returns a reader that stands at the beginning.
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader {
            file: self,
            at: 0,
            unpacker: None,
        }
    }
}

/// A packed file is written anew when it grows, so its number on the disk says nothing.
fn packed_stamp(packed: &Packed, metadata: &fs::Metadata) -> Stamp {
    Stamp {
        bytes: packed.length(),
        identity: None,
        ..Stamp::of(metadata)
    }
}

/// Reads the content of a file. Each reader has a place of its own.
pub(crate) struct Reader<'f> {
    file: &'f File,
    at: u64,
    unpacker: Option<Unpacker>,
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = match self.file {
            File::Plain(file) => at::read_at(file, buffer, self.at)?,
            File::Packed(packed) => {
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

impl Seek for Reader<'_> {
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
