//! A packed file: independent zstd frames followed by a seek table.
//!
//! Any place of the content is read by unpacking the one frame that contains it. Knows nothing
//! of archives; the writing side is `archive::pack`.

use std::fs::File;
use std::io;
use std::path::Path;

use zstd::bulk::Decompressor;

use super::at::read_exact_at;
use super::table::{self, Damage, PackedFrame};
use crate::files::FileStamp;

/// A packed file that is open.
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

    /// Takes a file that is open and reads its table.
    pub(crate) fn of(file: File) -> io::Result<Self> {
        let frames = table::read(&file, file.metadata()?.len())?;
        Ok(Self { file, frames })
    }

    /// Returns the file as it is on disk.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns how long the content is.
    pub(crate) fn length(&self) -> u64 {
        self.frames.last().map_or(0, PackedFrame::end)
    }

    /// Returns the size of the content, and the time, which is that of the source. The file is
    /// rewritten when it grows, so its number on the disk says nothing.
    pub(crate) fn stamp(&self) -> io::Result<FileStamp> {
        Ok(FileStamp {
            bytes: self.length(),
            identity: None,
            ..FileStamp::of(&self.file.metadata()?)
        })
    }

    /// Returns its frames in order.
    pub(crate) fn frames(&self) -> &[PackedFrame] {
        &self.frames
    }

    /// Returns which frame contains a place of the content.
    fn frame_of(&self, place: u64) -> Option<usize> {
        let at = self.frames.partition_point(|frame| frame.end() <= place);
        (at < self.frames.len()).then_some(at)
    }
}

/// Unpacks frames, one at a time, into a buffer of its own.
pub(crate) struct Unpacker {
    decoder: Decompressor<'static>,
    raw: Vec<u8>,
    content: Vec<u8>,
    held: Option<usize>,
}

impl Unpacker {
    /// Makes an unpacker for one file.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { decoder: Decompressor::new()?, raw: Vec::new(), content: Vec::new(), held: None })
    }

    /// Returns the content of a frame, which is unpacked unless it was the last one asked for.
    pub(crate) fn frame(&mut self, packed: &PackedFile, index: usize) -> io::Result<&[u8]> {
        if self.held != Some(index) {
            self.held = None;
            self.unpack(packed, index)?;
            self.held = Some(index);
        }
        Ok(&self.content)
    }

    /// Returns what the frame around a place contains from there on; nothing at the end.
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
