//! A packed file: independent zstd frames followed by a seek table.
//!
//! Any offset of the content is read by unpacking only the frame that contains it. This module
//! knows nothing of archives; `archive::pack` writes packed files.

use std::fs::File;
use std::io;
use std::path::Path;

use zstd::bulk::Decompressor;

use super::at::read_exact_at;
use super::table::{self, Damage, PackedFrame};
use crate::files::FileStamp;

/// An open packed file.
#[derive(Debug)]
pub struct PackedFile {
    file: File,
    frames: Vec<PackedFrame>,
}

impl PackedFile {
    /// Opens a packed file and reads its table.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Self::of(super::open_regular(path)?.0)
    }

    /// Reads the seek table of an open file.
    pub(crate) fn of(file: File) -> io::Result<Self> {
        let frames = table::read(&file, file.metadata()?.len())?;
        Ok(Self { file, frames })
    }

    /// Returns the file on disk.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns the length of the content.
    pub(crate) fn length(&self) -> u64 {
        self.frames.last().map_or(0, PackedFrame::end)
    }

    /// Returns the stamp of the content. The modification time is that of the source; the identity
    /// is left out, because a packed file gets a new inode whenever it grows.
    pub(crate) fn stamp(&self) -> io::Result<FileStamp> {
        Ok(FileStamp {
            bytes: self.length(),
            identity: None,
            ..FileStamp::of(&self.file.metadata()?)
        })
    }

    /// Returns the frames in order.
    pub(crate) fn frames(&self) -> &[PackedFrame] {
        &self.frames
    }

    /// Returns the index of the frame that contains an offset of the content.
    fn frame_of(&self, place: u64) -> Option<usize> {
        let at = self.frames.partition_point(|frame| frame.end() <= place);
        (at < self.frames.len()).then_some(at)
    }
}

/// Unpacks one frame at a time into its own buffer.
pub(crate) struct Unpacker {
    decoder: Decompressor<'static>,
    raw: Vec<u8>,
    content: Vec<u8>,
    held: Option<usize>,
}

impl Unpacker {
    /// Makes an unpacker for one file: it caches its last frame by index.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { decoder: Decompressor::new()?, raw: Vec::new(), content: Vec::new(), held: None })
    }

    /// Returns the content of a frame, unpacking it unless it is the cached one.
    pub(crate) fn frame(&mut self, packed: &PackedFile, index: usize) -> io::Result<&[u8]> {
        if self.held != Some(index) {
            self.held = None;
            self.unpack(packed, index)?;
            self.held = Some(index);
        }
        Ok(&self.content)
    }

    /// Returns the content from an offset to the end of its frame; nothing at the end of the file.
    pub(crate) fn from(&mut self, packed: &PackedFile, place: u64) -> io::Result<&[u8]> {
        let Some(index) = packed.frame_of(place) else {
            return Ok(&[]);
        };
        let into = (place - packed.frames[index].start) as usize;
        Ok(&self.frame(packed, index)?[into..])
    }

    fn unpack(&mut self, packed: &PackedFile, index: usize) -> io::Result<()> {
        let frame = packed.frames[index];
        let damage = |reason: String| {
            let number = index + 1;
            Damage::Frame { at: frame.at, number, reason }
        };
        self.raw.resize(frame.packed as usize, 0);
        read_exact_at(&packed.file, &mut self.raw, frame.at)?;
        self.content.clear();
        self.content.reserve(frame.length as usize);
        let unpacked = self.decoder.decompress_to_buffer(&self.raw, &mut self.content);
        match unpacked {
            Ok(length) if length == frame.length as usize => Ok(()),
            Ok(length) => {
                let reason = format!("it has {length} bytes instead of {}", frame.length);
                Err(damage(reason).into())
            }
            Err(error) => Err(damage(error.to_string()).into()),
        }
    }
}
