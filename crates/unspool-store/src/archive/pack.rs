//! Packs one file: compares it with its archived state, writes it, and reads it back.
//!
//! The content is cut into frames of at most 1 MiB, after a newline if there is one. Where a frame
//! ends depends only on the bytes before, so a file that grows keeps all its frames but the last,
//! and a file packed in steps equals one packed at once. A packed file is always written to a
//! temporary file and then renamed, so every file in an archive is complete.

#![expect(clippy::disallowed_methods, reason = "an archive is files")]

use std::fs;
use std::hash::BuildHasher as _;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use foldhash::quality::FixedState;
use memchr::memrchr;
use tempfile::{NamedTempFile, TempPath};
use zstd::bulk::Compressor;

use super::place;
use crate::files::FileStamp;
use crate::files::packed::{PackedFile, Unpacker};
use crate::files::table::{self, PackedFrame};
use crate::files::{self, FileReader, packed_path};

/// The largest content of a frame. Chosen by judgement: a reader that wants one line unpacks a
/// frame, which takes a millisecond.
pub(super) const FRAME: usize = 1 << 20;
/// The zstd level: on real logs 8 % smaller than level 3, at a third of its speed; 9 would gain 3 %
/// more.
const LEVEL: i32 = 6;
/// How many attempts a file gets that changes while it is read. Chosen by judgement: a log that
/// changes each time is being written, and the next run archives it.
const TRIES: u32 = 4;

/// How a file compares with its archived state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArchiveChange {
    /// The file was not archived before.
    New,
    /// The file begins with the archived bytes and has more.
    Grown,
    /// The file is shorter than the archived bytes or differs from them.
    Rewritten,
    /// The archived state was damaged, and the file still has its content.
    Repaired,
    /// The file equals its archived state.
    Unchanged,
}

/// The paths of a file's states.
pub(super) struct StatePlaces {
    /// The path in the archive, without the suffix of packed files.
    pub(super) current: PathBuf,
    /// The path prefix of its older states.
    pub(super) older: PathBuf,
    /// The folder for temporary files.
    pub(super) temporary: PathBuf,
}

/// The result of packing a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    pub(super) change: ArchiveChange,
    /// The stamp of the state that was packed.
    pub(super) stamp: FileStamp,
    /// How many bytes of content were added.
    pub(super) added: u64,
    /// The size of the packed file.
    pub(super) packed: u64,
    /// The previous size of the packed file; zero if it was missing, cannot be opened, or stays as
    /// an older state.
    pub(super) before: u64,
}

/// Whether a run writes files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The run writes files.
    Write,
    /// The run only reports what it would write.
    DryRun,
}

/// A packed file that is not in its place yet.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) packing: Packing,
    /// The temporary file; `None` if there is nothing to write.
    pub(super) fresh: Option<TempPath>,
}

impl Prepared {
    /// Moves the temporary file, which must be synced to disk, to its place.
    pub(super) fn put(self, places: &StatePlaces) -> io::Result<Packing> {
        if let Some(fresh) = self.fresh {
            let current = packed_path(&places.current);
            if self.packing.change == ArchiveChange::Rewritten {
                place::keep_older(&current, &places.older, &places.temporary)?;
            }
            place::put(fresh, &current)?;
        }
        Ok(self.packing)
    }
}

/// Compares a file with its archived state, and packs it if they differ. `is_archived` tells
/// whether a stamp is known to be that of the archived state.
pub(super) fn prepare(
    source: &Path,
    places: &StatePlaces,
    mode: Mode,
    is_archived: &dyn Fn(&FileStamp) -> bool,
) -> io::Result<Prepared> {
    for _ in 0..TRIES {
        if let Some(prepared) = try_prepare(source, places, mode, is_archived)? {
            return Ok(prepared);
        }
    }
    let reason = "it changes while it is read; the next run will try again";
    Err(io::Error::new(io::ErrorKind::ResourceBusy, reason))
}

