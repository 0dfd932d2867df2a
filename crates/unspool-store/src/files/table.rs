//! The seek table at the end of a packed file.
//!
//! The layout is the zstd seekable format: a skippable frame with one entry for each preceding
//! frame, which every zstd decoder skips. This module encodes and decodes sizes and unpacks
//! nothing.

use std::fs::File;
use std::io;

use super::at::read_exact_at;

/// The magic number of a skippable frame that contains a seek table.
const SKIPPABLE: u32 = 0x184D_2A5E;
/// The magic number at the end of a file with a seek table.
const SEEKABLE: u32 = 0x8F92_EAB1;
/// The size of the magic number and the length field before the entries.
const HEAD: u64 = 8;
/// The size of the count, the flags and the magic number after the entries.
const FOOT: u64 = 9;
/// The flag for entries with a checksum, which ours lack.
const CHECKSUMS: u8 = 0x80;
/// Flags that must not be set.
const RESERVED: u8 = 0x7c;

/// The largest frame that is unpacked. Ours are much smaller.
pub(crate) const LARGEST: u32 = 32 << 20;

/// One frame of a packed file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedFrame {
    /// Its offset in the packed file.
    pub(crate) at: u64,
    /// Its length in the packed file.
    pub(crate) packed: u32,
    /// The offset of its content in the unpacked file.
    pub(crate) start: u64,
    /// The length of its content.
    pub(crate) length: u32,
}

impl PackedFrame {
    /// Returns the offset at which its content ends.
    pub(crate) fn end(&self) -> u64 {
        self.start + u64::from(self.length)
    }
}

/// Damage to a packed file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Damage {
    /// The file does not end with a seek table.
    #[error("damaged: the seek table at its end is missing or torn")]
    NoTable,
    /// The table contradicts the file.
    #[error("damaged: the seek table at byte {0} contradicts the file")]
    WrongTable(u64),
    /// The content of a frame differs from the table or cannot be unpacked.
    #[error("damaged at byte {at} (frame {number}): {reason}")]
    Frame {
        /// The offset of the frame in the packed file.
        at: u64,
        /// The number of the frame, counted from one.
        number: usize,
        /// What is wrong with the frame.
        reason: String,
    },
}

impl From<Damage> for io::Error {
    fn from(damage: Damage) -> Self {
        Self::new(io::ErrorKind::InvalidData, damage)
    }
}

/// Encodes the table of some frames.
pub(crate) fn encode(frames: &[PackedFrame]) -> Vec<u8> {
    let size = frames.len() as u64 * 8 + FOOT;
    let mut bytes = Vec::with_capacity((HEAD + size) as usize);
    bytes.extend(SKIPPABLE.to_le_bytes());
    bytes.extend((size as u32).to_le_bytes());
    for frame in frames {
        bytes.extend(frame.packed.to_le_bytes());
        bytes.extend(frame.length.to_le_bytes());
    }
    bytes.extend((frames.len() as u32).to_le_bytes());
    bytes.push(0);
    bytes.extend(SEEKABLE.to_le_bytes());
    bytes
}

/// Reads the table at the end of a file of `length` bytes.
pub(crate) fn read(file: &File, length: u64) -> io::Result<Vec<PackedFrame>> {
    if length < HEAD + FOOT {
        return Err(Damage::NoTable.into());
    }
    let mut foot = [0; FOOT as usize];
    read_exact_at(file, &mut foot, length - FOOT)?;
    let (count, flags) = (u64::from(number(&foot)), foot[4]);
    if number(&foot[5..]) != SEEKABLE || flags & RESERVED != 0 {
        return Err(Damage::NoTable.into());
    }
    let width = if flags & CHECKSUMS == 0 { 8 } else { 12 };
    let size = count * width + FOOT;
    let Some(at) = length.checked_sub(HEAD + size) else {
        return Err(Damage::NoTable.into());
    };
    let mut bytes = vec![0; (HEAD + size) as usize];
    read_exact_at(file, &mut bytes, at)?;
    if number(&bytes) != SKIPPABLE || u64::from(number(&bytes[4..])) != size {
        return Err(Damage::WrongTable(at).into());
    }
    let entries = &bytes[HEAD as usize..bytes.len() - FOOT as usize];
    frames(entries, width as usize, at)
}

/// Decodes entries, whose packed sizes must add up to `at`, the offset of the table.
fn frames(entries: &[u8], width: usize, at: u64) -> io::Result<Vec<PackedFrame>> {
    let mut frames = Vec::with_capacity(entries.len() / width);
    let (mut place, mut start) = (0, 0);
    for entry in entries.chunks_exact(width) {
        let (packed, length) = (number(entry), number(&entry[4..]));
        if packed > LARGEST || length > LARGEST {
            return Err(Damage::WrongTable(at).into());
        }
        frames.push(PackedFrame { at: place, packed, start, length });
        place += u64::from(packed);
        start += u64::from(length);
    }
    if place == at { Ok(frames) } else { Err(Damage::WrongTable(at).into()) }
}

/// Decodes the little-endian number at the start of some bytes.
fn number(bytes: &[u8]) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[..4]);
    u32::from_le_bytes(four)
}