/// Packs a file; `None` if it changed meanwhile in any other way than growing.
fn try_prepare(
    source: &Path,
    places: &StatePlaces,
    mode: Mode,
    is_archived: &dyn Fn(&FileStamp) -> bool,
) -> io::Result<Option<Prepared>> {
    let file = files::OpenFile::open(source)?;
    let stamp = file.stamp()?;
    let mut reader = file.reader();
    let current = packed_path(&places.current);
    let archived = Archived::open(&current)?;
    let known = archived.compare(&mut reader)?;
    let packing = archived.packing(&known, stamp, is_archived(&stamp))?;
    let mut prepared = Prepared { packing, fresh: None };
    match (packing.change, mode) {
        (ArchiveChange::Unchanged, Mode::Write) => set_time(&current, &stamp)?,
        (_, Mode::DryRun) => {}
        (change, Mode::Write) => {
            let kept = match (&archived, change) {
                (Archived::Whole(packed), ArchiveChange::Grown) => Some((packed, known)),
                _ => None,
            };
            let fresh = write(&mut reader, &stamp, kept, &places.temporary)?;
            let Some((fresh, length)) = fresh.filter(|_| still_begins(source, &stamp)) else {
                return Ok(None);
            };
            prepared.packing.packed = length;
            prepared.fresh = Some(fresh);
        }
    }
    Ok(Some(prepared))
}

/// Returns whether a file has at most grown since its stamp was taken.
fn still_begins(source: &Path, then: &FileStamp) -> bool {
    files::stamp(source).is_ok_and(|now| {
        now.identity == then.identity
            && (now.bytes > then.bytes || now.bytes == then.bytes && now.modified == then.modified)
    })
}

/// The archived state of a file.
enum Archived {
    Nothing,
    Whole(PackedFile),
    /// A packed file that cannot be opened.
    Damaged,
}

impl Archived {
    fn open(current: &Path) -> io::Result<Self> {
        match PackedFile::open(current) {
            Ok(packed) => Ok(Self::Whole(packed)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Nothing),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(Self::Damaged),
            Err(error) => Err(error),
        }
    }

    fn compare(&self, reader: &mut FileReader<'_>) -> io::Result<KnownFrames> {
        match self {
            Self::Whole(packed) => compare(packed, reader),
            Self::Nothing | Self::Damaged => Ok(KnownFrames::default()),
        }
    }

    /// Compares a file with this state, with sizes as if nothing had to be written; `is_archived`
    /// is set if the file is known to be the one that was archived.
    fn packing(
        &self,
        known: &KnownFrames,
        stamp: FileStamp,
        is_archived: bool,
    ) -> io::Result<Packing> {
        let (change, added, before) = match self {
            Self::Nothing => (ArchiveChange::New, stamp.bytes, 0),
            Self::Damaged if is_archived => (ArchiveChange::Repaired, 0, 0),
            Self::Whole(packed) if known.relation == Relation::Damaged => {
                let added = stamp.bytes.saturating_sub(packed.length());
                (ArchiveChange::Repaired, added, packed.file().metadata()?.len())
            }
            Self::Whole(packed) if known.relation == Relation::Begins => {
                let added = stamp.bytes.saturating_sub(packed.length());
                let change = match added {
                    0 => ArchiveChange::Unchanged,
                    _ => ArchiveChange::Grown,
                };
                (change, added, packed.file().metadata()?.len())
            }
            Self::Whole(_) | Self::Damaged => (ArchiveChange::Rewritten, stamp.bytes, 0),
        };
        Ok(Packing { change, stamp, added, packed: before, before })
    }
}

/// The result of comparing a file with the archived frames.
#[derive(Default)]
struct KnownFrames {
    relation: Relation,
    /// The hashes of the content of the frames that match.
    hashes: Vec<u64>,
}

/// How a file relates to the archived frames.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Relation {
    /// The file begins with all of them.
    Begins,
    /// The file begins with those that can be unpacked, and is at least as long as all of them.
    Damaged,
    /// The file differs from them.
    #[default]
    Differs,
}

/// Compares the archived frames with the beginning of a file, byte by byte.
fn compare(packed: &PackedFile, reader: &mut FileReader<'_>) -> io::Result<KnownFrames> {
    let mut known = KnownFrames::default();
    let mut unpacker = Unpacker::new()?;
    let mut bytes = Vec::new();
    let mut damaged = false;
    reader.seek(SeekFrom::Start(0))?;
    for (index, frame) in packed.frames().iter().enumerate() {
        bytes.clear();
        reader.take(u64::from(frame.length)).read_to_end(&mut bytes)?;
        let same = match unpacker.frame(packed, index) {
            Ok(content) => content == bytes,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                damaged = true;
                bytes.len() == frame.length as usize
            }
            Err(error) => return Err(error),
        };
        if !same {
            return Ok(known);
        }
        known.hashes.push(hash(&bytes));
    }
    known.relation = if damaged { Relation::Damaged } else { Relation::Begins };
    Ok(known)
}

/// Writes a packed file and reads it back. Kept frames are copied, except the last one, which the
/// new content may fill up. Returns `None` if the source ended early.
fn write(
    reader: &mut FileReader<'_>,
    stamp: &FileStamp,
    kept: Option<(&PackedFile, KnownFrames)>,
    temporary: &Path,
) -> io::Result<Option<(TempPath, u64)>> {
    let mut writer = FrameWriter::new(temporary)?;
    if let Some((packed, known)) = kept {
        writer.copy(packed, &known.hashes)?;
    }
    let start = writer.frames.last().map_or(0, PackedFrame::end);
    reader.seek(SeekFrom::Start(start))?;
    let mut left = stamp.bytes.saturating_sub(start);
    let mut content = Vec::with_capacity(FRAME.min(left as usize));
    loop {
        let wanted = left.min((FRAME - content.len()) as u64);
        let read = reader.take(wanted).read_to_end(&mut content)? as u64;
        if read < wanted {
            return Ok(None);
        }
        left -= read;
        let end = if left == 0 {
            content.len()
        } else {
            memrchr(b'\n', &content).map_or(content.len(), |newline| newline + 1)
        };
        writer.frame(&content[..end])?;
        content.drain(..end);
        if left == 0 && content.is_empty() {
            return writer.finish(stamp).map(Some);
        }
    }
}

/// Writes frames and keeps the hashes of their content.
struct FrameWriter {
    file: NamedTempFile,
    compressor: Compressor<'static>,
    buffer: Vec<u8>,
    frames: Vec<PackedFrame>,
    hashes: Vec<u64>,
}

impl FrameWriter {
    fn new(temporary: &Path) -> io::Result<Self> {
        let mut compressor = Compressor::new(LEVEL)?;
        compressor.include_checksum(true)?;
        Ok(Self {
            file: NamedTempFile::new_in(temporary)?,
            compressor,
            buffer: Vec::new(),
            frames: Vec::new(),
            hashes: Vec::new(),
        })
    }

    /// Copies all frames but the last unchanged.
    fn copy(&mut self, packed: &PackedFile, hashes: &[u64]) -> io::Result<()> {
        let Some((last, whole)) = packed.frames().split_last() else {
            return Ok(());
        };
        let mut file = packed.file();
        file.seek(SeekFrom::Start(0))?;
        io::copy(&mut file.take(last.at), &mut self.file)?;
        self.frames.extend_from_slice(whole);
        self.hashes.extend_from_slice(&hashes[..whole.len()]);
        Ok(())
    }

    fn frame(&mut self, content: &[u8]) -> io::Result<()> {
        self.buffer.clear();
        self.buffer.reserve(zstd::zstd_safe::compress_bound(content.len()));
        self.compressor.compress_to_buffer(content, &mut self.buffer)?;
        self.file.write_all(&self.buffer)?;
        let last = self.frames.last();
        self.frames.push(PackedFrame {
            at: last.map_or(0, |frame| frame.at + u64::from(frame.packed)),
            packed: self.buffer.len() as u32,
            start: last.map_or(0, PackedFrame::end),
            length: content.len() as u32,
        });
        self.hashes.push(hash(content));
        Ok(())
    }

    /// Writes the table, reads the whole file back, and returns it with its size.
    fn finish(mut self, stamp: &FileStamp) -> io::Result<(TempPath, u64)> {
        self.file.write_all(&table::encode(&self.frames))?;
        self.file.flush()?;
        let time = fs::FileTimes::new().set_modified(stamp.modified);
        self.file.as_file().set_times(time)?;
        let written = PackedFile::open(self.file.path())?;
        let same = written.frames() == self.frames && written.length() == stamp.bytes;
        let mut unpacker = Unpacker::new()?;
        for (index, &expected) in self.hashes.iter().enumerate().filter(|_| same) {
            if hash(unpacker.frame(&written, index)?) != expected {
                return Err(unlike());
            }
        }
        if !same {
            return Err(unlike());
        }
        let length = written.file().metadata()?.len();
        Ok((self.file.into_temp_path(), length))
    }
}

fn unlike() -> io::Error {
    let reason = "what was written reads back differently; the disk may be failing";
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

fn hash(bytes: &[u8]) -> u64 {
    FixedState::default().hash_one(bytes)
}

/// Sets the time of a packed file to that of its source, if they differ.
fn set_time(packed: &Path, stamp: &FileStamp) -> io::Result<()> {
    if fs::metadata(packed)?.modified()? == stamp.modified {
        return Ok(());
    }
    let file = fs::File::options().write(true).open(packed)?;
    file.set_modified(stamp.modified)
}
